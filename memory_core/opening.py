"""Opening a memory: its connections, its project's row, and what a dead process left behind.

A database file that is replaced or removed under a running process is noticed before the next call: each side
compares the file's inode with that of its own connection, and opens anew.
"""

from __future__ import annotations

import os
import sqlite3
import time

from memory_core import (
    adoption,
    catchup,
    database,
    forgetting,
    former,
    identity,
    index,
    notes,
    project,
    projects,
    purge,
    salvage,
    sentences,
)
from memory_core import head as heads
from memory_core.exceptions import StateDamaged, StateUnavailable
from memory_core.ground import Clock, Ground, Ids
from memory_core.known import Known
from memory_core.portability import placing
from memory_core.project import Project
from memory_core.state_lock import StateLock


def open_ground(where: Project, budget: int, clock: Clock, ids: Ids) -> Ground:
    """An open memory's parts; a damaged database is set aside first. Raises StateUnavailable, or SQLite's errors."""
    try:
        os.makedirs(where.state_dir, mode=0o700, exist_ok=True)
        lock = StateLock(where.state_dir)
    except OSError as error:
        raise StateUnavailable(*sentences.state_unwritable(where.state_dir, sentences.reason(error))) from error
    try:
        salvage.finish(where.state_dir)
        return _open(where, budget, clock, ids, lock)
    except (StateDamaged, sqlite3.DatabaseError) as error:
        aside = _set_aside(where, lock, clock) if database.is_damage(error) else None
        if aside is None:
            lock.close()
            raise
    except BaseException:
        lock.close()
        raise
    ground = _open(where, budget, clock, ids, lock)
    ground.untold.append(sentences.database_salvaged(aside))
    return ground


def mend(ground: Ground) -> None:
    """Sets a database aside that was found damaged while it was open. Raises StateUnavailable where that can't be."""
    if not ground.damaged:
        return
    with ground.reader_lock:
        ground.reader.close()
        ground.writer.close()
        aside = _set_aside(ground.project, ground.lock, ground.clock)
        ground.writer, ground.writer_inode = _connect(ground.project, ground.clock)
        ground.reader, ground.reader_inode = _connect(ground.project, ground.clock)
    ground.damaged = False
    ground.known = Known()
    if aside is not None:
        ground.untold.append(sentences.database_salvaged(aside))


def _set_aside(where: Project, lock: StateLock, clock: Clock) -> str | None:
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(clock() // 1_000_000_000))
    try:
        return salvage.salvage(where.state_dir, lock, stamp)
    except OSError as error:
        raise StateUnavailable(*sentences.state_unwritable(where.state_dir, sentences.reason(error))) from error


def _open(where: Project, budget: int, clock: Clock, ids: Ids, lock: StateLock) -> Ground:
    writer, writer_inode = _connect(where, clock)
    try:
        reader, reader_inode = _connect(where, clock)
    except BaseException:
        writer.close()
        raise
    ground = Ground(where, writer, reader, budget, clock, ids, writer_inode, reader_inode, lock)
    try:
        _begin(ground)
    except BaseException:
        writer.close()
        reader.close()
        raise
    return ground


def renew_writer(ground: Ground) -> None:
    """Opens the writing connection anew where the file behind it was replaced. Raises StateUnavailable."""
    if _inode(ground.database) == ground.writer_inode:
        return
    _refuse_gone(ground)
    before = ground.writer
    ground.writer, ground.writer_inode = _connect(ground.project, ground.clock)
    before.close()
    if not ground.lock.stands(ground.project.state_dir):
        held, ground.lock = ground.lock, StateLock(ground.project.state_dir)
        held.close()
    ground.known = Known()
    ground.merged_at = 0
    _begin(ground)


def renew_reader(ground: Ground) -> None:
    """Opens the reading connection anew where the file behind it was replaced. Raises StateUnavailable."""
    if _inode(ground.database) == ground.reader_inode:
        return
    _refuse_gone(ground)
    before = ground.reader
    ground.reader, ground.reader_inode = _connect(ground.project, ground.clock)
    before.close()


def _refuse_gone(ground: Ground) -> None:
    """An unmounted state directory must not be replaced by an empty one."""
    if not os.path.isdir(ground.project.state_dir):
        raise StateUnavailable(*sentences.state_gone(ground.project.state_dir))


def _connect(where: Project, clock: Clock) -> tuple[sqlite3.Connection, int | None]:
    """A connection to a database in which the project has its row, and the file's inode."""
    db = database.connect(where.state_dir)
    try:
        _ensure_row(db, where, clock)
    except BaseException:
        db.close()
        raise
    return db, _inode(os.path.join(where.state_dir, database.FILE_NAME))


def _ensure_row(db: sqlite3.Connection, where: Project, clock: Clock) -> None:
    """The project's directory is made before its row, so that a row without a directory means a clearing.

    A project that is described already had a row in a database that was lost: its journal begins anew, in a generation
    that no session has seen.
    """
    head = heads.load(db, where.id)
    if head is not None and (head.entries or former.row_of(db, where) is None):
        return
    again = os.path.exists(os.path.join(where.home, identity.FILE_NAME))
    project.prepare(where)
    with database.writing(db):
        if (moved := former.row_of(db, where)) is not None:
            projects.take_row(db, moved, where.id)
        elif heads.load(db, where.id) is None:
            head = heads.create(db, where.id, clock() // 1_000_000_000 if again else 0)
            index.create(db, head.journal)


def _begin(ground: Ground) -> None:
    where = ground.project
    for directory in (os.path.join(where.home, "tmp"), where.memories, where.state_dir):
        notes.sweep(directory)
    forgetting.finish(ground)
    placing.finish(ground)
    purge.attempt(ground, purge.IDLE)
    catchup.renew(ground)
    adoption.note_checkout(ground.project, ask_git=False)


def _inode(path: str) -> int | None:
    try:
        return os.stat(path).st_ino
    except OSError:
        return None
