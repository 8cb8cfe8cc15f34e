"""Forget: the text of every version of a note is blanked, and every line that may hold some of it is dropped.

A mark is committed first. Then one transaction removes the files, blanks the rows, drops the lines, splits the
frontier where a line of it went, and makes the verbatim lines that can exist again. Each open, each look and each
write finishes a mark that it finds, before anything else, so that nothing is ever appended for a marked name. What was
blanked is then purged from the database file (`purge.py`).
"""

from __future__ import annotations

import os
import sqlite3
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from memory_core import (
    database,
    entry,
    faults,
    frontier,
    index,
    journal,
    leftovers,
    lines,
    names,
    notes,
    purge,
    reading,
)
from memory_core import head as heads
from memory_core.exceptions import NoSuchNote
from memory_core.ground import Ground
from memory_core.head import Head
from memory_core.journal import NameRow
from memory_core.results import ForgetPreview, Forgotten, LineState
from memory_core.sentences.forget import forgotten_before


@dataclass(frozen=True, slots=True)
class Also:
    """What else a forget deletes: session files that hold the notes, copies of the database."""

    sessions: bool = False
    copies: bool = False


def preview(ground: Ground, wanted: Sequence[str], also: Also) -> ForgetPreview:
    """What a forget would do: it is done, looked at and rolled back. Raises BadName, NoSuchNote."""
    with database.trying(ground.writer) as db:
        head = ground.head(db)
        rows = _rows(db, head, wanted, also)
        holding = leftovers.sessions(ground.project, leftovers.probes(db, head, rows))
        standing = _standing(db, head, rows)
        versions, _ = _blank(ground, db, head, rows)
        heads.store(db, head)
        again = standing - _standing(db, head, [])
        hidden = reading.view_now(ground, db).hidden
    copies = leftovers.copies(ground.project.state_dir)
    return ForgetPreview(tuple(row.name for row in rows), versions, again, hidden, copies, holding)


def forget(ground: Ground, wanted: Sequence[str], also: Also) -> Forgotten:
    """Forgets notes, deleted ones included, with one transaction and one purge.

    Raises BadName; NoSuchNote where a name has no version left to forget: then none is forgotten. Where session files
    are to go too, a name that was forgotten before will do: of its texts nothing is known any more, so files are found
    by the name.
    """
    where = ground.project
    for directory in (os.path.join(where.home, "tmp"), where.memories, where.state_dir):
        notes.sweep(directory)
    with database.writing(ground.writer) as db:
        head = ground.head(db)
        rows = _rows(db, head, wanted, also)
        probes = leftovers.probes(db, head, rows)
        rows = [row for row in rows if _versions(db, row.id)]
        versions = sum(len(_versions(db, row.id)) for row in rows)
        db.executemany(
            "INSERT OR IGNORE INTO forgetting (journal, name) VALUES (?, ?)",
            [(head.journal, row.name) for row in rows],
        )
    faults.reach("forget.marked")
    _, dropped = finish(ground)
    traces = purge.attempt(ground, purge.PATIENT)
    sessions = leftovers.sessions(ground.project, probes)
    copies = leftovers.copies(ground.project.state_dir)
    removed = leftovers.remove([*(sessions if also.sessions else ()), *(copies if also.copies else ())])
    return Forgotten(versions, dropped, len(rows), traces, copies, sessions, removed)


def finish(ground: Ground) -> tuple[int, int]:
    """Finishes every forget that has begun; gives how many versions were blanked and lines dropped.

    Does nothing, and writes nothing, where there is none.
    """
    if not _marked(ground.writer, ground.head(ground.writer)):
        return 0, 0
    with database.writing(ground.writer) as db:
        head = ground.head(db)
        before = head.version
        done = settle(ground, db, head)
        ground.store(db, head)
        faults.reach("forget.blanked")
    ground.known.committed(head, before)
    return done


def settle(ground: Ground, db: sqlite3.Connection, head: Head) -> tuple[int, int]:
    """The same inside a transaction of the caller, who stores the head."""
    marked = _marked(db, head)
    if not marked:
        return 0, 0
    found = (journal.name_row(db, head.journal, name) for name in marked)
    rows = [row for row in found if row is not None]
    notes.remove_all(ground.project.memories, [row.disk for row in rows])
    for row in rows:
        ground.known.stored(row.disk, None, None)
    faults.reach("forget.removed")
    done = _blank(ground, db, head, rows)
    purge.mark(db, head.journal)
    db.execute("DELETE FROM forgetting WHERE journal = ?", (head.journal,))
    return done


def _marked(db: sqlite3.Connection, head: Head) -> list[str]:
    rows = db.execute("SELECT name FROM forgetting WHERE journal = ?", (head.journal,))
    return [name for (name,) in rows]


def _rows(db: sqlite3.Connection, head: Head, wanted: Sequence[str], also: Also) -> list[NameRow]:
    """The rows of the notes, each once, in the order of their names."""
    found = {row.name: row for row in (_row(db, head, names.note_name(name), also) for name in wanted)}
    return [found[name] for name in sorted(found)]


def _row(db: sqlite3.Connection, head: Head, name: str, also: Also) -> NameRow:
    """The row of a note that has a text to forget, live or deleted, or whose session files are asked for."""
    exact = journal.name_row(db, head.journal, name)
    for row in (exact, journal.meant(db, head.journal, name)):
        if row is not None and _versions(db, row.id):
            return row
    if exact is None:
        raise reading.no_such_note(db, head, name)
    if not also.sessions:
        raise NoSuchNote(*forgotten_before(name))
    return exact


def _versions(db: sqlite3.Connection, name_id: int) -> list[int]:
    """The numbers of a name's note entries, oldest first."""
    rows = db.execute(
        "SELECT seq FROM entry WHERE name_id = ? AND kind = ? ORDER BY seq", (name_id, journal.NOTE)
    ).fetchall()
    return [seq for (seq,) in rows]


def _standing(db: sqlite3.Connection, head: Head, rows: Sequence[NameRow]) -> int:
    """How many lines are stored, those of the notes' own entries left out."""
    count = int(db.execute("SELECT count(*) FROM line WHERE journal = ?", (head.journal,)).fetchone()[0])
    for row in rows:
        own = db.execute(
            "SELECT count(*) FROM entry e JOIN line l ON l.journal = e.journal AND l.n = 1 AND l.start = e.seq"
            " WHERE e.name_id = ? AND e.kind = ?",
            (row.id, journal.NOTE),
        )
        count -= own.fetchone()[0]
    return count


def _blank(ground: Ground, db: sqlite3.Connection, head: Head, rows: Sequence[NameRow]) -> tuple[int, int]:
    """Blanks the notes' versions with all that follows; gives how many, and how many lines were dropped."""
    versions: list[int] = []
    for row in rows:
        versions += _versions(db, row.id)
        head.forgets += 1
        _unindex(db, head, row)
        db.execute(
            "UPDATE entry SET kind = ?, raw = NULL, heading = '', hides = 0, pending = 0, verbatim = 1"
            " WHERE name_id = ? AND kind = ?",
            (journal.FORGOTTEN, row.id, journal.NOTE),
        )
        db.execute(
            "UPDATE name SET live = 0, hash = NULL, size = -1, mtime_ns = -1, inode = -1, looked_ns = NULL,"
            " old_size = NULL, old_mtime_ns = NULL, old_inode = NULL, forgotten = ? WHERE id = ?",
            (head.forgets, row.id),
        )
    versions.sort()
    if not versions:
        return 0, 0
    dropped = _drop_lines(db, head, versions)
    _split_frontier(db, head, versions)
    _make_verbatim(db, head, versions[0])
    frontier.settle(db, head, ground.budget)
    return len(versions), dropped


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
    )
    for seq, kind, name, raw in rows:
        text = lines.leaf_text(kind, name, raw)
        lines.appeared(db, head, seq, 1, lines.Stored(text, LineState.VERBATIM, pure=True))
