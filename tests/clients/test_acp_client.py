"""`acp-client`, a client of another author, drives the agent."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import acp_client
import pytest

ROOT = Path(__file__).resolve().parents[2]
Json = dict[str, Any]


class Person:
    """Answers permissions by the kind of an option, and keeps what was asked."""

    def __init__(self) -> None:
        self.asked: list[Json] = []
        self.kind = "allow_once"

    async def decide(self, request: Json) -> str | None:
        self.asked.append(request)
        return next((each["optionId"] for each in request["options"] if each["kind"] == self.kind), None)


@pytest.fixture
def person() -> Person:
    return Person()


@pytest.fixture
async def agent(person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[acp_client.Agent]:
    monkeypatch.setenv("CAUDRA_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("PYTHONPATH", os.fspath(ROOT))
    (tmp_path / "project").mkdir()
    command = [sys.executable, "-P", "-m", "acp_server"]
    agent = acp_client.Agent(command, tmp_path / "project", permission=person.decide)
    yield agent
    process = agent.process
    await agent.stop()
    if process is not None:
        await process.wait()
        assert agent.reading is not None
        await agent.reading


def notes(tmp_path: Path) -> list[str]:
    return [note.read_text(encoding="utf-8") for note in (tmp_path / "state").glob("projects/*/memories/*.md")]


async def test_what_it_is_told_to_remember_it_finds(agent: acp_client.Agent, person: Person, tmp_path: Path) -> None:
    told = await agent.ask("remember that the deploy key rotates on Mondays")
    assert told
    assert len(person.asked) == 1
    (text,) = notes(tmp_path)
    assert "rotates on Mondays" in text
    updates: list[Json] = []
    found = await agent.ask("what do we know about the deploy key?", on_update=updates.append)
    assert "rotates on Mondays" in found
    assert {"tool_call", "tool_call_update", "agent_message_chunk"} <= {each["sessionUpdate"] for each in updates}
    assert len(person.asked) == 1


@pytest.mark.parametrize("kind", ["reject_once", "no such kind"])
async def test_what_is_turned_down_is_not_written(
    agent: acp_client.Agent, person: Person, tmp_path: Path, kind: str
) -> None:
    person.kind = kind
    assert await agent.ask("remember that the deploy key rotates on Mondays")
    assert len(person.asked) == 1
    assert notes(tmp_path) == []


async def test_the_model_can_be_set_where_the_session_offers_it(agent: acp_client.Agent) -> None:
    await agent.start()
    answer = await agent._request(
        "session/set_config_option", sessionId=agent.session, configId="model", value="embedded/librarian"
    )
    assert [option["currentValue"] for option in answer["configOptions"]] == ["embedded/librarian", "on"]
