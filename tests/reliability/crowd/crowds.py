"""Many processes at once on one project, and what must hold of their reports and of the memory that they leave."""

from __future__ import annotations

import json
import subprocess
import sys
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from memory_core import Memory, address
from tests.benchmarks.machine import ROOT
from tests.reliability.crowd.reports import Report, Span, loaded
from tests.reliability.killing.places import files_with

MAX_WORKERS = 2
"""As many processes may write lines of one project at once."""


def run(project: Path, state: Path, kinds: Sequence[tuple[str, float]]) -> list[Report]:
    """Runs a process for each kind of work side by side, and gives their reports. Raises AssertionError."""
    return ended(start(project, state, kinds))


def start(project: Path, state: Path, kinds: Sequence[tuple[str, float]]) -> list[subprocess.Popen[str]]:
    """Starts a process for each kind of work, with how much of it."""
    return [
        subprocess.Popen(
            [sys.executable, "-m", "tests.reliability.crowd.member", project, state, str(number), kind, str(much)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number, (kind, much) in enumerate(kinds)
    ]


def ended(started: Sequence[subprocess.Popen[str]]) -> list[Report]:
    """Their reports; each must end well and say nothing on standard error. Raises AssertionError."""
    ends = [(*process.communicate(), process.returncode) for process in started]
    failed = [errors[-2000:] for _, errors, code in ends if code or errors]
    assert not failed, failed
    return [loaded(json.loads(output)) for output, _, _ in ends]


def check(memory: Memory, reports: Sequence[Report]) -> None:
    """What must hold once all have ended. Raises AssertionError."""
    memory.reconcile()
    while memory.idle_step():
        pass
    assert not memory.purge_pending()
    assert memory.verify().problems == ()
    entries = list(memory.export())
    assert [entry.seq for entry in entries] == list(range(len(entries)))
    numbers = [written.entry for report in reports for written in report.written]
    assert len(numbers) == len(set(numbers))
    by_number = {entry.seq: entry for entry in entries}
    gone = set(check_writes(reports, {seq: entry.raw for seq, entry in by_number.items()}))
    assert files_with(Path(memory.project.state_dir), gone) == set()
    journal = b"\n".join(entry.raw for entry in entries if entry.raw is not None)
    assert [mark for report in reports for mark in report.edited if mark.encode() not in journal] == []
    check_lines(reports)
    assert most_at_once(held for report in reports for held in report.held) <= MAX_WORKERS


def check_writes(reports: Sequence[Report], texts: dict[int, bytes | None]) -> Iterator[str]:
    """Each acknowledged text stands under its number, unless a forget came after; gives the tokens that are gone."""
    forgotten: dict[str, list[Span]] = defaultdict(list)
    for report in reports:
        for name, span in report.forgotten:
            forgotten[name].append(span)
    for report in reports:
        for written in report.written:
            spans = forgotten[written.name]
            if any(span.began >= written.span.ended for span in spans):
                assert texts[written.entry] is None, written
                yield written.token
            elif all(span.ended <= written.span.began for span in spans):
                assert written.token.encode() in (texts[written.entry] or b""), written


def check_lines(reports: Sequence[Report]) -> None:
    """A line is stored once; again only after a forget, which drops lines."""
    forgets = [span for report in reports for _, span in report.forgotten]
    stored: dict[str, list[Span]] = defaultdict(list)
    for report in reports:
        for line, span in report.stored:
            stored[line].append(span)
    for line, spans in stored.items():
        assert address.parse(line)
        spans.sort(key=lambda span: span.ended)
        for first, second in pairwise(spans):
            dropped = any(span.ended >= first.began and span.began <= second.ended for span in forgets)
            assert dropped, f"{line} was stored twice"


def most_at_once(spans: Iterable[Span]) -> int:
    """How many spans overlap at most."""
    spans = sorted(spans)
    ends = sorted(span.ended for span in spans)
    return max((number + 1 - bisect_right(ends, span.began) for number, span in enumerate(spans)), default=0)
