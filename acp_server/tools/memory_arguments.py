"""The arguments of the memory tool: which command takes which, and errors that teach. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from acp_server.providers.interface import JsonObject, JsonValue, ToolSpec
from acp_server.sentences import tools as say
from memory_core.exceptions import MemoryFault

COMMANDS: dict[str, tuple[str, ...]] = {
    "view": (),
    "zoom": ("id", "n"),
    "search": ("query",),
    "read": ("path",),
    "write": ("path", "content"),
    "delete": ("path",),
}
_NUMBERS = ("id", "n")
_TEXTS = ("query", "path", "content")
_ADDRESS = re.compile(r"\s*(\d{1,18})\s*\+\s*(\d{1,18})\s*")
_NUMBER = re.compile(r"\s*\d{1,18}\s*")

SPEC = ToolSpec(
    name="memory",
    description=say.MEMORY_DESCRIPTION,
    schema={
        "type": "object",
        "properties": {
            "command": {"type": "string", "enum": list(COMMANDS), "description": say.ARGUMENTS["command"]},
            "id": {"type": "integer", "minimum": 0, "description": say.ARGUMENTS["id"]},
            "n": {"type": "integer", "minimum": 1, "description": say.ARGUMENTS["n"]},
            "query": {"type": "string", "description": say.ARGUMENTS["query"]},
            "path": {"type": "string", "description": say.ARGUMENTS["path"]},
            "content": {"type": "string", "description": say.ARGUMENTS["content"]},
        },
        "required": ["command"],
        "additionalProperties": False,
    },
)


class BadArguments(MemoryFault):
    """A call that the memory tool can't run as it was asked."""


@dataclass(frozen=True, slots=True)
class MemoryCall:
    """A call whose arguments are right; what a command doesn't take is left at its default."""

    command: str
    id: int = 0
    n: int = 1
    query: str = ""
    path: str = ""
    content: str = ""


def parse_call(arguments: JsonObject) -> MemoryCall:
    """The call; raises BadArguments. Arguments that the command doesn't take are ignored."""
    command = _command(arguments)
    given = _with_address_split(arguments) if command == "zoom" else arguments
    needed = COMMANDS[command]
    for name in needed:
        if given.get(name) is None:
            raise BadArguments(*say.argument_missing(command, name, " and ".join(needed)))
    numbers = [_number(command, name, given[name]) if name in needed else None for name in _NUMBERS]
    texts = [_text(command, name, given[name]) if name in needed else "" for name in _TEXTS]
    if command == "search" and not texts[0].strip():
        raise BadArguments(*say.query_empty())
    return MemoryCall(command, numbers[0] or 0, 1 if numbers[1] is None else numbers[1], *texts)


def _command(arguments: JsonObject) -> str:
    known = ", ".join(COMMANDS)
    command = arguments.get("command")
    if command is None:
        raise BadArguments(*say.command_missing(known))
    if not isinstance(command, str) or command not in COMMANDS:
        raise BadArguments(*say.no_command(str(command)[:40], known))
    return command


def _with_address_split(arguments: JsonObject) -> JsonObject:
    """A whole address in `id`, such as "368+8", stands for both numbers."""
    found = _ADDRESS.fullmatch(str(arguments.get("id")))
    return arguments if found is None else {**arguments, "id": int(found[1]), "n": int(found[2])}


def _number(command: str, name: str, value: JsonValue) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return int(value)
    raise BadArguments(*say.argument_not_number(command, name))


def _text(command: str, name: str, value: JsonValue) -> str:
    if isinstance(value, str):
        return value
    raise BadArguments(*say.argument_not_text(command, name))
