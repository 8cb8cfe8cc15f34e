"""Disk: no room at any step of any operation; beside it, what the tests do with permissions, dates and spellings."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from tests.reliability.disk_faults import NotHere, Room, limited, mounted
from tests.reliability.disk_trials import OPERATIONS, Count, World, sweep
from tests.reliability.shape import Figure, Grid, Outcome, Settings

TITLE = "Disk"
CLAIM = """A disk that is full, read-only or forbidden is said in one sentence and loses nothing: each note's file holds
its old or its new text whole and is never empty, a write or delete that was refused didn't happen, and once the disk is
usable again the same session goes on."""
METHOD = """Every operation is tried with room for 0, 1, 2, … pages of 4 KiB until it never fails any more, so that the
room ends at each of its steps: on a file system of its own that ballast fills (`ENOSPC`), and under a limit on the size
of files (`EFBIG`, which needs no privilege). After each trial, still without room, every file is compared; then there
is room again, and the same memory looks, writes, reads back, finishes what was begun, finds nothing in its check and
leaves no temporary file. The tests do the rest with real faults:

- `test_disk.py`: permissions taken away in mid-session and from the start (notes, a note, folders, temporary files, the
  state directory, the database, its log) around each operation; file systems that are or become read-only; notes on a
  mount of their own;
- `test_disk_dates.py`: files of 1960, 1970, 2099, 2300 and 2446, inodes of 64 bits, edits of one size within one tick
  and with their date put back, clocks that jump;
- `test_spelling.py`: disks that tell no case apart or keep names decomposed (played under the note files);
- `test_files.py`, `test_state.py`, `test_disk_agent.py`: links, a file of 50 MB, a notes directory that is a dangling
  link, and a running agent through all of it.

How the memory grows is measured apart: [benchmarks.md](benchmarks.md#a-million-entries) has a million entries and
100,000 files."""

ROUNDS = 5
SHORT_STEP = 3

Maker = Callable[[Path], AbstractContextManager[Room]]
MAKERS: dict[str, Maker] = {"ENOSPC": mounted, "EFBIG": limited}


def measure(settings: Settings) -> Outcome:
    """Sweeps of all operations on both kinds of full disk. Raises AssertionError with what was lost."""
    counts: dict[tuple[str, str], Count] = {}
    for error, make in MAKERS.items():
        for number in range(1 if settings.short else ROUNDS):
            try:
                with make(settings.folder / f"{error}-{number}") as room:
                    _sweep_all(room, settings, error, counts)
            except NotHere:
                break
    trials, refused = sum(each.trials for each in counts.values()), sum(each.refused for each in counts.values())
    return Outcome(
        (
            Figure("Trials with too little room or just enough", trials, at_least=100),
            Figure("of these refused, each in one sentence", refused, at_least=50),
            Figure("Files neither old nor new, or changed by a refused write or delete", 0, at_most=0),
            Figure("Memories that didn't go on afterwards", 0, at_most=0),
        ),
        (_grid(counts),),
    )


def _sweep_all(room: Room, settings: Settings, error: str, counts: dict[tuple[str, str], Count]) -> None:
    world = World(room, settings.folder / f"outside-{room.folder.name}")
    for name in OPERATIONS:
        found = sweep(world, name, SHORT_STEP if settings.short else 1)
        count = counts.setdefault((name, error), Count())
        count.refused += found.refused
        count.done += found.done
    world.memory.close()


def _grid(counts: dict[tuple[str, str], Count]) -> Grid:
    rows = [(name, *(_cell(counts.get((name, error))) for error in MAKERS)) for name in OPERATIONS]
    return Grid(("Operation", *(f"{error}: refused of trials" for error in MAKERS)), tuple(rows))


def _cell(count: Count | None) -> str:
    return "–" if count is None else f"{count.refused} of {count.trials}"
