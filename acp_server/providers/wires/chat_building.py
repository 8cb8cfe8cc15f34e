"""OpenAI Chat Completions: the body of a request. Pure.

Left to their defaults: `tool_choice` (auto) and `parallel_tool_calls` (true); compatible servers refuse what they don't
know.
"""

from __future__ import annotations

from acp_server.models.values import Model, Wire
from acp_server.providers.interface import JsonObject, JsonValue, Request, ToolCall, ToolSpec
from acp_server.providers.wires.bodies import GROWING, THINKING_ROOM, cache_key
from acp_server.providers.wires.fields import rows, table, text
from acp_server.providers.wires.ids import id_of_length, short_id
from acp_server.providers.wires.normal import Blocks, Form, ModelTurn, Turn, UserTurn, turns
from acp_server.providers.wires.tool_deltas import message_call


def build(model: Model, request: Request) -> JsonObject:
    """The body of a request; the conversation stands last."""
    body: JsonObject = {"model": model.id, "stream": True, **_settings(model, request)}
    if request.tools:
        body["tools"] = [_tool(spec) for spec in request.tools]
    messages: list[JsonValue] = [{"role": "system", "content": request.system}] if request.system.strip() else []
    length = model.endpoint.quirks.call_id_length
    form = Form(Wire.CHAT_COMPLETIONS, model.value, id_of_length(length) if length else short_id, _said)
    for turn in turns(request, form):
        messages += _messages(turn, model.endpoint.quirks.send_reasoning_back)
    body["messages"] = messages
    return body


def _settings(model: Model, request: Request) -> JsonObject:
    quirks = model.endpoint.quirks
    settings: JsonObject = {}
    if quirks.stream_usage:
        settings["stream_options"] = {"include_usage": True}
    if quirks.prompt_cache_key and request.session:
        settings["prompt_cache_key"] = cache_key(request.session)
    if quirks.marked_models and model.id.startswith(quirks.marked_models) and request.purpose in GROWING:
        settings["cache_control"] = {"type": "ephemeral"}
    bound = request.max_output_tokens
    if bound is not None:
        settings[quirks.max_tokens_field] = bound + THINKING_ROOM if model.thinks else bound
    elif model.thinks:
        settings.update(quirks.thinking)
    return settings


def _tool(spec: ToolSpec) -> JsonObject:
    function: JsonObject = {"name": spec.name, "description": spec.description, "parameters": dict(spec.schema)}
    return {"type": "function", "function": function}


def _messages(turn: Turn, reasoning_field: str) -> list[JsonValue]:
    if isinstance(turn, UserTurn):
        results: list[JsonValue] = [
            {"role": "tool", "tool_call_id": each.call_id, "content": each.text} for each in turn.results
        ]
        return [*results, {"role": "user", "content": turn.text}] if turn.text else results
    return [turn.native[0] if turn.native else _answer(turn, reasoning_field)]


def _answer(turn: ModelTurn, reasoning_field: str) -> JsonObject:
    message: JsonObject = {"role": "assistant", "content": turn.text or None}
    if turn.calls:
        if reasoning_field:
            message[reasoning_field] = ""
        message["tool_calls"] = [message_call(call) for call in turn.calls]
    return message


def _said(blocks: Blocks) -> tuple[str, tuple[ToolCall, ...]]:
    """What a message of the model says."""
    calls = (
        ToolCall(text(each, "id"), text(table(each, "function"), "name"), text(table(each, "function"), "arguments"))
        for each in rows(blocks[0], "tool_calls")
    )
    return text(blocks[0], "content"), tuple(calls)
