"""A process that holds the lock: writers wait and succeed, readers go on meanwhile."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from memory_core import Memory
from memory_core.database import FILE_NAME
from tests.reliability.crowd import crowds
from tests.reliability.crowd.reports import Report

HOLDER = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
db.execute("COMMIT")
"""
WRITERS = 4
READ_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Held:
    """What happened while the lock was held: for how long, how often was read, the slowest read, the longest wait."""

    seconds: float
    reads: int
    slowest_read_ms: float
    longest_wait_ms: float


def hold(project: Path, state: Path, seconds: float) -> Held:
    """Holds the lock until the readers have ended, and for so long after that. Raises AssertionError."""
    with Memory.open(project, state_dir=state) as memory:
        for number in range(4):
            memory.write(f"shared-{number}", "word " * 200)
        memory.reconcile()
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(state / FILE_NAME)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with holder:
        assert holder.stdout is not None and holder.stdin is not None
        assert holder.stdout.readline() == b"held\n"
        began = time.monotonic_ns()
        writers = crowds.start(project, state, [("write", 1)] * WRITERS)
        readers = crowds.ended(crowds.start(project, state, [("read", READ_SECONDS)] * 2))
        time.sleep(seconds)
        released = time.monotonic_ns()
        holder.stdin.close()
        wrote = crowds.ended(writers)
    assert all(written.span.ended > released for report in wrote for written in report.written)
    with Memory.open(project, state_dir=state) as memory:
        crowds.check(memory, wrote)
    return Held(
        seconds=(released - began) / 1e9,
        reads=sum(sum(report.counts.values()) for report in readers),
        slowest_read_ms=max(_slowest_ns(report) for report in readers) / 1e6,
        longest_wait_ms=max(each.span.ended - each.span.began for report in wrote for each in report.written) / 1e6,
    )


def _slowest_ns(report: Report) -> int:
    return max(report.slow.values())
