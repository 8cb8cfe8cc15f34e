"""The journal: entries are appended, never changed (a forget alone blanks them).

`append` is the one rule of what follows from an entry: the name's row, the leaf line, verbatim parents, the frontier
and its merges, the word index. `bulk.py` does the same for many new notes at once, and must come to the same rows.
All functions here run inside a transaction of the caller.
"""

from __future__ import annotations

import hashlib
import sqlite3
from dataclasses import dataclass
from typing import NamedTuple

from memory_core import entry, frontier, index, lines, names, view
from memory_core.head import Head
from memory_core.notes import Fingerprint
from memory_core.results import EntryKind, LineState, Origin, OriginKind

NOTE, DELETE, FORGOTTEN = range(3)
ORIGINS = (OriginKind.SESSION, OriginKind.OUTSIDE, OriginKind.IMPORT, OriginKind.CLI)
NO_FILE: Fingerprint = (-1, -1, -1)

_NAME_COLUMNS = (
    "id, name, disk, newest, live, size, mtime_ns, inode, looked_ns, old_size, old_mtime_ns, old_inode, hash"
)


@dataclass(frozen=True, slots=True)
class NameRow:
    """What the journal knows of a name: its newest entry and the file that goes with it."""

    id: int
    name: str
    disk: str
    newest: int
    live: bool
    file: Fingerprint
    looked_ns: int | None
    replaced: Fingerprint | None
    hash: bytes | None


class Draft(NamedTuple):
    """An entry to be appended. `raw` is None for a delete; `file` is the fingerprint that goes with the text.

    `looked_ns` is None where the fingerprint is certain, `replaced` the fingerprint of the file that a tool's write
    or delete replaces, `hides` whether the front matter is left out when the text is shown.
    """

    name: str
    disk: str
    raw: bytes | None
    origin: Origin
    created_ms: int
    file: Fingerprint = NO_FILE
    looked_ns: int | None = None
    replaced: Fingerprint | None = None
    hides: bool = False


def digest(raw: bytes) -> bytes:
    """The hash under which texts are compared."""
    return hashlib.blake2b(raw, digest_size=16).digest()


def name_row(db: sqlite3.Connection, journal: int, name: str) -> NameRow | None:
    """The row of exactly this name."""
    row = db.execute(
        f"SELECT {_NAME_COLUMNS} FROM name WHERE journal = ? AND name = ?",  # noqa: S608
        (journal, name),
    ).fetchone()
    return None if row is None else _name_row(row)


def rows_alike(db: sqlite3.Connection, journal: int, name: str) -> list[NameRow]:
    """The rows of live names that look like `name`, itself included, newest first."""
    rows = db.execute(
        f"SELECT {_NAME_COLUMNS} FROM name WHERE journal = ? AND alike = ? AND live ORDER BY newest DESC",  # noqa: S608
        (journal, names.alike(name)),
    )
    return [_name_row(row) for row in rows]


def meant(db: sqlite3.Connection, journal: int, name: str) -> NameRow | None:
    """The live note that a name means: exactly it, else the newest whose name is equal once folded."""
    exact = name_row(db, journal, name)
    if exact is not None and exact.live:
        return exact
    key = names.folded(name)
    return next((row for row in rows_alike(db, journal, name) if names.folded(row.name) == key), None)


def raw_of(db: sqlite3.Connection, journal: int, seq: int) -> tuple[bytes, bool]:
    """The bytes of a note entry, and whether its front matter is left out when shown."""
    row = db.execute("SELECT raw, hides FROM entry WHERE journal = ? AND seq = ?", (journal, seq)).fetchone()
    return row[0] or b"", bool(row[1])


def append(db: sqlite3.Connection, head: Head, draft: Draft, budget: int) -> int:
    """Appends an entry with all that follows from it, and gives its number."""
    row = name_row(db, head.journal, draft.name)
    seq = head.entries
    body = "" if draft.raw is None else entry.body(entry.decode(draft.raw))
    heading = entry.heading(body)
    text = entry.entry_text(EntryKind.DELETE if draft.raw is None else EntryKind.NOTE, draft.name, body)
    verbatim = entry.fits(text)
    if row is not None and row.live:
        _unindex(db, head, row)
    name_id = _store_name(db, head.journal, row, draft, seq)
    insert_entries(db, [entry_values(head.journal, seq, name_id, draft, heading, verbatim)])
    head.entries += 1
    _index(db, head, draft, seq, heading, body)
    shown = entry.frame_line(text) if verbatim else view.pending_text(draft.name, heading)
    frontier.append_leaf(db, head, seq, entry.rendered_bytes(seq, 1, shown))
    if verbatim:
        lines.appeared(db, head, seq, 1, lines.Stored(text, LineState.VERBATIM, pure=True))
    frontier.settle(db, head, budget)
    return seq


def touch(db: sqlite3.Connection, name_id: int, file: Fingerprint, looked_ns: int | None) -> None:
    """Stores the fingerprint of a file whose text didn't change."""
    db.execute(
        "UPDATE name SET size = ?, mtime_ns = ?, inode = ?, looked_ns = ? WHERE id = ?",
        (*file, looked_ns, name_id),
    )


def respell(db: sqlite3.Connection, name_id: int, disk: str) -> None:
    """Stores how the disk spells a note's path now."""
    db.execute("UPDATE name SET disk = ? WHERE id = ?", (disk, name_id))


EntryValues = tuple[int, int, int, int, bool, bool, bool, int, str | None, str | None, int, str, bytes | None]


def entry_values(journal: int, seq: int, name_id: int, draft: Draft, heading: str, verbatim: bool) -> EntryValues:
    """The columns of an entry's row."""
    return (
        journal,
        seq,
        name_id,
        NOTE if draft.raw is not None else DELETE,
        not verbatim,
        verbatim,
        draft.hides,
        ORIGINS.index(draft.origin.kind),
        draft.origin.session,
        draft.origin.client,
        draft.created_ms,
        heading,
        draft.raw,
    )


def insert_entries(db: sqlite3.Connection, rows: list[EntryValues]) -> None:
    """Inserts rows of entries."""
    db.executemany(
        "INSERT INTO entry (journal, seq, name_id, kind, pending, verbatim, hides, origin, session, client,"
        " created_ms, heading, raw) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        rows,
    )


def _name_row(
    row: tuple[int, str, str, int, int, int, int, int, int | None, int, int, int, bytes | None],
) -> NameRow:
    (
        id_,
        name,
        disk,
        newest,
        live,
        size,
        mtime_ns,
        inode,
        looked_ns,
        old_size,
        old_mtime_ns,
        old_inode,
        hash_,
    ) = row
    replaced = None if old_size is None else (old_size, old_mtime_ns, old_inode)
    return NameRow(id_, name, disk, newest, bool(live), (size, mtime_ns, inode), looked_ns, replaced, hash_)


def _store_name(db: sqlite3.Connection, journal: int, row: NameRow | None, draft: Draft, seq: int) -> int:
    live = draft.raw is not None
    values = (
        draft.disk,
        seq,
        live,
        *draft.file,
        draft.looked_ns,
        *(draft.replaced or (None, None, None)),
        digest(draft.raw) if draft.raw is not None else None,
    )
    if row is not None:
        db.execute(
            "UPDATE name SET disk = ?, newest = ?, live = ?, size = ?, mtime_ns = ?, inode = ?, looked_ns = ?,"
            " old_size = ?, old_mtime_ns = ?, old_inode = ?, hash = ? WHERE id = ?",
            (*values, row.id),
        )
        return row.id
    cursor = db.execute(
        "INSERT INTO name (disk, newest, live, size, mtime_ns, inode, looked_ns, old_size, old_mtime_ns, old_inode,"
        " hash, journal, name, alike) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*values, journal, draft.name, names.alike(draft.name)),
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def _unindex(db: sqlite3.Connection, head: Head, row: NameRow) -> None:
    """Takes a note's old text out of the word index, where it is in it."""
    if row.newest >= head.indexed:
        return
    raw, _ = raw_of(db, head.journal, row.newest)
    body = entry.body(entry.decode(raw))
    index.remove(db, head.journal, row.newest, row.name, entry.heading(body), body)


def _index(db: sqlite3.Connection, head: Head, draft: Draft, seq: int, heading: str, body: str) -> None:
    """Puts a new entry into the word index, unless that is behind: then it catches up later, in order."""
    if head.indexed != seq:
        return
    head.indexed = seq + 1
    if draft.raw is not None:
        index.add(db, head.journal, seq, draft.name, heading, body)
