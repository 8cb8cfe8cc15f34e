"""OpenAI Chat Completions, as its inventor and its many compatible servers speak it: the events of a stream. Pure.

An answer has ended well where a `finish_reason` came or `[DONE]`: servers leave out either. Usage comes after the
reason, so the last events wait for `[DONE]` or the end of the stream.
"""

from __future__ import annotations

from collections.abc import Mapping

from acp_server.models.values import Model, Wire
from acp_server.providers.faults import FaultKind, WireFault
from acp_server.providers.interface import JsonObject, Native, ProviderEvent, StopReason, Usage
from acp_server.providers.wires.answer import Answer, native, settled
from acp_server.providers.wires.chat_building import build
from acp_server.providers.wires.errors import error_of, fault_in_stream
from acp_server.providers.wires.fields import number, read, rows, table, text
from acp_server.providers.wires.heads import BEARER, heads
from acp_server.providers.wires.reasoning import THOUGHT_ENDS, Details, thinking
from acp_server.providers.wires.tool_deltas import ToolDeltas

__all__ = ["Parser", "build", "error_of", "headers", "path"]

REASONS: Mapping[str, StopReason] = {
    "content_filter": StopReason.REFUSAL,
    "function_call": StopReason.TOOL_USE,
    "length": StopReason.MAX_TOKENS,
    "max_tokens": StopReason.MAX_TOKENS,
    "model_length": StopReason.MAX_TOKENS,
    "refusal": StopReason.REFUSAL,
    "safety": StopReason.REFUSAL,
    "sensitive": StopReason.REFUSAL,
    "tool_calls": StopReason.TOOL_USE,
}
"""What `finish_reason` says, in small letters; one that isn't here ends the turn as `stop` does."""

FAULTS: Mapping[str, FaultKind] = {
    "abort": FaultKind.CUT_OFF,
    "error": FaultKind.STREAM_ERROR,
    "insufficient_system_resource": FaultKind.OVERLOADED,
    "network_error": FaultKind.SERVER_ERROR,
}
"""Reasons to finish that are none: the answer isn't whole."""

PLAIN = frozenset({"content", "role"})
"""A delta with nothing else is text, unless its content is a list: nearly all are, so they take the short way."""

DONE = "[DONE]"


def path(_: Model) -> str:
    """Where the base URL takes requests."""
    return "/chat/completions"


def headers(model: Model, key: str | None) -> dict[str, str]:
    """The headers of a request."""
    return heads(model, key, BEARER)


class Parser:
    """The events of one stream, in the agent's own words. Raises WireFault."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._answer = Answer()
        self._calls = ToolDeltas(self._answer.new_id)
        self._details = Details()
        self._thoughts: list[str] = []
        self._usage: Usage | None = None
        self._reason: StopReason | None = None
        self._refused = False

    def feed(self, event: str, data: str) -> list[ProviderEvent]:
        """What one event of the stream says."""
        if self._answer.ended or not data.strip():
            return []
        if data.strip() == DONE:
            return self._end(self._reason or StopReason.END_TURN)
        chunk = read(data)
        if chunk.get("error") or event == "error" or chunk.get("object") == "error":
            raise fault_in_stream(chunk)
        events: list[ProviderEvent] = []
        self._count(chunk)
        for choice in rows(chunk, "choices"):
            if not choice.get("index"):
                events += self._choice(choice)
        return events

    def end(self) -> list[ProviderEvent]:
        """What the end of the stream says."""
        if self._answer.ended:
            return []
        if self._reason is None:
            raise WireFault(FaultKind.CUT_OFF)
        return self._end(self._reason)

    def _choice(self, choice: JsonObject) -> list[ProviderEvent]:
        if choice.get("error"):
            raise fault_in_stream(choice)
        delta = table(choice, "delta") or table(choice, "message")
        events = self._words(delta)
        if delta.get("tool_calls"):
            for call in rows(delta, "tool_calls"):
                events += self._calls.take(call)
        self._count(choice)
        if finish := text(choice, "finish_reason").lower():
            if fault := FAULTS.get(finish):
                raise WireFault(fault, text(choice, "native_finish_reason"))
            self._reason = REASONS.get(finish, StopReason.END_TURN)
        return events

    def _words(self, delta: JsonObject) -> list[ProviderEvent]:
        if delta.keys() <= PLAIN and isinstance(content := delta.get("content"), str):
            return self._answer.say(content.removeprefix(THOUGHT_ENDS))
        details = rows(delta, "reasoning_details")
        self._details.take(details)
        thought, said = thinking(delta, details, self._model.endpoint.quirks.reasoning_fields)
        self._thoughts.append(thought)
        refusal = text(delta, "refusal")
        self._refused = self._refused or bool(refusal)
        return [*self._answer.think(thought), *self._answer.say(said), *self._answer.say(refusal)]

    def _count(self, holder: JsonObject) -> None:
        if found := table(holder, "usage") or table(table(holder, "x_groq"), "usage"):
            self._usage = usage(found)

    def _end(self, reason: StopReason) -> list[ProviderEvent]:
        calls = [each.call for each in self._calls.calls]
        reason = settled(reason, refused=self._refused, called=bool(calls))
        return self._answer.end(reason, calls, self._usage, self._native())

    def _native(self) -> Native | None:
        """The whole message, where the server wants more of it back than text and calls."""
        back = self._model.endpoint.quirks.send_reasoning_back if self._calls.calls else ""
        details = self._details.blocks
        if not (back or details or any(each.extra for each in self._calls.calls)):
            return None
        message: JsonObject = {"role": "assistant", "content": self._answer.said or None}
        if back:
            message[back] = "".join(self._thoughts)
        if details:
            message["reasoning_details"] = details
        if self._calls.calls:
            message["tool_calls"] = self._calls.messages()
        return native(Wire.CHAT_COMPLETIONS, self._model.value, [message])


def usage(found: JsonObject) -> Usage:
    """Tokens as Chat Completions counts them; what reasoned is output even where a server counts it apart."""
    taken, given = number(found, "prompt_tokens") or 0, number(found, "completion_tokens") or 0
    total = number(found, "total_tokens") or 0
    details = table(found, "prompt_tokens_details")
    cached = (
        number(details, "cached_tokens")
        or number(found, "prompt_cache_hit_tokens")
        or number(found, "cached_tokens")
        or 0
    )
    return Usage(
        input_tokens=taken,
        cached_tokens=min(cached, taken),
        output_tokens=max(given, total - taken),
        cache_write_tokens=number(details, "cache_write_tokens") or 0,
        reasoning_tokens=number(table(found, "completion_tokens_details"), "reasoning_tokens") or 0,
    )
