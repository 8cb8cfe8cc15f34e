"""A memory with many notes, the same each time: an import of dated files, then every summary line written."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

from memory_core import Memory
from memory_core.extractive import summarize

AREAS = "build cache deploy docs editor fixtures index login migrations network parser queue release search tests"
SUBJECTS = "budget clock container debugger encoding fallback flags hooks limits locks logs pages retries schema tokens"
SIDES = "alarms backups cleanup costs defaults errors growth history naming order owners quotas rollback start"
REASONS = (
    "because two of the runners share one disk",
    "since the vendor's library closes the socket on its own",
    "because a release in March broke all older clients",
    "so that a rollback needs no migration",
    "because nobody could reproduce it on a laptop",
    "since the metrics are sampled once a minute",
    "so that the nightly job finds a warm cache",
)
FIRST_DAY_NS = 1_735_720_000_000_000_000
HOUR_NS = 3_600_000_000_000


def ns_of(moment: str) -> int:
    """An ISO 8601 moment in nanoseconds since the epoch."""
    return int(datetime.fromisoformat(moment).timestamp()) * 1_000_000_000


def note(number: int) -> tuple[str, str]:
    """The name and text of one of at most 3,150 notes."""
    areas, subjects = AREAS.split(), SUBJECTS.split()
    area, rest = areas[number % len(areas)], number // len(areas)
    subject, side = subjects[rest % len(subjects)], SIDES.split()[rest // len(subjects)]
    heading = f"{side.capitalize()} of the {area} {subject}"
    point = f"The {side} of the {area} {subject} stay as they are {REASONS[number * 5 % len(REASONS)]}."
    return f"{area}/{subject}-{side}.md", f"# {heading}\n\n{point}\nAsk team {number % 11} before you change it.\n"


def make(project: Path, state: Path, count: int) -> None:
    """`count` notes in the project's memory, imported from files that are an hour apart, and summarized."""
    with Memory.open(project, state_dir=state, clock=lambda: FIRST_DAY_NS) as memory:
        for number in range(count):
            _write(Path(memory.project.memories), number)
        memory.reconcile()
        while memory.index_more():
            pass
        while waiting := memory.pending_lines():
            for line in waiting:
                memory.store_line(line.address, summarize(line.halves), model="embedded/extractive")


def _write(folder: Path, number: int) -> None:
    name, text = note(number)
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode())
    dated_ns = FIRST_DAY_NS + number * HOUR_NS
    os.utime(path, ns=(dated_ns, dated_ns))
