"""One write, one delete: from the checked text to the committed entry.

Order, so that a crash at any point loses nothing: the text goes to a temporary file that is synced; then, under the
database's lock, the note's file is looked at, and an outside edit found there is committed as an entry of its own
first; then the entry is appended, the file renamed over the note, the directory synced, and the transaction
committed. No rename ever replaces a text that isn't committed to the journal, and where the commit is refused the file
is put back (`undo.py`).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from memory_core import (
    clearing,
    database,
    entry,
    faults,
    forgetting,
    journal,
    names,
    notes,
    outside,
    reading,
    sentences,
)
from memory_core.exceptions import BadText, NoteChanged, StateUnavailable
from memory_core.ground import Ground
from memory_core.head import Head
from memory_core.journal import Draft, NameRow
from memory_core.known import is_racy
from memory_core.notes import Fingerprint, Temporary
from memory_core.outside import Read
from memory_core.results import Origin, OriginKind, Proposal, Receipt
from memory_core.undo import Undo

MAX_WRITE_BYTES = 1024 * 1024


class Unset(Enum):
    """The absence of a value where None means something."""

    UNSET = 0


UNSET = Unset.UNSET


@dataclass(frozen=True, slots=True)
class Condition:
    """What the caller knew: `known` is the newest entry that it has read, `expected` the one its diff was made of."""

    known: int | None = None
    expected: int | Unset | None = UNSET


def propose_write(ground: Ground, name: str, text: str) -> Proposal:
    """What a write would do, for a diff. Raises BadName, BadText."""
    raw = _checked(text)
    name = names.note_name(name)
    with database.reading(ground.reader) as db:
        head = ground.head(db)
        row = journal.meant(db, head.journal, name)
        target = name if row is None else row.name
        notes.check_place(ground.project.memories, target if row is None else row.disk)
        kept, block_kept = _with_front_matter(db, head, row, raw)
        old = "" if row is None else entry.decode(journal.raw_of(db, head.journal, row.newest)[0])
    return Proposal(
        name=target,
        path=_path(ground, row, target),
        old_text=old,
        new_text=kept.decode(),
        newest=None if row is None else row.newest,
        new_name=row is None,
        notices=(sentences.front_matter_kept(),) if block_kept else (),
    )


def propose_delete(ground: Ground, name: str) -> Proposal:
    """What a delete would do, for a diff. Raises BadName, NoSuchNote."""
    with database.reading(ground.reader) as db:
        head = ground.head(db)
        row = reading.live_row(db, head, names.note_name(name))
        old = entry.decode(journal.raw_of(db, head.journal, row.newest)[0])
    return Proposal(row.name, _path(ground, row, row.name), old, "", row.newest, new_name=False)


def write(ground: Ground, name: str, text: str, origin: Origin, condition: Condition) -> Receipt:
    """Writes a whole note and appends an entry. Raises BadName, BadText, NoteChanged, StateUnavailable."""
    raw = _checked(text)
    name = names.note_name(name)
    faults.reach("write.checked")
    return _done(ground, lambda: _Change(ground, name, raw, origin, condition).run())


def delete(ground: Ground, name: str, origin: Origin, condition: Condition) -> Receipt:
    """Deletes a note and appends a delete entry. Raises BadName, NoSuchNote, NoteChanged, StateUnavailable."""
    name = names.note_name(name)
    faults.reach("delete.checked")
    return _done(ground, lambda: _Change(ground, name, None, origin, condition).run())


def restore(ground: Ground, name: str, raw: bytes, *, hides: bool, origin: Origin) -> Receipt:
    """Appends an older version's bytes as they were, whatever their size. Raises BadName, StateUnavailable."""
    faults.reach("restore.checked")
    return _done(ground, lambda: _Change(ground, name, raw, origin, Condition(), hides=hides).run())


def _done(ground: Ground, change: Callable[[], Receipt]) -> Receipt:
    """A change's receipt; what the system refuses is a sentence."""
    try:
        return notes.again_where_apart(change)
    except OSError as error:
        raise StateUnavailable(*sentences.state_unwritable(ground.project.memories, sentences.reason(error))) from error


class _Change:
    """A write (`raw` is the text), a delete (`raw` is None) or a restore (`hides` is the version's) on its way."""

    def __init__(
        self,
        ground: Ground,
        name: str,
        raw: bytes | None,
        origin: Origin,
        condition: Condition,
        *,
        hides: bool | None = None,
    ) -> None:
        self._ground = ground
        self._name = name
        self._raw = raw
        self._verb = "delete" if raw is None else "write" if hides is None else "restore"
        self._origin = origin
        self._condition = condition
        self._notices: list[str] = []
        self._temporary: Temporary | None = None
        self._disk = name
        self._file: Fingerprint | None = None
        self._hides = bool(hides)

    def run(self) -> Receipt:
        ground = self._ground
        try:
            self._prepare()
            while True:
                with Undo(ground.project.home, ground.project.memories) as undo, database.writing(ground.writer) as db:
                    self._reach("locked")
                    head = ground.head(db)
                    before = head.version
                    forgetting.settle(ground, db, head)
                    done = self._under_lock(db, head)
                    ground.store(db, head)
                    if isinstance(done, Receipt):
                        self._publish(undo)
                self._reach("committed")
                if isinstance(done, Receipt):
                    ground.known.stored(self._disk, self._file, None)
                    ground.known.committed(head, before)
                    return done
                ground.known.stored(*done)
                ground.known.committed(head, before)
        finally:
            if self._temporary is not None:
                self._temporary.discard()

    def _prepare(self) -> None:
        """Outside the lock: the directory is there, the place is right, and the text is on the disk."""
        ground = self._ground
        if not os.path.isdir(ground.project.memories):
            self._notices += clearing.clear(ground).notices
        head = ground.head(ground.writer)
        row = journal.meant(ground.writer, head.journal, self._name)
        if self._raw is None:
            return
        notes.check_place(ground.project.memories, self._name if row is None else row.disk)
        if self._verb == "write":
            self._raw, self._hides = _with_front_matter(ground.writer, head, row, self._raw)
            self._notices += [sentences.front_matter_kept()] if self._hides else []
        directory = notes.temporary_directory(ground.project.home, ground.project.memories)
        self._temporary = Temporary(directory, self._raw)
        self._reach("temporary")

    def _under_lock(self, db: sqlite3.Connection, head: Head) -> Receipt | tuple[str, Fingerprint | None, int | None]:
        """The change's receipt, or what was committed first: an outside edit's path, fingerprint and time."""
        ground = self._ground
        row = journal.meant(db, head.journal, self._name)
        self._disk = self._name if row is None else row.disk
        found = self._outside_edit(db, head, row)
        self._reach("looked")
        if found is not None:
            number = journal.append(db, head, found, ground.budget)
            self._notices.append(sentences.outside_edit_found(found.name, number))
            return found.disk, None if found.raw is None else found.file, found.looked_ns
        newest = None if row is None else row.newest
        if self._condition.expected is not UNSET and self._condition.expected != newest:
            raise NoteChanged(*sentences.note_changed(self._name, newest))
        if row is None and self._raw is None:
            raise reading.no_such_note(db, head, self._name)
        return self._append(db, head, row)

    def _outside_edit(self, db: sqlite3.Connection, head: Head, row: NameRow | None) -> Draft | None:
        """The draft of what was changed outside, if anything was. Raises BadName where the place became wrong."""
        ground = self._ground
        memories = ground.project.memories
        notes.check_place(memories, self._disk)
        file = notes.look(memories, self._disk)
        if file is None:
            return None if row is None or row.file == journal.NO_FILE else outside.removed(ground, row)
        if row is not None and row.file == file and not is_racy(row.file, row.looked_ns):
            return None
        looked_ns = ground.clock()
        try:
            content = notes.read(memories, self._disk)
            if notes.look(memories, self._disk) != content.fingerprint:
                raise notes.Unsteady
        except notes.TooLarge as error:
            raise BadText(*sentences.file_in_the_way(self._name, error.size)) from error
        except notes.Unsteady as error:
            raise NoteChanged(*sentences.note_unsteady(self._name)) from error
        known = row if row is not None else journal.name_row(db, head.journal, self._name)
        if known is not None and (outside.same_text(known, content) or outside.lost_rename(known, content)):
            return None
        kind = OriginKind.OUTSIDE if head.imported else OriginKind.IMPORT
        name = self._name if row is None else row.name
        return outside.draft(ground, Read(self._disk, name, content, looked_ns), kind)

    def _append(self, db: sqlite3.Connection, head: Head, row: NameRow | None) -> Receipt:
        ground = self._ground
        name = self._name if row is None else row.name
        replaced = None if row is None else notes.look(ground.project.memories, row.disk)
        draft = Draft(
            name=name,
            disk=self._disk,
            raw=self._raw,
            origin=self._origin,
            created_ms=ground.now_ms(),
            file=journal.NO_FILE if self._temporary is None else self._temporary.fingerprint,
            replaced=replaced,
            hides=self._hides,
        )
        first = head.written == 0
        similar = [] if row is not None else [other.name for other in journal.rows_alike(db, head.journal, name)]
        number = journal.append(db, head, draft, ground.budget)
        head.written += 1
        self._reach("appended")
        return Receipt(
            action=self._verb,
            name=name,
            path=os.path.join(ground.project.memories, self._disk),
            entry=number,
            replaced=None if row is None else row.newest,
            new_name=row is None,
            first=first,
            notices=(*self._notices, *self._about(row, name)),
            similar=tuple(similar),
        )

    def _publish(self, undo: Undo) -> None:
        """Brings the file to what the entry says, still under the lock."""
        memories = self._ground.project.memories
        undo.keep(self._disk, None if self._temporary is None else self._temporary.fingerprint)
        if self._temporary is None:
            notes.remove(memories, self._disk)
            notes.sync_directory(memories)
        else:
            self._file = self._temporary.replace(memories, self._disk)
        self._reach("replaced")

    def _about(self, row: NameRow | None, name: str) -> list[str]:
        """Notices on the name that was meant and on a version that the session hadn't read."""
        if row is None:
            return []
        found = [] if row.name == self._name else [sentences.name_meant(self._name, row.name)]
        if self._origin.kind is OriginKind.SESSION and self._condition.known != row.newest:
            found.append(sentences.stale(name, row.newest, deleted=self._raw is None))
        return found

    def _reach(self, step: str) -> None:
        faults.reach(f"{self._verb}.{step}")


def _checked(text: str) -> bytes:
    """The text's bytes; raises BadText where it is too long or can't be expressed."""
    try:
        raw = text.encode()
    except UnicodeEncodeError as error:
        raise BadText(*sentences.text_surrogate(error.start)) from error
    if len(raw) > MAX_WRITE_BYTES:
        raise BadText(*sentences.text_too_long(len(raw), MAX_WRITE_BYTES))
    return raw


def _with_front_matter(db: sqlite3.Connection, head: Head, row: NameRow | None, raw: bytes) -> tuple[bytes, bool]:
    """The text with the block that the note's readers never saw, where the text would drop it; whether it was."""
    if row is None:
        return raw, False
    old, hides = journal.raw_of(db, head.journal, row.newest)
    if not hides or entry.split_front_matter(raw.decode())[0]:
        return raw, False
    block = entry.split_front_matter(entry.decode(old))[0]
    block = block if block.endswith("\n") else block + "\n"
    return block.encode() + raw.removeprefix(b"\xef\xbb\xbf"), True


def _path(ground: Ground, row: NameRow | None, name: str) -> str:
    return os.path.join(ground.project.memories, name if row is None else row.disk)
