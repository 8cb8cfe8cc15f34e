"""The index of sessions: what a list shows of each, in one small table.

It is derived: each turn's end writes its session's row, and `rebuild` makes the rows that are missing from the files
themselves. So an index that is gone, damaged or from another build is thrown away without a loss.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import sqlite3
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiosqlite

from acp_server.jsonclean import mended

FILE_NAME = "sessions.db"
PAGE = 50
FORMAT = 1

_SCHEMA = f"""
PRAGMA journal_mode = WAL;
PRAGMA secure_delete = ON;
CREATE TABLE IF NOT EXISTS session (
    id TEXT PRIMARY KEY,
    place TEXT NOT NULL,
    cwd TEXT NOT NULL,
    directories TEXT NOT NULL,
    title TEXT,
    updated TEXT NOT NULL,
    path TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS session_newest ON session (updated DESC, id DESC);
CREATE INDEX IF NOT EXISTS session_place ON session (place, updated DESC, id DESC);
PRAGMA user_version = {FORMAT};
"""

_FILL = """
INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
    place = excluded.place, cwd = excluded.cwd, directories = excluded.directories, title = excluded.title,
    updated = excluded.updated, path = excluded.path
WHERE path <> excluded.path
"""

_NEWEST = "SELECT * FROM session WHERE (updated, id) < (?, ?) ORDER BY updated DESC, id DESC LIMIT ?"

_NEWEST_IN_PLACE = """
SELECT * FROM session WHERE place = ? AND (updated, id) < (?, ?) ORDER BY updated DESC, id DESC LIMIT ?
"""


class BadCursor(Exception):
    """A cursor that no list gave out."""


@dataclass(frozen=True, slots=True)
class Row:
    """A session as a list shows it: `place` is its directory's real path, `updated` ISO 8601 in UTC."""

    id: str
    place: str
    cwd: str
    directories: tuple[str, ...]
    title: str | None
    updated: str
    path: str


@dataclass(frozen=True, slots=True)
class Page:
    """Some sessions, the newest first, and the cursor of the next page."""

    rows: tuple[Row, ...]
    next_cursor: str | None


class Index:
    """The table, opened at its first use. Every method raises sqlite3.Error where it can't be used."""

    def __init__(self, state_dir: str) -> None:
        self._path = os.path.join(state_dir, FILE_NAME)
        self._db: aiosqlite.Connection | None = None

    async def put(self, rows: Iterable[Row]) -> None:
        """Write rows; one that is there is replaced."""
        values = [_values(row) for row in rows]
        async with self._changing() as db:
            await db.executemany("INSERT OR REPLACE INTO session VALUES (?, ?, ?, ?, ?, ?, ?)", values)

    async def fill(self, rows: Iterable[Row]) -> None:
        """Write rows that were read from files; one that is there for the same file is newer and stays."""
        values = [_values(row) for row in rows]
        async with self._changing() as db:
            await db.executemany(_FILL, values)

    async def remove(self, *session_ids: str) -> None:
        """Remove rows, their titles from the pages and the log too; one that isn't there is no fault."""
        async with self._changing() as db:
            await db.executemany("DELETE FROM session WHERE id = ?", [(session_id,) for session_id in session_ids])
        await db.execute_fetchall("PRAGMA wal_checkpoint(TRUNCATE)")

    async def page(self, place: str | None, cursor: str | None) -> Page:
        """A page of the sessions in a place, or of all. Raises BadCursor."""
        db = await self._opened()
        updated, session_id = ("\uffff", "") if cursor is None else parse_cursor(cursor)
        behind = (updated, session_id, PAGE + 1)
        query, given = (_NEWEST, behind) if place is None else (_NEWEST_IN_PLACE, (packed(place), *behind))
        rows = [_row(values) for values in await db.execute_fetchall(query, given)]
        more = len(rows) > PAGE
        shown = tuple(rows[:PAGE])
        return Page(shown, cursor_of(shown[-1]) if more else None)

    async def known(self, after: str, limit: int) -> dict[str, str]:
        """The path of each session that has a row, in the order of their ids: `limit` of them behind the id `after`."""
        db = await self._opened()
        query = "SELECT id, path FROM session WHERE id > ? ORDER BY id LIMIT ?"
        return {str(row[0]): unpacked(str(row[1])) for row in await db.execute_fetchall(query, (after, limit))}

    async def close(self) -> None:
        """Close it where it was opened."""
        if self._db is not None:
            await self._db.close()
            self._db = None

    @asynccontextmanager
    async def _changing(self) -> AsyncIterator[aiosqlite.Connection]:
        """A change that is committed whole, or not at all."""
        db = await self._opened()
        try:
            yield db
            await db.commit()
        except BaseException:
            await db.rollback()
            raise

    async def _opened(self) -> aiosqlite.Connection:
        if self._db is None:
            try:
                self._db = await self._open()
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError):  # locked, read-only, no folder: not its content
                    raise
                for suffix in ("", "-wal", "-shm"):
                    if os.path.exists(self._path + suffix):
                        os.unlink(self._path + suffix)
                self._db = await self._open()
        return self._db

    async def _open(self) -> aiosqlite.Connection:
        if not os.path.exists(self._path):
            os.close(os.open(self._path, os.O_WRONLY | os.O_CREAT, 0o600))
        db = await aiosqlite.connect(self._path, timeout=10)
        try:
            (version,) = await anext(aiter(await db.execute("PRAGMA user_version")))
            if version not in (0, FORMAT):
                await db.executescript("DROP TABLE IF EXISTS session;")
            await db.executescript(_SCHEMA)
        except BaseException:
            await db.close()
            raise
        return db


def cursor_of(row: Row) -> str:
    """The cursor behind a row."""
    return base64.urlsafe_b64encode(json.dumps([row.updated, row.id]).encode()).decode()


def parse_cursor(cursor: str) -> tuple[str, str]:
    """What a cursor stands for. Raises BadCursor."""
    try:
        updated, session_id = json.loads(base64.b64decode(cursor.encode("ascii"), altchars=b"-_", validate=True))
        "".join((updated, session_id)).encode()  # both are texts, and such as a database takes
    except (ValueError, TypeError, RecursionError, binascii.Error) as error:
        raise BadCursor(cursor) from error
    return updated, session_id


def packed(path: str) -> str:
    """A path as a database takes it: one that isn't UTF-8 as a JSON string, which no absolute path looks like."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return json.dumps(path)
    return path


def unpacked(path: str) -> str:
    """The path that was packed."""
    return str(json.loads(path)) if path.startswith('"') else path


def _values(row: Row) -> tuple[str | None, ...]:
    title = None if row.title is None else mended(row.title)
    roots = json.dumps(row.directories)
    return row.id, packed(row.place), packed(row.cwd), roots, title, mended(row.updated), packed(row.path)


def _row(values: sqlite3.Row | tuple[object, ...]) -> Row:
    session_id, place, cwd, directories, title, updated, path = values
    roots = tuple(str(root) for root in json.loads(str(directories)))
    shown = None if title is None else str(title)
    where, directory, file = (unpacked(str(each)) for each in (place, cwd, path))
    return Row(str(session_id), where, directory, roots, shown, str(updated), file)
