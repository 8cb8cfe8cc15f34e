"""One driver of kills, its report on standard output.

`python -m tests.reliability.killing FOLDER SEED KILLS PART PARTS`. The schedule of a seed is the same for every part; a
driver takes each PARTS-th aim of it. It has no thread and no database open while it forks.
"""

from __future__ import annotations

import json
import random
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from tests.reliability.killing import fresh, plan, steady
from tests.reliability.killing.plan import Aim
from tests.reliability.killing.steps import small_batches

ROUNDS_OF_A_PROJECT = 25
MAX_MISSED = 20


def main(folder: str, seed: str, kills: str, part: str, parts: str) -> None:
    """Writes the report: counts by name."""
    warnings.simplefilter("error")
    aims = islice(plan.schedule(int(kills), random.Random(int(seed))), int(part), None, int(parts))
    report = drive(Path(folder), random.Random(f"{seed} {part}"), aims)
    json.dump(report, sys.stdout)


def drive(folder: Path, rng: random.Random, aims: Iterator[Aim]) -> dict[str, int]:
    """Kills as planned; a kill that came too late, or whose point wasn't reached, is tried once more another way."""
    counts: Counter[str] = Counter()
    anew = fresh.Fresh(folder / "fresh", rng, small_batches)
    number = 0
    rounds = ROUNDS_OF_A_PROJECT
    world: steady.Steady | None = None
    for planned in aims:
        killed = False
        for missed in range(MAX_MISSED):
            aim = replace(planned, times=max(1, planned.times - missed))
            if world is None or rounds == ROUNDS_OF_A_PROJECT:
                _count(counts, world)
                number, rounds = number + 1, 0
                world = steady.Steady(folder / f"steady-{number}", rng, small_batches)
            rounds += aim.verb not in plan.FRESH
            ended = anew.round(aim) if aim.verb in plan.FRESH else world.round(aim)
            killed = ended.killed
            counts["killed" if killed else "missed"] += 1
            if killed:
                counts["held"] += ended.held
                counts["acknowledged"] += ended.acknowledged
                counts[f"verb {aim.verb}"] += 1
                counts[f"held {aim.verb}"] += ended.held
                counts[f"point {aim.point or 'a moment of chance'}"] += 1
                break
        assert killed, f"{planned} isn't reached"
    _count(counts, world)
    counts["edits"] += anew.edits
    return dict(counts)


def _count(counts: Counter[str], world: steady.Steady | None) -> None:
    if world is not None:
        counts["edits"] += world.edits
        counts["lost renames"] += world.lost_renames


if __name__ == "__main__":
    main(*sys.argv[1:])
