"""A process whose every statement is looked at: SQLite asks before each action, and one that would write is refused."""

from __future__ import annotations

import sqlite3

from memory_core import Memory

READS = frozenset(
    {
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_RECURSIVE,
        sqlite3.SQLITE_TRANSACTION,
        sqlite3.SQLITE_PRAGMA,
    }
)
"""What a reader may do. A transaction that is begun and takes no lock is one; a pragma is, where it sets nothing of the
database's own."""
SETTINGS = frozenset(
    {"busy_timeout", "foreign_keys", "secure_delete", "synchronous", "temp_store", "wal_autocheckpoint"}
)
"""Pragmas that set something of the connection alone."""

DECLARES = frozenset({sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE})
"""What SQLite asks for on the schema when a virtual table tells its columns; that no schema is changed in earnest is up
to `PRAGMA query_only`."""


locked: list[str] = []
"""Statements that took the lock to write, though nothing was to be written."""


def refuse_writes(memory: Memory) -> None:
    """From now on no connection of this process can write, neither those that are open nor those to come."""
    for connection in (memory._ground.writer, memory._ground.reader):
        _watch(connection)
    connect = sqlite3.connect

    def connect_refusing(*arguments: object, **named: object) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **named)  # type: ignore[call-overload]  # as it came
        _watch(connection)
        return connection

    setattr(sqlite3, "connect", connect_refusing)  # noqa: B010 -- an assignment has another type


def _watch(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA query_only = ON")
    connection.set_authorizer(_may)
    connection.set_trace_callback(lambda sql: locked.append(sql) if sql.startswith("BEGIN IMMEDIATE") else None)


def _may(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    if action == sqlite3.SQLITE_CREATE_TABLE or (action in DECLARES and first == "sqlite_master"):
        return sqlite3.SQLITE_OK
    if action not in READS:
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_TRANSACTION and first not in ("BEGIN", "COMMIT", "ROLLBACK"):
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_PRAGMA and second is not None and first not in SETTINGS:
        return sqlite3.SQLITE_OK if (first, second) == ("journal_mode", "WAL") else sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK
