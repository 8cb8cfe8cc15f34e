"""`python -m tests.benchmarks`: measures all targets and writes `docs/benchmarks.md`, with its samples beside.

`--million` measures a memory of a million entries and 100,000 files instead, and writes its own part of the page; it
takes some twenty minutes and 6 GB of disk. With `--only` or `--quick` nothing is written unless `--out` names a
directory. The exit code is 1 where a target is missed, but for a quick run, whose figures mean nothing.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks import (
    bench_append,
    bench_import,
    bench_look,
    bench_million,
    bench_relay,
    bench_search,
    bench_sessions,
    bench_start,
    bench_steps,
    table,
)
from tests.benchmarks.machine import this_machine
from tests.benchmarks.shape import Benchmark, Measured, Settings

BENCHMARKS: dict[str, Benchmark] = {
    "start": bench_start.measure,
    "steps": bench_steps.measure,
    "append": bench_append.measure,
    "look": bench_look.measure,
    "import": bench_import.measure,
    "search": bench_search.measure,
    "relay": bench_relay.measure,
    "sessions": bench_sessions.measure,
}
MILLION: dict[str, Benchmark] = {"million": bench_million.measure, "files": bench_million.look}


def main(arguments: list[str]) -> int:
    """The exit code."""
    asked = _parser().parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
        machine = this_machine(Path(folder))
        names = asked.only or (MILLION if asked.million else BENCHMARKS)
        rows = [row for name in names for row in _measured(name, Path(folder), asked)]
    whole = not asked.only and not asked.quick
    out = asked.out or (table.DOCS if whole else None)
    if out is not None:
        table.write(table.Run(machine, tuple(rows)), out, table.MILLION_RAW if asked.million else table.RAW)
    return 0 if asked.quick or all(row.met for row in rows) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument(
        "--only", action="append", choices={**BENCHMARKS, **MILLION}, help="one benchmark; may be repeated"
    )
    parser.add_argument("--million", action="store_true", help="the large sizes, instead of the everyday ones")
    parser.add_argument("--keep", type=Path, help="a directory that keeps what the large sizes build, for another run")
    parser.add_argument("--rounds", type=int, help="rounds of each, instead of its own number")
    parser.add_argument("--quick", action="store_true", help="small sizes and two rounds: does everything run?")
    parser.add_argument("--out", type=Path, help="the directory that page and samples go to")
    return parser


def _measured(name: str, folder: Path, asked: argparse.Namespace) -> list[Measured]:
    """One benchmark's rows, told to the terminal as they come."""
    own = folder / name
    own.mkdir()
    began = time.monotonic()
    rows = {**BENCHMARKS, **MILLION}[name](Settings(own, asked.rounds, asked.quick, asked.keep))
    print(f"{name} ({time.monotonic() - began:.0f} s)", *map(table.row_text, rows), sep="\n  ", flush=True)
    return rows


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
