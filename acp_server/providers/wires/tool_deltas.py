"""Calls of Chat Completions, put together from their deltas. Pure.

The inventor's rule is that `index` says which call a delta belongs to, with id and name in the first one alone.
Servers leave out the index, give every call index 0, repeat id and name, or give no id at all. So a delta is looked up
by its index, without one by its id, and without either it belongs to the newest call. It begins a call where that finds
none, and where it can't be part of what was found: it brings another id, or another name, or the name again with a new
object after arguments that are whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from acp_server.providers.interface import CallStarted, JsonObject, JsonValue, ToolCall
from acp_server.providers.wires.arguments import as_text, written
from acp_server.providers.wires.fields import number, table, text


@dataclass(slots=True)
class Building:
    """A call whose arguments are still coming; `extra` is what the server wants back beside them."""

    id: str
    given_id: str
    name: str = ""
    announced: bool = False
    pieces: list[str] = field(default_factory=list)
    extra: JsonObject = field(default_factory=dict)

    @property
    def call(self) -> ToolCall:
        """The call as far as it came."""
        return ToolCall(self.id, self.name, "".join(self.pieces))

    def goes_on(self, given_id: str, name: str, piece: str) -> bool:
        """Whether a delta that was found to be of this call can be."""
        if given_id and self.given_id:
            return given_id == self.given_id
        if not (name and self.name):
            return True
        return name == self.name and not (piece.lstrip().startswith("{") and self._whole())

    def _whole(self) -> bool:
        if not (self.pieces and self.pieces[-1].rstrip().endswith("}")):
            return False
        try:
            json.loads("".join(self.pieces))
        except (ValueError, RecursionError):
            return False
        return True


class ToolDeltas:
    """The calls of one answer, in the order they began. `new_id` gives each an id of its own."""

    def __init__(self, new_id: Callable[[str], str]) -> None:
        self.calls: list[Building] = []
        self._new_id = new_id
        self._by_index: dict[int, Building] = {}
        self._by_id: dict[str, Building] = {}

    def take(self, delta: JsonObject) -> list[CallStarted]:
        """One delta; says so where a call has its name now."""
        function = table(delta, "function")
        name, piece = text(function, "name"), _piece(function.get("arguments"))
        call = self._call(number(delta, "index"), text(delta, "id"), name, piece)
        call.name = call.name or name
        if piece:
            call.pieces.append(piece)
        if extra := table(delta, "extra_content"):
            call.extra = extra
        if call.announced or not call.name:
            return []
        call.announced = True
        return [CallStarted(call.id, call.name)]

    def _call(self, index: int | None, given_id: str, name: str, piece: str) -> Building:
        if index is not None:
            call = self._by_index.get(index)
        elif given_id:
            call = self._by_id.get(given_id)
        else:
            call = self.calls[-1] if self.calls else None
        if call is not None and call.goes_on(given_id, name, piece):
            return call
        return self._begin(index, given_id)

    def _begin(self, index: int | None, given_id: str) -> Building:
        call = Building(self._new_id(given_id), given_id)
        self.calls.append(call)
        if index is not None:
            self._by_index[index] = call
        if given_id:
            self._by_id[given_id] = call
        return call

    def messages(self) -> list[JsonValue]:
        """The calls as the message of the model holds them."""
        return [_message(each) for each in self.calls]


def message_call(call: ToolCall) -> JsonObject:
    """A call as it goes back."""
    function: JsonObject = {"name": call.name, "arguments": as_text(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}


def _message(building: Building) -> JsonObject:
    message = message_call(building.call)
    return {**message, "extra_content": building.extra} if building.extra else message


def _piece(arguments: JsonValue) -> str:
    """Arguments as text: some servers send the object itself."""
    if isinstance(arguments, dict):
        return written(arguments)
    return arguments if isinstance(arguments, str) else ""
