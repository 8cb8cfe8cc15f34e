"""Purge: a blanked text leaves the word index, the pages and the write-ahead log; before that it isn't gone.

Whoever blanks commits a mark in the same transaction. A purge merges the word index into one segment (nothing else
drops a removed note's terms), rewrites the file (VACUUM, which reaches the gaps in pages), and cuts the log to nothing.
That last step waits for every reader of an older state, in any process; while one reads on, the mark stands, and each
process tries again when it opens the memory and when it is idle. A mark is removed only once the log was cut.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from memory_core import database, entry, faults, index
from memory_core.ground import Ground
from memory_core.results import Traces

MAX_BYTES_IN_MEMORY = 64 * 1024 * 1024
"""A larger database is rewritten by way of a temporary file in the state directory, which has no name there."""
_SPARE_BYTES = 1024 * 1024
_LOG_OVERHEAD = 1.02
"""A page of 4,096 bytes takes 4,120 in the log."""

_OTHERS = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DISK = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for the lock, and for readers of an older state, in milliseconds."""

    lock_ms: int
    readers_ms: int


PATIENT = Patience(30_000, 1_000)
"""Where a person waits for the forget."""
IDLE = Patience(50, 50)
"""Where nobody must notice. While a checkpoint waits for readers, no other process can write."""


def mark(db: sqlite3.Connection, journal: int) -> None:
    """Notes that a journal's texts were blanked; inside the transaction that does it."""
    db.execute("INSERT INTO purge (journal) VALUES (?)", (journal,))


def is_pending(db: sqlite3.Connection) -> bool:
    """Whether traces remain of anything blanked, in any project."""
    return db.execute("SELECT 1 FROM purge LIMIT 1").fetchone() is not None


def attempt(ground: Ground, patience: Patience) -> Traces | None:
    """Purges what was blanked in any project; gives None once nothing is left, else why traces remain."""
    return attempt_on(ground.writer, ground.project.state_dir, patience)


def attempt_on(db: sqlite3.Connection, state_dir: str, patience: Patience) -> Traces | None:
    """The same on a connection alone."""
    if not is_pending(db):
        return None
    try:
        with database.patience(db, patience.lock_ms):
            return _purge(db, state_dir, patience)
    except sqlite3.OperationalError as error:
        code = error.sqlite_errorcode & 0xFF
        if code in _OTHERS:
            return Traces.PROCESS
        if code in _DISK:
            return Traces.DISK
        raise


def room_needed(used_bytes: int) -> int:
    """The free space that rewriting a database takes, in bytes: the log, and the temporary file where there is one."""
    copies = _LOG_OVERHEAD + (1 if used_bytes > MAX_BYTES_IN_MEMORY else 0)
    return round(used_bytes * copies) + _SPARE_BYTES


def _purge(db: sqlite3.Connection, state_dir: str, patience: Patience) -> Traces | None:
    marks = db.execute("SELECT id, journal, vacuumed FROM purge").fetchall()
    ids = [(id_,) for id_, _, _ in marks]
    blanked = {journal for _, journal, vacuumed in marks if not vacuumed}
    if blanked:
        used = _used_bytes(db)
        if shutil.disk_usage(state_dir).free < room_needed(used):
            return Traces.DISK
        _optimize(db, blanked)
        faults.reach("purge.optimized")
        with _temporary_files(db, state_dir, used):
            db.execute("VACUUM")
        with database.writing(db):
            db.executemany("UPDATE purge SET vacuumed = 1 WHERE id = ?", ids)
        faults.reach("purge.vacuumed")
    with database.patience(db, patience.readers_ms):
        busy, _, _ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        return Traces.PROCESS
    faults.reach("purge.checkpointed")
    with database.writing(db):
        db.executemany("DELETE FROM purge WHERE id = ?", ids)
    return None


def _optimize(db: sqlite3.Connection, journals: Iterable[int]) -> None:
    """A cleared journal has no word index any more."""
    with database.writing(db):
        for journal in journals:
            if index.exists(db, journal):
                index.optimize(db, journal)


def _used_bytes(db: sqlite3.Connection) -> int:
    pages, free, size = db.execute(
        "SELECT page_count, freelist_count, page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
    ).fetchone()
    return int(size * (pages - free))


@contextmanager
def _temporary_files(db: sqlite3.Connection, state_dir: str, used_bytes: int) -> Iterator[None]:
    """Temporary copies of texts stay in memory, or in the state directory; never in the system's own place for such."""
    if used_bytes <= MAX_BYTES_IN_MEMORY or not _can_name(db, state_dir):
        yield
        return
    db.execute("PRAGMA temp_store = FILE")
    try:
        yield
    finally:
        db.execute("PRAGMA temp_store = MEMORY")


def _can_name(db: sqlite3.Connection, directory: str) -> bool:
    """Names the directory of temporary files; False where this SQLite can't."""
    if not entry.is_text(directory):
        return False
    quoted = directory.replace("'", "''")
    db.execute(f"PRAGMA temp_store_directory = '{quoted}'")
    found: tuple[str] | None = db.execute("PRAGMA temp_store_directory").fetchone()
    return found == (directory,)
