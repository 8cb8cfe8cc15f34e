"""The tree of an imported journal: what follows from its entries and its written lines, level by level.

Lines word for word are made, written ones are kept where their halves stand, what can be written is listed. The same
rules as `lines.appeared` applies one by one, over a whole level in runs of neighbours.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field

from memory_core import address, database, entry, faults, lines, tree, view
from memory_core.lines import Stored
from memory_core.results import LineState

RUN = 2048
"""Parents that one transaction looks at."""
LEAVES = 4096
"""Leaves that one transaction looks at: an update keeps the pages that it changes in memory until it is whole."""


def grow(db: sqlite3.Connection, number: int, entries: int) -> None:
    """Makes the lines over a journal's entries, and the sizes of the lines in its view."""
    for first in range(0, entries, LEAVES):
        _leaves(db, number, first, first + LEAVES)
    n = 2
    while n <= entries:
        for first in range(0, entries - n + 1, n * RUN):
            _Run(db, number, n, first, min(first + n * RUN, entries - entries % n)).store()
            faults.reach("import.grown")
        n *= 2
    _cover(db, number, entries)


def _leaves(db: sqlite3.Connection, number: int, first: int, end: int) -> None:
    """The leaves from `first` up to `end`: none is written that is its own line, none waits that is written."""
    with database.writing(db):
        db.execute(
            "DELETE FROM line WHERE journal = ?1 AND n = 1 AND start >= ?2 AND start < ?3 AND start IN"
            " (SELECT seq FROM entry WHERE journal = ?1 AND seq >= ?2 AND seq < ?3 AND verbatim)",
            (number, first, end),
        )
        db.execute(
            "UPDATE entry SET pending = 0 WHERE journal = ?1 AND seq >= ?2 AND seq < ?3 AND pending AND seq IN"
            " (SELECT start FROM line WHERE journal = ?1 AND n = 1 AND start >= ?2 AND start < ?3)",
            (number, first, end),
        )


@dataclass(slots=True)
class _Run:
    """The parents of n entries from `first` up to `end`."""

    db: sqlite3.Connection
    number: int
    n: int
    first: int
    end: int
    made: list[tuple[object, ...]] = field(default_factory=list)
    gone: list[tuple[int]] = field(default_factory=list)
    work: list[tuple[int, int, int]] = field(default_factory=list)

    def store(self) -> None:
        """Looks at each parent, then stores what follows."""
        halves = self._texts(self.n // 2)
        written = self._ids()
        for start in range(self.first, self.end, self.n):
            self._parent(start, halves.get(start), halves.get(start + self.n // 2), written.get(start))
        with database.writing(self.db) as db:
            db.executemany("DELETE FROM line WHERE id = ?", self.gone)
            db.executemany(
                "INSERT INTO line (journal, n, start, verbatim, pure, cut, bytes, text)"
                " VALUES (?, ?, ?, 1, ?, 0, ?, ?)",
                self.made,
            )
            db.executemany("INSERT INTO work (journal, n, start) VALUES (?, ?, ?)", self.work)

    def _parent(self, start: int, left: Stored | None, right: Stored | None, written: int | None) -> None:
        if left is None or right is None:
            self.gone += [] if written is None else [(written,)]
            return
        text = tree.joined(left.text, right.text)
        if text is None:
            self.work += [(self.number, self.n, start)] if written is None else []
            return
        self.gone += [] if written is None else [(written,)]
        size = view.line_bytes(start, self.n, text)
        self.made.append((self.number, self.n, start, left.pure and right.pure, size, text))

    def _ids(self) -> dict[int, int]:
        return dict(
            self.db.execute(
                "SELECT start, id FROM line WHERE journal = ? AND n = ? AND start >= ? AND start < ?",
                (self.number, self.n, self.first, self.end),
            )
        )

    def _texts(self, n: int) -> dict[int, Stored]:
        """The lines of n entries in the run that have a text."""
        rows = self.db.execute(
            "SELECT start, text, verbatim, pure FROM line WHERE journal = ? AND n = ? AND start >= ? AND start < ?",
            (self.number, n, self.first, self.end),
        )
        found = {
            start: Stored(text, LineState.VERBATIM if verbatim else LineState.WRITTEN, bool(pure))
            for start, text, verbatim, pure in rows
        }
        if n == 1:
            found |= self._verbatim_leaves()
        return found

    def _verbatim_leaves(self) -> dict[int, Stored]:
        rows = self.db.execute(
            "SELECT e.seq, e.kind, m.name, e.raw FROM entry e JOIN name m ON m.id = e.name_id"
            " WHERE e.journal = ? AND e.seq >= ? AND e.seq < ? AND e.verbatim",
            (self.number, self.first, self.end),
        )
        return {seq: Stored(lines.leaf_text(*rest), LineState.VERBATIM, pure=True) for seq, *rest in rows}


def _cover(db: sqlite3.Connection, number: int, entries: int) -> None:
    """Gives the view's lines their sizes; one that doesn't stand is replaced by its halves."""
    after = 0
    while after < entries:
        rows = db.execute(
            "SELECT start, n FROM frontier WHERE journal = ? AND start >= ? ORDER BY start LIMIT ?",
            (number, after, RUN),
        ).fetchall()
        sizes = [size for start, n in rows for size in _sizes(db, number, start, n)]
        with database.writing(db):
            db.executemany(
                "INSERT INTO frontier (journal, start, n, bytes, paired) VALUES (?, ?, ?, ?, 0)"
                " ON CONFLICT DO UPDATE SET n = excluded.n, bytes = excluded.bytes",
                [(number, *size) for size in sizes],
            )
        after = sum(rows[-1])


def _sizes(db: sqlite3.Connection, number: int, start: int, n: int) -> list[tuple[int, int, int]]:
    """Start, n and size of a line, or of the lines below it that stand."""
    size = lines.size_in_view(db, number, start, n)
    if size is not None:
        return [(start, n, size)]
    if n == 1:
        return [(start, 1, entry.rendered_bytes(start, 1, ""))]
    return [found for half in address.halves(start, n) for found in _sizes(db, number, *half)]
