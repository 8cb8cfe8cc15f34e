"""Which kills there are: the verb of the step, the named point, how often it may have to be reached, and the weight.

Weights make most kills fall between lock and commit. A point that isn't here is killed at by a test of its own, which
`ELSEWHERE` names; a test holds that every point of the package is in one of the two.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

STEADY = ("write", "delete", "restore", "look", "forget", "clear", "lines", "idle", "repair", "join", "refuse")
"""Verbs of a project that lives on from kill to kill."""
FRESH = ("first", "stage", "migrate", "open")
"""Verbs that need a project of their own: a first look, an import into an empty memory, a migration, an opening."""


@dataclass(frozen=True, slots=True)
class Aim:
    """One way to be killed. An empty point: from outside, at a moment of chance after `times` acknowledgements."""

    verb: str
    point: str
    times: int
    weight: int


_CHANGE = (
    ("temporary", 1, 1),
    ("locked", 2, 4),
    ("looked", 2, 4),
    ("appended", 1, 8),
    ("replaced", 1, 8),
    ("committed", 2, 1),
)
"""Steps of a write, a delete and a restore: the step, how often at most, the weight."""

_TABLE: tuple[tuple[str, str, int, int], ...] = (
    *(("write", f"write.{step}", times, weight) for step, times, weight in (("checked", 1, 1), *_CHANGE)),
    *(("delete", f"delete.{step}", times, weight) for step, times, weight in (("checked", 1, 1), *_CHANGE[1:])),
    *(("restore", f"restore.{step}", times, weight) for step, times, weight in (("checked", 1, 1), *_CHANGE)),
    ("write", "transaction.begun", 2, 4),
    ("write", "transaction.complete", 2, 8),
    ("write", "transaction.committed", 2, 1),
    ("delete", "transaction.complete", 2, 6),
    ("restore", "transaction.complete", 2, 4),
    ("look", "reconcile.appended", 4, 4),
    ("look", "reconcile.stored", 2, 6),
    ("look", "transaction.begun", 2, 4),
    ("look", "transaction.complete", 2, 6),
    ("look", "transaction.committed", 2, 1),
    ("forget", "forget.marked", 1, 2),
    ("forget", "forget.removed", 1, 5),
    ("forget", "forget.blanked", 1, 5),
    ("forget", "purge.optimized", 1, 2),
    ("forget", "purge.vacuumed", 1, 2),
    ("forget", "purge.checkpointed", 1, 2),
    ("forget", "transaction.complete", 5, 2),
    ("forget", "transaction.committed", 5, 1),
    ("clear", "clear.purged", 1, 2),
    ("clear", "purge.optimized", 1, 1),
    ("clear", "purge.vacuumed", 1, 1),
    ("clear", "purge.checkpointed", 1, 1),
    ("clear", "transaction.complete", 3, 1),
    ("clear", "transaction.committed", 3, 1),
    ("lines", "line.stored", 1, 5),
    ("lines", "transaction.begun", 2, 2),
    ("lines", "transaction.complete", 2, 5),
    ("idle", "transaction.complete", 1, 4),
    ("repair", "repair.stored", 1, 4),
    ("repair", "transaction.complete", 1, 4),
    ("join", "import.joined", 2, 4),
    ("join", "place.replaced", 2, 4),
    ("join", "place.batch", 2, 1),
    ("join", "transaction.complete", 4, 3),
    ("join", "transaction.committed", 4, 1),
    ("refuse", "transaction.undone", 1, 2),
    ("first", "import.appended", 3, 3),
    ("first", "reconcile.stored", 3, 3),
    ("first", "transaction.complete", 4, 3),
    ("first", "transaction.committed", 3, 1),
    ("first", "index.stored", 1, 4),
    ("first", "", 1, 6),
    ("stage", "import.batch", 4, 1),
    ("stage", "import.grown", 4, 1),
    ("stage", "import.stored", 1, 5),
    ("stage", "import.committed", 1, 2),
    ("stage", "place.replaced", 3, 3),
    ("stage", "place.batch", 3, 1),
    ("stage", "transaction.begun", 12, 1),
    ("stage", "transaction.complete", 12, 1),
    ("stage", "", 1, 10),
    ("migrate", "migration.copying", 1, 3),
    ("migrate", "migration.copied", 1, 3),
    ("migrate", "migration.step", 1, 8),
    ("migrate", "migration.done", 1, 8),
    ("open", "migration.step", 1, 3),
    ("open", "migration.done", 1, 3),
    ("open", "transaction.begun", 1, 2),
    ("open", "transaction.complete", 1, 3),
    ("open", "transaction.committed", 1, 1),
    ("any", "", 6, 14),
)
"""Verb, point, how often it may have to be reached (each number of times is an aim), weight of each of these."""

AIMS: tuple[Aim, ...] = tuple(
    Aim(verb, point, number, weight) for verb, point, times, weight in _TABLE for number in range(1, times + 1)
)

ELSEWHERE = {
    "move.described": "tests/memory_core/test_projects.py",
    "move.dropped": "tests/memory_core/test_projects.py",
    "move.renamed": "tests/memory_core/test_projects.py",
    "move.committed": "tests/memory_core/test_projects.py",
    "remove.folder": "tests/memory_core/test_projects.py",
    "salvage.carried": "tests/memory_core/test_damage.py",
    "salvage.aside": "tests/memory_core/test_damage.py",
}


def schedule(kills: int, rng: random.Random) -> Iterator[Aim]:
    """So many aims: each once, then by weight, in an order of chance."""
    chosen = [*AIMS, *rng.choices(AIMS, [aim.weight for aim in AIMS], k=max(0, kills - len(AIMS)))]
    rng.shuffle(chosen)
    return iter(chosen[:kills])
