"""A tiny agent with one scene, for tests of the chat: `python scripted_agent.py SCENE`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

Message = dict[str, object]
SESSION = "s-1"


def send(**message: object) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def receive() -> Message:
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    message: Message = json.loads(line)
    return message


def update(**fields: object) -> None:
    send(method="session/update", params={"sessionId": SESSION, "update": fields})


def say(text: str) -> None:
    update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": text})


def text_block(text: str) -> Message:
    return {"type": "content", "content": {"type": "text", "text": text}}


def answers() -> None:
    for piece in ("It is in [deploy", "-key.md](file:///notes/deploy-key.md#L3:3)", ", I think.\x1b[2J"):
        say(piece)


def _remember(kinds: list[str]) -> None:
    diff: Message = {
        "type": "diff",
        "path": "/notes/deploy-key.md",
        "oldText": "",
        "newText": "# Deploy key\n",
    }
    raw_input = {"command": "write", "path": "deploy-key.md", "content": "# Deploy key\n"}
    update(
        sessionUpdate="tool_call",
        toolCallId="c1",
        title="Remember deploy-key.md",
        kind="edit",
        status="pending",
    )
    send(
        id=100,
        method="session/request_permission",
        params={
            "sessionId": SESSION,
            "toolCall": {"toolCallId": "c1", "rawInput": raw_input, "content": [diff]},
            "options": [{"optionId": f"o-{kind}", "name": kind, "kind": kind} for kind in kinds],
        },
    )
    answer = receive()
    while answer.get("id") != 100:
        answer = receive()
    say(json.dumps(answer["result"]))
    update(
        sessionUpdate="tool_call_update",
        toolCallId="c1",
        status="completed",
        content=[diff, text_block("entry 0")],
    )


def remembers() -> None:
    _remember(["allow_once", "allow_always", "reject_once"])


def remembers_secret() -> None:
    _remember(["allow_once", "reject_once"])


def remembers_twice() -> None:
    remembers()
    remembers()


def crashes() -> None:
    say("I am about to")
    sys.stderr.write("Traceback\nBoom: the disk is gone.\n")
    sys.exit(3)


def babbles() -> None:
    sys.stdout.write("this is not JSON\n")
    sys.stdout.flush()


def waits() -> str:
    say("working")
    while receive().get("method") != "session/cancel":
        pass
    return "cancelled"


def asks_for_files() -> None:
    send(id=7, method="fs/read_text_file", params={"sessionId": SESSION, "path": "/x"})
    say(json.dumps(receive()["error"]))


def fails() -> Message:
    return {"code": -32603, "message": "Internal error", "data": {"details": "The model can't be reached."}}


SCENES: dict[str, Callable[[], object]] = {
    scene.__name__: scene
    for scene in (answers, remembers, remembers_secret, remembers_twice, crashes, babbles, waits, asks_for_files, fails)
}


def main() -> None:
    scene = SCENES[sys.argv[1]]
    results: dict[object, Message] = {
        "initialize": {"protocolVersion": 1},
        "session/new": {"sessionId": SESSION},
    }
    while True:
        message = receive()
        if message.get("method") in results:
            send(id=message["id"], result=results[message["method"]])
        elif message.get("method") == "session/prompt":
            outcome = scene()
            if isinstance(outcome, dict):
                send(id=message["id"], error=outcome)
            else:
                send(id=message["id"], result={"stopReason": outcome or "end_turn"})


if __name__ == "__main__":
    main()
