"""The work of view, zoom, append and search doesn't grow with the journal: SQLite's own steps at two sizes.

The same live notes are rewritten until the journal is large, every line is written, and the word index is
optimized at each size.
"""

from __future__ import annotations

import random
from pathlib import Path

from memory_core import Memory, index
from tests.benchmarks import steps
from tests.benchmarks.shape import Measured, Settings

SMALL = 1000
LARGE = 100_000
LARGE_QUICK = 2000
LIVE = 500
APPENDS = 64
LIMIT = 1.2
RARE = "zebrafish"
RARE_EVERY = 100
WORDS = 3000
NOTE_WORDS = 150
LINE_WORDS = 70


def measure(settings: Settings) -> list[Measured]:
    """One journal that grows; its steps at the small size are the floor."""
    large = settings.size_of(LARGE, LARGE_QUICK)
    project = settings.folder / "project"
    project.mkdir()
    with Memory.open(project, state_dir=settings.folder / "state") as memory:
        journal = Journal(memory)
        small_steps = journal.steps_at(SMALL)
        large_steps = journal.steps_at(large)
    return steps.rows("steps", (SMALL, small_steps), (large, large_steps), LIMIT)


class Journal:
    """A memory whose `LIVE` notes are rewritten over and over."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._chance = random.Random(2)
        self._words = [f"w{number}" for number in range(WORDS)]
        memory.reconcile()

    def steps_at(self, entries: int) -> steps.Steps:
        """Grow to at least so many entries and count."""
        self._grow(entries)
        versions = [(_name(number), self._text(number)) for number in range(APPENDS)]
        return steps.count(self._memory, RARE, versions)

    def _grow(self, entries: int) -> None:
        writer = self._memory._ground.writer
        writer.execute("PRAGMA synchronous = OFF")
        while self._memory.mark().entries < entries:
            self._rewrite()
            self._write_lines()
        while self._memory.index_more():
            pass
        index.optimize(writer, self._memory._ground.head(writer).journal)
        writer.execute("PRAGMA synchronous = FULL")

    def _rewrite(self) -> None:
        memories = Path(self._memory.project.memories)
        for number in range(LIVE):
            (memories / _name(number)).write_text(self._text(number), encoding="utf-8")
        assert self._memory.reconcile().appended == LIVE

    def _write_lines(self) -> None:
        while pending := self._memory.pending_lines(64):
            for line in pending:
                self._memory.store_line(line.address, f"{line.address} {self._some(LINE_WORDS)}"[:400], model="bench")

    def _text(self, number: int) -> str:
        rare = f" {RARE}" if number % RARE_EVERY == 7 else ""
        return f"# Note {number}\n\n{self._some(NOTE_WORDS)}{rare}\n"

    def _some(self, count: int) -> str:
        return " ".join(self._chance.choices(self._words, k=count))


def _name(number: int) -> str:
    return f"note-{number}.md"
