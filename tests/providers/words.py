"""What a model says, as each of the three wires has it: the events of an answer, one a piece."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

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
class Tokens:
    """What an answer took: all of its input, what of it the cache gave, and its output."""

    input: int
    cached: int
    output: int


class End(Protocol):
    """Closes an answer by its reason, and tells what it took where that is said."""

    def __call__(self, reason: str, tokens: Tokens | None = None) -> Events: ...


@dataclass(frozen=True, slots=True)
class Speech:
    """`begin` opens an answer, `think` thinks aloud in it, `text` says words of it, `call` asks for a tool whole, `end`
    closes it by its reason. Thinking, words and calls have each a place of their own in an answer.
    """

    begin: Callable[[], Events]
    think: Callable[[list[str]], Events]
    text: Callable[[list[str]], Events]
    call: Callable[[str, str, str], Events]
    end: End


def _delta(delta: object, reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return event({"id": "x", "object": "chat.completion.chunk", "choices": [choice]})


CHAT_ENDS = {"end": "stop", "tools": "tool_calls", "length": "length", "filter": "content_filter"}
ANTHROPIC_ENDS = {"end": "end_turn", "tools": "tool_use", "length": "max_tokens", "filter": "refusal"}


def _chat_end(reason: str, tokens: Tokens | None = None) -> Events:
    told = [] if tokens is None else [event({"id": "x", "choices": [], "usage": _chat_usage(tokens)})]
    return [_delta({}, CHAT_ENDS[reason]), *told, event("[DONE]")]


def _chat_usage(tokens: Tokens) -> dict[str, object]:
    details = {"cached_tokens": tokens.cached}
    return {"prompt_tokens": tokens.input, "completion_tokens": tokens.output, "prompt_tokens_details": details}


def _anthropic_end(reason: str, tokens: Tokens | None = None) -> Events:
    usage = {"output_tokens": 9}
    if tokens is not None:
        own = tokens.input - tokens.cached
        usage = {"input_tokens": own, "cache_read_input_tokens": tokens.cached, "output_tokens": tokens.output}
    delta = {"stop_reason": ANTHROPIC_ENDS[reason]}
    return [named({"type": "message_delta", "delta": delta, "usage": usage}), named({"type": "message_stop"})]


def _anthropic_thought(words: list[str]) -> Events:
    block = {"type": "thinking", "thinking": "", "signature": ""}
    deltas = [
        *({"type": "thinking_delta", "thinking": word} for word in words),
        {"type": "signature_delta", "signature": "c2ln"},
    ]
    return [
        named({"type": "content_block_start", "index": 2, "content_block": block}),
        *(named({"type": "content_block_delta", "index": 2, "delta": delta}) for delta in deltas),
        named({"type": "content_block_stop", "index": 2}),
    ]


CHAT = Speech(
    begin=lambda: [_delta({"role": "assistant", "content": ""})],
    think=lambda words: [_delta({"reasoning_content": word}) for word in words],
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
    end=_chat_end,
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
    think=_anthropic_thought,
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
    end=_anthropic_end,
)


def _responses_end(reason: str, tokens: Tokens | None = None) -> Events:
    response: dict[str, object] = {"id": "r", "status": "completed", "output": []}
    if tokens is not None:
        details = {"cached_tokens": tokens.cached}
        took = {"input_tokens": tokens.input, "input_tokens_details": details, "output_tokens": tokens.output}
        response["usage"] = took
    if reason in ("length", "filter"):
        why = "max_output_tokens" if reason == "length" else "content_filter"
        response |= {"status": "incomplete", "incomplete_details": {"reason": why}}
        return [named({"type": "response.incomplete", "response": response})]
    return [named({"type": "response.completed", "response": response})]


def _responses_thought(words: list[str]) -> Events:
    place = {"output_index": 2, "item_id": "rs"}
    kind = "response.reasoning_summary_text.delta"
    whole = {"id": "rs", "type": "reasoning", "summary": [{"type": "summary_text", "text": "".join(words)}]}
    item = {**whole, "encrypted_content": "Z0FB"}
    return [
        *(named({"type": kind, **place, "summary_index": 0, "delta": word}) for word in words),
        named({"type": "response.output_item.done", "output_index": 2, "item": item}),
    ]


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
    think=_responses_thought,
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
