"""The work of view, zoom, append and search doesn't grow with the journal: SQLite's own steps at two sizes.

A step is one instruction of SQLite's virtual machine, counted on both of a memory's connections; noise doesn't move
it. The same live notes are rewritten until the journal is large, every line is written, and the word index is
optimized at each size.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

from memory_core import Memory, index
from tests.benchmarks.shape import Measured, Sample, Settings, Side, Statistic

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

Steps = dict[str, list[int]]

TITLES: dict[str, tuple[str, Statistic]] = {
    "view": ("view", Statistic.MEDIAN),
    "zoom": ("zoom into the largest line", Statistic.MEDIAN),
    "entry": ("zoom to an entry", Statistic.MEDIAN),
    "search": ("search of a rare word", Statistic.MEDIAN),
    "append": ("append", Statistic.MEDIAN),
    "append-mean": ("append", Statistic.MEAN),
}


def measure(settings: Settings) -> list[Measured]:
    """One journal that grows; its steps at the small size are the floor."""
    large = settings.size_of(LARGE, LARGE_QUICK)
    project = settings.folder / "project"
    project.mkdir()
    with Memory.open(project, state_dir=settings.folder / "state") as memory:
        journal = Journal(memory)
        small_steps = journal.steps_at(SMALL)
        large_steps = journal.steps_at(large)
    return [
        Measured(
            name=f"steps.{name}",
            what=f"Steps of {title}, {large:,} entries",
            floor=f"the same at {SMALL:,} entries",
            unit="steps",
            statistic=statistic,
            limit=LIMIT,
            samples=_samples(small_steps[name], large_steps[name]),
        )
        for name, (title, statistic) in TITLES.items()
    ]


def _samples(floor: list[int], ours: list[int]) -> tuple[Sample, ...]:
    return tuple(Sample(side, steps) for side, found in ((Side.FLOOR, floor), (Side.OURS, ours)) for steps in found)


class Counter:
    """Counts the steps of SQLite on both of a memory's connections, while a call runs."""

    def __init__(self, memory: Memory) -> None:
        self._connections = (memory._ground.writer, memory._ground.reader)
        self._count = 0

    def _tick(self) -> int:
        self._count += 1
        return 0

    def of(self, call: Callable[[], object]) -> int:
        """The steps of a call."""
        self._count = 0
        for connection in self._connections:
            connection.set_progress_handler(self._tick, 1)
        call()
        for connection in self._connections:
            connection.set_progress_handler(None, 0)
        return self._count


class Journal:
    """A memory whose `LIVE` notes are rewritten over and over."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._chance = random.Random(2)
        self._words = [f"w{number}" for number in range(WORDS)]
        memory.reconcile()

    def steps_at(self, entries: int) -> Steps:
        """Grow to at least so many entries and count."""
        self._grow(entries)
        memory = self._memory
        counter = Counter(memory)
        widest = max(memory.view().lines, key=lambda line: line.n)
        found = {
            "view": [counter.of(memory.view)],
            "zoom": [counter.of(lambda: memory.zoom(widest.id, widest.n))],
            "entry": [counter.of(lambda: memory.zoom(5, 1))],
            "search": [counter.of(lambda: memory.search(RARE))],
        }
        appends = [counter.of(partial(memory.write, _name(number), self._text(number))) for number in range(APPENDS)]
        return found | {"append": appends, "append-mean": appends}

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
