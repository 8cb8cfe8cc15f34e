"""SQLite's own steps of what a memory does. One step is one instruction of its virtual machine; noise moves none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from memory_core import Memory
from tests.benchmarks.shape import Measured, Sample, Side, Statistic

Steps = dict[str, list[int]]

TITLES: dict[str, tuple[str, Statistic]] = {
    "view": ("view", Statistic.MEDIAN),
    "zoom": ("zoom into the largest line", Statistic.MEDIAN),
    "entry": ("zoom to an entry", Statistic.MEDIAN),
    "search": ("search of a rare word", Statistic.MEDIAN),
    "append": ("append", Statistic.MEDIAN),
    "append-mean": ("append", Statistic.MEAN),
}


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


def count(memory: Memory, rare: str, versions: Sequence[tuple[str, str]]) -> Steps:
    """The steps of each operation; `versions` are names and texts of notes that are written anew, one after another."""
    counter = Counter(memory)
    widest = max(memory.view().lines, key=lambda line: line.n)
    found = {
        "view": [counter.of(memory.view)],
        "zoom": [counter.of(lambda: memory.zoom(widest.id, widest.n))],
        "entry": [counter.of(lambda: memory.zoom(5, 1))],
        "search": [counter.of(lambda: memory.search(rare))],
    }
    appends = [counter.of(partial(memory.write, name, text)) for name, text in versions]
    return found | {"append": appends, "append-mean": appends}


def rows(group: str, small: tuple[int, Steps], large: tuple[int, Steps], limit: float) -> list[Measured]:
    """A row an operation: the steps at the large number of entries against those at the small one."""
    return [
        Measured(
            name=f"{group}.{name}",
            what=f"Steps of {title}, {large[0]:,} entries",
            floor=f"the same at {small[0]:,} entries",
            unit="steps",
            statistic=statistic,
            limit=limit,
            samples=_samples(small[1][name], large[1][name]),
        )
        for name, (title, statistic) in TITLES.items()
    ]


def _samples(floor: list[int], ours: list[int]) -> tuple[Sample, ...]:
    return tuple(Sample(side, steps) for side, found in ((Side.FLOOR, floor), (Side.OURS, ours)) for steps in found)
