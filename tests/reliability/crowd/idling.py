"""An agent whose sessions wait for their next prompt: what it costs meanwhile, as Linux counts it."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from tests.harness import AgentProcess

SESSIONS = 5
SETTLED_SECONDS = 4.0
"""After the last turn; by then what waited for an idle moment is done."""


@dataclass(frozen=True, slots=True)
class Idle:
    """Time of the processor in ms, and how often a thread woke up, within `seconds`."""

    seconds: float
    cpu_ms: float
    woken: int


def idle(folder: Path, seconds: float) -> Idle:
    """A real agent with sessions that have had a turn each, left alone for so long."""
    real: dict[str, str | None] = dict.fromkeys(("CAUDRA_TEST", "CAUDRA_TEST_CLOCK", "CAUDRA_TEST_IDS"))
    with AgentProcess(folder, doors=None, env=real) as agent:
        agent.initialize()
        for session in [agent.new_session() for _ in range(SESSIONS)]:
            agent.prompt(session, "hello")
        time.sleep(SETTLED_SECONDS)
        pid = agent.process.pid
        before, woken = _cpu_ms(pid), _woken(pid)
        time.sleep(seconds)
        return Idle(seconds, _cpu_ms(pid) - before, _woken(pid) - woken)


def _cpu_ms(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def _woken(pid: int) -> int:
    """Voluntary switches of all threads: each is a wait that ended."""
    found = 0
    for status in Path(f"/proc/{pid}/task").glob("*/status"):
        lines = status.read_text("utf-8").splitlines()
        found += sum(int(line.split()[1]) for line in lines if line.startswith("voluntary_ctxt_switches"))
    return found
