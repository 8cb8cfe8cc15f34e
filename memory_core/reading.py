"""What is asked of the journal: the view, a zoom, a note, a search. Each runs in a read transaction of the caller.

Each touches the rows that it shows, whatever the journal's size.
"""

from __future__ import annotations

import difflib
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import replace

from memory_core import address, analyzer, entry, index, journal, leases, lines, names, notes, sentences, tree, view
from memory_core.exceptions import NoSuchNote
from memory_core.ground import Ground
from memory_core.head import Head
from memory_core.journal import NameRow
from memory_core.marks import Marker
from memory_core.results import (
    Entry,
    EntryKind,
    EntryStatus,
    Exported,
    Hit,
    Line,
    LineState,
    Mark,
    Note,
    Origin,
    Row,
    SearchResult,
    View,
    Zoom,
)

_FRONTIER = """
    SELECT f.start, f.n, f.bytes, l.text, l.verbatim, l.model, l.cut, e.verbatim, e.kind, m.name, e.heading,
           CASE WHEN e.verbatim THEN e.raw END
    FROM frontier f
    LEFT JOIN line l ON l.journal = f.journal AND l.n = f.n AND l.start = f.start
    LEFT JOIN entry e ON f.n = 1 AND e.journal = f.journal AND e.seq = f.start
    LEFT JOIN name m ON m.id = e.name_id
    WHERE f.journal = ? ORDER BY f.start DESC
"""
_ENTRY = """
    SELECT e.seq, e.kind, m.name, m.disk, m.live, e.heading, e.raw, e.hides, e.origin, e.session, e.client,
           e.created_ms, e.name_id
    FROM entry e JOIN name m ON m.id = e.name_id WHERE e.journal = ? AND e.seq = ?
"""
_ROWS = """
    SELECT e.seq, e.kind, m.name, e.heading, e.origin, e.session, e.client, e.created_ms, length(e.raw)
    FROM entry e JOIN name m ON m.id = e.name_id
"""
MAX_NEAR_NAMES = 3


def view_now(ground: Ground, db: sqlite3.Connection) -> View:
    """The live view."""
    head = ground.head(db)
    rows: list[tuple[Line, int]] = []
    size = 0
    for start, n, line_bytes, *rest in db.execute(_FRONTIER, (head.journal,)):
        size += line_bytes
        if size > ground.budget:
            break
        rows.append((_frontier_line(start, n, *rest), line_bytes))
    count = view.shown(((line.id, line_bytes) for line, line_bytes in rows), head.view_bytes, ground.budget)
    lines_shown = tuple(line for line, _ in reversed(rows[:count]))
    hidden = lines_shown[0].id if lines_shown else head.entries
    return View(
        entries=head.entries,
        generation=head.generation,
        hidden=hidden,
        bytes=head.view_bytes,
        budget=ground.budget,
        lines=_with_leases(ground, db, head, lines_shown),
        next_merges=tuple(_next_merges(db, head)),
        left_out=sentences.left_out(hidden) if hidden else None,
        forgets=head.forgets,
    )


def zoom(ground: Ground, db: sqlite3.Connection, id: int, n: int) -> Zoom | Entry:
    """A line opened into its halves, or an entry whole. Raises BadAddress."""
    head = ground.head(db)
    address.check(id, n, head.entries)
    if n == 1:
        return _entry(ground, db, head, id)
    left, right = (_line(db, head, start, size) for start, size in address.halves(id, n))
    left, right = _with_leases(ground, db, head, (left, right))
    return Zoom(id, n, (left, right))


def context(ground: Ground, db: sqlite3.Connection, line_address: str, limit_bytes: int) -> tuple[str, ...]:
    """The view's newest lines that end at or before a line's first entry, oldest first. Raises BadAddress."""
    head = ground.head(db)
    start, n = address.parse(line_address)
    address.check(start, n, head.entries)
    texts: list[str] = []
    size = 0
    for first, count, _, *rest in db.execute(_FRONTIER, (head.journal,)):
        if first + count > start:
            continue
        text = _frontier_line(first, count, *rest).text
        size += len(text.encode()) + 1
        if size > limit_bytes:
            break
        texts.append(text)
    return tuple(reversed(texts))


def read(ground: Ground, db: sqlite3.Connection, name: str) -> Note:
    """A note's current text, as the journal holds it. Raises BadName, NoSuchNote."""
    head, name = ground.head(db), names.note_name(name)
    row = journal.meant(db, head.journal, name)
    if row is None:
        raise _too_large(ground, name) or no_such_note(db, head, name)
    raw, hides = journal.raw_of(db, head.journal, row.newest)
    text, notices = _shown_text(raw, hides)
    ground.note_opened(row.id)
    return Note(row.name, os.path.join(ground.project.memories, row.disk), row.newest, text, notices)


def search(ground: Ground, db: sqlite3.Connection, query: str, limit: int) -> SearchResult:
    """Current notes that match any of the query's words, best first."""
    head = ground.head(db)
    terms = analyzer.query_terms(query)
    matches = index.match(db, head.journal, terms, limit) if terms else []
    marker = Marker(terms)
    hits = tuple(_hit(ground, db, head, seq, score, marker) for seq, score in matches)
    return SearchResult(query, marker.words(query), head.indexed >= head.entries and head.imported, hits)


def _too_large(ground: Ground, name: str) -> NoSuchNote | None:
    """The error for a file that is too large to be a note; None where it isn't that."""
    found = notes.look(ground.project.memories, name)
    if found is None or found[0] <= notes.MAX_KEPT_BYTES:
        return None
    return NoSuchNote(*sentences.file_no_note(name, found[0], notes.MAX_KEPT_BYTES))


def live_row(db: sqlite3.Connection, head: Head, name: str) -> NameRow:
    """The row of the note that a checked name means; raises NoSuchNote."""
    row = journal.meant(db, head.journal, name)
    if row is None:
        raise no_such_note(db, head, name)
    return row


def no_such_note(db: sqlite3.Connection, head: Head, name: str) -> NoSuchNote:
    """The error for a name that no note has, with the names near it."""
    rows = db.execute("SELECT name FROM name WHERE journal = ? AND live", (head.journal,))
    wanted = names.alike(name)
    by_key: dict[str, str] = {}
    for (other,) in rows:
        by_key.setdefault(names.alike(other), other)
    near = difflib.get_close_matches(wanted, by_key, MAX_NEAR_NAMES) if len(by_key) <= 5000 else []
    near += [key for key in (wanted,) if key in by_key and key not in near]
    return NoSuchNote(*sentences.no_such_note(name, [by_key[key] for key in near]))


def rows_since(db: sqlite3.Connection, head: Head, mark: Mark, exclude_session: str | None) -> Iterator[Row]:
    """What came after a mark: a row for each note forgotten since, then entries, oldest first, without those of one
    session. Entries that were forgotten are passed over."""
    same = mark.generation == head.generation
    if same and mark.forgets < head.forgets:
        forgotten = " WHERE m.journal = ? AND m.forgotten > ? AND e.seq = m.newest ORDER BY m.forgotten"
        for row in db.execute(_ROWS + forgotten, (head.journal, mark.forgets)):
            yield replace(_row(*row), kind=EntryKind.FORGOTTEN, heading="", bytes=0)
    where = " WHERE e.journal = ? AND e.seq >= ? AND e.session IS NOT ? AND e.kind != ? ORDER BY e.seq"
    excluded = exclude_session if exclude_session is not None else ""
    start = mark.entries if same else 0
    for row in db.execute(_ROWS + where, (head.journal, start, excluded, journal.FORGOTTEN)):
        yield _row(*row)


def log(db: sqlite3.Connection, head: Head, name: str | None) -> Iterator[Row]:
    """Entries newest first, of one name or of all."""
    if name is None:
        rows = db.execute(_ROWS + " WHERE e.journal = ? ORDER BY e.seq DESC", (head.journal,))
    else:
        row = name_row(db, head, name)
        rows = db.execute(_ROWS + " WHERE e.name_id = ? ORDER BY e.seq DESC", (row.id,))
    return (_row(*found) for found in rows)


def name_row(db: sqlite3.Connection, head: Head, name: str) -> NameRow:
    """The row of a name that has or had a note: exactly it, else the live note that it means. Raises NoSuchNote."""
    return journal.name_row(db, head.journal, name) or live_row(db, head, name)


def export(db: sqlite3.Connection, head: Head) -> Iterator[Exported]:
    """Every entry with its bytes, oldest first."""
    rows = db.execute(
        "SELECT e.seq, e.kind, m.name, e.heading, e.raw, e.origin, e.session, e.client, e.created_ms FROM entry e"
        " JOIN name m ON m.id = e.name_id WHERE e.journal = ? ORDER BY e.seq",
        (head.journal,),
    )
    return (exported(*row) for row in rows)


def exported(
    seq: int,
    kind: int,
    name: str,
    heading: str,
    raw: bytes | None,
    origin: int,
    session: str | None,
    client: str | None,
    created_ms: int,
) -> Exported:
    """An entry with its bytes, of its row."""
    return Exported(seq, lines.KINDS[kind], name, heading, raw, _origin(origin, session, client), created_ms)


def line_text(db: sqlite3.Connection, journal_number: int, start: int, n: int) -> str | None:
    """A line's text as the tree holds it, or None while it waits."""
    found = lines.find(db, journal_number, start, n)
    return None if found is None else found.text


def _frontier_line(
    start: int,
    n: int,
    text: str | None,
    verbatim: int | None,
    model: str | None,
    cut: int | None,
    leaf_verbatim: int | None,
    kind: int | None,
    name: str | None,
    heading: str | None,
    raw: bytes | None,
) -> Line:
    if text is not None:
        state = LineState.VERBATIM if verbatim else LineState.WRITTEN
        return Line(start, n, state, entry.frame_line(text), model, bool(cut))
    assert kind is not None and name is not None and heading is not None
    if leaf_verbatim:
        return Line(start, n, LineState.VERBATIM, entry.frame_line(lines.leaf_text(kind, name, raw)))
    return Line(start, n, LineState.PENDING, view.pending_text(name, heading))


def _line(db: sqlite3.Connection, head: Head, start: int, n: int) -> Line:
    """Any line of the tree, as it stands."""
    found = lines.find(db, head.journal, start, n)
    if found is not None:
        return Line(start, n, found.state, entry.frame_line(found.text), found.model, found.cut)
    if n > 1:
        return Line(start, n, LineState.PENDING, sentences.pending_parent(n))
    return Line(start, n, LineState.PENDING, lines.pending_leaf(db, head.journal, start) or "")


def _with_leases(ground: Ground, db: sqlite3.Connection, head: Head, found: tuple[Line, ...]) -> tuple[Line, ...]:
    """Pending lines that somebody writes now are told from those that wait."""
    writing = leases.live(db, head, ground.now_ms())
    if not writing:
        return found
    return tuple(
        Line(line.id, line.n, LineState.WRITING, line.text)
        if line.state is LineState.PENDING and (line.id, line.n) in writing
        else line
        for line in found
    )


def _next_merges(db: sqlite3.Connection, head: Head) -> Iterator[str]:
    """Addresses of the parents of the frontier's pairs, most due first."""

    def starts(n: int) -> list[int]:
        rows = db.execute(
            "SELECT start FROM frontier INDEXED BY frontier_pair WHERE journal = ? AND n = ? AND paired"
            " ORDER BY start LIMIT ?",
            (head.journal, n, tree.MAX_NEXT_MERGES),
        )
        return [start for (start,) in rows]

    pairs = tree.by_due({n: starts(n) for n in head.pairs}, head.entries)
    for _, (start, n) in zip(range(tree.MAX_NEXT_MERGES), pairs, strict=False):
        yield address.text(start, 2 * n)


def _entry(ground: Ground, db: sqlite3.Connection, head: Head, seq: int) -> Entry:
    row = db.execute(_ENTRY, (head.journal, seq)).fetchone()
    _, kind, name, disk, live, heading, raw, hides, origin, session, client, created_ms, name_id = row
    after = db.execute(
        "SELECT seq, kind FROM entry WHERE name_id = ? AND seq > ? ORDER BY seq LIMIT 1", (name_id, seq)
    ).fetchone()
    text, notices = _shown_text(raw or b"", bool(hides))
    ground.note_opened(name_id)
    if kind == journal.FORGOTTEN:
        notices = (sentences.forgotten_text(),)
    path = os.path.join(ground.project.memories, disk)
    return Entry(
        seq=seq,
        kind=lines.KINDS[kind],
        name=name,
        heading=heading,
        text=text,
        status=_status(kind, after),
        replaced_by=None if after is None else after[0],
        origin=_origin(origin, session, client),
        created_ms=created_ms,
        path=path if live and os.path.isfile(path) else None,
        notices=notices,
    )


def _status(kind: int, after: tuple[int, int] | None) -> EntryStatus:
    if kind == journal.FORGOTTEN:
        return EntryStatus.FORGOTTEN
    if after is None:
        return EntryStatus.CURRENT
    return EntryStatus.DELETED if after[1] == journal.DELETE else EntryStatus.REWRITTEN


def _shown_text(raw: bytes, hides: bool) -> tuple[str, tuple[str, ...]]:
    """A note's text as a reader gets it, with what there is to say about it."""
    text = entry.decode(raw)
    notices = () if entry.is_utf8(raw) else (sentences.not_utf8(),)
    if not hides:
        return text, notices
    return entry.split_front_matter(text)[1].lstrip("\r\n"), (*notices, sentences.front_matter_left_out())


def _hit(ground: Ground, db: sqlite3.Connection, head: Head, seq: int, score: float, marker: Marker) -> Hit:
    _, _, name, disk, _, heading, raw, _, _, _, _, created_ms, _ = db.execute(_ENTRY, (head.journal, seq)).fetchone()
    text = entry.decode(raw)
    found = marker.best_line(text, len(entry.split_front_matter(text)[0]))
    return Hit(
        seq=seq,
        name=name,
        path=os.path.join(ground.project.memories, disk),
        heading=heading,
        created_ms=created_ms,
        line=found.line,
        line_number=found.line_number,
        marks=found.marks,
        score=score,
    )


def _origin(kind: int, session: str | None, client: str | None) -> Origin:
    return Origin(journal.ORIGINS[kind], session, client)


def _row(
    seq: int,
    kind: int,
    name: str,
    heading: str,
    origin: int,
    session: str | None,
    client: str | None,
    created_ms: int,
    size: int | None,
) -> Row:
    found = lines.KINDS[kind]
    return Row(seq, found, name, heading, _origin(origin, session, client), created_ms, size or 0)
