"""A memory of a million entries against one of a thousand, both imported from an export.

A journal of 1,000 entries can hold 1,000 live notes at most; the large one keeps 2,000, so what is linear in files
counts against it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.benchmarks import bench_look, steps
from tests.benchmarks.client import Spawned
from tests.benchmarks.imported import Bill, Imported, Weight
from tests.benchmarks.installation import install
from tests.benchmarks.shape import Measured, Sample, Settings, Side, Statistic

SMALL, SMALL_LIVE = 1000, 1000
LARGE, LARGE_LIVE = 1_000_000, 2000
LARGE_QUICK = 5000
ROUNDS = 15
LIMIT = 1.3
PROMPT = "Hello"
FILES, FILES_QUICK = 100_000, 1000
FILE_ROUNDS = 15


def measure(settings: Settings) -> list[Measured]:
    """Spawned agents first, then the steps of each operation, which write a few notes; what is kept on the disk."""
    large = settings.size_of(LARGE, LARGE_QUICK)
    kept = settings.keep or settings.folder
    small_memory = Imported(kept / f"entries-{SMALL}", SMALL, SMALL_LIVE)
    large_memory = Imported(kept / f"entries-{large}", large, LARGE_LIVE)
    rows = _agents(settings, small_memory, large_memory)
    rows += steps.rows("million", (SMALL, small_memory.steps()), (large, large_memory.steps()), LIMIT)
    return rows + _weights(large, large_memory.weigh()) + _bill(large, large_memory.bill)


def look(settings: Settings) -> list[Measured]:
    """The look at ten times as many files as the everyday benchmark has. A process's first look is told alone: it reads
    a row a note."""
    count, rounds = settings.size_of(FILES, FILES_QUICK), settings.rounds_of(FILE_ROUNDS)
    return bench_look.looks(settings, count, rounds, first_limit=None)


def _agents(settings: Settings, small: Imported, large: Imported) -> list[Measured]:
    """How soon a spawned agent answers, and how much memory it has had resident once its first turn ended."""
    python = install(settings.folder / "venv")
    moments: dict[str, list[Sample]] = {"session": [], "chunk": [], "resident": []}
    sides = {Side.FLOOR: small, Side.OURS: large}
    for side in Side:
        _first_turn(python, sides[side])
    for _ in range(settings.rounds_of(ROUNDS)):
        for side in Side:
            for name, value in _first_turn(python, sides[side]).items():
                moments[name].append(Sample(side, value))
    floor = f"the same at {small.entries:,} entries and {small.live:,} notes"
    row = _row_maker(f"{large.entries:,} entries and {large.live:,} notes", floor)
    return [
        row("session", "Spawn to the answer of `session/new`", "ms", Statistic.MINIMUM, moments["session"]),
        row("chunk", "Spawn to the first chunk of the first prompt", "ms", Statistic.MINIMUM, moments["chunk"]),
        row("resident", "Resident memory at its peak in a first turn", "MB", Statistic.MEDIAN, moments["resident"]),
    ]


def _row_maker(size: str, floor: str) -> Callable[[str, str, str, Statistic, list[Sample]], Measured]:
    def make(name: str, what: str, unit: str, statistic: Statistic, samples: list[Sample]) -> Measured:
        return Measured(f"million.{name}", f"{what}, {size}", floor, unit, statistic, LIMIT, tuple(samples))

    return make


def _first_turn(python: Path, memory: Imported) -> dict[str, float]:
    """One new agent, from its spawn to the end of its first turn."""
    with Spawned([str(python), "-m", "acp_server"], memory.environ) as agent:
        agent.initialize()
        session = agent.new_session(str(memory.project))
        opened_ms = agent.elapsed_ms
        ended = agent.prompt(session, PROMPT)
        chunk_ms = agent.elapsed_ms
        ended()
        return {"session": opened_ms, "chunk": chunk_ms, "resident": agent.peak_resident_mb()}


def _weights(entries: int, weight: Weight) -> list[Measured]:
    """What an entry takes in the database, against its text and its share of the lines; a live note's file besides."""
    floor, ours = weight.kept / entries, weight.database / entries
    samples = (Sample(Side.FLOOR, floor), Sample(Side.OURS, ours))
    what = f"The database, an entry of {entries:,}"
    note = (Sample(Side.OURS, weight.files / LARGE_LIVE),)
    return [
        Measured("million.bytes", what, "its text and the tree's lines", "bytes", Statistic.MEAN, None, samples),
        Measured("million.file", "The note files, a live note", None, "bytes", Statistic.MEAN, None, note),
    ]


def _bill(entries: int, bill: Bill) -> list[Measured]:
    """What the import took, in this run or in the one that built what is kept."""
    took = {"s": ("Import of", bill.seconds), "MB": ("Resident memory at its peak in the import of", bill.peak_mb)}
    return [
        Measured(
            f"million.import-{unit.lower()}",
            f"{what} {entries:,} entries",
            None,
            unit,
            Statistic.MAXIMUM,
            None,
            (Sample(Side.OURS, value),),
        )
        for unit, (what, value) in took.items()
    ]
