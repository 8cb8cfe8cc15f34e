"""Lines that wait for their text: which come next, and how one is stored.

The whole tree is written, not only what the view needs now: the oldest pending leaf and the most due parent whose
halves are written take turns.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import chain, islice, zip_longest

from memory_core import address, database, entry, faults, frontier, lines, sentences, tree
from memory_core.exceptions import NotWaiting
from memory_core.ground import Ground
from memory_core.head import Head
from memory_core.lines import Stored
from memory_core.results import LineState, Pending


def pending(ground: Ground, db: sqlite3.Connection, limit: int) -> tuple[Pending, ...]:
    """At most `limit` lines that could be written now, with the texts that each folds, first things first."""
    head = ground.head(db)
    leaves = ((seq, 1) for seq in _pending_leaves(db, head, limit))
    turns = chain.from_iterable(zip_longest(leaves, _pending_parents(db, head, limit)))
    return tuple(_with_halves(db, head, *found) for found in islice(filter(None, turns), limit))


def store(ground: Ground, line_address: str, text: str, model: str, cut: bool) -> None:
    """Stores the text of a waiting line, with all that follows in tree and view.

    The text is trimmed and holds 1 to 512 bytes. Raises BadAddress; NotWaiting, which says why the line can't be
    stored.
    """
    start, n = address.parse(line_address)
    text = text.strip()
    if not text:
        raise NotWaiting(*sentences.line_empty(line_address))
    size = len(text.encode("utf-8", "replace"))
    if size > entry.MAX_LINE_BYTES:
        raise NotWaiting(*sentences.line_too_long(line_address, size, entry.MAX_LINE_BYTES))
    with database.writing(ground.writer) as db:
        head = ground.head(db)
        before = head.version
        address.check(start, n, head.entries)
        _check_waiting(ground, db, head, start, n)
        _insert(ground, db, head, start, n, Stored(text, LineState.WRITTEN, pure=False, model=model, cut=cut))
        ground.store(db, head)
        faults.reach("line.stored")
    ground.known.committed(head, before)


def _insert(ground: Ground, db: sqlite3.Connection, head: Head, start: int, n: int, line: Stored) -> None:
    size = lines.insert(db, head.journal, start, n, line)
    if n == 1:
        db.execute("UPDATE entry SET pending = 0 WHERE journal = ? AND seq = ?", (head.journal, start))
        frontier.resize_leaf(db, head, start, size)
    else:
        db.execute("DELETE FROM work WHERE journal = ? AND n = ? AND start = ?", (head.journal, n, start))
    db.execute("DELETE FROM lease WHERE journal = ? AND n = ? AND start = ?", (head.journal, n, start))
    lines.appeared(db, head, start, n, line)
    frontier.settle(db, head, ground.budget)


def _check_waiting(ground: Ground, db: sqlite3.Connection, head: Head, start: int, n: int) -> None:
    name = address.text(start, n)
    found = lines.find(db, head.journal, start, n)
    if found is not None:
        verbatim = found.state is LineState.VERBATIM
        raise NotWaiting(
            *(sentences.line_not_waiting_verbatim(name) if verbatim else sentences.line_not_waiting_written(name))
        )
    if n > 1 and any(lines.find(db, head.journal, *half) is None for half in address.halves(start, n)):
        raise NotWaiting(*sentences.line_not_waiting_halves(name))
    lease = db.execute(
        "SELECT 1 FROM lease WHERE journal = ? AND n = ? AND start = ? AND expires_ms > ?",
        (head.journal, n, start, ground.now_ms()),
    ).fetchone()
    if lease is not None:
        raise NotWaiting(*sentences.line_leased(name))


def _pending_leaves(db: sqlite3.Connection, head: Head, limit: int) -> list[int]:
    rows = db.execute("SELECT seq FROM entry WHERE journal = ? AND pending ORDER BY seq LIMIT ?", (head.journal, limit))
    return [seq for (seq,) in rows]


def _pending_parents(db: sqlite3.Connection, head: Head, limit: int) -> Iterator[tuple[int, int]]:
    """Parents that could be written, as (start, n), most due first."""
    levels: dict[int, list[int]] = {}
    n = 2
    while n <= head.entries:
        rows = db.execute(
            "SELECT start FROM work WHERE journal = ? AND n = ? ORDER BY start LIMIT ?",
            (head.journal, n, limit),
        )
        levels[n // 2] = [start for (start,) in rows]
        n *= 2
    return ((start, 2 * half) for start, half in tree.by_due(levels, head.entries))


def _with_halves(db: sqlite3.Connection, head: Head, start: int, n: int) -> Pending:
    if n > 1:
        texts = (lines.find(db, head.journal, *half) for half in address.halves(start, n))
        return Pending(start, n, tuple(found.text for found in texts if found is not None))
    row = db.execute(
        "SELECT e.kind, m.name, e.raw FROM entry e JOIN name m ON m.id = e.name_id WHERE e.journal = ? AND e.seq = ?",
        (head.journal, start),
    ).fetchone()
    return Pending(start, 1, (lines.leaf_text(*row),))
