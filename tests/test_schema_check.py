"""The check that holds the agent's messages against the official schema: what passes, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest
from schema_check import Checker, check

Json = Any


def update(**fields: Json) -> Json:
    return {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": fields}}


CHUNK = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "hi"}}
CALL = {
    "sessionUpdate": "tool_call",
    "toolCallId": "c",
    "title": "Read a.md",
    "kind": "read",
    "status": "pending",
}
DIFF = {"type": "diff", "path": "/a.md", "oldText": "", "newText": "x"}
LINK = {"type": "content", "content": {"type": "resource_link", "uri": "file:///a.md", "name": "a.md"}}


@pytest.mark.parametrize(
    "message",
    [
        update(**CHUNK),
        update(**CHUNK, messageId="m", _meta={"own": {"key": 1}}),
        update(**CALL, content=[DIFF, LINK], locations=[{"path": "/a.md", "line": 1}]),
        update(**CALL, rawInput={"command": "read"}, rawOutput={"type": "memory.note", "lines": [{"id": 1}]}),
        update(sessionUpdate="tool_call_update", toolCallId="c", status="completed"),
        update(sessionUpdate="session_info_update", title="Deploy key"),
        update(sessionUpdate="available_commands_update", availableCommands=[{"name": "a", "description": "b"}]),
        {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}},
        {
            "jsonrpc": "2.0",
            "id": 1,
            "error": {"code": -32002, "message": "m", "data": {"uri": "s-1", "any": []}},
        },
        {"jsonrpc": "2.0", "method": "_own/thing", "params": {"free": True}},
    ],
)
def test_right_messages_pass(message: Json) -> None:
    assert Checker().problems(message) == []


@pytest.mark.parametrize(
    "message",
    [
        update(**CHUNK, extra=1),
        update(**{**CHUNK, "content": {"type": "text", "text": "hi", "colour": "red"}}),
        update(**{**CALL, "kind": "nope"}),
        update(**CALL, content=[{**DIFF, "size": 1}]),
        update(**CALL, content=[{"type": "content", "content": {"type": "resource_link", "uri": "file:///a.md"}}]),
        update(**CALL, locations=[{"path": "/a.md", "line": "1"}]),
        update(sessionUpdate="plan", entries=[{"content": "a", "priority": "high", "status": "done"}]),
        update(sessionUpdate="unheard_of"),
        {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": CHUNK, "x": 1}},
        {"jsonrpc": "2.0", "method": "session/invented", "params": {}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": "x", "message": "m"}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "m", "extra": 1}},
        {"jsonrpc": "2.0", "id": 1, "result": {}, "error": None},
        {"jsonrpc": "1.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 9, "result": {}},
        [],
        "text",
    ],
)
def test_wrong_messages_are_refused(message: Json) -> None:
    assert Checker().problems(message)


def test_an_answer_is_held_against_what_was_asked() -> None:
    def asked(method: str, result: Json) -> list[str]:
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}
        return check([("c2a", request), ("a2c", {"jsonrpc": "2.0", "id": 1, "result": result})])

    assert asked("initialize", {"protocolVersion": 1}) == []
    assert asked("session/prompt", {"stopReason": "end_turn"}) == []
    assert asked("session/prompt", {"stopReason": "finished"})
    assert asked("session/prompt", None)
    assert asked("session/new", {"sessionId": "s", "configOptions": [{"id": "model"}]})
    assert asked("session/invented", {})
