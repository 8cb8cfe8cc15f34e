"""OpenAI Responses: the body of a request. Pure.

`store` is false: the conversation stays on this machine and goes whole with each request. Left to their defaults:
`tool_choice` (auto) and `parallel_tool_calls` (true).
"""

from __future__ import annotations

from acp_server.models.values import Model, Wire
from acp_server.providers.interface import JsonObject, JsonValue, Request, ToolCall, ToolSpec
from acp_server.providers.wires.arguments import as_text
from acp_server.providers.wires.bodies import THINKING_ROOM, cache_key
from acp_server.providers.wires.fields import rows, text
from acp_server.providers.wires.ids import plain_id
from acp_server.providers.wires.normal import Blocks, Form, Turn, UserTurn, turns

MIN_OUTPUT_TOKENS = 16
"""The server refuses a smaller bound."""


def build(model: Model, request: Request) -> JsonObject:
    """The body of a request; the conversation stands last."""
    body: JsonObject = {"model": model.id, "stream": True, "store": False, **_settings(model, request)}
    if request.tools:
        body["tools"] = [_tool(spec) for spec in request.tools]
    if request.system.strip():
        body["instructions"] = request.system
    items: list[JsonValue] = []
    for turn in turns(request, Form(Wire.RESPONSES, model.value, plain_id, _said)):
        items += _items(turn)
    body["input"] = items
    return body


def _settings(model: Model, request: Request) -> JsonObject:
    settings: JsonObject = {}
    if model.endpoint.quirks.prompt_cache_key and request.session:
        settings["prompt_cache_key"] = cache_key(request.session)
    if request.max_output_tokens is not None:
        room = THINKING_ROOM if model.thinks else 0
        settings["max_output_tokens"] = max(request.max_output_tokens + room, MIN_OUTPUT_TOKENS)
    if model.thinks:
        settings["reasoning"] = {"summary": "auto"}
        settings["include"] = ["reasoning.encrypted_content"]
    return settings


def _tool(spec: ToolSpec) -> JsonObject:
    return {
        "type": "function",
        "name": spec.name,
        "description": spec.description,
        "parameters": dict(spec.schema),
        "strict": False,
    }


def _items(turn: Turn) -> list[JsonValue]:
    if isinstance(turn, UserTurn):
        items: list[JsonValue] = [
            {"type": "function_call_output", "call_id": each.call_id, "output": each.text} for each in turn.results
        ]
        return [*items, {"role": "user", "content": turn.text}] if turn.text else items
    if turn.native:
        return list(turn.native)
    said: list[JsonValue] = [{"role": "assistant", "content": turn.text}] if turn.text else []
    return [*said, *map(_call, turn.calls)]


def _call(call: ToolCall) -> JsonObject:
    return {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": as_text(call.arguments)}


def _said(blocks: Blocks) -> tuple[str, tuple[ToolCall, ...]]:
    """What items of an answer say."""
    calls = (
        ToolCall(text(item, "call_id"), text(item, "name"), text(item, "arguments"))
        for item in blocks
        if text(item, "type") == "function_call"
    )
    return "".join(item_text(item) for item in blocks if text(item, "type") == "message"), tuple(calls)


def item_text(item: JsonObject) -> str:
    """The text of a message, refusals included."""
    return "".join(text(part, "text") or text(part, "refusal") for part in rows(item, "content"))
