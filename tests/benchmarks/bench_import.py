"""The import of a directory of notes, and how long it keeps another process's writer waiting.

The floor stores what an import must store at least: each file's status and bytes, in a table that can be asked by
name and by number, durably. Ours ends with the view, which is what a session needs.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memory_core import Memory
from tests.benchmarks.notefiles import new_memory, write_notes
from tests.benchmarks.rival import Rival
from tests.benchmarks.shape import Measured, Sample, Settings, Side, Statistic, timed

NOTES = 10_000
NOTES_QUICK = 500
ROUNDS = 10
WAIT_ROUNDS = 5
LIMIT = 2.5
WAIT_LIMIT_MS = 300.0
FLOOR = "`scandir`, `lstat`, read, one `executemany` into a table with two indexes"
INSERT = "INSERT INTO note (name, seq, size, mtime_ns, inode, raw) VALUES (?, ?, ?, ?, ?, ?)"


def measure(settings: Settings) -> list[Measured]:
    """The import, and the longest wait of another writer during it and while the word index catches up."""
    count = settings.size_of(NOTES, NOTES_QUICK)
    folder = settings.folder / "notes"
    write_notes(folder, count)
    what = f"{count:,} notes of 1 to 2 kB"
    samples = [one for _ in range(settings.rounds_of(ROUNDS)) for one in _imports(settings.folder, folder, count)]
    waits = [_waits(settings.folder, folder, count) for _ in range(min(WAIT_ROUNDS, settings.rounds_of(ROUNDS)))]
    rows = [
        Measured("import", f"Import of {what}, with the view", FLOOR, "ms", Statistic.MINIMUM, LIMIT, tuple(samples))
    ]
    for name, title, number in (
        ("import.wait", f"Longest wait of another writer during an import of {what}", 0),
        ("import.index-wait", f"Longest wait of another writer while the word index catches up on {what}", 1),
    ):
        longest = tuple(Sample(Side.OURS, wait[number]) for wait in waits)
        rows.append(Measured(name, title, None, "ms", Statistic.MAXIMUM, WAIT_LIMIT_MS, longest))
    return rows


def _imports(root: Path, folder: Path, count: int) -> Iterator[Sample]:
    """One round: the floor and ours over the same files, each into a new database."""
    with _directory(root / "floor") as place:
        db = sqlite3.connect(place / "floor.db", isolation_level=None)
        _prepare(db)
        yield timed(Side.FLOOR, lambda: bare(db, folder))
        db.close()
    with _directory(root / "ours") as place, new_memory(place, folder) as memory:
        yield timed(Side.OURS, lambda: _import(memory, count))


def bare(db: sqlite3.Connection, folder: Path) -> None:
    """Store every file of a directory."""
    rows = []
    with os.scandir(folder) as entries:
        for number, entry in enumerate(entries):
            status = os.lstat(entry.path)
            with open(entry.path, "rb") as file:
                raw = file.read()
            rows.append((entry.name, number, status.st_size, status.st_mtime_ns, status.st_ino, raw))
    db.execute("BEGIN IMMEDIATE")
    db.executemany(INSERT, rows)
    db.execute("COMMIT")


def _prepare(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute(
        "CREATE TABLE note (id INTEGER PRIMARY KEY, name TEXT, seq INTEGER, size INTEGER, mtime_ns INTEGER,"
        " inode INTEGER, raw BLOB)"
    )
    db.execute("CREATE UNIQUE INDEX note_name ON note (name)")
    db.execute("CREATE INDEX note_seq ON note (seq)")


def _import(memory: Memory, count: int) -> None:
    assert memory.reconcile().imported == count
    assert memory.view().entries == count


def _waits(root: Path, folder: Path, count: int) -> tuple[float, float]:
    """The longest waits in milliseconds of a writer in another process: during the import, and afterwards."""
    with _directory(root / "waits") as place, new_memory(place, folder) as memory:
        database = Path(memory.project.state_dir) / "acp-state.db"
        with Rival(database) as rival:
            _import(memory, count)
        with Rival(database) as later:
            while memory.index_more():
                pass
    return rival.longest_ms, later.longest_ms


@contextmanager
def _directory(path: Path) -> Iterator[Path]:
    """A directory that is there for one round."""
    path.mkdir()
    yield path
    shutil.rmtree(path)
