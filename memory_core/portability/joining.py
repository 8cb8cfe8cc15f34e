"""Entries taken into a memory that has its own: what is new is appended, nothing here is overwritten or deleted.

- An entry that the journal has already (the same name, bytes and time) is passed over.
- A version newer than all of its name is appended, and becomes the note's text; an older one is left out, since an
  appended entry would stand above the newer text that is here.
- A delete is taken over only for a note that this import itself brought. A name that was forgotten stays forgotten.
- A Markdown file from elsewhere (`Joining.clashes`) never replaces a note, newer or not.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Set
from dataclasses import dataclass
from enum import StrEnum

from memory_core import database, faults, forgetting, journal
from memory_core.ground import Ground
from memory_core.head import Head
from memory_core.journal import Draft, NameRow
from memory_core.portability import placing
from memory_core.portability.archive import EntryRow
from memory_core.results import EntryKind

BATCH_ENTRIES = 100
BATCH_BYTES = 4 * 1024 * 1024


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
    """What an import did: entries appended, passed over because they are here already (`same`), older than what is
    here, deletes and blanked entries not taken over (`kept`), of names that were forgotten here, and Markdown files
    whose name another note has (`clash`). `whole` where an empty memory became the same as where it came from.
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

    def _append(self, batch: list[EntryRow]) -> None:
        ground = self._ground
        head = ground.head(ground.writer)
        if not batch or all(_has(ground.writer, head, row) for row in batch):
            self.result = self.result.plus(Fate.SAME for _ in batch)
            return
        with database.writing(ground.writer) as db:
            head = ground.head(db)
            before = head.version
            forgetting.settle(ground, db, head)
            fates = [self._one(db, head, row) for row in batch]
            ground.store(db, head)
            faults.reach("import.joined")
        ground.known.committed(head, before)
        ground.known.journal = -1
        self.result = self.result.plus(fates)

    def _one(self, db: sqlite3.Connection, head: Head, row: EntryRow) -> Fate:
        here = journal.name_row(db, head.journal, row.name)
        here = here if here is not None else journal.meant(db, head.journal, row.name)
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
        return Fate.APPENDED if row.raw is not None else Fate.KEPT
    if row.raw is None:
        return Fate.APPENDED if here.live and here.newest in ours else Fate.KEPT
    kind, created_ms = db.execute(
        "SELECT kind, created_ms FROM entry WHERE journal = ? AND seq = ?", (head.journal, here.newest)
    ).fetchone()
    if kind == journal.FORGOTTEN:
        return Fate.FORGOTTEN
    if here.newest in ours:
        return Fate.APPENDED
    if here.hash == journal.digest(row.raw):
        return Fate.SAME
    if clashes and here.live:
        return Fate.CLASH
    return Fate.APPENDED if clashes or row.created_ms > created_ms else Fate.OLDER


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
    name = journal.name_row(db, head.journal, row.name)
    if name is None:
        return False
    rows = db.execute("SELECT raw FROM entry WHERE name_id = ? AND created_ms = ?", (name.id, row.created_ms))
    return any(raw == row.raw for (raw,) in rows)
