"""Forget: the text of every version of a note is blanked, and every line that may hold some of it is dropped.

A mark is committed first. Then the file goes, and one transaction blanks the rows, drops the lines, splits the
frontier where a line of it went, and makes the verbatim lines that can exist again. Each open and each look finishes
a mark that it finds, before anything else.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_left
from collections.abc import Sequence

from memory_core import database, entry, faults, frontier, index, journal, lines, names, notes, reading
from memory_core.ground import Ground
from memory_core.head import Head
from memory_core.journal import NameRow
from memory_core.results import Forgotten, LineState


def forget(ground: Ground, wanted: Sequence[str]) -> Forgotten:
    """Forgets notes, deleted ones included. Raises BadName; NoSuchNote where a name has no version left to forget."""
    with database.writing(ground.writer) as db:
        head = ground.head(db)
        rows = [_row(db, head, names.note_name(name)) for name in wanted]
        db.executemany(
            "INSERT OR IGNORE INTO forgetting (journal, name) VALUES (?, ?)",
            [(head.journal, row.name) for row in rows],
        )
    faults.reach("forget.marked")
    return finish(ground)


def finish(ground: Ground) -> Forgotten:
    """Finishes every forget that has begun; does nothing, and writes nothing, where there is none."""
    head = ground.head(ground.writer)
    marked = ground.writer.execute("SELECT name FROM forgetting WHERE journal = ?", (head.journal,)).fetchall()
    if not marked:
        return Forgotten()
    found = [journal.name_row(ground.writer, head.journal, name) for (name,) in marked]
    rows = [row for row in found if row is not None]
    for row in rows:
        notes.remove(ground.project.memories, row.disk)
    notes.sync_directory(ground.project.memories)
    faults.reach("forget.removed")
    with database.writing(ground.writer) as db:
        head = ground.head(db)
        before = head.version
        result = _blank(ground, db, head, rows)
        db.execute("DELETE FROM forgetting WHERE journal = ?", (head.journal,))
        head.forgets += len(rows)
        ground.store(db, head)
        faults.reach("forget.blanked")
    for row in rows:
        ground.known.stored(row.disk, None, None)
    ground.known.committed(head, before)
    return result


def _row(db: sqlite3.Connection, head: Head, name: str) -> NameRow:
    """The row of a note that has a text to forget, live or deleted."""
    row = journal.name_row(db, head.journal, name) or journal.meant(db, head.journal, name)
    if row is None or not _versions(db, row.id):
        raise reading.no_such_note(db, head, name)
    return row


def _versions(db: sqlite3.Connection, name_id: int) -> list[int]:
    """The numbers of a name's note entries, oldest first."""
    rows = db.execute(
        "SELECT seq FROM entry WHERE name_id = ? AND kind = ? ORDER BY seq", (name_id, journal.NOTE)
    ).fetchall()
    return [seq for (seq,) in rows]


def _blank(ground: Ground, db: sqlite3.Connection, head: Head, rows: Sequence[NameRow]) -> Forgotten:
    versions: list[int] = []
    for row in rows:
        versions += _versions(db, row.id)
        _unindex(db, head, row)
        db.execute(
            "UPDATE entry SET kind = ?, raw = NULL, heading = '', hides = 0, pending = 0, verbatim = 1"
            " WHERE name_id = ? AND kind = ?",
            (journal.FORGOTTEN, row.id, journal.NOTE),
        )
        db.execute(
            "UPDATE name SET live = 0, hash = NULL, size = -1, mtime_ns = -1, inode = -1, looked_ns = NULL,"
            " old_size = NULL, old_mtime_ns = NULL, old_inode = NULL WHERE id = ?",
            (row.id,),
        )
    versions.sort()
    if not versions:
        return Forgotten()
    dropped = _drop_lines(db, head, versions)
    _split_frontier(db, head, versions)
    _make_verbatim(db, head, versions[0])
    frontier.settle(db, head, ground.budget)
    return Forgotten(len(versions), dropped, len(rows))


def _unindex(db: sqlite3.Connection, head: Head, row: NameRow) -> None:
    if not row.live or row.newest >= head.indexed:
        return
    raw, _ = journal.raw_of(db, head.journal, row.newest)
    body = entry.body(entry.decode(raw))
    index.remove(db, head.journal, row.newest, row.name, entry.heading(body), body)


def _drop_lines(db: sqlite3.Connection, head: Head, versions: list[int]) -> int:
    """Drops the lines over the first version or later, but those whose whole subtree is verbatim and holds none."""
    first = versions[0]
    dropped = 0
    leaves: list[tuple[int, int]] = []
    rows = db.execute(
        "SELECT id, start, n, pure FROM line WHERE journal = ? AND start + n > ?", (head.journal, first)
    ).fetchall()
    for id_, start, n, pure in rows:
        at = bisect_left(versions, start)
        holds = at < len(versions) and versions[at] < start + n
        if pure and not holds:
            continue
        db.execute("DELETE FROM line WHERE id = ?", (id_,))
        dropped += 1
        if n == 1:
            leaves.append((head.journal, start))
    db.executemany("UPDATE entry SET pending = 1 WHERE journal = ? AND seq = ? AND NOT verbatim", leaves)
    db.execute("DELETE FROM work WHERE journal = ? AND start + n > ?", (head.journal, first))
    db.execute("DELETE FROM lease WHERE journal = ? AND start + n > ?", (head.journal, first))
    return dropped


def _split_frontier(db: sqlite3.Connection, head: Head, versions: list[int]) -> None:
    """Replaces lines of the frontier that were dropped by their halves, until each stands or is a leaf."""
    rows = db.execute(
        "SELECT start, n FROM frontier WHERE journal = ? AND start + n > ?", (head.journal, versions[0])
    ).fetchall()
    db.execute("DELETE FROM frontier WHERE journal = ? AND start + n > ?", (head.journal, versions[0]))
    todo = list(rows)
    while todo:
        start, n = todo.pop()
        size = lines.size_in_view(db, head.journal, start, n)
        if size is None:
            todo += [(start, n // 2), (start + n // 2, n // 2)]
            continue
        db.execute(
            "INSERT INTO frontier (journal, start, n, bytes, paired) VALUES (?, ?, ?, ?, 0)",
            (head.journal, start, n, size),
        )
    frontier.rebuild_pairs(db, head)


def _make_verbatim(db: sqlite3.Connection, head: Head, first: int) -> None:
    """Makes the verbatim lines that can exist again, and lists what can be written, from the first version on."""
    rows = db.execute(
        "SELECT e.seq, e.kind, m.name, e.raw FROM entry e JOIN name m ON m.id = e.name_id"
        " WHERE e.journal = ? AND e.seq >= ? AND e.verbatim ORDER BY e.seq",
        (head.journal, first),
    ).fetchall()
    for seq, kind, name, raw in rows:
        text = lines.leaf_text(kind, name, raw)
        lines.appeared(db, head, seq, 1, lines.Stored(text, LineState.VERBATIM, pure=True))
