"""How soon an editor has its first answers: a new process each time, against a bare interpreter and a bare agent."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from memory_core import Memory
from tests.benchmarks import echo_agent
from tests.benchmarks.client import Spawned, reaped_cpu_ms
from tests.benchmarks.installation import install
from tests.benchmarks.notefiles import write_notes
from tests.benchmarks.shape import Measured, Sample, Settings, Side, Statistic

NOTES = 3000
NOTES_QUICK = 300
ROUNDS = 15
FIRST_PROMPT = "Hello"
SECOND_PROMPT = "Thank you"
PYTHON = "`python -c pass`"
ECHO = "a bare echo agent on the protocol's library"
INITIALIZE_LIMIT = 3.0
NEW_SESSION_LIMIT = 0.25
FIRST_CHUNK_LIMIT = 1.25
SECOND_CHUNK_LIMIT_MS = 15.0

Steps = Callable[[Spawned], float]


def measure(settings: Settings) -> list[Measured]:
    """The four moments of a start, each in processes of its own but the last, which follows the third."""
    start = Start(settings)
    found: dict[str, list[Sample]] = {name: [] for name in ("initialize", "session", "chunk", "second")}
    for _ in range(settings.rounds_of(ROUNDS)):
        found["initialize"] += [start.python(), start.sample(Side.OURS, start.initialized)]
        found["session"] += [start.sample(side, start.session_opened) for side in Side]
        found["chunk"] += [start.sample(side, start.first_chunk) for side in Side]
        found["second"].append(start.sample(Side.OURS, start.second_chunk, cpu=False))
    notes = settings.size_of(NOTES, NOTES_QUICK)
    return [
        _row("initialize", "Spawn to the answer of `initialize`", PYTHON, INITIALIZE_LIMIT, found["initialize"]),
        _row("session", "Spawn to the answer of `session/new`", ECHO, NEW_SESSION_LIMIT, found["session"]),
        _row(
            "chunk",
            f"Spawn to the first chunk of the first prompt, {notes:,} notes",
            ECHO,
            FIRST_CHUNK_LIMIT,
            found["chunk"],
        ),
        _row("second", "First chunk of the second prompt", None, SECOND_CHUNK_LIMIT_MS, found["second"]),
    ]


def _row(name: str, what: str, floor: str | None, limit: float, samples: list[Sample]) -> Measured:
    return Measured(f"start.{name}", what, floor, "ms", Statistic.MINIMUM, limit, tuple(samples))


class Start:
    """What is spawned, and the moments that are waited for."""

    def __init__(self, settings: Settings) -> None:
        """Make the environment, and a project whose notes are imported and summarized."""
        self._python = str(install(settings.folder / "venv"))
        self._project = settings.folder / "project"
        self._project.mkdir()
        state = settings.folder / "state"
        _remember(self._project, state, settings.size_of(NOTES, NOTES_QUICK))
        self._environ = {"PATH": "/usr/bin:/bin", "HOME": str(settings.folder), "CAUDRA_STATE_DIR": str(state)}
        self._commands = {
            Side.FLOOR: [self._python, echo_agent.__file__],
            Side.OURS: [self._python, "-m", "acp_server"],
        }
        for side in Side:
            self.sample(side, self.first_chunk)

    def python(self) -> Sample:
        """A bare interpreter, from its spawn to its end."""
        began = perf_counter()
        process = subprocess.Popen([self._python, "-c", "pass"], env=self._environ)
        cpu_ms = reaped_cpu_ms(process)
        return Sample(Side.FLOOR, (perf_counter() - began) * 1000, cpu_ms)

    def sample(self, side: Side, steps: Steps, *, cpu: bool = True) -> Sample:
        """One new process, taken through steps that end with the time to be noted."""
        with Spawned(self._commands[side], self._environ) as agent:
            value = steps(agent)
        return Sample(side, value, agent.cpu_ms if cpu else None)

    def initialized(self, agent: Spawned) -> float:
        """Milliseconds from the spawn to the first answer."""
        agent.initialize()
        return agent.elapsed_ms

    def session_opened(self, agent: Spawned) -> float:
        """Milliseconds from the spawn to a session."""
        agent.initialize()
        agent.new_session(str(self._project))
        return agent.elapsed_ms

    def first_chunk(self, agent: Spawned) -> float:
        """Milliseconds from the spawn to the first words."""
        agent.initialize()
        agent.prompt(agent.new_session(str(self._project)), FIRST_PROMPT)
        return agent.elapsed_ms

    def second_chunk(self, agent: Spawned) -> float:
        """Milliseconds from the second prompt to its first words."""
        agent.initialize()
        session = agent.new_session(str(self._project))
        agent.prompt(session, FIRST_PROMPT)()
        asked = agent.elapsed_ms
        agent.prompt(session, SECOND_PROMPT)
        return agent.elapsed_ms - asked


def _remember(project: Path, state: Path, notes: int) -> None:
    """Import notes, write every line and let the word index catch up."""
    with Memory.open(project, state_dir=state) as memory:
        memories = Path(memory.project.memories)
        memories.rmdir()
        write_notes(memories, notes)
        assert memory.reconcile().imported == notes
        memory._ground.writer.execute("PRAGMA synchronous = OFF")
        while pending := memory.pending_lines(64):
            for line in pending:
                memory.store_line(line.address, f"{line.address} in a few words"[:500], model="bench")
        while memory.idle_step():
            pass
