"""Repair: all that is derived is made again from the journal, and what the files hold is journaled first.

Entries are the truth and are never touched. Names, leaves' marks, verbatim lines, work, the frontier and the word
index follow from them; a written line is kept where it fits and its halves stand, and is dropped, to be written
again, where not. A frontier that covers every entry once is kept as it is, since a merged line is never split.
"""

from __future__ import annotations

import sqlite3

from memory_core import address, database, entry, faults, frontier, index, journal, lines, tree, view
from memory_core.ground import Ground
from memory_core.head import Head
from memory_core.lines import Stored
from memory_core.results import LineState


def repair(ground: Ground) -> None:
    """Makes everything derived again, in one transaction; the word index is emptied and catches up afterwards."""
    with database.writing(ground.writer) as db:
        head = ground.head(db)
        before = head.version
        rebuild(db, head, ground.budget)
        ground.store(db, head)
        faults.reach("repair.stored")
    ground.known.committed(head, before)


def rebuild(db: sqlite3.Connection, head: Head, budget: int) -> None:
    """The same for a journal of any project, inside a transaction of the caller, who stores the head."""
    head.entries = db.execute("SELECT count(*) FROM entry WHERE journal = ?", (head.journal,)).fetchone()[0]
    _names(db, head)
    _leaves(db, head)
    _lines(db, head)
    _frontier(db, head)
    frontier.settle(db, head, budget)
    index.drop(db, head.journal)
    index.create(db, head.journal)
    head.indexed = 0


def _names(db: sqlite3.Connection, head: Head) -> None:
    """Each name's row names its newest entry; a hash that doesn't fit the text makes the next look read the file.

    A name without an entry goes: its file, if there is one, is journaled as new.
    """
    db.execute(
        "DELETE FROM name WHERE journal = ? AND NOT EXISTS (SELECT 1 FROM entry e WHERE e.name_id = name.id)",
        (head.journal,),
    )
    rows = db.execute(
        "SELECT e.name_id, e.seq, e.kind, e.raw FROM entry e WHERE e.journal = ? AND e.seq ="
        " (SELECT max(seq) FROM entry last WHERE last.name_id = e.name_id)",
        (head.journal,),
    ).fetchall()
    for name_id, seq, kind, raw in rows:
        live = kind == journal.NOTE and raw is not None
        hashed = journal.digest(raw) if live else None
        db.execute(
            "UPDATE name SET newest = :newest, live = :live, hash = :hash,"
            " size = CASE WHEN hash IS :hash THEN size ELSE -1 END WHERE id = :id",
            {"newest": seq, "live": live, "hash": hashed, "id": name_id},
        )


def _leaves(db: sqlite3.Connection, head: Head) -> None:
    """Which leaves are their own line, and which wait, in chunks so that no journal is held in memory."""
    for start in range(0, head.entries, 1000):
        rows = db.execute(
            "SELECT e.id, e.kind, m.name, e.raw, l.text FROM entry e JOIN name m ON m.id = e.name_id"
            " LEFT JOIN line l ON l.journal = e.journal AND l.n = 1 AND l.start = e.seq"
            " WHERE e.journal = ? AND e.seq >= ? AND e.seq < ?",
            (head.journal, start, start + 1000),
        ).fetchall()
        for id_, kind, name, raw, text in rows:
            verbatim = entry.fits(lines.leaf_text(kind, name, raw))
            pending = not verbatim and (text is None or not entry.fits(text))
            db.execute("UPDATE entry SET verbatim = ?, pending = ? WHERE id = ?", (verbatim, pending, id_))


def _lines(db: sqlite3.Connection, head: Head) -> None:
    """Level by level: verbatim parents are what they must be, written ones are kept where their halves stand."""
    db.execute(
        "DELETE FROM line WHERE journal = :journal AND n = 1 AND (start >= :entries OR start IN"
        " (SELECT seq FROM entry WHERE journal = :journal AND (pending OR verbatim)))",
        {"journal": head.journal, "entries": head.entries},
    )
    db.execute("DELETE FROM work WHERE journal = ?", (head.journal,))
    n = 2
    while n <= max(head.entries, 2):
        for start in range(0, head.entries - n + 1, n):
            _parent(db, head, start, n)
        n *= 2
    db.execute("DELETE FROM line WHERE journal = ? AND (n >= ? OR start + n > ?)", (head.journal, n, head.entries))


def _parent(db: sqlite3.Connection, head: Head, start: int, n: int) -> None:
    left, right = (lines.find(db, head.journal, *half) for half in address.halves(start, n))
    found = lines.find(db, head.journal, start, n)
    if left is None or right is None:
        _drop(db, head, start, n)
        return
    text = tree.joined(left.text, right.text)
    if text is not None:
        right_line = Stored(text, LineState.VERBATIM, left.pure and right.pure)
        if found != right_line:
            _drop(db, head, start, n)
            lines.insert(db, head.journal, start, n, right_line)
        return
    if found is not None and found.state is LineState.WRITTEN and entry.fits(found.text):
        db.execute(
            "UPDATE line SET pure = 0, bytes = ? WHERE journal = ? AND n = ? AND start = ?",
            (view.line_bytes(start, n, found.text), head.journal, n, start),
        )
        return
    _drop(db, head, start, n)
    db.execute("INSERT INTO work (journal, n, start) VALUES (?, ?, ?)", (head.journal, n, start))


def _drop(db: sqlite3.Connection, head: Head, start: int, n: int) -> None:
    db.execute("DELETE FROM line WHERE journal = ? AND n = ? AND start = ?", (head.journal, n, start))


def _frontier(db: sqlite3.Connection, head: Head) -> None:
    """Keeps the lines of the frontier that stand and follow on one another; what they leave open becomes leaves."""
    rows = db.execute(
        "SELECT start, n FROM frontier WHERE journal = ? ORDER BY start, n DESC", (head.journal,)
    ).fetchall()
    db.execute("DELETE FROM frontier WHERE journal = ?", (head.journal,))
    covered = 0
    for start, n in [*rows, (head.entries, 0)]:
        if start < covered or start + n > head.entries or start % max(n, 1):
            continue
        for leaf in range(covered, start):
            _cover(db, head, leaf, 1)
        _cover(db, head, start, n)
        covered = start + n
    frontier.rebuild_pairs(db, head)


def _cover(db: sqlite3.Connection, head: Head, start: int, n: int) -> None:
    """Puts a line into the frontier, or its halves where it doesn't stand."""
    if n == 0:
        return
    size = lines.size_in_view(db, head.journal, start, n)
    if size is None:
        for half in address.halves(start, n):
            _cover(db, head, *half)
        return
    db.execute(
        "INSERT INTO frontier (journal, start, n, bytes, paired) VALUES (?, ?, ?, ?, 0)",
        (head.journal, start, n, size),
    )
