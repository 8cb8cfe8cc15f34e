"""Figures of a memory: how much it holds, every note with its figures, and which are largest, oldest, never opened.

A note counts as opened when a session reads it, or zooms to an entry of it. What was opened is kept in this process
and stored together with the next write or in an idle moment, never by the read itself.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from memory_core import journal
from memory_core.head import Head
from memory_core.results import Origin

MAX_LISTED = 10

_NOTES = """
    SELECT m.name, length(e.raw), e.created_ms, coalesce(o.count, 0), o.last_ms FROM name m
    JOIN entry e ON e.journal = m.journal AND e.seq = m.newest LEFT JOIN opened o ON o.name_id = m.id
    WHERE m.journal = ? AND m.live
"""
_LISTED = """
    SELECT m.name, e.seq, e.heading, length(e.raw), e.created_ms, e.origin, e.session, e.client,
           coalesce(o.count, 0), o.last_ms FROM name m
    JOIN entry e ON e.journal = m.journal AND e.seq = m.newest LEFT JOIN opened o ON o.name_id = m.id
    WHERE m.journal = ? AND m.live ORDER BY m.newest DESC
"""


@dataclass(frozen=True, slots=True)
class NoteFigures:
    """A note in figures: `bytes` of its current text, when that was written, how often it was opened and when last."""

    name: str
    bytes: int
    created_ms: int
    opened: int
    opened_ms: int | None


@dataclass(frozen=True, slots=True)
class Listing:
    """A note as a list shows it: its newest entry `seq`, who wrote that and when, the `bytes` of its text, how often
    it was opened and when last.
    """

    name: str
    seq: int
    heading: str
    bytes: int
    created_ms: int
    origin: Origin
    opened: int
    opened_ms: int | None


@dataclass(frozen=True, slots=True)
class Stats:
    """A memory in figures; sizes in bytes. The lists hold at most 10 notes, `unopened` says how many there are."""

    entries: int
    notes: int
    deleted: int
    lines: int
    pending: int
    text_bytes: int
    note_bytes: int
    database_bytes: int
    unopened: int
    largest: tuple[NoteFigures, ...]
    oldest: tuple[NoteFigures, ...]
    never_opened: tuple[NoteFigures, ...]


def stats(db: sqlite3.Connection, head: Head) -> Stats:
    """Counts everything; reads each row's size, not its text."""
    j = head.journal
    notes, deleted, note_bytes, unopened = db.execute(
        "SELECT sum(m.live), sum(NOT m.live), sum(m.live * coalesce(length(e.raw), 0)), sum(m.live AND o.count IS NULL)"
        " FROM name m JOIN entry e ON e.journal = m.journal AND e.seq = m.newest"
        " LEFT JOIN opened o ON o.name_id = m.id WHERE m.journal = ?",
        (j,),
    ).fetchone()
    lines, waiting_leaves, waiting_parents, text_bytes, size = db.execute(
        "SELECT (SELECT count(*) FROM line WHERE journal = ?1),"
        " (SELECT count(*) FROM entry WHERE journal = ?1 AND pending),"
        " (SELECT count(*) FROM work WHERE journal = ?1),"
        " (SELECT coalesce(sum(length(raw)), 0) FROM entry WHERE journal = ?1),"
        " (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size)",
        (j,),
    ).fetchone()
    return Stats(
        entries=head.entries,
        notes=notes or 0,
        deleted=deleted or 0,
        lines=lines,
        pending=waiting_leaves + waiting_parents,
        text_bytes=text_bytes,
        note_bytes=note_bytes or 0,
        database_bytes=size,
        unopened=unopened or 0,
        largest=_listed(db, j, "ORDER BY length(e.raw) DESC, m.name"),
        oldest=_listed(db, j, "ORDER BY e.created_ms, m.name"),
        never_opened=_listed(db, j, "AND o.count IS NULL ORDER BY e.created_ms, m.name"),
    )


def notes(db: sqlite3.Connection, head: Head) -> Iterator[Listing]:
    """The current notes, the one written last first."""
    for name, seq, heading, size, created_ms, kind, session, client, *opened in db.execute(_LISTED, (head.journal,)):
        origin = Origin(journal.ORIGINS[kind], session, client)
        yield Listing(name, seq, heading, size, created_ms, origin, *opened)


def store_opened(db: sqlite3.Connection, journal: int, opened: dict[int, tuple[int, int]]) -> None:
    """Adds to the counts of notes what this process opened: name's row to (how often, when last in ms)."""
    db.executemany(
        "INSERT INTO opened (name_id, journal, last_ms, count) SELECT id, journal, ?, ? FROM name"
        " WHERE id = ? AND journal = ? ON CONFLICT DO UPDATE SET last_ms = excluded.last_ms,"
        " count = count + excluded.count",
        [(last_ms, count, name_id, journal) for name_id, (count, last_ms) in tuple(opened.items())],
    )


def _listed(db: sqlite3.Connection, journal: int, order: str) -> tuple[NoteFigures, ...]:
    rows = db.execute(f"{_NOTES} {order} LIMIT ?", (journal, MAX_LISTED))
    return tuple(NoteFigures(*row) for row in rows)
