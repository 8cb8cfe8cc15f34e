"""What a writer does, step by step, until it is killed; each step is acknowledged once it is durable."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from memory_core import Memory, migrations, reconcile
from memory_core.exceptions import NoSuchNote
from memory_core.portability import joining, placing, staging
from memory_core.storing import Text

BUDGET = 2048
"""A small view, so that lines merge after a few notes."""
BATCHES = ((reconcile, "BATCH_FILES"), (joining, "BATCH_ENTRIES"), (placing, "BATCH_NOTES"), (staging, "BATCH_ROWS"))
BATCH = 8
NEXT_RELEASE = """ALTER TABLE project ADD COLUMN colour TEXT NOT NULL DEFAULT 'blue';
CREATE TABLE extra (x INTEGER) STRICT;
"""


@dataclass(frozen=True, slots=True)
class Step:
    """One step: `names` and `text` as the verb needs them; `entry` is the version that a restore brings back.

    `rows` are the notes of the archive `path` that an import takes in, as (name, text).
    """

    verb: str
    names: tuple[str, ...] = ()
    text: str = ""
    entry: int = -1
    path: str = ""
    rows: tuple[tuple[str, str], ...] = ()


def small_batches() -> None:
    """Imports take a few notes at a time, so that a kill finds them between two batches."""
    for module, name in BATCHES:
        setattr(module, name, BATCH)


def next_release() -> None:
    """From now on this process is a release whose schema is one further."""
    scripts = (*migrations.scripts(), NEXT_RELEASE)
    migrations.SCHEMA += 1
    migrations.scripts = lambda: scripts


def _lines(memory: Memory, _: Step) -> None:
    """Some lines, which quote what they fold."""
    claimed = memory.claim_lines("writer", 3)
    texts = [Text(line.address, f"{' '.join(line.halves)[:300]} {'.' * 40}", "m") for line in claimed]
    memory.store_claimed("writer", texts)


def _refuse(memory: Memory, _: Step) -> None:
    """A step that comes to nothing under the lock."""
    with suppress(NoSuchNote):
        memory.forget("nowhere")


VERBS: dict[str, Callable[[Memory, Step], object]] = {
    "write": lambda memory, step: memory.write(step.names[0], step.text),
    "delete": lambda memory, step: memory.delete(step.names[0]),
    "restore": lambda memory, step: memory.restore(step.names[0], step.entry),
    "look": lambda memory, _: memory.reconcile(),
    "clear": lambda memory, _: memory.reconcile(),
    "forget": lambda memory, step: memory.forget(*step.names),
    "lines": _lines,
    "idle": lambda memory, _: memory.idle_step(),
    "repair": lambda memory, _: memory.repair(),
    "join": lambda memory, step: memory.import_archive(step.path),
    "refuse": _refuse,
    "stage": lambda memory, step: memory.import_archive(step.path),
}
