"""One file beside its row in the journal: is it what the journal has, an outside edit, or an older file come back?

A rename that the power took back shows the file that a tool's write had replaced, under the very fingerprint that
the write noted. Then the journal is right and the disk is mended; it is never taken for an edit.
"""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from memory_core import entry, journal, notes, sentences
from memory_core.ground import Ground
from memory_core.journal import Draft, NameRow
from memory_core.notes import Content, Fingerprint
from memory_core.results import Origin, OriginKind


class Read(NamedTuple):
    """A file that was read: its path on the disk, the note it is, what it holds, and when it was looked at (ns)."""

    disk: str
    name: str
    content: Content
    looked_ns: int


_ORIGINS = {kind: Origin(kind) for kind in OriginKind}


def same_text(row: NameRow, content: Content) -> bool:
    """Whether the file holds the newest entry's text."""
    return row.live and row.hash == journal.digest(content.raw)


def lost_rename(row: NameRow, content: Content) -> bool:
    """Whether the disk shows exactly the file that the tool's newest write or delete replaced."""
    return row.replaced is not None and row.replaced == content.fingerprint


def draft(ground: Ground, read: Read, kind: OriginKind) -> Draft:
    """The entry of a file that was added or changed outside. An import is dated by the file and hides front matter."""
    imported = kind is OriginKind.IMPORT
    raw = read.content.raw
    return Draft(
        name=read.name,
        disk=read.disk,
        raw=raw,
        origin=_ORIGINS[kind],
        created_ms=read.content.fingerprint[1] // 1_000_000 if imported else ground.now_ms(),
        file=read.content.fingerprint,
        looked_ns=read.looked_ns,
        hides=imported and entry.may_have_front_matter(raw) and bool(entry.split_front_matter(entry.decode(raw))[0]),
    )


def removed(ground: Ground, row: NameRow) -> Draft:
    """The entry of a file that was removed outside."""
    return Draft(row.name, row.disk, None, Origin(OriginKind.OUTSIDE), ground.now_ms())


def mend(ground: Ground, db: sqlite3.Connection, journal_number: int, row: NameRow) -> str:
    """Brings the disk back to the newest entry after a lost rename or removal; gives the notice. Under the lock."""
    memories = ground.project.memories
    if not row.live:
        notes.remove(memories, row.disk)
        ground.known.stored(row.disk, None, None)
        return sentences.rename_restored(row.name, row.newest)
    raw, _ = journal.raw_of(db, journal_number, row.newest)
    file = notes.again_where_apart(lambda: _put(ground, row.disk, raw))
    journal.touch(db, row.id, file, None)
    ground.known.stored(row.disk, file, None)
    return sentences.rename_restored(row.name, row.newest)


def _put(ground: Ground, disk: str, raw: bytes) -> Fingerprint:
    memories = ground.project.memories
    temporary = notes.Temporary(notes.temporary_directory(ground.project.home, memories), raw)
    try:
        return temporary.replace(memories, disk)
    finally:
        temporary.discard()
