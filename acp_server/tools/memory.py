"""The one tool `memory`: six commands over the project's memory.

Reading commands run at once. `write` and `delete` go through `memory_changes.py`, which asks the person.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from acp_server.caller import run_by_agent
from acp_server.cards import error_card, result_card
from acp_server.events import Card
from acp_server.markdown import plain_title, shown
from acp_server.memory_threads import ProjectMemory
from acp_server.providers.interface import JsonObject, ToolSpec
from acp_server.sentences import cards as say
from acp_server.sentences.cli import AGENT_MAY_NOT
from acp_server.tools.memory_arguments import COMMANDS, SPEC, MemoryCall, parse_call
from acp_server.tools.memory_changes import delete_note, write_note
from acp_server.tools.memory_text import error_text, model_text
from acp_server.tools.registry import Outcome, ToolContext
from memory_core.exceptions import MemoryFault, StateUnavailable
from memory_core.results import Entry, EntryKind

Handler = Callable[[MemoryCall, ToolContext, ProjectMemory], Awaitable[Outcome]]

KINDS = {
    "view": "read",
    "zoom": "read",
    "search": "search",
    "read": "read",
    "write": "edit",
    "delete": "delete",
}

_CHANGING = frozenset({"edit", "delete"})

_TITLES: dict[str, Callable[[JsonObject], str]] = {
    "view": lambda _: say.VIEW_TITLE,
    "zoom": lambda given: say.zoom_title(_address(given)),
    "search": lambda given: say.search_title(_given(given, "query")),
    "read": lambda given: say.read_title(_given(given, "path")),
    "write": lambda given: say.write_title(_given(given, "path")),
    "delete": lambda given: say.delete_title(_given(given, "path")),
}


class MemoryTool:
    """The memory as a model calls it."""

    spec: ToolSpec = SPEC
    opening = Card(title=say.MEMORY, kind="read")

    def describe(self, arguments: JsonObject) -> Card:
        """Title and kind; a call that can't be right keeps the plain title."""
        command = arguments.get("command")
        if not isinstance(command, str) or command not in COMMANDS:
            return self.opening
        return Card(title=plain_title(_TITLES[command](arguments)), kind=KINDS[command])

    async def run(self, arguments: JsonObject, context: ToolContext) -> Outcome:
        """Run one command; every fault of the memory is a failed outcome."""
        try:
            call = parse_call(arguments)
            if KINDS[call.command] in _CHANGING and run_by_agent():
                raise MemoryFault(AGENT_MAY_NOT)
            if context.memory is None:
                raise StateUnavailable(context.memory_fault)
            return await _HANDLERS[call.command](call, context, context.memory)
        except MemoryFault as fault:
            card = error_card(str(arguments.get("command") or ""), fault)
            return Outcome(shown(error_text(fault)), failed=True, card=card)


async def _view(_: MemoryCall, __: ToolContext, memory: ProjectMemory) -> Outcome:
    return _outcome(await memory.read(lambda door: door.view()))


async def _zoom(call: MemoryCall, context: ToolContext, memory: ProjectMemory) -> Outcome:
    result = await memory.read(lambda door: door.zoom(call.id, call.n))
    if isinstance(result, Entry) and result.kind is EntryKind.NOTE:
        context.conversation.learn(result.name, result.seq)
    return _outcome(result)


async def _search(call: MemoryCall, _: ToolContext, memory: ProjectMemory) -> Outcome:
    return _outcome(await memory.read(lambda door: door.search(call.query)))


async def _read(call: MemoryCall, context: ToolContext, memory: ProjectMemory) -> Outcome:
    note = await memory.read(lambda door: door.read(call.path))
    context.conversation.learn(note.name, note.seq)
    return _outcome(note)


_HANDLERS: dict[str, Handler] = {
    "view": _view,
    "zoom": _zoom,
    "search": _search,
    "read": _read,
    "write": write_note,
    "delete": delete_note,
}


def _outcome(result: object) -> Outcome:
    return Outcome(model_text(result), card=result_card(result))


def _given(arguments: JsonObject, name: str) -> str:
    value = arguments.get(name)
    return value if isinstance(value, str) else ""


def _address(arguments: JsonObject) -> str:
    first, count = arguments.get("id"), arguments.get("n")
    return str(first) if isinstance(first, str) and "+" in first else f"{first}+{count}"
