"""What each wire demands of the body of a request, as its server would check it."""

from __future__ import annotations

import json
import re
from typing import Any

from acp_server.models.values import Wire
from acp_server.providers.interface import JsonObject
from acp_server.providers.wires.bodies import encoded

Body = dict[str, Any]

MAX_MARKS = 4
_PLAIN_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SEEN_ID = re.compile(r"[!-~]{1,40}")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def check(wire: Wire, built: JsonObject) -> Body:
    """The body as it arrives, once it is found to be legal."""
    body: Body = json.loads(encoded(built).decode("utf-8"), parse_constant=_no_constant)
    {Wire.CHAT_COMPLETIONS: _chat, Wire.RESPONSES: _responses, Wire.ANTHROPIC: _anthropic}[wire](body)
    assert list(body)[-1] in ("messages", "input")
    return body


def _no_constant(name: str) -> None:
    raise AssertionError(name)


def _object(arguments: str) -> None:
    assert isinstance(json.loads(arguments, parse_constant=_no_constant), dict)
    json.loads(arguments)
    assert not re.search(r"(?i)\\ud[89ab]..(?!\\ud[c-f])", arguments)


def _chat(body: Body) -> None:
    messages = body["messages"]
    spoken = messages[1:] if messages[0]["role"] == "system" else messages
    assert spoken[0]["role"] == "user"
    assert spoken[-1]["role"] in ("user", "tool")
    waiting: list[str] = []
    seen: set[str] = set()
    before = ""
    for message in spoken:
        role = message["role"]
        if role == "tool":
            assert message["tool_call_id"] == waiting.pop(0)
        else:
            assert not waiting
            assert role != before
        if role == "assistant":
            assert message["content"] or message.get("tool_calls")
            for call in message.get("tool_calls", ()):
                assert _SEEN_ID.fullmatch(call["id"])
                assert call["id"] not in seen
                assert _NAME.fullmatch(call["function"]["name"])
                _object(call["function"]["arguments"])
                waiting.append(call["id"])
                seen.add(call["id"])
        else:
            assert message["content"].strip()
        before = role
    assert not waiting


def _responses(body: Body) -> None:
    assert body["store"] is False
    items = body["input"]
    assert items[0] == {"role": "user", "content": items[0]["content"]}
    waiting: set[str] = set()
    seen: set[str] = set()
    for item in items:
        match item.get("type"):
            case "function_call":
                assert _PLAIN_ID.fullmatch(item["call_id"])
                assert item["call_id"] not in seen
                assert _NAME.fullmatch(item["name"])
                _object(item["arguments"])
                seen.add(item["call_id"])
                waiting.add(item["call_id"])
            case "function_call_output":
                waiting.remove(item["call_id"])
                assert item["output"].strip()
            case "reasoning":
                assert item["encrypted_content"]
            case _:
                assert item["content"] if isinstance(item["content"], list) else item["content"].strip()
                assert not (waiting and item["role"] == "user")
    assert not waiting
    assert items[-1].get("role") != "assistant"


def _anthropic(body: Body) -> None:
    messages = body["messages"]
    assert body["max_tokens"] > 0
    assert [each["role"] for each in messages] == ["user", "assistant"] * (len(messages) // 2) + ["user"]
    waiting: set[str] = set()
    seen: set[str] = set()
    for message in messages:
        assert message["content"]
        results = [block["tool_use_id"] for block in message["content"] if block["type"] == "tool_result"]
        assert [block["type"] for block in message["content"][: len(results)]] == ["tool_result"] * len(results)
        assert set(results) == waiting
        assert len(results) == len(waiting)
        waiting = set()
        for block in message["content"]:
            if block["type"] == "tool_use":
                assert _PLAIN_ID.fullmatch(block["id"])
                assert block["id"] not in seen
                assert _NAME.fullmatch(block["name"])
                assert isinstance(block["input"], dict)
                waiting.add(block["id"])
                seen.add(block["id"])
            elif block["type"] in ("text", "tool_result"):
                assert (block.get("text") or block.get("content")).strip()
        assert "thinking" not in message["content"][-1]["type"]
    assert not waiting
    assert json.dumps(body).count('"cache_control"') <= MAX_MARKS
