"""The look at the files where nothing differs: once more in the same process, and for the first time in a new one."""

from __future__ import annotations

import os

from memory_core import Memory
from memory_core.results import Reconciled
from tests.benchmarks.notefiles import new_memory, write_notes
from tests.benchmarks.shape import Measured, Sample, Settings, Side, Statistic, in_turns, timed

NOTES = 10_000
NOTES_QUICK = 500
ROUNDS = 15
FLOOR = "`scandir` and `lstat` of each entry"
AGAIN_LIMIT = 1.5
FIRST_LIMIT = 2.0


def measure(settings: Settings) -> list[Measured]:
    """Both looks at the everyday number of files."""
    return looks(settings, settings.size_of(NOTES, NOTES_QUICK), settings.rounds_of(ROUNDS))


def looks(settings: Settings, count: int, rounds: int, first_limit: float | None = FIRST_LIMIT) -> list[Measured]:
    """Both looks, each against a bare walk over the same directory."""
    folder = settings.folder / "notes"
    write_notes(folder, count)
    with new_memory(settings.folder, folder) as memory:
        assert memory.reconcile().imported == count
        while memory.idle_step():
            pass
        memories = memory.project.memories
        _check(memory.reconcile())
        again = in_turns(rounds, lambda: bare(memories), lambda: _check(memory.reconcile()))
        first = _first_looks(rounds, memory)
    what = f"at {count:,} files without a difference"
    return [
        Measured("look.again", f"A look {what}", FLOOR, "ms", Statistic.MINIMUM, AGAIN_LIMIT, again),
        Measured("look.first", f"A process's first look {what}", FLOOR, "ms", Statistic.MINIMUM, first_limit, first),
    ]


def bare(folder: str) -> None:
    """List a directory and ask for each entry's status."""
    with os.scandir(folder) as entries:
        for entry in entries:
            os.lstat(entry.path)


def _first_looks(rounds: int, memory: Memory) -> tuple[Sample, ...]:
    """A new memory each round, as in a new process: nothing is known of the files. Opening it isn't counted."""
    samples: list[Sample] = []
    for _ in range(rounds):
        samples.append(timed(Side.FLOOR, lambda: bare(memory.project.memories)))
        with Memory.open(memory.project.root, state_dir=memory.project.state_dir) as other:
            samples.append(timed(Side.OURS, lambda: _check(other.reconcile())))
    return tuple(samples)


def _check(found: Reconciled) -> None:
    assert found.appended == 0
