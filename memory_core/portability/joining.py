"""Entries taken into a memory that has its own: what is new is appended, nothing here is overwritten or deleted.

- An entry that the journal has already (the same name, bytes and time) is passed over.
- A version newer than all of its name is appended, and becomes the note's text; older ones are added to its history
  (`history.py`), and the note stays as it is.
- A delete is taken over only for a note that this import itself brought. A name that was forgotten stays forgotten.
- A Markdown file from elsewhere (`Joining.clashes`) never replaces a note, newer or not.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from memory_core import database, faults, forgetting, journal
from memory_core.ground import Ground
from memory_core.head import Head
from memory_core.journal import Draft, NameRow
from memory_core.portability import history, placing
from memory_core.portability.archive import EntryRow
from memory_core.results import EntryKind

BATCH_ENTRIES = 100
BATCH_BYTES = 4 * 1024 * 1024
MAX_OLDER = 5000
MAX_OLDER_BYTES = 16 * 1024 * 1024


class Fate(StrEnum):
    """What became of an entry of an import."""

    APPENDED = "appended"
    SAME = "same"
    OLDER = "older"
    KEPT = "kept"
    FORGOTTEN = "forgotten"
    CLASH = "clash"


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did: entries appended, passed over because they are here already (`same`), added to the history
    of a newer note (`older`), deletes and blanked entries not taken over (`kept`), of names that were forgotten here,
    and Markdown files whose place another note has (`clash`). `whole` where an empty memory became the same as where
    it came from.
    """

    appended: int = 0
    same: int = 0
    older: int = 0
    kept: int = 0
    forgotten: int = 0
    clash: int = 0
    whole: bool = False

    def plus(self, fates: Iterable[Fate]) -> Imported:
        """The counts with some more entries."""
        more = Counter(fates)
        return Imported(
            self.appended + more[Fate.APPENDED],
            self.same + more[Fate.SAME],
            self.older + more[Fate.OLDER],
            self.kept + more[Fate.KEPT],
            self.forgotten + more[Fate.FORGOTTEN],
            self.clash + more[Fate.CLASH],
        )


class Joining:
    """An import on its way, in short transactions; files follow the journal (`placing.py`)."""

    def __init__(self, ground: Ground, *, clashes: bool) -> None:
        """`clashes`: a name that has a note is left alone, whatever is newer."""
        self._ground = ground
        self._clashes = clashes
        self._ours: set[int] = set()
        self._older: list[EntryRow] = []
        self._older_bytes = 0
        self.result = Imported()

    def take_in(self, rows: Iterable[EntryRow]) -> None:
        """Appends what is new of the rows, in order."""
        batch: list[EntryRow] = []
        size = 0
        for row in rows:
            batch.append(row)
            size += len(row.raw or b"")
            if len(batch) == BATCH_ENTRIES or size > BATCH_BYTES:
                self._append(batch)
                batch, size = [], 0
        self._append(batch)
        self._add_older()

    def _append(self, batch: list[EntryRow]) -> None:
        head = self._ground.head(self._ground.writer)
        if not batch or all(_has(self._ground.writer, head, row) for row in batch):
            self.result = self.result.plus(Fate.SAME for _ in batch)
            return
        fates = self._commit(lambda db, head: [self._one(db, head, row) for row in batch])
        self.result = self.result.plus(fate for fate in fates if fate is not Fate.OLDER)
        self._put_off(row for row, fate in zip(batch, fates, strict=True) if fate is Fate.OLDER)

    def _put_off(self, rows: Iterable[EntryRow]) -> None:
        """Older versions wait until many of a note can be added at once, since that repeats its newest entry."""
        for row in rows:
            self._older.append(row)
            self._older_bytes += len(row.raw or b"")
        if len(self._older) >= MAX_OLDER or self._older_bytes >= MAX_OLDER_BYTES:
            self._add_older()

    def _add_older(self) -> None:
        """Adds what waits to the history of its notes."""
        for batch in history.batches(self._older, BATCH_ENTRIES):
            self.result = self.result.plus(self._commit(partial(self._below, batch)))
        self._older, self._older_bytes = [], 0

    def _commit(self, work: Callable[[sqlite3.Connection, Head], list[Fate]]) -> list[Fate]:
        """One short transaction."""
        ground = self._ground
        with database.writing(ground.writer) as db:
            head = ground.head(db)
            before = head.version
            forgetting.settle(ground, db, head)
            fates = work(db, head)
            ground.store(db, head)
            faults.reach("import.joined")
        ground.known.committed(head, before)
        ground.known.journal = -1
        return fates

    def _below(self, batch: list[list[EntryRow]], db: sqlite3.Connection, head: Head) -> list[Fate]:
        """Adds versions to the history of their notes, those that are still not here; each list is of one note."""
        fates: list[Fate] = []
        for rows in batch:
            here = _here(db, head, rows[0])
            if here is None:
                fates += [self._one(db, head, row) for row in rows]
                continue
            forgotten = _newest(db, head, here)[0] == journal.FORGOTTEN
            new = [row for row in rows if not _has(db, head, row)]
            fates += [Fate.SAME] * (len(rows) - len(new)) + [Fate.FORGOTTEN if forgotten else Fate.OLDER] * len(new)
            if new and not forgotten:
                number = history.add_below(db, head, new, here, self._ground.budget)
                self._ours |= {number} if here.newest in self._ours else set()
        return fates

    def _one(self, db: sqlite3.Connection, head: Head, row: EntryRow) -> Fate:
        here = _here(db, head, row)
        fate = Fate.SAME if _has(db, head, row) else fate_of(db, head, row, here, self._ours, clashes=self._clashes)
        if fate is Fate.APPENDED:
            number = journal.append(db, head, _draft(row, here), self._ground.budget)
            self._ours.add(number)
        return fate


def fate_of(
    db: sqlite3.Connection, head: Head, row: EntryRow, here: NameRow | None, ours: Set[int], *, clashes: bool
) -> Fate:
    """What becomes of an entry that isn't here; `here` is its name's row, `ours` what this import appended."""
    if row.kind is EntryKind.FORGOTTEN:
        return Fate.KEPT
    if here is None:
        if clashes and _is_in_the_way(db, head, row.name):
            return Fate.CLASH
        return Fate.APPENDED if row.raw is not None else Fate.KEPT
    if row.raw is None:
        return Fate.APPENDED if here.live and here.newest in ours else Fate.KEPT
    kind, created_ms = _newest(db, head, here)
    if kind == journal.FORGOTTEN:
        return Fate.FORGOTTEN
    if here.newest in ours:
        return Fate.APPENDED
    if here.hash == journal.digest(row.raw):
        return Fate.SAME
    if clashes and here.live:
        return Fate.CLASH
    return Fate.APPENDED if clashes or row.created_ms > created_ms else Fate.OLDER


def _is_in_the_way(db: sqlite3.Connection, head: Head, name: str) -> bool:
    """Whether a note is where the name needs a folder, or a folder of notes where it needs a file."""
    parts = name.split("/")[:-1]
    for above in ("/".join(parts[: count + 1]) for count in range(len(parts))):
        row = journal.name_row(db, head.journal, above) or journal.meant(db, head.journal, above)
        if row is not None and row.live:
            return True
    query = "SELECT 1 FROM name WHERE journal = ? AND live AND name > ? AND name < ? LIMIT 1"
    return db.execute(query, (head.journal, f"{name}/", f"{name}0")).fetchone() is not None


def _here(db: sqlite3.Connection, head: Head, row: EntryRow) -> NameRow | None:
    """The name here that an entry's name means."""
    exact = journal.name_row(db, head.journal, row.name)
    return exact if exact is not None else journal.meant(db, head.journal, row.name)


def _newest(db: sqlite3.Connection, head: Head, here: NameRow) -> tuple[int, int]:
    """The kind of a name's newest entry, and its date."""
    kind, created_ms = db.execute(
        "SELECT kind, created_ms FROM entry WHERE journal = ? AND seq = ?", (head.journal, here.newest)
    ).fetchone()
    return kind, created_ms


def _draft(row: EntryRow, here: NameRow | None) -> Draft:
    """The entry with its own date and author. The file that it replaces is the one that the journal last saw."""
    replaced = None
    if here is not None and here.live:
        replaced = here.replaced if placing.is_unplaced(here) else here.file
    return Draft(
        name=row.name if here is None else here.name,
        disk=row.name if here is None else here.disk,
        raw=row.raw,
        origin=row.origin,
        created_ms=row.created_ms,
        replaced=replaced,
        hides=row.hides,
    )


def _has(db: sqlite3.Connection, head: Head, row: EntryRow) -> bool:
    """Whether the journal has the entry: first asked at its own number, where an import of the same memory finds it."""
    there = db.execute(
        "SELECT e.created_ms, e.raw, m.name FROM entry e JOIN name m ON m.id = e.name_id"
        " WHERE e.journal = ? AND e.seq = ?",
        (head.journal, row.seq),
    ).fetchone()
    if there == (row.created_ms, row.raw, row.name):
        return True
    here = _here(db, head, row)
    if here is None:
        return False
    rows = db.execute("SELECT raw FROM entry WHERE name_id = ? AND created_ms = ?", (here.id, row.created_ms))
    return any(raw == row.raw for (raw,) in rows)
