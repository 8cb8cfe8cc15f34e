"""The stored view: which lines cover the journal now.

The frontier is a row a line, without its text: start, n, size in the view, and whether it is the left line of two
siblings that both stand here. The project's row knows the view's size and the oldest pair of each size, so the next
merge is found without a look at the table. A merged line is never split again; only a forget splits.
"""

from __future__ import annotations

import sqlite3

from memory_core import tree
from memory_core.head import Head


def append_leaf(db: sqlite3.Connection, head: Head, seq: int, size: int) -> None:
    """Adds the leaf of a new entry, `size` bytes in the view, at the newest end."""
    db.execute(
        "INSERT INTO frontier (journal, start, n, bytes, paired) VALUES (?, ?, 1, ?, 0)",
        (head.journal, seq, size),
    )
    head.view_bytes += size
    if seq & 1:
        mark_pair(db, head, seq - 1, 1)


def resize(db: sqlite3.Connection, head: Head, start: int, n: int, size: int) -> None:
    """Gives a line the size of its text, where it stands in the frontier."""
    row = db.execute(
        "SELECT bytes FROM frontier WHERE journal = ? AND start = ? AND n = ?", (head.journal, start, n)
    ).fetchone()
    if row is None:
        return
    db.execute("UPDATE frontier SET bytes = ? WHERE journal = ? AND start = ?", (size, head.journal, start))
    head.view_bytes += size - row[0]


def settle(db: sqlite3.Connection, head: Head, budget: int) -> None:
    """Merges the most due pair again and again while the view is over its budget and that pair's parent is written."""
    while head.view_bytes > budget:
        pair = tree.most_due(head.pairs, head.entries)
        if pair is None:
            return
        start, n = pair
        row = db.execute(
            "SELECT bytes FROM line WHERE journal = ? AND n = ? AND start = ?", (head.journal, 2 * n, start)
        ).fetchone()
        if row is None:
            return
        _merge(db, head, start, n, row[0])


def rebuild_pairs(db: sqlite3.Connection, head: Head) -> None:
    """Finds pairs and the view's size anew from the frontier's rows, after lines were split."""
    db.execute(
        "UPDATE frontier SET paired = (start & n) = 0 AND EXISTS (SELECT 1 FROM frontier other WHERE"
        " other.journal = frontier.journal AND other.start = frontier.start + frontier.n AND other.n = frontier.n)"
        " WHERE journal = ?",
        (head.journal,),
    )
    rows = db.execute(
        "SELECT n, min(start) FROM frontier WHERE journal = ? AND paired GROUP BY n", (head.journal,)
    ).fetchall()
    head.pairs = dict(rows)
    total = db.execute("SELECT coalesce(sum(bytes), 0) FROM frontier WHERE journal = ?", (head.journal,)).fetchone()
    head.view_bytes = total[0]


def _merge(db: sqlite3.Connection, head: Head, start: int, n: int, size: int) -> None:
    freed = db.execute(
        "SELECT sum(bytes) FROM frontier WHERE journal = ? AND start IN (?, ?)",
        (head.journal, start, start + n),
    ).fetchone()[0]
    db.execute("DELETE FROM frontier WHERE journal = ? AND start = ?", (head.journal, start + n))
    db.execute(
        "UPDATE frontier SET n = ?, bytes = ?, paired = 0 WHERE journal = ? AND start = ?",
        (2 * n, size, head.journal, start),
    )
    head.view_bytes += size - freed
    oldest = db.execute(
        "SELECT min(start) FROM frontier INDEXED BY frontier_pair WHERE journal = ? AND n = ? AND paired",
        (head.journal, n),
    ).fetchone()[0]
    if oldest is None:
        del head.pairs[n]
    else:
        head.pairs[n] = oldest
    mark_pair(db, head, start & ~(2 * n), 2 * n)


def mark_pair(db: sqlite3.Connection, head: Head, left: int, n: int) -> None:
    """Marks the line at `left` as half of a pair if both siblings of size n stand in the frontier."""
    both = db.execute(
        "SELECT count(*) FROM frontier WHERE journal = ? AND start IN (?, ?) AND n = ?",
        (head.journal, left, left + n, n),
    ).fetchone()[0]
    if both < 2:
        return
    db.execute("UPDATE frontier SET paired = 1 WHERE journal = ? AND start = ?", (head.journal, left))
    head.pairs[n] = min(head.pairs.get(n, left), left)
