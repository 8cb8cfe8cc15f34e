"""A memory as the lines of an archive, streamed: the caller's read transaction is what it shows."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from itertools import islice

from memory_core import journal, lines
from memory_core.head import Head
from memory_core.portability import archive
from memory_core.portability.archive import EntryRow, Header, LineRow
from memory_core.results import Origin

PIECE = 1000
"""Lines of the view in one row."""


def export(db: sqlite3.Connection, head: Head, header: Header) -> Iterator[bytes]:
    """The archive's lines, each with its newline."""
    sha = hashlib.sha256()
    rows = 0
    for raw in map(archive.dump, _objects(db, head, header)):
        sha.update(raw)
        rows += 1
        yield raw
    yield archive.dump({"type": "end", "rows": rows, "sha256": sha.hexdigest()})


def _objects(db: sqlite3.Connection, head: Head, header: Header) -> Iterator[archive.Object]:
    yield archive.header_object(header)
    yield from map(archive.entry_object, _entries(db, head))
    yield from map(archive.line_object, _lines(db, head))
    view = db.execute("SELECT start, n FROM frontier WHERE journal = ? ORDER BY start", (head.journal,))
    while piece := list(islice(view, PIECE)):
        yield {"type": "view", "lines": [list(pair) for pair in piece]}


def _entries(db: sqlite3.Connection, head: Head) -> Iterator[EntryRow]:
    rows = db.execute(
        "SELECT e.seq, e.kind, m.name, e.raw, e.origin, e.session, e.client, e.created_ms, e.hides FROM entry e"
        " JOIN name m ON m.id = e.name_id WHERE e.journal = ? ORDER BY e.seq",
        (head.journal,),
    )
    for seq, kind, name, raw, by, session, client, created_ms, hides in rows:
        origin = Origin(journal.ORIGINS[by], session, client)
        text = raw or b"" if kind == journal.NOTE else None
        yield EntryRow(seq, lines.KINDS[kind], name, text, origin, created_ms, bool(hides))


def _lines(db: sqlite3.Connection, head: Head) -> Iterator[LineRow]:
    rows = db.execute(
        "SELECT start, n, text, coalesce(model, ''), cut, stale FROM line WHERE journal = ? AND NOT verbatim"
        " ORDER BY n, start",
        (head.journal,),
    )
    return (LineRow(start, n, text, model, bool(cut), bool(stale)) for start, n, text, model, cut, stale in rows)
