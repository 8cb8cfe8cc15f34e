"""What a benchmark gives: measured rows of samples. Every figure of the table is reckoned from these, none is typed.

A row compares *ours* with a *floor*, the least that the same work could cost, measured in the same run, turn by
turn. A row without a floor has an absolute limit.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from time import perf_counter_ns, process_time_ns

NS_PER_MS = 1_000_000


class Side(StrEnum):
    """Which of the two was measured."""

    FLOOR = "floor"
    OURS = "ours"


class Statistic(StrEnum):
    """What a side's samples come to."""

    MINIMUM = "minimum"
    MEDIAN = "median"
    MEAN = "mean"
    MAXIMUM = "maximum"


STATISTICS: dict[Statistic, Callable[[Iterable[float]], float]] = {
    Statistic.MINIMUM: min,
    Statistic.MEDIAN: statistics.median,
    Statistic.MEAN: statistics.fmean,
    Statistic.MAXIMUM: max,
}


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement: `value` in the row's unit, and the CPU time spent where it was taken, in milliseconds."""

    side: Side
    value: float
    cpu_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """One row: what is measured, against which floor, and its limit, as a ratio or (without a floor) in `unit`.

    A row without a limit is told, and held to nothing.
    """

    name: str
    what: str
    floor: str | None
    unit: str
    statistic: Statistic
    limit: float | None
    samples: tuple[Sample, ...]

    def of(self, side: Side) -> float | None:
        """What a side's values come to; None where it wasn't measured."""
        values = [sample.value for sample in self.samples if sample.side is side]
        return STATISTICS[self.statistic](values) if values else None

    def cpu_ms(self, side: Side) -> float | None:
        """What a side's CPU times come to; None where they weren't measured."""
        times = [sample.cpu_ms for sample in self.samples if sample.side is side and sample.cpu_ms is not None]
        return STATISTICS[self.statistic](times) if times else None

    @property
    def ratio(self) -> float | None:
        """Ours over the floor; None where there is no floor."""
        floor, ours = self.of(Side.FLOOR), self.of(Side.OURS)
        return None if floor is None or ours is None else ours / floor

    @property
    def met(self) -> bool:
        """Whether the limit holds."""
        if self.limit is None:
            return True
        found = self.of(Side.OURS) if self.floor is None else self.ratio
        return found is not None and found <= self.limit


@dataclass(frozen=True, slots=True)
class Settings:
    """How a run measures: `rounds` replaces each benchmark's own number, `quick` shrinks all sizes for a smoke run.

    `folder` is an empty directory of this run, on the file system that is measured; `keep` one that outlives it, for
    what takes minutes to build.
    """

    folder: Path
    rounds: int | None = None
    quick: bool = False
    keep: Path | None = None

    def rounds_of(self, usual: int) -> int:
        """How many rounds a benchmark takes that usually takes `usual`."""
        return self.rounds or (2 if self.quick else usual)

    def size_of(self, usual: int, quick: int) -> int:
        """How large its material is."""
        return quick if self.quick else usual


Benchmark = Callable[[Settings], list[Measured]]


def timed(side: Side, call: Callable[[], object]) -> Sample:
    """One call's wall time in milliseconds, with this process's CPU time."""
    wall_from, cpu_from = perf_counter_ns(), process_time_ns()
    call()
    cpu_ns, wall_ns = process_time_ns() - cpu_from, perf_counter_ns() - wall_from
    return Sample(side, wall_ns / NS_PER_MS, cpu_ns / NS_PER_MS)


def in_turns(rounds: int, floor: Callable[[], object], ours: Callable[[], object]) -> tuple[Sample, ...]:
    """Floor and ours, turn by turn, so that a noisy moment meets both; each round another one goes first."""
    samples: list[Sample] = []
    for number in range(rounds):
        pair = [(Side.FLOOR, floor), (Side.OURS, ours)]
        samples += [timed(side, call) for side, call in (pair if number % 2 else reversed(pair))]
    return tuple(samples)
