"""What a forget can't blank: copies of the database, and session files that hold the note. Found, and deleted if asked.

A session file holds JSON, with what the model was sent: its view, reminders, results. It is taken to hold a note where
the note's name stands in it, a heading, one of the longest lines of a version, or a line of the tree over a version.
Texts shorter than a few words prove nothing and aren't looked for.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from memory_core import entry, journal
from memory_core.database import FILE_NAME
from memory_core.head import Head
from memory_core.journal import NameRow
from memory_core.project import Project

MIN_CHARS = 12
MAX_CHARS = 200
LINES_A_VERSION = 3

_LIVE = {FILE_NAME + suffix for suffix in ("", "-wal", "-shm", "-journal")}
_NAME = rb"(?<![\w./-])%b(?![\w/-])"


@dataclass(frozen=True, slots=True)
class Probes:
    """What to look for, as bytes of JSON: names, which are words of their own, and pieces of text."""

    names: tuple[bytes, ...]
    texts: tuple[bytes, ...]


def copies(state_dir: str) -> tuple[str, ...]:
    """The paths of files that are copies of the database: made before a migration, or set aside."""
    found = (name for name in os.listdir(state_dir) if name.startswith(FILE_NAME) and name not in _LIVE)
    return tuple(sorted(os.path.join(state_dir, name) for name in found))


def probes(db: sqlite3.Connection, head: Head, rows: Sequence[NameRow]) -> Probes:
    """What tells that a file holds one of the notes; asked for before they are blanked."""
    texts: dict[str, None] = {}
    for row in rows:
        texts.update(dict.fromkeys(_pieces(db, head, row)))
    return Probes(_as_json(row.name for row in rows), _as_json(texts))


def sessions(project: Project, wanted: Probes) -> tuple[str, ...]:
    """The paths of the project's session files that hold one of the notes."""
    return tuple(path for path in _session_files(project) if _holds(path, wanted))


def remove(paths: Iterable[str]) -> tuple[str, ...]:
    """Deletes files; gives the paths of those that are gone now. One that can't be deleted stays listed."""
    gone: list[str] = []
    for path in paths:
        with suppress(FileNotFoundError):
            try:
                os.unlink(path)
            except PermissionError:
                continue
        gone.append(path)
    return tuple(gone)


def _pieces(db: sqlite3.Connection, head: Head, row: NameRow) -> Iterator[str]:
    versions = db.execute(
        "SELECT seq, heading, raw FROM entry WHERE name_id = ? AND kind = ?", (row.id, journal.NOTE)
    ).fetchall()
    for seq, heading, raw in versions:
        yield from _telling([heading])
        yield from _telling(entry.decode(raw).splitlines())
        yield from _telling(_lines_over(db, head, seq))


def _telling(texts: Iterable[str]) -> list[str]:
    """The few longest of the texts, cut where they are very long."""
    found = {text.strip()[:MAX_CHARS] for text in texts}
    return sorted((text for text in found if len(text) >= MIN_CHARS), key=len, reverse=True)[:LINES_A_VERSION]


def _lines_over(db: sqlite3.Connection, head: Head, seq: int) -> list[str]:
    """The lines of the tree over an entry that a model wrote."""
    found: list[str] = []
    n = 1
    while n <= head.entries:
        query = "SELECT text FROM line WHERE journal = ? AND n = ? AND start = ? AND NOT verbatim"
        found += [text for (text,) in db.execute(query, (head.journal, n, seq - seq % n))]
        n *= 2
    return found


def _as_json(texts: Iterable[str]) -> tuple[bytes, ...]:
    """How the texts stand inside JSON, with and without its escapes for what isn't ASCII."""
    forms: dict[bytes, None] = {}
    for text in texts:
        for ascii_only in (True, False):
            forms[json.dumps(text, ensure_ascii=ascii_only)[1:-1].encode("utf-8", "replace")] = None
    return tuple(forms)


def _session_files(project: Project) -> list[str]:
    found: list[str] = []
    for folder, _, files in os.walk(os.path.join(project.home, "sessions")):
        found += [os.path.join(folder, name) for name in files]
    return sorted(found)


def _holds(path: str, wanted: Probes) -> bool:
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError:
        return False
    if any(text in content for text in wanted.texts):
        return True
    return any(name in content and re.search(_NAME % re.escape(name), content) for name in wanted.names)
