"""What is asked of a process in its first moments, before the parts of its turns are loaded, is done in its order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import DEADLINE_SECONDS, AgentProcess, Message
from session_support import Start, begin, file_of, reopen, said, starter


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    yield from starter(tmp_path)


def memory_off(session: str) -> tuple[str, Message]:
    return "session/set_config_option", {"sessionId": session, "configId": "memory", "value": "off"}


def opened(agent: AgentProcess, session: str) -> Message:
    return {"sessionId": session, "cwd": str(agent.project), "mcpServers": []}


def values(answer: Message) -> list[str]:
    return [each["currentValue"] for each in answer["result"]["configOptions"]]


def test_a_session_that_is_closed_right_behind_an_option_is_nobodys(start: Start) -> None:
    agent = start()
    session = agent.new_session()
    option, close = agent.request(*memory_off(session)), agent.request("session/close", {"sessionId": session})
    assert "off" in values(agent.answer(option)) and agent.answer(close)["result"] == {}
    path = file_of(agent, session)
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    second = start()
    assert "off" in values(reopen(second, session))
    assert said(second, session, "help")


@pytest.mark.parametrize("method", ["load", "resume", "fork"])
def test_an_option_is_kept_whatever_comes_right_behind_it(tmp_path: Path, method: str) -> None:
    with begin(tmp_path) as agent:
        session = agent.new_session()
        option = agent.request(*memory_off(session))
        behind = agent.request(f"session/{method}", opened(agent, session))
        assert "off" in values(agent.answer(option))
        answer = agent.answer(behind)
        assert "off" in values(answer)
        other = str(answer["result"].get("sessionId", session))
        assert "memory is off in this session" in said(agent, other, "/memory")


def test_a_memory_is_closed_with_its_only_session_however_soon(start: Start) -> None:
    agent = start()
    session = agent.new_session()
    agent.answer(agent.request("session/close", {"sessionId": session}))
    assert open_memories(agent) == []


@pytest.mark.parametrize("ending", ["cancel", "end of input"])
def test_a_prompt_that_is_ended_before_anything_is_loaded_is_answered_once(start: Start, ending: str) -> None:
    agent = start()
    session = agent.new_session()
    asked = agent.start_prompt(session, "help")
    if ending == "cancel":
        agent.cancel(session)
    else:
        agent.close_input()
    assert agent.answer(asked)["result"]["stopReason"] in ("cancelled", "end_turn")
    if ending != "cancel":
        assert agent.process.wait(DEADLINE_SECONDS) == 0


def open_memories(agent: AgentProcess) -> list[str]:
    found = []
    for descriptor in Path(f"/proc/{agent.process.pid}/fd").iterdir():
        try:
            found.append(str(descriptor.readlink()))
        except FileNotFoundError:  # closed meanwhile
            continue
    return [each for each in found if "acp-state.db" in each or each.endswith("state.lock")]
