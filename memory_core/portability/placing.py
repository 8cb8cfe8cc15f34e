"""Imported notes get their files: the journal has them first, and a row without a fingerprint says what is left to do.

A live note whose row has no fingerprint (`journal.NO_FILE`) was imported, and its file is still to be written. Every
open and every look finishes what it finds so, before anything else, so a crash in between loses nothing; and nobody
takes the absent file for a note that was deleted. A file is put only where none is, or where the disk shows exactly
the one that the entry replaces; any other is left alone, and the next look journals it as an outside edit.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import ExitStack
from functools import partial

from memory_core import database, faults, journal, notes, outside
from memory_core.exceptions import BadName, StateUnavailable
from memory_core.ground import Ground
from memory_core.journal import NameRow
from memory_core.notes import Temporary
from memory_core.sentences import portability as sentences
from memory_core.sentences import reason, state_unwritable

BATCH_NOTES = 100
BATCH_BYTES = 4 * 1024 * 1024
CLASHED = (-1, 0, 0)
"""The fingerprint of a note that can't be placed: no file has it, and the next look deletes the note."""

_UNPLACED = """
    SELECT m.name, e.raw FROM name m INDEXED BY name_unplaced JOIN entry e ON e.journal = m.journal AND e.seq = m.newest
    WHERE m.journal = ? AND m.live AND m.inode = -1 AND m.name > ? ORDER BY m.name LIMIT ?
"""


def finish(ground: Ground) -> None:
    """Writes the files of imported notes; does nothing, and writes nothing, where there is none to write."""
    last = ""
    try:
        while (batch := _batch(ground, last)) and os.path.isdir(ground.project.memories):
            notes.again_where_apart(partial(_place, ground, batch))
            last = batch[-1][0]
            faults.reach("place.batch")
    except OSError as error:
        raise StateUnavailable(*state_unwritable(ground.project.memories, reason(error))) from error


def is_unplaced(row: NameRow) -> bool:
    """Whether the note's file is still to be written."""
    return row.live and row.file == journal.NO_FILE


def _batch(ground: Ground, last: str) -> list[tuple[str, bytes]]:
    """The next notes to place after the name `last`, by name, with their bytes."""
    head = ground.head(ground.writer)
    batch: list[tuple[str, bytes]] = []
    size = 0
    rows = ground.writer.execute(_UNPLACED, (head.journal, last, BATCH_NOTES))
    for name, raw in rows:
        batch.append((name, raw or b""))
        size += len(raw or b"")
        if size > BATCH_BYTES:
            break
    rows.close()
    return batch


def _place(ground: Ground, batch: list[tuple[str, bytes]]) -> None:
    """Files are written outside the lock, and renamed under it where they still are what the journal wants."""
    memories = ground.project.memories
    directory = notes.temporary_directory(ground.project.home, memories)
    with ExitStack() as stack:
        made = []
        for name, raw in batch:
            temporary = Temporary(directory, raw)
            stack.callback(temporary.discard)
            made.append((name, journal.digest(raw), temporary))
        with database.writing(ground.writer) as db:
            head = ground.head(db)
            before = head.version
            for name, hashed, temporary in made:
                row = journal.name_row(db, head.journal, name)
                if row is not None and is_unplaced(row) and row.hash == hashed:
                    _put(ground, db, row, temporary)
            ground.store(db, head)
            faults.reach("place.replaced")
    ground.known.committed(head, before)


def _put(ground: Ground, db: sqlite3.Connection, row: NameRow, temporary: Temporary) -> None:
    memories = ground.project.memories
    try:
        notes.check_place(memories, row.disk)
    except BadName as error:
        journal.touch(db, row.id, CLASHED, None)
        ground.untold.append(sentences.file_in_the_way(row.name, str(error)))
        return
    found = notes.look(memories, row.disk)
    size = temporary.fingerprint[0]
    if found is None or found == row.replaced:
        file = temporary.replace(memories, row.disk)
    elif found[0] == size and outside.same_text(row, notes.read(memories, row.disk)):
        file = found
    else:
        return
    journal.touch(db, row.id, file, None)
    ground.known.stored(row.disk, file, None)
