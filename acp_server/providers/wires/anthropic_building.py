"""Anthropic Messages: the body of a request. Pure.

The cache is told where to hold on: after the tools, after the system prompt, and after the person's last two turns, the
newer of which the next request finds again. That makes four, which is all that a request may have. Left to its default:
`tool_choice` (auto).
"""

from __future__ import annotations

from collections.abc import Sequence

from acp_server.models.values import Model, Wire
from acp_server.providers.interface import JsonObject, JsonValue, Request, ToolCall, ToolItem, ToolSpec
from acp_server.providers.wires.arguments import as_object, written
from acp_server.providers.wires.bodies import GROWING
from acp_server.providers.wires.claude import max_tokens, thinking
from acp_server.providers.wires.fields import table, text
from acp_server.providers.wires.ids import plain_id
from acp_server.providers.wires.normal import Blocks, Form, ModelTurn, Turn, UserTurn, turns

MARKED_TURNS = 2
"""Where another request goes on with the conversation; elsewhere none."""


def build(model: Model, request: Request) -> JsonObject:
    """The body of a request; the conversation stands last."""
    body: JsonObject = {"model": model.id, "max_tokens": max_tokens(model, request), "stream": True}
    if thought := thinking(model, request):
        body["thinking"] = thought
    if request.tools:
        tools = [_tool(spec) for spec in request.tools]
        body["tools"] = [*tools[:-1], marked(tools[-1])]
    if request.system.strip():
        body["system"] = [marked({"type": "text", "text": request.system})]
    history = turns(request, Form(Wire.ANTHROPIC, model.value, plain_id, _said))
    body["messages"] = list(_messages(history, MARKED_TURNS if request.purpose in GROWING else 0))
    return body


def marked(block: JsonObject) -> JsonObject:
    """A block that the cache holds on to, with all before it."""
    return {**block, "cache_control": {"type": "ephemeral"}}


def _tool(spec: ToolSpec) -> JsonObject:
    return {"name": spec.name, "description": spec.description, "input_schema": dict(spec.schema)}


def _messages(history: Sequence[Turn], marks: int) -> list[JsonValue]:
    """Sides alternate and the last is the person's, so every second turn from the end is."""
    first_marked = len(history) - 2 * marks + 1
    return [
        _user(turn, mark=index >= first_marked) if isinstance(turn, UserTurn) else _assistant(turn)
        for index, turn in enumerate(history)
    ]


def _user(turn: UserTurn, *, mark: bool) -> JsonObject:
    blocks = [_result(each) for each in turn.results]
    if turn.text:
        blocks.append({"type": "text", "text": turn.text})
    if mark:
        blocks[-1] = marked(blocks[-1])
    return {"role": "user", "content": [*blocks]}


def _result(item: ToolItem) -> JsonObject:
    block: JsonObject = {"type": "tool_result", "tool_use_id": item.call_id, "content": item.text}
    return {**block, "is_error": True} if item.failed else block


def _assistant(turn: ModelTurn) -> JsonObject:
    if turn.native:
        return {"role": "assistant", "content": [*turn.native]}
    said: list[JsonValue] = [{"type": "text", "text": turn.text}] if turn.text else []
    return {"role": "assistant", "content": [*said, *map(tool_use, turn.calls)]}


def tool_use(call: ToolCall) -> JsonObject:
    """A call as a block; its input is an object whatever the model wrote."""
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": as_object(call.arguments)}


def _said(blocks: Blocks) -> tuple[str, tuple[ToolCall, ...]]:
    """What blocks of an answer say."""
    calls = (
        ToolCall(text(block, "id"), text(block, "name"), written(table(block, "input")))
        for block in blocks
        if text(block, "type") == "tool_use"
    )
    return "".join(text(block, "text") for block in blocks if text(block, "type") == "text"), tuple(calls)
