"""Clearing: a removed notes directory clears the journal, and nothing else does.

The directory must be absent while a directory above it that is ours (`projects/` or the project's own) can be
listed. An unmounted disk, a dangling link or a missing state directory clears nothing.
"""

from __future__ import annotations

import os
import sqlite3

from memory_core import database, faults, former, index, notes, project, purge, sentences
from memory_core import head as heads
from memory_core.exceptions import StateUnavailable
from memory_core.ground import Ground
from memory_core.results import Reconciled
from memory_core.sentences import forget as say
from memory_core.sentences import projects as moving

KEYED_TABLES = ("entry", "name", "line", "frontier", "work", "lease", "forgetting", "opened")


def clear(ground: Ground) -> Reconciled:
    """Clears the journal if the notes directory was removed, and makes the directory anew.

    Raises StateUnavailable where the directory can't be reached rather than being removed.
    """
    memories = ground.project.memories
    if not is_removed(ground):
        raise StateUnavailable(*sentences.notes_gone(memories))
    with database.writing(ground.writer) as db:
        head = ground.head(db)
        if not is_removed(ground):
            return Reconciled()
        if head.entries and (moved := former.claimant(db, ground.project)) is not None:
            raise StateUnavailable(*moving.moved_away(ground.project.folder, moved))
        _drop_incoming(db, head.directory)
        entries = head.entries
        if entries:
            empty(db, head.journal)
            purge.mark(db, head.journal)
            heads.next_generation(db, head)
            ground.merged_at = 0
            index.create(db, head.journal)
            faults.reach("clear.purged")
        ground.store(db, head)
    project.prepare(ground.project)  # after the commit: the directory's absence is what a clearing goes on from
    if not entries:
        return Reconciled()
    traces = purge.attempt(ground, purge.PATIENT)
    remain = () if traces is None else (say.traces(traces),)
    return Reconciled(cleared=True, notices=(sentences.journal_cleared(entries), *remain))


def is_removed(ground: Ground) -> bool:
    """Whether the notes directory is absent, with a directory of ours above it that can be listed."""
    if os.path.lexists(ground.project.memories):
        return False
    for directory in (ground.project.home, ground.project.projects):
        if os.path.isdir(directory):
            return os.access(directory, os.R_OK | os.X_OK)
        if os.path.lexists(directory):
            return False
    return False


def _drop_incoming(db: sqlite3.Connection, directory: str) -> None:
    """What an import that was cut off left is cleared too."""
    rows = db.execute("SELECT journal, owner FROM incoming WHERE directory = ?", (directory,)).fetchall()
    for journal, owner in rows:
        if not notes.owner_lives(owner):
            empty(db, journal)
            purge.mark(db, journal)
            db.execute("DELETE FROM incoming WHERE journal = ?", (journal,))


def empty(db: sqlite3.Connection, journal: int) -> None:
    """Removes every row and the word index of a journal."""
    for table in KEYED_TABLES:
        db.execute(f"DELETE FROM {table} WHERE journal = ?", (journal,))  # noqa: S608
    index.drop(db, journal)
