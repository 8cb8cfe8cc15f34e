"""Anthropic Messages: the events of a stream. Pure.

An answer has ended well with `message_stop` and with nothing else. Thinking goes back with its signature, and so does
thinking that was blacked out; blocks and deltas of other kinds say nothing here and don't go back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from acp_server.jsonclean import mended
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
from acp_server.providers.wires.anthropic_building import build, tool_use
from acp_server.providers.wires.arguments import written
from acp_server.providers.wires.errors import error_of, fault_in_stream
from acp_server.providers.wires.fields import number, table, text
from acp_server.providers.wires.heads import heads
from acp_server.providers.wires.typed_events import ERROR, Handler, TypedEvents

__all__ = ["Parser", "build", "error_of", "headers", "path"]

VERSION = "2023-06-01"

REASONS: Mapping[str, StopReason] = {
    "max_tokens": StopReason.MAX_TOKENS,
    "model_context_window_exceeded": StopReason.MAX_TOKENS,
    "refusal": StopReason.REFUSAL,
}
"""What `stop_reason` says beyond the end of a turn and a call. `pause_turn` belongs to tools that run at the server, of
which there are none here: the turn ends."""

PIECES: Mapping[str, tuple[str, str]] = {
    "input_json_delta": ("tool_use", "partial_json"),
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
}
"""The block that each kind of delta belongs to, and the field with its piece."""


def path(model: Model) -> str:
    """Where the base URL takes requests; some name the version of the API themselves."""
    return "/messages" if model.endpoint.base_url.endswith("/v1") else "/v1/messages"


def headers(model: Model, key: str | None) -> dict[str, str]:
    """The headers of a request."""
    return {"anthropic-version": VERSION, **heads(model, key, "x-api-key")}


@dataclass(slots=True)
class _Block:
    kind: str
    start: JsonObject
    pieces: list[str] = field(default_factory=list)
    signature: str = ""
    call: ToolCall | None = None
    closed: bool = False


class Parser(TypedEvents):
    """The events of one stream, in the agent's own words. Raises WireFault."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._blocks: dict[int, _Block] = {}
        self._tokens: dict[str, int] = {}
        self._reason = ""
        handlers: Mapping[str, Handler] = {
            "content_block_delta": self._delta,
            "content_block_start": self._start,
            "content_block_stop": self._stop,
            ERROR: self._failed,
            "message_delta": self._message_delta,
            "message_start": self._message_start,
            "message_stop": self._message_stop,
        }
        super().__init__(Answer(), handlers)

    def _message_start(self, fields: JsonObject) -> list[ProviderEvent]:
        self._count(table(table(fields, "message"), "usage"))
        return []

    def _start(self, fields: JsonObject) -> list[ProviderEvent]:
        start = table(fields, "content_block")
        block = self._open(number(fields, "index") or 0, text(start, "type"), start)
        if block.kind == "tool_use":
            block.call = ToolCall(self._answer.new_id(text(start, "id")), text(start, "name"), "")
            return [CallStarted(block.call.id, block.call.name)]
        block.signature = text(start, "signature")
        return self._piece(block, text(start, block.kind))

    def _open(self, index: int, kind: str, start: JsonObject) -> _Block:
        before = next(reversed(self._blocks.values())).kind if self._blocks else kind
        if kind == "text" != before:
            self._answer.paragraph()
        block = self._blocks[index] = _Block(kind, start)
        return block

    def _delta(self, fields: JsonObject) -> list[ProviderEvent]:
        delta, index = table(fields, "delta"), number(fields, "index") or 0
        kind, name = PIECES.get(text(delta, "type"), ("", ""))
        block = self._blocks.get(index)
        if block is None:
            if kind == "tool_use":
                raise WireFault(FaultKind.BROKEN_EVENT, text(delta, "type"))
            block = self._open(index, kind, {})
        block.signature += text(delta, "signature")
        return self._piece(block, text(delta, name)) if kind == block.kind else []

    def _piece(self, block: _Block, piece: str) -> list[ProviderEvent]:
        block.pieces.append(piece)
        if block.kind == "text":
            return self._answer.say(piece)
        return self._answer.think(piece) if block.kind == "thinking" else []

    def _stop(self, fields: JsonObject) -> list[ProviderEvent]:
        block = self._blocks.get(number(fields, "index") or 0)
        if block is None or block.call is None or block.closed:
            return []
        block.closed = True
        return [CallReady(_call(block, block.call))]

    def _message_delta(self, fields: JsonObject) -> list[ProviderEvent]:
        self._count(table(fields, "usage"))
        self._reason = text(table(fields, "delta"), "stop_reason") or self._reason
        return []

    def _message_stop(self, _: JsonObject) -> list[ProviderEvent]:
        cut = [_call(block, block.call) for block in self._blocks.values() if block.call and not block.closed]
        called = any(block.call for block in self._blocks.values())
        reason = settled(REASONS.get(self._reason, StopReason.END_TURN), refused=False, called=called)
        return self._answer.end(reason, cut, usage(self._tokens), self._native())

    def _failed(self, fields: JsonObject) -> list[ProviderEvent]:
        raise fault_in_stream(fields)

    def _count(self, found: JsonObject) -> None:
        """Figures grow over a stream, and a server may give one only at the start or only at the end."""
        for name in found:
            self._tokens[name] = max(number(found, name) or 0, self._tokens.get(name, 0))
        thought = number(table(found, "output_tokens_details"), "thinking_tokens")
        self._tokens["thinking"] = max(thought or 0, self._tokens.get("thinking", 0))

    def _native(self) -> Native | None:
        """The blocks that go back, where any is thinking; an answer that was cut within thinking ends before it."""
        kept = [(block.kind, back) for block in self._blocks.values() if (back := _back(block))]
        while kept and kept[-1][0].endswith("thinking"):
            kept.pop()
        if not any(kind.endswith("thinking") for kind, _ in kept):
            return None
        return native(Wire.ANTHROPIC, self._model.value, [back for _, back in kept])


def _call(block: _Block, call: ToolCall) -> ToolCall:
    """A call with its arguments; a server that sends no deltas has them in the block's start."""
    given = table(block.start, "input")
    return ToolCall(call.id, call.name, "".join(block.pieces) or (written(given) if given else ""))


def _back(block: _Block) -> JsonObject | None:
    """A block as it goes back, None where it can't: thinking needs its signature, text needs letters."""
    if block.call:
        return tool_use(_call(block, block.call))
    said = mended("".join(block.pieces))
    if block.kind == "text" and said.strip():
        return {"type": "text", "text": said}
    if block.kind == "thinking" and block.signature:
        return {"type": "thinking", "thinking": said, "signature": block.signature}
    data = text(block.start, "data")
    return {"type": "redacted_thinking", "data": data} if block.kind == "redacted_thinking" and data else None


def usage(tokens: Mapping[str, int]) -> Usage | None:
    """Tokens as Anthropic counts them: what the cache gave and took comes on top of the input. None for no figures."""
    if not any(tokens.values()):
        return None
    cached, kept = tokens.get("cache_read_input_tokens", 0), tokens.get("cache_creation_input_tokens", 0)
    return Usage(
        input_tokens=tokens.get("input_tokens", 0) + cached + kept,
        cached_tokens=cached,
        output_tokens=tokens.get("output_tokens", 0),
        cache_write_tokens=kept,
        reasoning_tokens=tokens.get("thinking", 0),
    )
