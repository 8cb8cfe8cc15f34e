"""What a tool is, what it is given, and the table of tools in fixed order.

The order is part of the frozen request: it never changes within a session.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from acp_server.cancelling import CancelScope
from acp_server.conversation import Conversation
from acp_server.events import Card
from acp_server.memory_threads import ProjectMemory
from acp_server.permissions import Question, Verdict
from acp_server.providers.interface import JsonObject, ToolSpec
from acp_server.seams import Asker, Emit, SessionState


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call came to: `text` for the model (before the output limit), `card` for the editor."""

    text: str
    failed: bool = False
    card: Card = field(default_factory=Card)


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a call may use.

    `memory` is None where the project's memory can't be opened; `memory_fault` then says why. `change` lets
    the running card grow. `permit` asks the person about `card`, or answers at once where an "always"
    covers it; a `flagged` change is always asked. An approved change runs in `scope.protected()`. `emit` and
    `asker` are the turn's, for a tool whose work has calls of its own.
    """

    session: SessionState
    conversation: Conversation
    memory: ProjectMemory | None
    memory_fault: str
    change: Callable[[Card], Awaitable[None]]
    permit: Callable[[Question, Card, bool], Awaitable[Verdict]]
    scope: CancelScope
    emit: Emit
    asker: Asker


class Tool(Protocol):
    """One tool."""

    @property
    def spec(self) -> ToolSpec:
        """What the model is told."""
        ...

    @property
    def opening(self) -> Card:
        """Title and kind of a call whose arguments are still coming."""
        ...

    def describe(self, arguments: JsonObject) -> Card:
        """Title and kind of a call with these arguments, which may be wrong."""
        ...

    async def run(self, arguments: JsonObject, context: ToolContext) -> Outcome:
        """Do it. What goes wrong for the model's or the world's fault is a failed outcome, not an
        exception.
        """
        ...


class Tools:
    """The tools of the agent by name, in the order in which they were given."""

    def __init__(self, tools: Iterable[Tool], together: Iterable[str] = ()) -> None:
        """The first tool of a name keeps it; `together` are those whose calls may run at the same time."""
        self.together = frozenset(together)
        self._by_name: dict[str, Tool] = {}
        for tool in tools:
            self._by_name.setdefault(tool.spec.name, tool)

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """What the model is told of all tools."""
        return tuple(tool.spec for tool in self._by_name.values())

    @property
    def names(self) -> Sequence[str]:
        """The tools' names."""
        return tuple(self._by_name)

    def without(self, name: str) -> Tools:
        """The same tools but for one."""
        return Tools((tool for each, tool in self._by_name.items() if each != name), self.together)

    def get(self, name: str) -> Tool | None:
        """The tool of this name, or None."""
        return self._by_name.get(name)
