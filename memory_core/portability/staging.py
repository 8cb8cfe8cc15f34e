"""An archive taken into an empty memory: the same numbers, lines and view as where it came from.

The archive fills a journal of its own that no project has yet, in short transactions that other processes hardly
notice. One last transaction gives it to the project, so that nobody ever sees half of it; the files follow
(`placing.py`). An import that was cut off leaves its journal behind; the same file goes on where it ended, another
file throws it away.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

from memory_core import clearing, database, entry, faults, frontier, index, journal, lines, names, view
from memory_core import head as heads
from memory_core.exceptions import BadArchive, StateUnavailable
from memory_core.ground import Ground
from memory_core.head import Head
from memory_core.known import Known
from memory_core.notes import owner, owner_lives
from memory_core.portability import growing
from memory_core.portability.archive import EntryRow, LineRow, Record, ViewRow
from memory_core.portability.checking import Facts, Reader
from memory_core.results import EntryKind
from memory_core.sentences import portability as sentences

BATCH_ROWS = 2000
BATCH_BYTES = 4 * 1024 * 1024


def take_in(ground: Ground, path: str, facts: Facts) -> int:
    """Fills the empty memory with the archive; gives how many entries it has. Raises BadArchive, StateUnavailable."""
    number = _begin(ground, facts)
    reader = Reader(path)
    _fill(ground.writer, number, reader.records())
    if reader.sha256 != facts.sha256:
        discard(ground)
        raise BadArchive(*sentences.changed_meanwhile(path))
    growing.grow(ground.writer, number, facts.header.entries)
    _hand_over(ground, number, facts)
    return facts.header.entries


def discard(ground: Ground) -> None:
    """Throws away what an import that was cut off left. Raises StateUnavailable where it still runs."""
    rows = ground.writer.execute(
        "SELECT journal, owner FROM incoming WHERE directory = ?", (ground.project.id,)
    ).fetchall()
    for number, who in rows:
        if who != owner() and owner_lives(who):
            raise StateUnavailable(*sentences.import_runs(ground.project.folder))
        with database.writing(ground.writer) as db:
            clearing.empty(db, number)
            db.execute("DELETE FROM incoming WHERE journal = ?", (number,))


def _begin(ground: Ground, facts: Facts) -> int:
    """The journal to fill: that of the same file's import where one was cut off, else a new one."""
    with database.writing(ground.writer) as db:
        row = db.execute(
            "SELECT journal, owner FROM incoming WHERE directory = ? AND source = ?",
            (ground.project.id, facts.sha256),
        ).fetchone()
        if row is not None and not owner_lives(row[1]):
            db.execute("UPDATE incoming SET owner = ? WHERE journal = ?", (owner(), row[0]))
            return int(row[0])
    discard(ground)
    with database.writing(ground.writer) as db:
        number = heads.new_journal(db)
        db.execute(
            "INSERT INTO incoming (journal, directory, source, owner) VALUES (?, ?, ?, ?)",
            (number, ground.project.id, facts.sha256, owner()),
        )
    return number


def _fill(db: sqlite3.Connection, number: int, records: Iterable[Record]) -> None:
    """Stores what the archive holds, but for what an earlier import stored of it already."""
    done = db.execute("SELECT coalesce(max(seq) + 1, 0) FROM entry WHERE journal = ?", (number,)).fetchone()[0]
    with database.writing(db):
        for table in ("line", "work", "frontier"):
            db.execute(f"DELETE FROM {table} WHERE journal = ?", (number,))  # noqa: S608 -- constants
    for batch in _batches(record for record in records if not isinstance(record, EntryRow) or record.seq >= done):
        with database.writing(db):
            _entries(db, number, [record for record in batch if isinstance(record, EntryRow)])
            _lines(db, number, [record for record in batch if isinstance(record, LineRow)])
            _view(db, number, [record for record in batch if isinstance(record, ViewRow)])
        faults.reach("import.batch")


def _batches(records: Iterable[Record]) -> Iterator[list[Record]]:
    """The records in lists of bounded number and size."""
    batch: list[Record] = []
    size = 0
    for record in records:
        batch.append(record)
        size += len(record.raw or b"") if isinstance(record, EntryRow) else 0
        if len(batch) == BATCH_ROWS or size > BATCH_BYTES:
            yield batch
            batch, size = [], 0
    yield batch


def _entries(db: sqlite3.Connection, number: int, rows: list[EntryRow]) -> None:
    """Entries with their names; a live note's row has no fingerprint, so that its file gets written."""
    newest = {row.name: row for row in rows}
    db.executemany(
        "INSERT INTO name (journal, name, alike, disk, newest, live, size, mtime_ns, inode, hash)"
        " VALUES (?, ?, ?, ?, ?, ?, -1, -1, -1, ?)"
        " ON CONFLICT DO UPDATE SET newest = excluded.newest, live = excluded.live, hash = excluded.hash",
        [
            (number, row.name, names.alike(row.name), row.name, row.seq, row.raw is not None, _hash(row.raw))
            for row in newest.values()
        ],
    )
    ids = {}
    for name in newest:
        ids[name] = db.execute("SELECT id FROM name WHERE journal = ? AND name = ?", (number, name)).fetchone()[0]
    journal.insert_entries(db, [_values(number, ids[row.name], row) for row in rows])


def _hash(raw: bytes | None) -> bytes | None:
    return None if raw is None else journal.digest(raw)


def _values(number: int, name_id: int, row: EntryRow) -> journal.EntryValues:
    body = "" if row.raw is None else entry.body(entry.decode(row.raw))
    verbatim = entry.fits(entry.entry_text(row.kind, row.name, body))
    draft = journal.Draft(row.name, row.name, row.raw, row.origin, row.created_ms, hides=row.hides)
    values = journal.entry_values(number, row.seq, name_id, draft, entry.heading(body), verbatim)
    kind = lines.KINDS.index(row.kind)
    return (*values[:3], kind, *values[4:]) if row.kind is EntryKind.FORGOTTEN else values


def _lines(db: sqlite3.Connection, number: int, rows: list[LineRow]) -> None:
    """Written lines; whether each can stand is seen when the tree has grown."""
    db.executemany(
        "INSERT INTO line (journal, n, start, verbatim, pure, cut, stale, bytes, model, text)"
        " VALUES (?, ?, ?, 0, 0, ?, ?, ?, ?, ?)",
        [
            (
                *(number, row.n, row.start, row.cut, row.stale),
                *(view.line_bytes(row.start, row.n, row.text), row.model, row.text),
            )
            for row in rows
        ],
    )


def _view(db: sqlite3.Connection, number: int, rows: list[ViewRow]) -> None:
    """Which lines stand in the view; their sizes come when the tree has grown."""
    db.executemany(
        "INSERT INTO frontier (journal, start, n, bytes, paired) VALUES (?, ?, ?, 0, 0)",
        [(number, start, n) for row in rows for start, n in row.lines],
    )


def _hand_over(ground: Ground, number: int, facts: Facts) -> None:
    """The project takes the journal as its own, if it is still empty."""
    with database.writing(ground.writer) as db:
        head = ground.head(db)
        if head.entries:
            raise StateUnavailable(*sentences.not_empty_any_more())
        clearing.empty(db, head.journal)
        _take(head, number, facts)
        frontier.rebuild_pairs(db, head)
        frontier.settle(db, head, ground.budget)
        index.create(db, number)
        db.execute("DELETE FROM incoming WHERE journal = ?", (number,))
        ground.store(db, head)
        faults.reach("import.stored")
    faults.reach("import.committed")
    ground.known = Known()
    ground.merged_at = 0


def _take(head: Head, number: int, facts: Facts) -> None:
    """A new generation, so that a session that saw the empty memory takes its view anew."""
    head.journal = number
    head.generation = max(head.generation + 1, facts.header.generation)
    head.entries = head.written = facts.header.entries
    head.indexed = 0
    head.imported = True
