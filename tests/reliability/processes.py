"""Many processes: eight at once on one project, with readers, a writer that holds the lock, and sessions that wait."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from memory_core import Memory
from tests.reliability.crowd import crowds, holding, idling
from tests.reliability.crowd.reports import Report, Span
from tests.reliability.shape import Figure, Grid, Outcome, Settings, exactly

TITLE = "Many processes"
CLAIM = """Any number of windows, chats and scripts may work on one project at once. Nobody sees a locked database,
every entry has the next number, nothing that was acknowledged is lost, no line of the summary tree is written twice,
and whoever only reads neither writes nor waits.

Workers share one machine and its clock. Where that is set while a line is written, leases up to two minutes apart still
stand; a larger jump costs a request that is made again, never a line, and a crashed worker's line waits four minutes
instead of two at most."""
METHOD = """Eight processes write 50 notes each. Then eight work for a minute: they write notes of their own and shared
ones, delete, forget, edit files outside, look, read, search, zoom, and write lines of the tree under leases, while two
more only read; SQLite asks before each action of these (`set_authorizer`), and one that would write is refused and
ends the process, as does any error but that another was as quick to remove a note. Each process tells what it did, and
when. Afterwards:

- the numbers of the entries have no gap, and none was given twice;
- each acknowledged text stands under its number, unless a forget came later; then no file holds a byte of it;
- every edit from outside is in the journal;
- a line was stored once, or again only after a forget that dropped it; at no time held more than two processes leases;
- `memory verify` finds nothing.

Then one process holds the lock while four write and two read: the readers come to their end before it lets go. Last, an
agent with five sessions waits after their turns."""

WRITERS, NOTES = 8, 50
READERS = 2
MIXED_SECONDS, MIXED_SECONDS_SHORT = 60.0, 5.0
HELD_SECONDS, HELD_SECONDS_SHORT = 3.0, 0.0
IDLE_SECONDS = 10.0
MOST_IDLE_CPU_MS = 50.0
"""Half a percent of one processor."""


def measure(settings: Settings) -> Outcome:
    """All parts. The sessions that wait are left out of the short form: what they cost can only be timed."""
    wrote = write_notes(settings.folder / "writes")
    mixed = mix(settings.folder / "mixed", MIXED_SECONDS_SHORT if settings.short else MIXED_SECONDS)
    seconds = HELD_SECONDS_SHORT if settings.short else HELD_SECONDS
    held = holding.hold(*place(settings.folder / "held"), seconds)
    counts = sum((Counter(report.counts) for report in mixed), Counter[str]())
    figures = [
        exactly("Entries after eight processes wrote 50 notes each", wrote, WRITERS * NOTES),
        Figure("Writes in the mixed work", sum(len(report.written) for report in mixed), at_least=1),
        Figure("Lines stored in it", sum(len(report.stored) for report in mixed), at_least=1),
        Figure("Forgets in it", sum(len(report.forgotten) for report in mixed), at_least=1),
        Figure("Processes that held leases at once", crowds.most_at_once(_held(mixed)), at_most=crowds.MAX_WORKERS),
        exactly("Errors that reached anybody", 0, 0),
        Figure("The lock was held for", round(held.seconds, 1), "s", at_least=seconds),
        Figure("Reads meanwhile", held.reads, at_least=1),
    ]
    if not settings.short:
        figures += _timed(settings.folder / "idle", held)
    rows = tuple((name, f"{count:,}", f"{_slowest_ms(mixed, name):,.0f} ms") for name, count in sorted(counts.items()))
    return Outcome(tuple(figures), (Grid(("In the mixed work", "Times", "Longest"), rows),))


def write_notes(folder: Path) -> int:
    """Eight processes write fifty notes each; gives how many entries there are. Raises AssertionError."""
    project, state = place(folder)
    reports = crowds.run(project, state, [("write", NOTES)] * WRITERS)
    with Memory.open(project, state_dir=state) as memory:
        crowds.check(memory, reports)
        assert len(list(Path(memory.project.memories).glob("*.md"))) == WRITERS * NOTES
        return memory.view().entries


def mix(folder: Path, seconds: float) -> list[Report]:
    """Eight processes do everything for a while, and two only read; gives their reports. Raises AssertionError."""
    project, state = place(folder)
    reports = crowds.run(project, state, [("mixed", seconds)] * WRITERS + [("read", seconds)] * READERS)
    with Memory.open(project, state_dir=state) as memory:
        crowds.check(memory, reports)
    return reports


def place(folder: Path) -> tuple[Path, Path]:
    """A project's directory and its state, made."""
    project, state = folder / "project", folder / "state"
    project.mkdir(parents=True)
    Memory.open(project, state_dir=state).close()
    return project, state


def _timed(folder: Path, held: holding.Held) -> list[Figure]:
    idle = idling.idle(folder, IDLE_SECONDS)
    return [
        Figure("Slowest read meanwhile", round(held.slowest_read_ms, 1), "ms", at_most=HELD_SECONDS * 1000 / 10),
        Figure("Longest wait of a write", round(held.longest_wait_ms), "ms", at_least=HELD_SECONDS * 1000),
        Figure(f"CPU time of {idling.SESSIONS} idle sessions in 10 s", idle.cpu_ms, "ms", at_most=MOST_IDLE_CPU_MS),
        Figure("Wake-ups of all their threads in 10 s", idle.woken),
    ]


def _held(reports: Sequence[Report]) -> list[Span]:
    return [span for report in reports for span in report.held]


def _slowest_ms(reports: Sequence[Report], work: str) -> float:
    return max(report.slow.get(work, 0) for report in reports) / 1e6
