"""Leases: who writes which line, over all processes of a project.

A worker claims lines before it writes them, so that no line is written twice; at most two workers hold leases at a
time. A lease names its owner and expires; a crashed owner's line is then taken over. A result is stored only in a
transaction that finds the worker's own lease still standing (`storing.store_claimed`).

Workers share a machine, since SQLite's log needs its memory, and so a clock; one that is set meanwhile parts them until
the next renewal. While clocks are apart by no more than a lease lasts, the one that is ahead is believed: nobody takes
what it holds, and after a crash its line waits so much longer. An expiry further ahead was made by a wrong clock, and
counts as over: nobody waits for it, and what two such workers lose to each other are requests, never a line.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

from memory_core import database, waiting
from memory_core.ground import Ground
from memory_core.head import Head
from memory_core.results import Pending

LEASE_MS = 120_000
MAX_WORKERS = 2
CLOCKS_APART_MS = LEASE_MS

Key = tuple[int, int]
"""Start and n of a line."""


def claim(ground: Ground, owner: str, limit: int) -> tuple[Pending, ...]:
    """At most `limit` lines for a worker to write now; none while two other workers are at it.

    The oldest pending leaf and the most due parent take turns, and a worker begins with the kind that nobody writes.
    """
    if not _anything(ground):
        return ()
    with database.writing(ground.writer) as db:
        head = ground.head(db)
        now = ground.now_ms()
        held = _live(db, head, now)
        others = {who for who in held.values() if who != owner}
        if len(others) >= MAX_WORKERS:
            return ()
        leaf_first = not any(n == 1 for (_, n), who in held.items() if who != owner)
        wanted = waiting.pending(ground, db, limit + len(held), leaf_first=leaf_first)
        chosen = [line for line in wanted if held.get((line.id, line.n), owner) == owner][:limit]
        db.executemany(
            "INSERT INTO lease (journal, n, start, owner, expires_ms) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET owner = excluded.owner, expires_ms = excluded.expires_ms",
            [(head.journal, line.n, line.id, owner, now + LEASE_MS) for line in chosen],
        )
    return tuple(chosen)


def renew(ground: Ground, owner: str) -> int:
    """Prolongs a worker's leases; gives how many still stand (0: somebody took over, or a forget revoked them)."""
    with database.writing(ground.writer) as db:
        cursor = db.execute(
            "UPDATE lease SET expires_ms = ? WHERE journal = ? AND owner = ?",
            (ground.now_ms() + LEASE_MS, ground.head(db).journal, owner),
        )
        return cursor.rowcount


def release(ground: Ground, owner: str) -> None:
    """Gives back what a worker holds: it failed, or it stops."""
    head = ground.head(ground.writer)
    if owner not in _owners(ground.writer, head):
        return
    with database.writing(ground.writer) as db:
        db.execute("DELETE FROM lease WHERE journal = ? AND owner = ?", (ground.head(db).journal, owner))


def held_by(db: sqlite3.Connection, head: Head, owner: str, keys: Iterable[Key], now_ms: int) -> Iterator[Key]:
    """Which of the lines the worker still holds."""
    live = _live(db, head, now_ms)
    return (key for key in keys if live.get(key) == owner)


def live(db: sqlite3.Connection, head: Head, now_ms: int) -> set[Key]:
    """The lines that somebody writes now."""
    return set(_live(db, head, now_ms))


def _live(db: sqlite3.Connection, head: Head, now_ms: int) -> dict[Key, str]:
    rows = db.execute(
        "SELECT start, n, owner FROM lease WHERE journal = ? AND expires_ms > ? AND expires_ms <= ?",
        (head.journal, now_ms, now_ms + LEASE_MS + CLOCKS_APART_MS),
    )
    return {(start, n): owner for start, n, owner in rows}


def _owners(db: sqlite3.Connection, head: Head) -> set[str]:
    return {owner for (owner,) in db.execute("SELECT DISTINCT owner FROM lease WHERE journal = ?", (head.journal,))}


def _anything(ground: Ground) -> bool:
    """Whether a line waits at all, so that an idle worker writes nothing."""
    with database.reading(ground.writer) as db:
        return bool(waiting.pending(ground, db, 1))
