"""What a model says, as each of the three wires has it: the events of an answer, one a piece."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from acp_server.models.values import Wire

Events = list[bytes]


def event(data: object, name: str = "") -> bytes:
    """One server-sent event."""
    text = data if isinstance(data, str) else json.dumps(data)
    begun = f"event: {name}\n" if name else ""
    return f"{begun}data: {text}\n\n".encode()


def named(data: Mapping[str, object]) -> bytes:
    """An event whose name is its type."""
    return event(data, str(data["type"]))


@dataclass(frozen=True, slots=True)
class Speech:
    """`begin` opens an answer, `text` says words of it, `call` asks for a tool whole, `end` closes it by its reason."""

    begin: Callable[[], Events]
    text: Callable[[list[str]], Events]
    call: Callable[[str, str, str], Events]
    end: Callable[[str], Events]


def _delta(delta: object, reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return event({"id": "x", "object": "chat.completion.chunk", "choices": [choice]})


CHAT_ENDS = {"end": "stop", "tools": "tool_calls", "length": "length", "filter": "content_filter"}
ANTHROPIC_ENDS = {"end": "end_turn", "tools": "tool_use", "length": "max_tokens", "filter": "refusal"}

CHAT = Speech(
    begin=lambda: [_delta({"role": "assistant", "content": ""})],
    text=lambda words: [_delta({"content": word}) for word in words],
    call=lambda call_id, name, arguments: [
        _delta(
            {
                "tool_calls": [
                    {
                        "index": 0,
                        "id": call_id,
                        "type": "function",
                        "function": {"name": name, "arguments": arguments},
                    }
                ]
            }
        )
    ],
    end=lambda reason: [_delta({}, CHAT_ENDS[reason]), event("[DONE]")],
)

ANTHROPIC = Speech(
    begin=lambda: [
        named(
            {
                "type": "message_start",
                "message": {
                    "id": "m",
                    "type": "message",
                    "role": "assistant",
                    "content": [],
                    "usage": {"input_tokens": 3, "output_tokens": 1},
                },
            }
        )
    ],
    text=lambda words: [
        named({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        *(
            named({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": word}})
            for word in words
        ),
    ],
    call=lambda call_id, name, arguments: [
        named(
            {
                "type": "content_block_start",
                "index": 1,
                "content_block": {"type": "tool_use", "id": call_id, "name": name, "input": {}},
            }
        ),
        named(
            {
                "type": "content_block_delta",
                "index": 1,
                "delta": {"type": "input_json_delta", "partial_json": arguments},
            }
        ),
        named({"type": "content_block_stop", "index": 1}),
    ],
    end=lambda reason: [
        named(
            {"type": "message_delta", "delta": {"stop_reason": ANTHROPIC_ENDS[reason]}, "usage": {"output_tokens": 9}}
        ),
        named({"type": "message_stop"}),
    ],
)


def _responses_end(reason: str) -> Events:
    if reason in ("length", "filter"):
        why = "max_output_tokens" if reason == "length" else "content_filter"
        response = {"id": "r", "status": "incomplete", "incomplete_details": {"reason": why}, "output": []}
        return [named({"type": "response.incomplete", "response": response})]
    return [named({"type": "response.completed", "response": {"id": "r", "status": "completed", "output": []}})]


def _responses_call(call_id: str, name: str, arguments: str) -> Events:
    item = {"id": "fc", "type": "function_call", "call_id": call_id, "name": name, "arguments": ""}
    return [
        named({"type": "response.output_item.added", "output_index": 1, "item": item}),
        named(
            {"type": "response.function_call_arguments.delta", "output_index": 1, "item_id": "fc", "delta": arguments}
        ),
        named({"type": "response.output_item.done", "output_index": 1, "item": item | {"arguments": arguments}}),
    ]


RESPONSES = Speech(
    begin=lambda: [named({"type": "response.created", "response": {"id": "r", "status": "in_progress"}})],
    text=lambda words: [
        named(
            {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "item_id": "m", "delta": word}
        )
        for word in words
    ],
    call=_responses_call,
    end=_responses_end,
)

SPEECH: Mapping[Wire, Speech] = {
    Wire.CHAT_COMPLETIONS: CHAT,
    Wire.RESPONSES: RESPONSES,
    Wire.ANTHROPIC: ANTHROPIC,
}


def said(wire: Wire, words: list[str], reason: str = "end") -> Events:
    """A whole answer in words."""
    speech = SPEECH[wire]
    return [*speech.begin(), *speech.text(words), *speech.end(reason)]


def asked(
    wire: Wire, arguments: str, tool: str = "memory", call_id: str = "call000001", reason: str = "tools"
) -> Events:
    """A whole answer that asks for a tool."""
    speech = SPEECH[wire]
    return [*speech.begin(), *speech.call(call_id, tool, arguments), *speech.end(reason)]
