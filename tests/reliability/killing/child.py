"""The writer as a process: forked with its modules imported and no database open, so that a kill costs milliseconds.

It acknowledges each step on a pipe. A hook at every named point notes, in memory shared with the parent, whether the
lock is held, and ends the process at the point that was asked for.
"""

from __future__ import annotations

import mmap
import os
import random
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from memory_core import Memory, faults
from tests.reliability.killing.steps import BUDGET, VERBS, Step

HELD_FROM = frozenset({"transaction.begun", "migration.step", "migration.done"})
HELD_UNTIL = frozenset({"transaction.committed", "transaction.undone"})
DEADLINE_SECONDS = 60.0

Ready = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Moment:
    """A kill from outside: after so many acknowledgements, and then at any time within so many seconds."""

    acknowledged: int
    seconds: float


@dataclass(frozen=True, slots=True)
class At:
    """A kill at a named point, reached for the n-th time from step `step` on (-1: from the opening on)."""

    step: int
    point: str
    times: int


@dataclass(frozen=True, slots=True)
class Ended:
    """How a writer ended: whether it opened, the steps acknowledged, whether it was killed and held the lock then."""

    opened: bool
    acknowledged: int
    killed: bool
    held: bool


class _Hook:
    """Told of every point: keeps the phase for the parent, and kills."""

    def __init__(self, phase: mmap.mmap) -> None:
        self._phase = phase
        self.kill: faults.Kill | None = None

    def __call__(self, point: str) -> None:
        if point in HELD_FROM:
            self._phase[0] = 1
        elif point in HELD_UNTIL:
            self._phase[0] = 0
        if self.kill is not None:
            self.kill(point)


def run(project: Path, state: Path, steps: Sequence[Step], when: Moment | At, ready: Ready) -> Ended:
    """Forks a writer, has it killed, and gives how it ended. `ready` is called in it before anything else.

    Raises AssertionError where the writer failed by itself.
    """
    phase = mmap.mmap(-1, 1)
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        _be_writer(project, state, steps, when, ready, _Hook(phase), writing)
    os.close(writing)
    try:
        said = _follow(pid, reading, when if isinstance(when, Moment) else None)
    finally:
        os.close(reading)
        _, status = os.waitpid(pid, 0)
    words = said.decode().split("\n")
    assert not any(word.startswith("!") for word in words), said.decode()
    acknowledged = [word for word in words if word]
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    return Ended(bool(acknowledged), max(0, len(acknowledged) - 1), killed, bool(phase[0]))


def _follow(pid: int, reading: int, moment: Moment | None) -> bytes:
    """Reads to the end of the pipe, and kills in between where a moment is asked for."""
    said = b""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while select.select([reading], [], [], max(0.0, deadline - time.monotonic()))[0]:
        part = os.read(reading, 4096)
        if not part:
            return said
        said += part
        if moment is not None and said.count(b"\n") > moment.acknowledged:
            time.sleep(random.uniform(0, moment.seconds))
            os.kill(pid, signal.SIGKILL)
            moment = None
    os.kill(pid, signal.SIGKILL)
    raise AssertionError(f"the writer hangs; it said {said!r}")


def _be_writer(
    project: Path, state: Path, steps: Sequence[Step], when: Moment | At, ready: Ready, hook: _Hook, writing: int
) -> NoReturn:
    try:
        faults.watch(hook)
        ready()
        kill = faults.Kill(f"{when.point}:{when.times}") if isinstance(when, At) else None
        at = when.step if isinstance(when, At) else len(steps)
        hook.kill = kill if at < 0 else None
        with Memory.open(project, state_dir=state, budget=BUDGET) as memory:
            os.write(writing, b"open\n")
            for number, step in enumerate(steps):
                hook.kill = kill if number >= at else hook.kill
                VERBS[step.verb](memory, step)
                os.write(writing, b"%d\n" % number)
            if isinstance(when, Moment):
                select.select([], [], [])  # the kill comes
    except BaseException:  # noqa: BLE001 -- told to the parent, which raises
        os.write(writing, f"!{traceback.format_exc()}".encode())
    sys.stdout.flush()
    os._exit(0)
