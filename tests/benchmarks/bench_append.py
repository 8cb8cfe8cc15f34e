"""A write through the memory's door, against what no durable write can do without."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

from memory_core import Memory
from tests.benchmarks.corpus import Written, notes
from tests.benchmarks.shape import Measured, Settings, Statistic, in_turns

ROUNDS = 200
WARM_UP = 5
LIMIT = 2.5
FLOOR = "a durable insert, and a file: written, `fsync`, rename, `fsync` of the directory"


def measure(settings: Settings) -> list[Measured]:
    """Each side writes the same notes, each under a new name."""
    rounds = settings.rounds_of(ROUNDS)
    written = list(notes(rounds + WARM_UP))
    project = settings.folder / "project"
    project.mkdir()
    floor = Floor(settings.folder / "floor")
    with Memory.open(project, state_dir=settings.folder / "state") as memory:
        ours = _each(written, lambda note: memory.write(note.name.replace("/", "-"), note.text))
        bare = _each(written, floor.write)
        in_turns(WARM_UP, bare, ours)
        samples = in_turns(rounds, bare, ours)
    floor.db.close()
    return [Measured("append", "Append, in-process", FLOOR, "ms", Statistic.MEDIAN, LIMIT, samples)]


def _each(written: list[Written], write: Callable[[Written], object]) -> Callable[[], object]:
    rest = iter(written)
    return lambda: write(next(rest))


class Floor:
    """A table of texts in a database as durable as ours, and a directory of files."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.files = folder / "files"
        self.files.mkdir()
        self.db = sqlite3.connect(folder / "floor.db", isolation_level=None)
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute("PRAGMA synchronous = FULL")
        self.db.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, name TEXT, raw BLOB)")

    def write(self, note: Written) -> None:
        """One note, its row and its file."""
        raw = note.text.encode()
        temporary = self.folder / "temporary"
        _write_durably(temporary, raw)
        temporary.replace(self.files / note.name.replace("/", "-"))
        _sync(self.files)
        self.db.execute("INSERT INTO note (name, raw) VALUES (?, ?)", (note.name, raw))


def _write_durably(path: Path, raw: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    os.write(descriptor, raw)
    os.fsync(descriptor)
    os.close(descriptor)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)
