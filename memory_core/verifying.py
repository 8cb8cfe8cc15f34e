"""Verify: every invariant of the journal, checked against what is stored, each breach as one sentence."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from memory_core import address, entry, index, journal, lines, notes, tree, view
from memory_core.ground import Ground
from memory_core.head import Head
from memory_core.known import name_at
from memory_core.results import Verified
from memory_core.sentences import verify as sentences

MAX_PROBLEMS = 100


def verify(ground: Ground, db: sqlite3.Connection) -> Verified:
    """Checks numbers, files, frontier, lines, names, work and word index; at most 100 breaches are listed."""
    head = ground.head(db)
    on = _On(ground, db, head)
    problems: list[str] = []
    for check in (_database, _numbers, _names, _files, _frontier, _lines, _waiting, _index):
        for problem in check(on):
            problems.append(problem)
            if len(problems) == MAX_PROBLEMS:
                break
    notes_live, lines_stored = db.execute(
        "SELECT (SELECT count(*) FROM name WHERE journal = ? AND live), (SELECT count(*) FROM line WHERE journal = ?)",
        (head.journal, head.journal),
    ).fetchone()
    return Verified(head.entries, notes_live, lines_stored, tuple(problems[:MAX_PROBLEMS]))


@dataclass(frozen=True, slots=True)
class _On:
    """What a check looks at, in one read transaction."""

    ground: Ground
    db: sqlite3.Connection
    head: Head


def _database(on: _On) -> Iterator[str]:
    for (found,) in on.db.execute("PRAGMA quick_check(10)"):
        if found != "ok":
            yield sentences.wrong_database(found)


def _numbers(on: _On) -> Iterator[str]:
    expected = 0
    for (seq,) in on.db.execute("SELECT seq FROM entry WHERE journal = ? ORDER BY seq", (on.head.journal,)):
        if seq != expected:
            yield sentences.wrong_numbers(expected, seq)
            expected = seq
        expected += 1
    if expected != on.head.entries:
        yield sentences.wrong_count(on.head.entries, expected)


def _names(on: _On) -> Iterator[str]:
    """Each name's row names its newest entry, and is live exactly while that is a note."""
    rows = on.db.execute(
        "SELECT m.name FROM name m LEFT JOIN entry e ON e.journal = m.journal AND e.seq = m.newest"
        " WHERE m.journal = ? AND (e.name_id IS NOT m.id OR m.live != (e.kind = 0)"
        " OR EXISTS (SELECT 1 FROM entry later WHERE later.name_id = m.id AND later.seq > m.newest))",
        (on.head.journal,),
    )
    for (name,) in rows:
        yield sentences.wrong_newest(name)


def _files(on: _On) -> Iterator[str]:
    """The files hold the newest entries, no more and no less."""
    memories = on.ground.project.memories
    files = notes.scan(memories).files if os.path.isdir(memories) else {}
    rows = on.db.execute(
        "SELECT m.name, m.disk, m.newest, m.hash, e.raw FROM name m"
        " LEFT JOIN entry e ON e.journal = m.journal AND e.seq = m.newest WHERE m.journal = ? AND m.live",
        (on.head.journal,),
    )
    spelled = {name_at(path): path for path in files}
    for name, stored, newest, hashed, raw in rows:
        disk = stored if stored in files else spelled.get(name, stored)
        if files.pop(disk, None) is None:
            yield sentences.wrong_file_missing(name, newest)
            continue
        try:
            same = journal.digest(notes.read(memories, disk).raw) == hashed
        except (OSError, notes.TooLarge, notes.Unsteady):
            same = False
        if not same or raw is None or journal.digest(raw) != hashed:
            yield sentences.wrong_file_differs(name, newest)
    for path in sorted(files):
        if notes.is_note(path, files[path]):
            yield sentences.wrong_file_extra(path)


def _frontier(on: _On) -> Iterator[str]:
    """The frontier covers each entry once, its sizes and pairs are right, and nothing due is left unmerged."""
    expected = total = 0
    previous: tuple[int, int] | None = None
    pairs: dict[int, int] = {}
    rows = on.db.execute(
        "SELECT start, n, bytes, paired FROM frontier WHERE journal = ? ORDER BY start DESC", (on.head.journal,)
    ).fetchall()
    for start, n, size, _ in reversed(rows):
        if start != expected:
            yield sentences.wrong_frontier(start, expected)
        expected = start + n
        total += size
        right = lines.size_in_view(on.db, on.head.journal, start, n)
        if right != size:
            yield sentences.wrong_frontier_size(address.text(start, n), size, right or 0)
        previous = (start, n)
    if expected != on.head.entries:
        yield sentences.wrong_frontier(on.head.entries, expected)
    standing = {(start, n) for start, n, _, _ in rows}
    for start, n, _, paired in reversed(rows):
        is_left = not start & n and (start + n, n) in standing
        if is_left:
            pairs.setdefault(n, start)
        if bool(paired) != is_left:
            yield sentences.wrong_pair(address.text(start, n))
    if total != on.head.view_bytes:
        yield sentences.wrong_view_bytes(on.head.view_bytes, total)
    if pairs != on.head.pairs and previous is not None:
        yield sentences.wrong_pair(address.text(*previous))


def _lines(on: _On) -> Iterator[str]:
    """Stored lines fit, and those word for word are exactly their halves."""
    rows = on.db.execute("SELECT start, n, verbatim, pure, bytes, text FROM line WHERE journal = ?", (on.head.journal,))
    for start, n, verbatim, pure, size, text in rows:
        name = address.text(start, n)
        if len(text.encode()) > entry.MAX_LINE_BYTES or view.line_bytes(start, n, text) != size:
            yield sentences.wrong_line_size(name)
        if n == 1:
            continue
        halves = [lines.find(on.db, on.head.journal, *half) for half in address.halves(start, n)]
        left, right = halves
        if left is None or right is None:
            yield sentences.wrong_verbatim(name)
            continue
        is_joined = tree.joined(left.text, right.text) == text
        is_pure = bool(verbatim) and left.pure and right.pure
        if bool(verbatim) and (not is_joined or bool(pure) != is_pure):
            yield sentences.wrong_verbatim(name)


def _waiting(on: _On) -> Iterator[str]:
    """Leaves are marked as pending rightly, and work lists exactly the parents that can be written."""
    leaves = on.db.execute(
        "SELECT e.seq FROM entry e LEFT JOIN line l ON l.journal = e.journal AND l.n = 1 AND l.start = e.seq"
        " WHERE e.journal = ? AND e.pending != (NOT e.verbatim AND l.id IS NULL)",
        (on.head.journal,),
    )
    for (seq,) in leaves:
        yield sentences.wrong_work(address.text(seq, 1))
    listed = set(on.db.execute("SELECT start, n FROM work WHERE journal = ?", (on.head.journal,)))
    for start, n in sorted(listed ^ set(_writable(on))):
        yield sentences.wrong_work(address.text(start, n))


def _writable(on: _On) -> Iterator[tuple[int, int]]:
    """Parents that have no line while both halves have one."""
    level = {
        seq for (seq,) in on.db.execute("SELECT seq FROM entry WHERE journal = ? AND NOT pending", (on.head.journal,))
    }
    n = 2
    while n <= on.head.entries:
        stored = {
            start
            for (start,) in on.db.execute("SELECT start FROM line WHERE journal = ? AND n = ?", (on.head.journal, n))
        }
        for start in level:
            if not start & (n // 2) and start + n // 2 in level and start not in stored:
                yield start, n
        level = stored
        n *= 2


def _index(on: _On) -> Iterator[str]:
    if not index.exists(on.db, on.head.journal):
        yield sentences.wrong_index(on.head.entries, 0)
        return
    rows = on.db.execute("SELECT newest FROM name WHERE journal = ? AND live", (on.head.journal,))
    live = {seq for (seq,) in rows}
    indexed = set(index.indexed(on.db, on.head.journal))
    missing = {seq for seq in live - indexed if seq < on.head.indexed}  # what it hasn't come to yet, it catches up with
    if missing or indexed - live:
        yield sentences.wrong_index(len(missing), len(indexed - live))
