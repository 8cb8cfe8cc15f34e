"""Who writes a project's lines now: chosen anew for each session that runs them and at each switch of its model.

What was chosen holds until then, a sentence why nobody can write too: summaries pause until the next switch or the next
session. A line that is being written keeps the writer that it began with.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from acp_server.line_writers import LineWriter
from acp_server.memory_threads import ProjectMemory
from acp_server.seams import SessionState

Choose = Callable[[str, SessionState], LineWriter | str | None]
"""The writer for a project's id and the session that runs it; None for the embedded one, a sentence for none at all."""


@dataclass(slots=True)
class _Chosen:
    session: SessionState
    model: str
    choice: LineWriter | str


class Choices:
    """The choices of all projects."""

    def __init__(self, default: LineWriter, choose: Choose | None) -> None:
        """`default` writes where nobody chooses, and where the embedded one is chosen."""
        self._default = default
        self._choose = choose
        self._chosen: dict[ProjectMemory, _Chosen] = {}

    def run_by(self, memory: ProjectMemory, session: SessionState) -> bool:
        """From now on this session runs the project's lines; whether its writer was chosen anew."""
        held = self._chosen.get(memory)
        if held is not None and held.session.session_id == session.session_id and held.model == session.model:
            return False
        self._chosen[memory] = _Chosen(session, session.model, self._anew(memory, session))
        return True

    def is_run_by(self, memory: ProjectMemory, session: SessionState) -> bool:
        """Whether this session runs the project's lines."""
        held = self._chosen.get(memory)
        return held is not None and held.session.session_id == session.session_id

    def now(self, memory: ProjectMemory) -> LineWriter | str:
        """Who writes the project's next line, or why nobody does."""
        held = self._chosen.get(memory)
        if held is None:
            return self._default
        self.run_by(memory, held.session)
        return self._chosen[memory].choice

    def unavailable(self, memory: ProjectMemory, writer: LineWriter, sentence: str) -> None:
        """A writer turned out to be none."""
        held = self._chosen.get(memory)
        if held is not None and held.choice is writer:
            held.choice = sentence

    def let_go(self, memory: ProjectMemory) -> None:
        """The project's memory is closed."""
        self._chosen.pop(memory, None)

    def _anew(self, memory: ProjectMemory, session: SessionState) -> LineWriter | str:
        choice = None if self._choose is None else self._choose(memory.project_id, session)
        return self._default if choice is None else choice
