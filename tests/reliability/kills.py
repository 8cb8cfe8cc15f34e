"""Kills: a writer is killed thousands of times, at every named point and at moments of chance."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tests.benchmarks.machine import ROOT
from tests.reliability.killing import plan
from tests.reliability.shape import Figure, Grid, Outcome, Settings

TITLE = "Kills"
CLAIM = """A process of the memory may be killed at any moment. Whatever was acknowledged is there afterwards; what was
not is there whole or not at all, and never twice; what you edited outside is kept; what you forgot stays gone."""
METHOD = """A writer acknowledges each step once it is durable: writes, deletes, restored versions, looks at the files,
forgets, clearings, lines of the summary tree, idle steps, repairs, imports into an empty memory and into one that has
its own, first looks, openings, migrations. It is killed (SIGKILL) at each point that the code names, and at moments of
chance after so many acknowledgements. Before each kill notes are changed, added and removed outside. Now and then a
rename is taken back afterwards by a hard link of the old file, as a power cut may do it. Then the memory is opened, and
all of this must hold:

- files and journal are exactly one of the two states that the step in flight may leave (of an import of notes: each
  note is there or not), each text as often in the journal as it was written, every edit from outside among them;
- `memory verify` finds nothing, and a second look finds nothing to do;
- no file under the state directory holds a byte of what was forgotten;
- no temporary file is left."""

KILLS, KILLS_SHORT = 10_000, 300
DRIVERS = 2
SEED = 1
LEAST_HELD_PERCENT = 60
CHANCE = "a moment of chance"


def measure(settings: Settings) -> Outcome:
    """Kills in several drivers side by side. Raises AssertionError with what was lost."""
    kills = KILLS_SHORT if settings.short else KILLS
    drivers = [_driver(settings.folder, kills, part) for part in range(DRIVERS)]
    ended = [(*driver.communicate(), driver.returncode) for driver in drivers]
    for _, errors, code in ended:
        assert code == 0 and not errors, errors[-4000:]
    counts = sum((Counter(json.loads(report)) for report, _, _ in ended), Counter[str]())
    points = {aim.point or CHANCE for aim in plan.AIMS}
    return Outcome(
        (
            Figure("Kills", counts["killed"], at_least=kills),
            Figure(
                "of these between lock and commit", _percent(counts["held"], counts["killed"]), "%", LEAST_HELD_PERCENT
            ),
            Figure("Named points at which was killed", len(_by(counts, "point") - {CHANCE}), at_least=len(points) - 1),
            Figure("Edits outside before the kills", counts["edits"], at_least=kills),
            Figure("Steps acknowledged before the kills", counts["acknowledged"]),
            Figure("Renames and removals taken back", counts["lost renames"], at_least=1),
            Figure("Anything lost, doubled or left behind", 0, at_most=0),
        ),
        (_steps(counts), _points(counts)),
    )


def _driver(folder: Path, kills: int, part: int) -> subprocess.Popen[str]:
    own = folder / f"driver-{part}"
    own.mkdir()
    numbers = map(str, (SEED, kills, part, DRIVERS))
    command = [sys.executable, "-m", "tests.reliability.killing", str(own), *numbers]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _by(counts: Counter[str], kind: str) -> set[str]:
    return {name.removeprefix(f"{kind} ") for name in counts if name.startswith(f"{kind} ")}


def _steps(counts: Counter[str]) -> Grid:
    rows = [
        (
            NAMES[verb],
            f"{counts[f'verb {verb}']:,}",
            f"{_percent(counts[f'held {verb}'], counts[f'verb {verb}']):.0f} %",
        )
        for verb in NAMES
    ]
    return Grid(("Killed in", "Kills", "between lock and commit"), tuple(rows))


def _points(counts: Counter[str]) -> Grid:
    return Grid(
        ("Killed at", "Kills"), tuple((name, f"{counts[f'point {name}']:,}") for name in sorted(_by(counts, "point")))
    )


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 0.0


NAMES = {
    "write": "a write",
    "delete": "a delete",
    "restore": "a version restored",
    "look": "a look at the files",
    "first": "the first look at files that are there",
    "open": "the opening of a new state directory",
    "forget": "a forget with its purge",
    "clear": "a clearing with its purge",
    "lines": "lines of the tree",
    "idle": "an idle step",
    "repair": "a repair",
    "stage": "an import into an empty memory",
    "join": "an import into one that has its own",
    "migrate": "a migration",
    "refuse": "a step that is refused",
    "any": "any of these, by chance",
}
