"""Lines that wait for their text: which come next.

The whole tree is written, not only what the view needs now: the oldest pending leaf and the most due parent whose
halves are written take turns. Lines that are to be written anew (`rewriting.py`) come after all that have no text.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import chain, islice, zip_longest

from memory_core import address, lines, rewriting, tree
from memory_core.ground import Ground
from memory_core.head import Head
from memory_core.results import Pending


def pending(ground: Ground, db: sqlite3.Connection, limit: int, *, leaf_first: bool = True) -> tuple[Pending, ...]:
    """At most `limit` lines that could be written now, with the texts that each folds, first things first."""
    head = ground.head(db)
    leaves: Iterator[tuple[int, int]] = ((seq, 1) for seq in _pending_leaves(db, head, limit))
    parents = _pending_parents(db, head, limit)
    turns = zip_longest(leaves, parents) if leaf_first else zip_longest(parents, leaves)
    again = rewriting.due(db, head, limit)
    wanted = chain(filter(None, chain.from_iterable(turns)), again)
    return tuple(_with_halves(db, head, *found) for found in islice(wanted, limit))


def waiting_notes(db: sqlite3.Connection, head: Head, limit: int) -> int:
    """About how many entries wait for a line of their own or of their pair, counted up to `limit`."""
    leaves = len(_pending_leaves(db, head, limit))
    query = "SELECT count(*) FROM (SELECT 1 FROM work WHERE journal = ? AND n = 2 LIMIT ?)"
    (pairs,) = db.execute(query, (head.journal, limit)).fetchone()
    return min(limit, leaves + 2 * int(pairs) + bool(pairs))


def leaf_sizes(db: sqlite3.Connection, head: Head) -> Iterator[tuple[int, bool]]:
    """Of each entry, oldest first: about how many bytes its text has, and whether it waits for its line."""
    rows = db.execute(
        "SELECT coalesce(length(e.raw), 0) + length(CAST(m.name AS BLOB)) + 6, e.pending "
        "FROM entry e JOIN name m ON m.id = e.name_id WHERE e.journal = ? ORDER BY e.seq",
        (head.journal,),
    )
    return ((size, bool(pending)) for size, pending in rows)


def parents_there(db: sqlite3.Connection, head: Head) -> Iterator[tuple[int, int]]:
    """The parents that have their text, as (the entry after their last, n), in the order in which they come to be."""
    return iter(
        db.execute(
            "SELECT start + n AS ends, n FROM line WHERE journal = ? AND n > 1 ORDER BY ends, n", (head.journal,)
        )
    )


def _pending_leaves(db: sqlite3.Connection, head: Head, limit: int) -> list[int]:
    rows = db.execute("SELECT seq FROM entry WHERE journal = ? AND pending ORDER BY seq LIMIT ?", (head.journal, limit))
    return [seq for (seq,) in rows]


def _pending_parents(db: sqlite3.Connection, head: Head, limit: int) -> Iterator[tuple[int, int]]:
    """Parents that could be written, as (start, n), most due first."""
    levels: dict[int, list[int]] = {}
    n = 2
    while n <= head.entries:
        rows = db.execute(
            "SELECT start FROM work WHERE journal = ? AND n = ? ORDER BY start LIMIT ?", (head.journal, n, limit)
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
