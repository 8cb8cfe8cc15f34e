"""`python -m tests.reliability [NAME ...]`: runs the proofs in their long form and writes `docs/reliability.md`.

The records of the proofs that weren't run stay as they are. With `--short` nothing is written unless `--out` names a
directory. The exit code is 1 where a figure isn't as wanted.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from acp_server import __version__
from tests.benchmarks.machine import this_machine
from tests.reliability import page, sections
from tests.reliability.shape import Record, Settings


def main(arguments: list[str]) -> int:
    """The exit code."""
    asked = _parser().parse_args(arguments)
    out = asked.out or (None if asked.short else page.DOCS)
    if asked.page:
        page.write(page.read(page.DOCS), asked.out or page.DOCS)
        return 0
    all_met = True
    for name in asked.names or sections.PROOFS:
        record = _run(name, asked)
        all_met = all_met and record.outcome.met
        if out is not None:
            page.write({**page.read(out), name: record}, out)
    return 0 if all_met else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.reliability", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"a proof: {', '.join(sections.PROOFS)}")
    parser.add_argument("--short", action="store_true", help="the short form, which the tests run too")
    parser.add_argument("--page", action="store_true", help="only write the page anew from what is recorded")
    parser.add_argument("--date", help="the date that is recorded, instead of now")
    parser.add_argument("--out", type=Path, help="the directory that page and records go to")
    return parser


def _run(name: str, asked: argparse.Namespace) -> Record:
    """One proof's record, told to the terminal."""
    with tempfile.TemporaryDirectory(prefix="reliability-") as folder:
        machine = this_machine(Path(folder))
        machine = replace(machine, date=asked.date or machine.date)
        print(name, flush=True)
        began = time.monotonic()
        outcome = sections.proof(name).measure(Settings(Path(folder), asked.short))
        seconds = round(time.monotonic() - began, 1)
    print(*map(page.figure_text, outcome.figures), f"{seconds:.0f} s", sep="\n  ", flush=True)
    command = f"python -m tests.reliability {name}{' --short' if asked.short else ''}"
    return Record(machine, __version__, command, seconds, outcome)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
