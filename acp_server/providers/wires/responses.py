"""OpenAI Responses: the events of a stream. Pure.

An answer has ended well with `response.completed` or `response.incomplete` and with nothing else. Nothing is stored at
the server, so reasoning goes back as the encrypted items that the answer brought, beside the messages and calls that
followed them. An item counts as its `done` event gives it; where a server sends no deltas, that is all there is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from acp_server.models.values import Model, Wire
from acp_server.providers.faults import FaultKind, WireFault
from acp_server.providers.interface import (
    CallReady,
    CallStarted,
    JsonObject,
    Native,
    ProviderEvent,
    StopReason,
    ToolCall,
    Usage,
)
from acp_server.providers.wires.answer import Answer, native, settled
from acp_server.providers.wires.errors import error_of, fault_in_stream
from acp_server.providers.wires.fields import number, rows, table, text
from acp_server.providers.wires.heads import BEARER, heads
from acp_server.providers.wires.responses_building import build, item_text
from acp_server.providers.wires.typed_events import ERROR, Handler, TypedEvents

__all__ = ["Parser", "build", "error_of", "headers", "path"]

INCOMPLETE: Mapping[str, StopReason] = {
    "content_filter": StopReason.REFUSAL,
    "max_output_tokens": StopReason.MAX_TOKENS,
}
"""Why a response stays incomplete; for another reason it counts as cut by length."""


def path(_: Model) -> str:
    """Where the base URL takes requests."""
    return "/responses"


def headers(model: Model, key: str | None) -> dict[str, str]:
    """The headers of a request."""
    return heads(model, key, BEARER)


class Parser(TypedEvents):
    """The events of one stream, in the agent's own words. Raises WireFault."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._refused = False
        self._calls: dict[str, ToolCall] = {}
        self._pieces: dict[str, list[str]] = {}
        self._ready: set[str] = set()
        self._items: dict[str, JsonObject] = {}
        self._spoken: set[str] = set()
        self._speaker = ""
        handlers: Mapping[str, Handler] = {
            ERROR: self._failed,
            "response.cancelled": self._cancelled,
            "response.completed": self._completed,
            "response.failed": self._failed,
            "response.function_call_arguments.delta": self._arguments,
            "response.incomplete": self._incomplete,
            "response.output_item.added": self._added,
            "response.output_item.done": self._item_done,
            "response.output_text.delta": self._text,
            "response.reasoning_summary_part.added": self._thought_part,
            "response.reasoning_summary_text.delta": self._thought,
            "response.reasoning_text.delta": self._thought,
            "response.refusal.delta": self._refusal,
        }
        super().__init__(Answer(), handlers)

    def _text(self, fields: JsonObject) -> list[ProviderEvent]:
        return self._say(_place(fields), text(fields, "delta"))

    def _refusal(self, fields: JsonObject) -> list[ProviderEvent]:
        self._refused = True
        return self._text(fields)

    def _say(self, place: str, piece: str) -> list[ProviderEvent]:
        if place != self._speaker:
            self._answer.paragraph()
        self._speaker = place
        self._spoken.add(place)
        return self._answer.say(piece)

    def _thought(self, fields: JsonObject) -> list[ProviderEvent]:
        return self._answer.think(text(fields, "delta"))

    def _thought_part(self, fields: JsonObject) -> list[ProviderEvent]:
        return self._answer.think("\n\n") if number(fields, "summary_index") else []

    def _added(self, fields: JsonObject) -> list[ProviderEvent]:
        item = table(fields, "item")
        return self._begin(_place(fields), item) if text(item, "type") == "function_call" else []

    def _begin(self, place: str, item: JsonObject) -> list[ProviderEvent]:
        if place in self._calls:
            return []
        call = ToolCall(self._answer.new_id(text(item, "call_id") or text(item, "id")), text(item, "name"), "")
        self._calls[place] = call
        return [CallStarted(call.id, call.name)]

    def _arguments(self, fields: JsonObject) -> list[ProviderEvent]:
        self._pieces.setdefault(_place(fields), []).append(text(fields, "delta"))
        return []

    def _item_done(self, fields: JsonObject) -> list[ProviderEvent]:
        return self._whole(_place(fields), table(fields, "item"))

    def _whole(self, place: str, item: JsonObject) -> list[ProviderEvent]:
        """An item as it is in the end: what of it no delta brought comes now."""
        self._items[place] = item
        match text(item, "type"):
            case "function_call":
                events = self._begin(place, item)
                self._pieces[place] = [text(item, "arguments") or "".join(self._pieces.get(place, ()))]
                self._ready.add(place)
                return [*events, CallReady(self._call(place))]
            case "message" if place not in self._spoken:
                self._refused = self._refused or any(text(part, "refusal") for part in rows(item, "content"))
                return self._say(place, item_text(item))
        return []

    def _call(self, place: str) -> ToolCall:
        call = self._calls[place]
        return ToolCall(call.id, call.name, "".join(self._pieces.get(place, ())))

    def _completed(self, fields: JsonObject) -> list[ProviderEvent]:
        return self._end(table(fields, "response"), StopReason.END_TURN)

    def _incomplete(self, fields: JsonObject) -> list[ProviderEvent]:
        response = table(fields, "response")
        reason = text(table(response, "incomplete_details"), "reason")
        return self._end(response, INCOMPLETE.get(reason, StopReason.MAX_TOKENS))

    def _failed(self, fields: JsonObject) -> list[ProviderEvent]:
        raise fault_in_stream(table(fields, "response") or fields)

    def _cancelled(self, _: JsonObject) -> list[ProviderEvent]:
        raise WireFault(FaultKind.CUT_OFF)

    def _end(self, response: JsonObject, reason: StopReason) -> list[ProviderEvent]:
        events: list[ProviderEvent] = []
        if not (self._items or self._spoken or self._calls):
            for index, item in enumerate(rows(response, "output")):
                events += self._whole(str(index), item)
        cut = [self._call(place) for place in self._calls if place not in self._ready]
        reason = settled(reason, refused=self._refused, called=bool(self._calls))
        return [*events, *self._answer.end(reason, cut, usage(table(response, "usage")), self._native())]

    def _native(self) -> Native | None:
        items = list(self._kept())
        needed = any(text(item, "type") == "reasoning" or text(item, "phase") for item in items)
        return native(Wire.RESPONSES, self._model.value, items) if needed else None

    def _kept(self) -> Iterator[JsonObject]:
        """The items that can go back: reasoning only as it was encrypted, calls under the ids they have here."""
        for place, item in self._items.items():
            kept: JsonObject = {name: value for name, value in item.items() if value is not None}
            match text(item, "type"):
                case "reasoning" if text(item, "encrypted_content"):
                    yield kept
                case "message":
                    yield kept
                case "function_call":
                    yield {**kept, "call_id": self._calls[place].id}


def _place(fields: JsonObject) -> str:
    """Which item an event is of: its place in the output, else its id."""
    index = number(fields, "output_index")
    return str(index) if index is not None else text(fields, "item_id") or text(table(fields, "item"), "id")


def usage(found: JsonObject) -> Usage | None:
    """Tokens as Responses counts them, None where it didn't."""
    if not found:
        return None
    taken = number(found, "input_tokens") or 0
    return Usage(
        input_tokens=taken,
        cached_tokens=min(number(table(found, "input_tokens_details"), "cached_tokens") or 0, taken),
        output_tokens=number(found, "output_tokens") or 0,
        cache_write_tokens=number(table(found, "input_tokens_details"), "cache_write_tokens") or 0,
        reasoning_tokens=number(table(found, "output_tokens_details"), "reasoning_tokens") or 0,
    )
