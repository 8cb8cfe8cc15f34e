"""Versions of a note: any of them, what each changed, and an older one restored.

Nothing is rewritten: a restore appends the older version's bytes as a new entry, as they were. What a version changed
is told against the entry before it of the same name; a comparison of large texts is left out, since it takes time in
proportion to the product of their lines.
"""

from __future__ import annotations

import difflib
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from memory_core import entry, journal, lines, names, reading, writing
from memory_core.exceptions import BadName, NoSuchNote
from memory_core.ground import Ground
from memory_core.head import Head
from memory_core.results import EntryKind, Exported, Origin, Receipt, Row
from memory_core.sentences import versions as sentences

MAX_COMPARED_BYTES = 256 * 1024
MAX_COMPARED_LINES = 4000
SHORT_LINES = 8
"""Changed lines that a short diff shows."""

_VERSION = re.compile(r"(.+)@([0-9]{1,18})", re.DOTALL)
_COLUMNS = "e.seq, e.kind, m.name, e.heading, e.raw, e.origin, e.session, e.client, e.created_ms"
_HISTORY = f"""
    SELECT {_COLUMNS}, p.seq, p.raw FROM entry e JOIN name m ON m.id = e.name_id LEFT JOIN entry p ON p.id =
    (SELECT q.id FROM entry q WHERE q.name_id = e.name_id AND q.seq < e.seq ORDER BY q.seq DESC LIMIT 1)
"""  # noqa: S608 -- constants


@dataclass(frozen=True, slots=True)
class Changed:
    """An entry and what it changed: `previous` is the entry before it of its name, `added` and `removed` count lines
    (None where the texts are too large to compare), `diff` is the beginning of the unified diff without its header."""

    row: Row
    previous: int | None
    added: int | None
    removed: int | None
    diff: tuple[str, ...]


def parse(text: str) -> tuple[str, int]:
    """The name and entry of `NAME@ENTRY`; raises BadName where the form is another."""
    found = _VERSION.fullmatch(text)
    if found is None:
        raise BadName(*sentences.version_unreadable(text[:80]))
    return names.note_name(found[1]), int(found[2])


def version(db: sqlite3.Connection, head: Head, name: str, seq: int) -> Exported:
    """One version of a note with its bytes. Raises BadName, NoSuchNote."""
    return _version(db, head, name, seq)[0]


def history(db: sqlite3.Connection, head: Head, name: str | None) -> Iterator[Changed]:
    """Entries with what each changed, newest first, of one note or of all. Raises NoSuchNote."""
    if name is None:
        rows = db.execute(f"{_HISTORY} WHERE e.journal = ? ORDER BY e.seq DESC", (head.journal,))
    else:
        name_id = reading.name_row(db, head, name).id
        rows = db.execute(f"{_HISTORY} WHERE e.name_id = ? ORDER BY e.seq DESC", (name_id,))
    return (_changed(reading.exported(*row), previous, older) for *row, previous, older in rows)


def restore(ground: Ground, name: str, seq: int, origin: Origin) -> Receipt:
    """Appends an older version as a new entry. Raises BadName, NoSuchNote, NoteChanged, StateUnavailable."""
    head = ground.head(ground.writer)
    found, hides = _version(ground.writer, head, name, seq)
    if found.raw is None:
        raise NoSuchNote(*sentences.no_text(found.name, seq, forgotten=found.kind is lines.KINDS[journal.FORGOTTEN]))
    return writing.restore(ground, found.name, found.raw, hides=hides, origin=origin)


def unified(old: Exported, new: Exported) -> str:
    """The unified diff of two versions, "" where their texts are equal. Raises NoSuchNote for a forgotten one."""
    for each in (old, new):
        if each.kind is EntryKind.FORGOTTEN:
            raise NoSuchNote(*sentences.nothing_to_compare(each.name, each.seq))
    before, after = _lines(old.raw), _lines(new.raw)
    made = difflib.unified_diff(before, after, f"{old.name}@{old.seq}", f"{new.name}@{new.seq}", n=3)
    return "".join(line if line.endswith("\n") else line + "\n" for line in made)


def _version(db: sqlite3.Connection, head: Head, name: str, seq: int) -> tuple[Exported, bool]:
    row = reading.name_row(db, head, names.note_name(name))
    found = db.execute(
        f"SELECT {_COLUMNS}, e.hides FROM entry e JOIN name m ON m.id = e.name_id"  # noqa: S608
        " WHERE e.journal = ? AND e.seq = ? AND e.name_id = ?",
        (head.journal, seq, row.id),
    ).fetchone()
    if found is None:
        raise NoSuchNote(*sentences.not_a_version(row.name, seq))
    *columns, hides = found
    return reading.exported(*columns), bool(hides)


def _lines(raw: bytes | None) -> list[str]:
    return entry.decode(raw or b"").splitlines(keepends=True)


def _changed(found: Exported, previous: int | None, older: bytes | None) -> Changed:
    size = len(found.raw or b"")
    row = Row(found.seq, found.kind, found.name, found.heading, found.origin, found.created_ms, size)
    if max(size, len(older or b"")) > MAX_COMPARED_BYTES:
        return Changed(row, previous, None, None, (sentences.TOO_LARGE,))
    before, after = _lines(older), _lines(found.raw)
    if max(len(before), len(after)) > MAX_COMPARED_LINES:
        return Changed(row, previous, None, None, (sentences.TOO_LARGE,))
    made = list(difflib.unified_diff(before, after, n=0))[2:]
    diff = [line.rstrip("\r\n") for line in made if not line.startswith("@@")]
    added = sum(line.startswith("+") for line in diff)
    return Changed(row, previous, added, len(diff) - added, tuple(diff[:SHORT_LINES]))
