"""Written lines that are to be written anew, on demand: those of the embedded summarizer, once a model is there, and
those that were cut to fit.

A text is replaced in place, youngest level first, and its written ancestors follow one by one; addresses and view
don't change. A verbatim parent of a line whose text changed is its halves word for word again where they fit, and is
written by a model where they don't.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from memory_core import address, database, frontier, lines, tree, view
from memory_core.ground import Ground
from memory_core.head import Head
from memory_core.lines import Stored
from memory_core.results import LineState


def mark_all(ground: Ground, model_prefix: str) -> int:
    """Marks every line that was cut, or written by a model of this name or prefix; gives how many are to be written
    anew."""
    with database.writing(ground.writer) as db:
        head = ground.head(db)
        cursor = db.execute(
            "UPDATE line SET stale = 1 WHERE journal = ? AND NOT verbatim AND (cut OR substr(model, 1, ?) = ?)",
            (head.journal, len(model_prefix), model_prefix),
        )
        return cursor.rowcount


def due(db: sqlite3.Connection, head: Head, limit: int) -> Iterator[tuple[int, int]]:
    """Lines to be written anew whose halves are not, as (start, n): the smallest first, then the oldest."""
    rows = db.execute(
        "SELECT start, n FROM line INDEXED BY line_stale WHERE journal = ? AND stale ORDER BY n, start LIMIT ?",
        (head.journal, limit),
    ).fetchall()
    smallest = rows[0][1] if rows else 0
    return ((start, n) for start, n in rows if n == smallest)


def replace(ground: Ground, db: sqlite3.Connection, head: Head, start: int, n: int, line: Stored) -> bool:
    """Replaces the text of a line that is to be written anew; False where the line isn't one."""
    row = db.execute(
        "SELECT id FROM line WHERE journal = ? AND n = ? AND start = ? AND stale", (head.journal, n, start)
    ).fetchone()
    if row is None:
        return False
    _set(db, head, row[0], start, n, line)
    _changed(db, head, start, n)
    frontier.settle(db, head, ground.budget)
    return True


def _set(db: sqlite3.Connection, head: Head, id_: int, start: int, n: int, line: Stored) -> None:
    size = view.line_bytes(start, n, line.text)
    db.execute(
        "UPDATE line SET text = ?, bytes = ?, verbatim = ?, pure = 0, model = ?, cut = ?, stale = 0 WHERE id = ?",
        (line.text, size, line.state is LineState.VERBATIM, line.model, line.cut, id_),
    )
    frontier.resize(db, head, start, n, size)


def _changed(db: sqlite3.Connection, head: Head, start: int, n: int) -> None:
    """What follows upwards from a text that changed: verbatim parents at once, the next written one is marked."""
    while True:
        start, n = address.parent(start, n)
        row = db.execute(
            "SELECT id FROM line WHERE journal = ? AND n = ? AND start = ?", (head.journal, n, start)
        ).fetchone()
        if row is None:
            return
        left, right = (lines.find(db, head.journal, *half) for half in address.halves(start, n))
        assert left is not None and right is not None
        text = tree.joined(left.text, right.text)
        if text is None:
            db.execute("UPDATE line SET stale = 1, verbatim = 0 WHERE id = ?", (row[0],))
            return
        _set(db, head, row[0], start, n, Stored(text, LineState.VERBATIM, pure=False))
