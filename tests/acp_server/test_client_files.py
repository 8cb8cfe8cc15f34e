"""Files through the client: with what was typed and not saved; a silent client is waited for once (A13)."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import AgentProcess, Message, texts

from acp_server.calls import Calls
from acp_server.client_files import ClientFiles
from acp_server.providers.interface import JsonObject
from acp_server.wire import Response

READ = json.dumps([[["call", "read_file", {"path": "a.txt", "line": 2}]]])
OFFERED = {"clientCapabilities": {"fs": {"readTextFile": True}}}


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[AgentProcess]:
    with AgentProcess(tmp_path, doors="directed_model.py") as process:
        (process.project / "a.txt").write_text("saved 1\nsaved 2\n", encoding="utf-8")
        yield process


def opened(agent: AgentProcess) -> str:
    """A session whose model does as it is told."""
    session = agent.new_session()
    option = {"sessionId": session, "configId": "model", "value": "test/scripted"}
    agent.answer(agent.request("session/set_config_option", option))
    return session


def requests(agent: AgentProcess) -> list[Message]:
    """What the agent asked the client for."""
    return [message for message in agent.seen if "id" in message and "method" in message]


def test_the_text_that_a_person_typed_and_did_not_save_is_read(agent: AgentProcess) -> None:
    agent.initialize(**OFFERED)
    session = opened(agent)
    prompt = agent.start_prompt(session, READ)
    asked = agent.asked("fs/read_text_file")
    assert asked["params"] == {"sessionId": session, "path": str(agent.project / "a.txt")}
    agent.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"content": "typed 1\ntyped 2\n"}})
    assert agent.answer(prompt)["result"]["stopReason"] == "end_turn"
    assert texts(agent.seen).splitlines()[-1] == "2\ttyped 2"


def test_a_file_that_was_never_saved_is_read(agent: AgentProcess) -> None:
    agent.initialize(**OFFERED)
    session = opened(agent)
    prompt = agent.start_prompt(session, READ.replace("a.txt", "new.txt"))
    asked = agent.asked("fs/read_text_file")
    agent.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"content": "typed 1\ntyped 2\n"}})
    agent.answer(prompt)
    assert texts(agent.seen).splitlines()[-1] == "2\ttyped 2"


@pytest.mark.parametrize("answer", [{"error": {"code": -32601, "message": "no"}}, {"result": {}}, {"result": None}])
def test_the_disk_is_read_where_the_client_has_nothing(agent: AgentProcess, answer: Message) -> None:
    agent.initialize(**OFFERED)
    prompt = agent.start_prompt(opened(agent), READ)
    agent.send({"jsonrpc": "2.0", "id": agent.asked("fs/read_text_file")["id"], **answer})
    agent.answer(prompt)
    assert texts(agent.seen).splitlines()[-1] == "2\tsaved 2"


@pytest.mark.parametrize(
    "capabilities", [{}, {"fs": {"readTextFile": False}}, {"fs": {"writeTextFile": True}}, {"fs": None}]
)
def test_a_client_that_offers_no_files_is_not_asked(agent: AgentProcess, capabilities: Message) -> None:
    agent.initialize(clientCapabilities=capabilities)
    agent.prompt(opened(agent), READ)
    assert requests(agent) == []
    assert texts(agent.seen).splitlines()[-1] == "2\tsaved 2"


@pytest.mark.parametrize("path", ["../a.txt", "/etc/hostname", ".env"])
def test_the_client_is_not_asked_for_what_may_not_be_read(agent: AgentProcess, path: str) -> None:
    (agent.project / ".env").write_text("KEY=1\n", encoding="utf-8")
    agent.initialize(**OFFERED)
    prompt = agent.start_prompt(opened(agent), READ.replace("a.txt", path))
    if path == ".env":
        asked = agent.asked("session/request_permission")
        agent.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"outcome": {"outcome": "cancelled"}}})
    agent.answer(prompt)
    assert all(message["method"] != "fs/read_text_file" for message in requests(agent))


def test_a_cancel_reaches_a_call_that_the_client_never_answers(agent: AgentProcess) -> None:
    agent.initialize(**OFFERED)
    session = opened(agent)
    prompt = agent.start_prompt(session, READ)
    asked = agent.asked("fs/read_text_file")
    agent.cancel(session)
    assert agent.answer(prompt)["result"]["stopReason"] == "cancelled"
    withdrawn = [
        message["params"]["requestId"] for message in agent.seen if message.get("method") == "$/cancel_request"
    ]
    assert withdrawn == [asked["id"]]


async def test_a_client_that_never_answers_is_waited_for_once(caplog: pytest.LogCaptureFixture) -> None:
    sent: list[JsonObject] = []

    async def send(message: JsonObject) -> None:
        sent.append(message)

    files = ClientFiles(patience_s=0.01)
    files.connect(Calls(send), lambda: True)
    with caplog.at_level(logging.WARNING):
        assert [await files.read("s1", "/a"), await files.read("s1", "/b")] == [None, None]
    assert [message["method"] for message in sent] == ["fs/read_text_file", "$/cancel_request"]
    assert "did not answer for a file" in caplog.text


async def test_the_client_is_told_the_session_that_it_knows() -> None:
    sent: list[JsonObject] = []

    async def send(message: JsonObject) -> None:
        sent.append(message)
        calls.take(Response(0, {"content": "text"}, None))

    calls = Calls(send)
    files = ClientFiles()
    files.connect(calls, lambda: True)
    assert await files.read("s1/task-3", "/a") == "text"
    assert sent[0]["params"] == {"sessionId": "s1", "path": "/a"}
