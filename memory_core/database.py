"""The state database: one SQLite file for all projects, opened with care.

It is ours only if it carries our application id; another program's database is refused and never touched, as is
one that a newer release wrote. Every error of SQLite leaves this file as `StateUnavailable`.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from memory_core import faults, migrations, sentences
from memory_core.exceptions import StateDamaged, StateUnavailable

FILE_NAME = "acp-state.db"
PRIVATE_FILE = 0o600
APPLICATION_ID = 0x43414350
BUSY_TIMEOUT_S = 30.0
CHECKPOINT_PAGES = 1000
RARE_CHECKPOINT_PAGES = 16_384
"""64 MiB of write-ahead log, which an import may leave behind instead of 4."""

_opening = threading.Lock()
_patience_s = BUSY_TIMEOUT_S
_ours: set[tuple[int, int]] = set()
"""Files (device, inode) that this process has or had a connection to. Nothing but SQLite may open these: POSIX drops
every lock that a process holds on a file once it closes any descriptor of it. Another process that then closes its
connection takes itself for the last, and deletes the write-ahead log while we go on writing to it."""

_WHOSE = """
    SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version),
           (SELECT count(*) FROM sqlite_schema)
"""


def connect(state_dir: str) -> sqlite3.Connection:
    """A connection to the state database in `state_dir`, made and migrated where needed.

    Autocommit mode: transactions are begun by `writing` and `reading` alone. Raises StateUnavailable.
    """
    path = os.path.join(state_dir, FILE_NAME)
    try:
        os.makedirs(state_dir, mode=0o700, exist_ok=True)
    except OSError as error:
        raise StateUnavailable(*sentences.state_unwritable(state_dir, sentences.reason(error))) from error
    with mapped(path), _opening:
        _refuse_foreign(path)
        _give_back(path)
        make_private(path)
        db = sqlite3.connect(path, timeout=_patience_s, isolation_level=None, check_same_thread=False)
        try:
            _prepare(db, path)
        except BaseException:
            db.close()
            raise
        _ours.add(_identity(path))
    return db


def make_private(path: str) -> None:
    """A new file that only its owner reads; SQLite gives its log the same mode. One that is there stays unopened."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE_FILE))


def wait_at_most(seconds: float) -> None:
    """Sets how long this process waits for a lock that another process holds, from the next connection on."""
    global _patience_s
    _patience_s = seconds


@contextmanager
def mapped(path: str) -> Iterator[None]:
    """Turns SQLite's errors, and the system's that nothing else made a sentence of, into `StateUnavailable`."""
    try:
        yield
    except sqlite3.Error as error:
        raise (StateDamaged if is_damage(error) else StateUnavailable)(*_sentence(path, error)) from error
    except OSError as error:
        place = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else path
        raise StateUnavailable(*sentences.place_failed(place, sentences.reason(error))) from error


@contextmanager
def writing(db: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """One short write transaction; rolled back where the block raises, or where the disk refuses the commit."""
    db.execute("BEGIN IMMEDIATE")
    faults.reach("transaction.begun")
    try:
        yield db
        faults.reach("transaction.complete")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        faults.reach("transaction.undone")
        raise
    faults.reach("transaction.committed")


@contextmanager
def trying(db: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """One write transaction that is rolled back at its end: what would come of a change."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield db
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")


@contextmanager
def rare_checkpoints(db: sqlite3.Connection) -> Iterator[None]:
    """Meanwhile the log grows, and pages that many transactions change are copied into the database once.

    The next commit afterwards copies what is left, after it gave the lock back.
    """
    db.execute(f"PRAGMA wal_autocheckpoint = {RARE_CHECKPOINT_PAGES:d}")
    try:
        yield
    finally:
        db.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES:d}")


@contextmanager
def patience(db: sqlite3.Connection, wait_ms: int) -> Iterator[None]:
    """Meanwhile a lock that another process holds is waited for so long only."""
    before = _number(db, "PRAGMA busy_timeout")
    db.execute(f"PRAGMA busy_timeout = {wait_ms:d}")
    try:
        yield
    finally:
        db.execute(f"PRAGMA busy_timeout = {before:d}")


@contextmanager
def reading(db: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """One read transaction, so that several statements see one state."""
    db.execute("BEGIN")
    try:
        yield db
    finally:
        if db.in_transaction:
            db.execute("COMMIT")


def _refuse_foreign(path: str) -> None:
    """Looks at the header of an existing file without SQLite, so that nothing is touched."""
    try:
        if _identity(path) in _ours:
            return
        with open(path, "rb") as file:
            header = file.read(100)
    except FileNotFoundError:
        return
    except OSError as error:
        raise StateUnavailable(*sentences.database_failed(path, sentences.reason(error))) from error
    if not header:
        return
    if len(header) < 100 or not header.startswith(b"SQLite format 3\0"):
        raise StateUnavailable(*sentences.database_not_one(path))
    if int.from_bytes(header[68:72], "big") not in (0, APPLICATION_ID):
        raise StateUnavailable(*sentences.database_foreign(path))


def _give_back(path: str) -> None:
    """Makes the files beside a database writable that were made while it wasn't.

    SQLite gives them the database's permissions, and a reader of a read-only database leaves them behind.
    """
    for beside in (f"{path}-wal", f"{path}-shm"):
        with suppress(FileNotFoundError, PermissionError):  # not there; another person's, and SQLite says so
            mode, wanted = (stat.S_IMODE(os.stat(file).st_mode) for file in (beside, path))
            if wanted & ~mode:
                os.chmod(beside, mode | wanted)


def _identity(path: str) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_dev, status.st_ino


def _prepare(db: sqlite3.Connection, path: str) -> None:
    found, schema, tables = db.execute(_WHOSE).fetchone()
    if found != APPLICATION_ID and (found or tables):
        raise StateUnavailable(*sentences.database_foreign(path))
    if schema > migrations.SCHEMA:
        raise StateUnavailable(*sentences.database_newer(path, schema, migrations.SCHEMA))
    db.execute("PRAGMA secure_delete = ON")
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA temp_store = MEMORY")
    db.execute("PRAGMA foreign_keys = ON")
    if schema < migrations.SCHEMA:
        migrations.migrate(db, path, APPLICATION_ID, migrations.scripts())


def _number(db: sqlite3.Connection, query: str) -> int:
    return int(db.execute(query).fetchone()[0])


def _sentence(path: str, error: sqlite3.Error) -> sentences.Pair:
    code = _code(error)
    if is_damage(error):
        return sentences.database_damaged(path)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return sentences.database_busy(path)
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return sentences.state_unwritable(os.path.dirname(path), str(error))
    return sentences.database_failed(path, str(error))


def is_sound(db: sqlite3.Connection) -> bool:
    """Whether a database passes SQLite's own check."""
    try:
        return bool(db.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))
    except sqlite3.Error:
        return False


def is_damage(error: Exception) -> bool:
    """Whether an error, SQLite's own or ours, says that the database is damaged."""
    if isinstance(error, StateDamaged):
        return True
    return isinstance(error, sqlite3.Error) and _code(error) in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)


def _code(error: sqlite3.Error) -> int:
    """SQLite's primary result code."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
