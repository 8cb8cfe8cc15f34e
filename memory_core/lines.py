"""The lines of the tree as they are stored.

A verbatim leaf has no row here: its text follows from its entry. Every other line has one once it exists. A parent
whose halves exist and don't fit together word for word waits in `work` until a model has written it.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from memory_core import entry, tree, view
from memory_core.head import Head
from memory_core.results import EntryKind, LineState

KINDS = (EntryKind.NOTE, EntryKind.DELETE, EntryKind.FORGOTTEN)


@dataclass(frozen=True, slots=True)
class Stored:
    """A line that has its text, unframed. `pure` means that its whole subtree is verbatim."""

    text: str
    state: LineState
    pure: bool
    model: str | None = None
    cut: bool = False


def leaf_text(kind: int, name: str, raw: bytes | None) -> str:
    """The entry text of a journal's row."""
    if kind == 0 and raw is not None:
        return entry.entry_text(EntryKind.NOTE, name, entry.body(entry.decode(raw)))
    return entry.entry_text(KINDS[kind], name)


def find(db: sqlite3.Connection, journal: int, start: int, n: int) -> Stored | None:
    """The line `start+n`, or None while it has no text."""
    if n == 1:
        row = db.execute(
            "SELECT e.kind, m.name, e.raw FROM entry e JOIN name m ON m.id = e.name_id"
            " WHERE e.journal = ? AND e.seq = ? AND e.verbatim",
            (journal, start),
        ).fetchone()
        if row is not None:
            return Stored(leaf_text(*row), LineState.VERBATIM, pure=True)
    row = db.execute(
        "SELECT text, verbatim, pure, model, cut FROM line WHERE journal = ? AND n = ? AND start = ?",
        (journal, n, start),
    ).fetchone()
    if row is None:
        return None
    text, verbatim, pure, model, cut = row
    state = LineState.VERBATIM if verbatim else LineState.WRITTEN
    return Stored(text, state, bool(pure), model, bool(cut))


def size_in_view(db: sqlite3.Connection, journal: int, start: int, n: int) -> int | None:
    """The size of a line as the view would hold it, in bytes; None where it doesn't stand. A leaf always does."""
    found = find(db, journal, start, n)
    if found is not None:
        return view.line_bytes(start, n, found.text)
    pending = pending_leaf(db, journal, start) if n == 1 else None
    return None if pending is None else entry.rendered_bytes(start, 1, pending)


def pending_leaf(db: sqlite3.Connection, journal: int, seq: int) -> str | None:
    """What a leaf without its line shows, framed; None where there is no such entry."""
    row = db.execute(
        "SELECT m.name, e.heading FROM entry e JOIN name m ON m.id = e.name_id WHERE e.journal = ? AND e.seq = ?",
        (journal, seq),
    ).fetchone()
    return None if row is None else view.pending_text(*row)


def insert(db: sqlite3.Connection, journal: int, start: int, n: int, line: Stored) -> int:
    """Stores a line and gives its size in the view, in bytes."""
    size = view.line_bytes(start, n, line.text)
    db.execute(
        "INSERT INTO line (journal, n, start, verbatim, pure, cut, bytes, model, text)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            journal,
            n,
            start,
            line.state is LineState.VERBATIM,
            line.pure,
            line.cut,
            size,
            line.model,
            line.text,
        ),
    )
    return size


def appeared(db: sqlite3.Connection, head: Head, start: int, n: int, line: Stored) -> None:
    """Makes what follows from a line that now exists: verbatim parents upwards, then the parent that can be written."""
    while True:
        other_start = start ^ n
        if other_start + n > head.entries:
            return
        other = find(db, head.journal, other_start, n)
        if other is None:
            return
        left, right = (line, other) if start < other_start else (other, line)
        start, n = start & ~n, n * 2
        parent = find(db, head.journal, start, n)
        if parent is None:
            text = tree.joined(left.text, right.text)
            if text is None:
                db.execute(
                    "INSERT OR IGNORE INTO work (journal, n, start) VALUES (?, ?, ?)",
                    (head.journal, n, start),
                )
                return
            parent = Stored(text, LineState.VERBATIM, left.pure and right.pure)
            insert(db, head.journal, start, n, parent)
        line = parent
