"""The page of a run: rendered from its raw samples and nothing else, so that no figure is typed by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.machine import ROOT, Machine
from tests.benchmarks.shape import Measured, Sample, Side, Statistic

PAGE = "benchmarks.md"
RAW = "benchmarks.json"
MILLION_RAW = "benchmarks-million.json"
DOCS = ROOT / "docs"

WHOLE = ("steps", "bytes")
"""Units that are shown without a fraction."""

HEADINGS = ("What", "Floor", "Ours", "Ratio", "Limit", "Verdict")

INTRODUCTION = f"""# Benchmarks

`python -m tests.benchmarks` measured this and wrote the page, with every sample in [{RAW}]({RAW}):
no figure is typed by hand, and a test renders the page from the samples and compares. A *floor* is the least that the
same work could cost, measured in the same run.
"""

MILLION = f"""## A million entries

`python -m tests.benchmarks --million` measured this, with every sample in [{MILLION_RAW}]({MILLION_RAW}).
"""

METHOD = """## Method

- Floor and ours take turns within one run, so that a noisy moment meets both. A row says which statistic its samples
  come to: the minimum where noise can only add, the median for writes that wait for the disk, the maximum for waits.
- CPU time stands beside wall time: this process's own for what runs in it, the child's (`wait4`) for what is spawned.
- **Start.** Each sample is a new process in a virtual environment made for the run: the two packages copied and
  compiled as an installation does it, the dependencies linked, nothing editable. A client writes a request, waits
  for its answer and writes the next; it kills the process once it has what is timed. The echo is the barest agent
  that the protocol's library allows, in the same environment. The project's journal holds its notes with every line
  written, and files that were changed long ago. The prompts are a greeting and thanks, which the embedded model answers
  without a call of a tool; the second is written as soon as the first is answered.
- **Steps.** One step is one instruction of SQLite's virtual machine, counted on both connections of a memory
  (`set_progress_handler(f, 1)`). One journal grows by rewriting the same live notes; every line is written, and the
  word index optimized, at each size.
- **Append.** Both sides write the same notes, each under a new name, into WAL databases with `synchronous = FULL`.
- **Look.** The files were changed long before they were imported, so none has to be read. A first look is that of a
  memory opened anew, which knows nothing of the files; opening it isn't counted.
- **Import.** Both sides read the same files, from a warm cache, into a new database with `synchronous = FULL`. Ours
  ends with the view; the word index catches up afterwards, and its first commit copies the write-ahead log into the
  database, as the floor's only commit does. The waits are those of another process that asks for the
  write lock (`BEGIN IMMEDIATE`) every 2 ms, in rounds of their own.
- **Search.** A sample is one round over all questions of `tests/benchmarks/queries.txt`, in memory.
- **Relay.** A server of its own process says when it sends its first byte; the same clock is read where the first chunk
  arrives. Both agents have asked it before, over a connection that is kept. The forwarder has no memory, no history and
  no session on disk. The turns whose memory is counted are of one session, which keeps all of its history; in the
  second row its window is 8,000 tokens, so that its history is made shorter every twenty turns or so.
- **Sessions.** The session files are written by the same records as the agent writes. A load is timed in a process that
  has answered a list before; the floor's process reads the prepared updates first. A list is the process's second: the
  first one brings the index in line with the files beside.
- **A million entries.** Both memories come from `memory import` of an export that is generated, the same on every
  machine: live notes rewritten round by round, a quarter of the versions short enough to be their own line, every
  other line of the tree written. A journal of 1,000 entries can't hold more than 1,000 live notes; the large one has
  2,000, so all that is linear in files counts against it. Agents are spawned in turns, as above; their resident memory
  is the peak (`VmHWM`) up to the end of the first turn. `--keep DIRECTORY` keeps the memories for another run.
"""


@dataclass(frozen=True, slots=True)
class Run:
    """One run: where and when, and its rows."""

    machine: Machine
    rows: tuple[Measured, ...]


def page(run: Run | None, million: Run | None = None) -> str:
    """The whole page, of the runs that there are."""
    parts = [INTRODUCTION]
    parts += [] if run is None else [facts(run.machine), _table(run.rows)]
    parts += [] if million is None else [MILLION, facts(million.machine), _table(million.rows)]
    return "\n".join((*parts, METHOD))


def row_text(row: Measured) -> str:
    """One row for a terminal."""
    what, floor, ours, ratio, limit, verdict = _cells(row)
    return f"{what}: floor {floor}, ours {ours}, ratio {ratio}, limit {limit}: {verdict}"


def write(run: Run, folder: Path, raw: str = RAW) -> None:
    """Write the samples into `folder`, as the file `raw`, and the page of all samples that are there."""
    (folder / raw).write_text(dumped(run), encoding="utf-8")
    (folder / PAGE).write_text(page(read(folder, RAW), read(folder, MILLION_RAW)), encoding="utf-8")


def read(folder: Path, raw: str) -> Run | None:
    """The run whose samples are in `folder` as the file `raw`; None where there is none."""
    path = folder / raw
    return loaded(path.read_text(encoding="utf-8")) if path.exists() else None


def dumped(run: Run) -> str:
    """The run as JSON, a sample a line: side, value, CPU milliseconds."""
    rows = [_row_object(row) for row in run.rows]
    return json.dumps({"machine": asdict(run.machine), "rows": rows}, indent=1, ensure_ascii=False) + "\n"


def loaded(text: str) -> Run:
    """The run that `dumped` wrote."""
    found = json.loads(text)
    return Run(Machine(**found["machine"]), tuple(_row(each) for each in found["rows"]))


def _row_object(row: Measured) -> dict[str, object]:
    return {
        "name": row.name,
        "what": row.what,
        "floor": row.floor,
        "unit": row.unit,
        "statistic": row.statistic,
        "limit": row.limit,
        "samples": list(map(_sample_text, row.samples)),
    }


def _row(found: dict[str, Any]) -> Measured:
    statistic, samples = Statistic(found["statistic"]), tuple(map(_sample, found["samples"]))
    return Measured(**{**found, "statistic": statistic, "samples": samples})


def _sample_text(sample: Sample) -> str:
    cpu = "" if sample.cpu_ms is None else f" {sample.cpu_ms:.6g}"
    return f"{sample.side} {sample.value:.6g}{cpu}"


def _sample(text: str) -> Sample:
    side, value, *cpu = text.split()
    return Sample(Side(side), float(value), float(cpu[0]) if cpu else None)


def facts(machine: Machine) -> str:
    """What a run depends on, as a list."""
    facts = {
        "Commit": machine.commit,
        "Date": machine.date,
        "CPU": f"{machine.cpu}, {machine.cores} cores",
        "Python": machine.python,
        "SQLite": machine.sqlite,
        "Kernel": machine.kernel,
        "File system": machine.file_system,
    }
    return "".join(f"- {name}: {fact}\n" for name, fact in facts.items())


def _table(rows: Iterable[Measured]) -> str:
    lines = [line(HEADINGS), line(["---"] * len(HEADINGS)), *(line(_cells(row)) for row in rows)]
    return "\n".join(lines) + "\n"


def line(cells: Sequence[str]) -> str:
    """One line of a table."""
    return f"| {' | '.join(cells)} |"


def _cells(row: Measured) -> tuple[str, str, str, str, str, str]:
    floor = row.floor and f"{_value(row, Side.FLOOR)}: {row.floor}"
    return (
        f"{row.what} ({_statistic(row)})",
        floor or "–",
        _value(row, Side.OURS),
        "–" if row.ratio is None else f"{row.ratio:.2f} ×",
        "–" if row.limit is None else f"≤ {row.limit:g} {row.unit if row.floor is None else '×'}",
        "–" if row.limit is None else "met" if row.met else "**missed**",
    )


def _statistic(row: Measured) -> str:
    count = sum(sample.side is Side.OURS for sample in row.samples)
    return "counted" if count == 1 else f"{row.statistic} of {count}"


def _value(row: Measured, side: Side) -> str:
    value, cpu_ms = row.of(side), row.cpu_ms(side)
    assert value is not None
    shown = f"{value:,.0f}" if row.unit in WHOLE else _amount(value)
    return f"{shown} {row.unit}" + ("" if cpu_ms is None else f" (CPU {_amount(cpu_ms)})")


def _amount(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
