"""The project's row: where a journal stands. Read at the start of a transaction, stored at its end."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass

from memory_core import analyzer
from memory_core.results import Mark

_COLUMNS = "journal, generation, entries, view_bytes, pairs, indexed, analyzer, imported, written, forgets, version"


@dataclass(slots=True)
class Head:
    """A journal's counters inside one transaction. `pairs` maps a size n to its oldest pair in the frontier."""

    directory: str
    journal: int
    generation: int
    entries: int
    view_bytes: int
    pairs: dict[int, int]
    indexed: int
    analyzer: int
    imported: bool
    written: int
    forgets: int
    version: int

    @property
    def mark(self) -> Mark:
        """The place in the journal that this row stands at."""
        return Mark(self.generation, self.entries, self.forgets)


def load(db: sqlite3.Connection, directory: str) -> Head | None:
    """The row of a project, or None where it has none."""
    row = db.execute(f"SELECT {_COLUMNS} FROM project WHERE directory = ?", (directory,)).fetchone()  # noqa: S608
    if row is None:
        return None
    journal, generation, entries, view_bytes, pairs, indexed, analyzed_by, imported, *counters = row
    oldest = {int(n): start for n, start in json.loads(pairs).items()}
    return Head(
        directory,
        journal,
        generation,
        entries,
        view_bytes,
        oldest,
        indexed,
        analyzed_by,
        bool(imported),
        *counters,
    )


def create(db: sqlite3.Connection, directory: str, generation: int = 0) -> Head:
    """A new row with an empty journal."""
    journal = new_journal(db)
    db.execute(
        "INSERT INTO project (directory, journal, generation, entries, view_bytes, pairs, indexed, analyzer,"
        " imported, written, forgets, version) VALUES (?, ?, ?, 0, 0, '{}', 0, ?, 0, 0, 0, 0)",
        (directory, journal, generation, analyzer.VERSION),
    )
    return Head(directory, journal, generation, 0, 0, {}, 0, analyzer.VERSION, False, 0, 0, 0)


def store(db: sqlite3.Connection, head: Head) -> None:
    """Stores the counters and raises the version."""
    head.version += 1
    db.execute(
        "UPDATE project SET journal = ?, generation = ?, entries = ?, view_bytes = ?, pairs = ?, indexed = ?,"
        " analyzer = ?, imported = ?, written = ?, forgets = ?, version = ? WHERE directory = ?",
        (
            head.journal,
            head.generation,
            head.entries,
            head.view_bytes,
            json.dumps(head.pairs),
            head.indexed,
            head.analyzer,
            head.imported,
            head.written,
            head.forgets,
            head.version,
            head.directory,
        ),
    )


def next_generation(db: sqlite3.Connection, head: Head) -> None:
    """Turns the head to a fresh, empty journal."""
    head.journal = new_journal(db)
    head.generation += 1
    head.entries = head.view_bytes = head.indexed = head.written = 0
    head.pairs = {}
    head.imported = True


def new_journal(db: sqlite3.Connection) -> int:
    """A number that no journal has, of a project or of an import on its way."""
    largest = "SELECT max(journal) AS journal FROM project UNION ALL SELECT max(journal) FROM incoming"
    return int(db.execute(f"SELECT coalesce(max(journal), 0) + 1 FROM ({largest})").fetchone()[0])  # noqa: S608
