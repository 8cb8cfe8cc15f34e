"""The agent's own database, `acp-agent.db` in the state directory, on aiosqlite: what isn't the memory's.

Nothing in it is needed to answer a person, so nobody waits for it long: a lock is waited for `PATIENCE_S`, then the
caller decides. It is ours only by its application id; another program's database is refused and never touched, as is
one of a newer release. One that is damaged is set aside under a name that says so, by one process at a time, and a new
one begins; where the system has no file locks it stays as it is.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from typing import TYPE_CHECKING

from acp_server.sentences import usage as say
from memory_core.database import is_damage, make_private

if TYPE_CHECKING:
    import aiosqlite

FILE_NAME = "acp-agent.db"
APPLICATION_ID = 0x43414741
SCHEMA = 1
"""The schema that this release reads and writes: the number of scripts in `agent_schema/`."""
PATIENCE_S = 0.2
PRIVATE_FILE = 0o600
_LOCK = ".lock"
_COMPANIONS = ("", "-wal", "-shm")


class DatabaseRefused(Exception):
    """The database can't be used; the text is one sentence that says why. `damaged` where it can be set aside."""

    def __init__(self, sentence: str, *, damaged: bool = False) -> None:
        super().__init__(sentence)
        self.damaged = damaged


def path_in(state_dir: str) -> str:
    """Where the database lies."""
    return os.path.join(state_dir, FILE_NAME)


async def connect(state_dir: str) -> aiosqlite.Connection:
    """A connection, the file made and migrated where needed. Raises DatabaseRefused."""
    import aiosqlite  # late: nobody who answers an editor's first requests needs it

    path = path_in(state_dir)
    with mapped(path):
        make_private(path)
        db = await aiosqlite.connect(path, timeout=PATIENCE_S, isolation_level=None)
        try:
            await _prepare(db, path)
        except BaseException:
            await db.close()
            raise
    return db


@contextmanager
def mapped(path: str) -> Iterator[None]:
    """Turns errors of SQLite and the system into DatabaseRefused."""
    try:
        yield
    except sqlite3.Error as error:
        sentence = say.agent_database_damaged(path) if is_damage(error) else say.agent_database_failed(path, str(error))
        raise DatabaseRefused(sentence, damaged=is_damage(error)) from error
    except OSError as error:
        raise DatabaseRefused(say.agent_database_failed(path, error.strerror or type(error).__name__)) from error


def identity(path: str) -> tuple[int, int] | None:
    """The file that a path leads to now, None where there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def set_aside(state_dir: str, damaged: tuple[int, int] | None, stamp: int) -> str | None:
    """Moves the damaged file out of the way unless another process did; the path it has now, None where it stayed."""
    path = path_in(state_dir)
    with _alone(path + _LOCK) as alone:
        if not alone or damaged is None or identity(path) != damaged:
            return None
        aside = f"{path}.damaged-{stamp}"
        for suffix in reversed(_COMPANIONS):
            with contextlib.suppress(FileNotFoundError):
                os.replace(path + suffix, aside + suffix)
    return aside


async def _prepare(db: aiosqlite.Connection, path: str) -> None:
    found, schema, tables = await _whose(db)
    if found != APPLICATION_ID and (found or tables):
        raise DatabaseRefused(say.agent_database_foreign(path))
    if schema > SCHEMA:
        raise DatabaseRefused(say.agent_database_newer(path, schema, SCHEMA))
    await db.execute("PRAGMA journal_mode = WAL")
    await db.execute("PRAGMA synchronous = FULL")
    if schema < SCHEMA:
        await _migrate(db)


async def _migrate(db: aiosqlite.Connection) -> None:
    """Brings the database forward in one transaction; another process may have done it meanwhile."""
    await db.execute("BEGIN IMMEDIATE")
    try:
        _, schema, _ = await _whose(db)
        for number in range(schema + 1, SCHEMA + 1):
            for statement in _statements(number):
                await db.execute(statement)
        await db.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
        await db.execute(f"PRAGMA user_version = {SCHEMA:d}")
    except BaseException:
        await db.execute("ROLLBACK")
        raise
    await db.execute("COMMIT")


async def _whose(db: aiosqlite.Connection) -> tuple[int, int, int]:
    """Application id, schema, and how many tables there are."""
    found = []
    for question in ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_schema"):
        async with db.execute(question) as cursor:
            row = await cursor.fetchone()
            found.append(int(row[0]) if row is not None else 0)
    return found[0], found[1], found[2]


def _statements(number: int) -> list[str]:
    """The statements of a script of the schema."""
    script = files("acp_server").joinpath("agent_schema", f"{number:03}.sql").read_text(encoding="utf-8")
    bare = "\n".join(line.partition("--")[0] for line in script.splitlines())
    return [statement for statement in bare.split(";") if statement.strip()]


@contextmanager
def _alone(path: str) -> Iterator[bool]:
    """Whether this process alone sets files aside now; the lock ends with the block, or the process."""
    if sys.platform == "win32":
        yield False
        return
    import fcntl

    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield True
    except BlockingIOError:
        yield False
    finally:
        os.close(descriptor)
