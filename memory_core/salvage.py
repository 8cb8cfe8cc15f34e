"""A damaged database is set aside, and what can be read of it is carried over into a new one.

Only a database of ours, only while no other process has it open, and only once SQLite's own check has failed twice.
The damaged files stay beside the new one under a name that says so. Rows are read from both ends of each table, so a
damaged page costs what stands on it. An entry that was lost leaves its number behind, as forgotten, so that addresses
keep their meaning; the current texts come back from the files with the next look.

The new database is made in a folder of its own and whole before the damaged one is moved, so that a process that dies
in between costs nothing: before the move all is tried again, after it the next process puts the new one in its place.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress

from memory_core import database, faults, journal, notes, repair
from memory_core import head as heads
from memory_core.state_lock import StateLock
from memory_core.view import BUDGET_BYTES

CARRIED = ("project", "name", "entry", "line", "frontier", "forgetting")
LOST_NAME = "lost.md"
_SUFFIXES = ("", "-wal", "-shm")
_ASIDE = ".damaged-"
_CARRIED = ".carried"


def salvage(state_dir: str, lock: StateLock, stamp: str) -> str | None:
    """Sets the damaged database aside and carries over what can be read; gives the path of the damaged file.

    None where nothing was done: another process has the database open, or it passes SQLite's check after all.
    All connections of this process must be closed. Raises SQLite's errors, OSError.
    """
    path = os.path.join(state_dir, database.FILE_NAME)
    if not lock.try_exclusive():
        return None
    try:
        if _is_sound(path) or _is_sound(path):
            return None
        _carry_over(path, os.path.join(state_dir, _CARRIED))
        faults.reach("salvage.carried")
        aside = f"{path}{_ASIDE}{stamp}"
        for suffix in _SUFFIXES:
            if os.path.exists(path + suffix):
                os.replace(path + suffix, aside + suffix)
                faults.reach("salvage.aside")
        finish(state_dir)
        return aside
    finally:
        lock.share()


def finish(state_dir: str) -> None:
    """Ends a salvage that was cut off: where the damaged database is out of the way, the new one takes its place.

    Whoever calls holds the state's lock, so no other process is in the middle of it. Raises OSError.
    """
    carried = os.path.join(state_dir, _CARRIED)
    if not os.path.isdir(carried):
        return
    path = os.path.join(state_dir, database.FILE_NAME)
    if not os.path.exists(path):
        _move_log(path)
        _place(carried, path)
    shutil.rmtree(carried, ignore_errors=True)


def _place(carried: str, path: str) -> None:
    """Gives the new database its name, unless another process was as quick."""
    source = os.path.join(carried, database.FILE_NAME)
    try:
        os.link(source, path)
    except (FileExistsError, FileNotFoundError):
        return
    except OSError:  # a file system without hard links
        os.replace(source, path)
    notes.sync_directory(os.path.dirname(path))


def _move_log(path: str) -> None:
    """A log that was left behind belongs to the damaged database, and must never be read with the new one."""
    folder, name = os.path.split(path)
    asides = [
        each for each in os.listdir(folder) if each.startswith(name + _ASIDE) and not each.endswith(_SUFFIXES[1:])
    ]
    aside = os.path.join(folder, max(asides, default=f"{name}{_ASIDE}log"))
    for suffix in _SUFFIXES[1:]:
        with suppress(FileNotFoundError):
            os.replace(path + suffix, aside + suffix)


def _carry_over(path: str, carried: str) -> None:
    """A whole new database in a folder of its own, from what can be read of the damaged one."""
    shutil.rmtree(carried, ignore_errors=True)
    with (
        closing(_open(path)) as damaged,
        closing(database.connect(carried)) as fresh,
        database.writing(fresh),
    ):
        for table in CARRIED:
            _carry(fresh, damaged, table)
        _drop_orphans(fresh)
        _fill_gaps(fresh)
        _rebuild_all(fresh)


def _is_sound(path: str) -> bool:
    try:
        with closing(_open(path)) as db:
            return database.is_sound(db)
    except sqlite3.Error:
        return False


def _open(path: str) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None)


def _carry(fresh: sqlite3.Connection, damaged: sqlite3.Connection, table: str) -> None:
    """Copies the rows of a table that can be read, from its beginning and from its end."""
    columns = [row[1] for row in fresh.execute(f"PRAGMA table_info({table})")]
    names, marks = ", ".join(columns), ", ".join("?" * len(columns))
    for order in ("ASC", "DESC"):
        for row in _readable(damaged, f"SELECT {names} FROM {table} ORDER BY {columns[0]} {order}"):  # noqa: S608
            fresh.execute(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})", row)  # noqa: S608


def _readable(db: sqlite3.Connection, query: str) -> Iterator[tuple[object, ...]]:
    """Rows up to the first that can't be read."""
    try:
        yield from db.execute(query)
    except sqlite3.Error:
        return


def _drop_orphans(db: sqlite3.Connection) -> None:
    """A journal whose project's row was lost can't be told whose it is, and its number will be given again."""
    for table in CARRIED[1:]:
        db.execute(f"DELETE FROM {table} WHERE journal NOT IN (SELECT journal FROM project)")  # noqa: S608


def _fill_gaps(db: sqlite3.Connection) -> None:
    """Every journal gets a row for each number that was lost, and for each project whose own row was."""
    for number, last in db.execute("SELECT journal, max(seq) FROM entry GROUP BY journal").fetchall():
        there = {seq for (seq,) in db.execute("SELECT seq FROM entry WHERE journal = ?", (number,))}
        lost = [seq for seq in range(last + 1) if seq not in there]
        orphans = db.execute(
            "SELECT seq FROM entry WHERE journal = ? AND name_id NOT IN (SELECT id FROM name)", (number,)
        ).fetchall()
        if not lost and not orphans:
            continue
        cursor = db.execute(
            "INSERT INTO name (journal, name, alike, disk, newest, live, size, mtime_ns, inode)"
            " VALUES (?, ?, '', ?, 0, 0, -1, -1, -1) ON CONFLICT DO UPDATE SET disk = disk RETURNING id",
            (number, LOST_NAME, LOST_NAME),
        )
        name_id = cursor.fetchone()[0]
        db.executemany(
            "INSERT INTO entry (journal, seq, name_id, kind, pending, verbatim, hides, origin, created_ms, heading)"
            " VALUES (?, ?, ?, ?, 0, 1, 0, 1, 0, '')",
            [(number, seq, name_id, journal.FORGOTTEN) for seq in lost],
        )
        db.executemany(
            "UPDATE entry SET name_id = ? WHERE journal = ? AND seq = ?",
            [(name_id, number, seq) for (seq,) in orphans],
        )


def _rebuild_all(db: sqlite3.Connection) -> None:
    """What is derived, for every project; a view of another budget settles when it is next written to."""
    for (directory,) in db.execute("SELECT directory FROM project").fetchall():
        head = heads.load(db, directory)
        assert head is not None
        repair.rebuild(db, head, BUDGET_BYTES)
        heads.store(db, head)
