"""The arguments of the tools that look at files: their kinds, and errors that teach. Pure."""

from __future__ import annotations

from acp_server.providers.interface import JsonObject, JsonValue
from acp_server.sentences import workspace as say
from acp_server.workspace.faults import WorkspaceFault


class Arguments:
    """The arguments of one call. Everything raises WorkspaceFault."""

    def __init__(self, tool: str, given: JsonObject, known: tuple[str, ...]) -> None:
        """Refuses an argument that the tool doesn't have: a model that means it would be misled by silence."""
        self._tool = tool
        self._given = given
        for name in given:
            if name not in known:
                raise WorkspaceFault(*say.argument_unknown(tool, name, ", ".join(known)))

    def text(self, name: str, default: str | None = None) -> str:
        """A text; without a default it must be there and hold something."""
        value = self._value(name)
        if value is None and default is not None:
            return default
        if value is None or (default is None and value == ""):
            raise WorkspaceFault(*say.argument_missing(self._tool, name))
        if not isinstance(value, str):
            raise WorkspaceFault(*say.argument_wrong(self._tool, name, say.TEXT))
        return value

    def number(self, name: str, default: int) -> int:
        """A whole number from 1 on; one that came as a text or as 3.0 is taken as it is meant."""
        value = self._value(name)
        if value is None:
            return default
        if isinstance(value, str) and value.strip().isdecimal():
            value = int(value[:18])
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise WorkspaceFault(*say.argument_wrong(self._tool, name, say.NUMBER))
        return value

    def flag(self, name: str) -> bool:
        """True or false; false where it is left out."""
        value = self._value(name)
        if value is None:
            return False
        if not isinstance(value, bool):
            raise WorkspaceFault(*say.argument_wrong(self._tool, name, say.YES_OR_NO))
        return value

    def _value(self, name: str) -> JsonValue:
        return self._given.get(name)


def shown_text(arguments: JsonObject, name: str, default: str = "") -> str:
    """An argument for a title, whatever was sent."""
    value = arguments.get(name)
    return value if isinstance(value, str) and value else default
