"""Verify: every invariant of the journal, checked against what is stored, each breach as one sentence."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator

from memory_core import address, entry, index, journal, lines, notes, sentences, tree, view
from memory_core.ground import Ground
from memory_core.head import Head
from memory_core.results import Verified

MAX_PROBLEMS = 100


def verify(ground: Ground, db: sqlite3.Connection) -> Verified:
    """Checks numbers, files, frontier, lines, names, work and word index; at most 100 breaches are listed."""
    head = ground.head(db)
    problems: list[str] = []
    for check in (_database, _numbers, _names, _files, _frontier, _lines, _waiting, _index):
        for problem in check(ground, db, head):
            problems.append(problem)
            if len(problems) == MAX_PROBLEMS:
                break
    notes_live, lines_stored = db.execute(
        "SELECT (SELECT count(*) FROM name WHERE journal = ?1 AND live), (SELECT count(*) FROM line WHERE journal = ?1)",
        (head.journal,),
    ).fetchone()
    return Verified(head.entries, notes_live, lines_stored, tuple(problems[:MAX_PROBLEMS]))


def _database(ground: Ground, db: sqlite3.Connection, head: Head) -> Iterator[str]:
    for (found,) in db.execute("PRAGMA quick_check(10)"):
        if found != "ok":
            yield sentences.wrong_database(found)


def _numbers(ground: Ground, db: sqlite3.Connection, head: Head) -> Iterator[str]:
    expected = 0
    for (seq,) in db.execute("SELECT seq FROM entry WHERE journal = ? ORDER BY seq", (head.journal,)):
        if seq != expected:
            yield sentences.wrong_numbers(expected, seq)
            expected = seq
        expected += 1
    if expected != head.entries:
        yield sentences.wrong_count(head.entries, expected)


def _names(ground: Ground, db: sqlite3.Connection, head: Head) -> Iterator[str]:
    """Each name's row names its newest entry, and is live exactly while that is a note."""
    rows = db.execute(
        "SELECT m.name FROM name m LEFT JOIN entry e ON e.journal = m.journal AND e.seq = m.newest"
        " WHERE m.journal = ? AND (e.name_id IS NOT m.id OR m.live != (e.kind = 0)"
        " OR EXISTS (SELECT 1 FROM entry later WHERE later.name_id = m.id AND later.seq > m.newest))",
        (head.journal,),
    )
    for (name,) in rows:
        yield sentences.wrong_newest(name)


def _files(ground: Ground, db: sqlite3.Connection, head: Head) -> Iterator[str]:
    """The files hold the newest entries, no more and no less."""
    memories = ground.project.memories
    files = notes.scan(memories)[0] if os.path.isdir(memories) else {}
    rows = db.execute("SELECT name, disk, newest, hash FROM name WHERE journal = ? AND live", (head.journal,))
    for name, disk, newest, hashed in rows:
        if files.pop(disk, None) is None:
            yield sentences.wrong_file_missing(name, newest)
            continue
        try:
            same = journal.digest(notes.read(memories, disk).raw) == hashed
        except (OSError, notes.TooLarge, notes.Unsteady):
            same = False
        if not same or journal.digest(journal.raw_of(db, head.journal, newest)[0]) != hashed:
            yield sentences.wrong_file_differs(name, newest)
    for path in sorted(files):
        if notes.is_note(path, files[path]):
            yield sentences.wrong_file_extra(path)


def _frontier(ground: Ground, db: sqlite3.Connection, head: Head) -> Iterator[str]:
    """The frontier covers each entry once, its sizes and pairs are right, and nothing due is left unmerged."""
    expected = total = 0
    previous: tuple[int, int] | None = None
    pairs: dict[int, int] = {}
    rows = db.execute(
        "SELECT start, n, bytes, paired FROM frontier WHERE journal = ? ORDER BY start DESC", (head.journal,)
    ).fetchall()
    for start, n, size, paired in reversed(rows):
        if start != expected:
            yield sentences.wrong_frontier(start, expected)
        expected = start + n
        total += size
        right = _size(db, head, start, n)
        if right != size:
            yield sentences.wrong_frontier_size(address.text(start, n), size, right or 0)
        previous = (start, n)
    if expected != head.entries:
        yield sentences.wrong_frontier(head.entries, expected)
    standing = {(start, n) for start, n, _, _ in rows}
    for start, n, _, paired in reversed(rows):
        is_left = not start & n and (start + n, n) in standing
        if is_left:
            pairs.setdefault(n, start)
        if bool(paired) != is_left:
            yield sentences.wrong_pair(address.text(start, n))
    if total != head.view_bytes:
        yield sentences.wrong_view_bytes(head.view_bytes, total)
    if pairs != head.pairs and previous is not None:
        yield sentences.wrong_pair(address.text(*previous))


def _size(db: sqlite3.Connection, head: Head, start: int, n: int) -> int | None:
    found = lines.find(db, head.journal, start, n)
    if found is not None:
        return view.line_bytes(start, n, found.text)
    if n > 1:
        return None
    name, heading = db.execute(
        "SELECT m.name, e.heading FROM entry e JOIN name m ON m.id = e.name_id WHERE e.journal = ? AND e.seq = ?",
        (head.journal, start),
    ).fetchone()
    return entry.rendered_bytes(start, 1, view.pending_text(name, heading))


def _lines(ground: Ground, db: sqlite3.Connection, head: Head) -> Iterator[str]:
    """Stored lines fit, and those word for word are exactly their halves."""
    rows = db.execute("SELECT start, n, verbatim, pure, bytes, text FROM line WHERE journal = ?", (head.journal,))
    for start, n, verbatim, pure, size, text in rows:
        name = address.text(start, n)
        if len(text.encode()) > entry.MAX_LINE_BYTES or view.line_bytes(start, n, text) != size:
            yield sentences.wrong_line_size(name)
        if n == 1:
            continue
        halves = [lines.find(db, head.journal, *half) for half in address.halves(start, n)]
        left, right = halves
        if left is None or right is None:
            yield sentences.wrong_verbatim(name)
            continue
        is_joined = tree.joined(left.text, right.text) == text
        is_pure = bool(verbatim) and left.pure and right.pure
        if bool(verbatim) and (not is_joined or bool(pure) != is_pure):
            yield sentences.wrong_verbatim(name)


def _waiting(ground: Ground, db: sqlite3.Connection, head: Head) -> Iterator[str]:
    """Leaves are marked as pending rightly, and work lists exactly the parents that can be written."""
    leaves = db.execute(
        "SELECT e.seq FROM entry e LEFT JOIN line l ON l.journal = e.journal AND l.n = 1 AND l.start = e.seq"
        " WHERE e.journal = ? AND e.pending != (NOT e.verbatim AND l.id IS NULL)",
        (head.journal,),
    )
    for (seq,) in leaves:
        yield sentences.wrong_work(address.text(seq, 1))
    listed = set(db.execute("SELECT start, n FROM work WHERE journal = ?", (head.journal,)))
    for start, n in sorted(listed ^ set(_writable(db, head))):
        yield sentences.wrong_work(address.text(start, n))


def _writable(db: sqlite3.Connection, head: Head) -> Iterator[tuple[int, int]]:
    """Parents that have no line while both halves have one."""
    level = {
        seq
        for (seq,) in db.execute("SELECT seq FROM entry WHERE journal = ? AND NOT pending", (head.journal,))
    }
    n = 2
    while n <= head.entries:
        stored = {
            start
            for (start,) in db.execute("SELECT start FROM line WHERE journal = ? AND n = ?", (head.journal, n))
        }
        for start in level:
            if not start & (n // 2) and start + n // 2 in level and start not in stored:
                yield start, n
        level = stored
        n *= 2


def _index(ground: Ground, db: sqlite3.Connection, head: Head) -> Iterator[str]:
    if not index.exists(db, head.journal):
        yield sentences.wrong_index(head.entries, 0)
        return
    rows = db.execute("SELECT newest FROM name WHERE journal = ? AND live", (head.journal,))
    live = {seq for (seq,) in rows}
    indexed = set(index.indexed(db, head.journal))
    if live != indexed:
        yield sentences.wrong_index(len(live - indexed), len(indexed - live))


