"""What a person chose in a session holds once it was answered: after a kill, and in every window of the session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import AgentProcess, Message, update_of
from session_support import Start, listed, reopen, said, session_with, starter, talk


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    yield from starter(tmp_path)


def switch(agent: AgentProcess, session: str, value: str) -> None:
    params = {"sessionId": session, "configId": "memory", "value": value}
    assert memory_in(agent.answer(agent.request("session/set_config_option", params))["result"]) == value


def memory_in(result: Message) -> str:
    """What the menu shows."""
    return next(str(option["currentValue"]) for option in result["configOptions"] if option["id"] == "memory")


@pytest.mark.parametrize("prompts", [(), ("Think aloud.",)], ids=["before the first turn", "between two turns"])
def test_a_choice_that_was_answered_outlives_a_kill(start: Start, prompts: tuple[str, ...]) -> None:
    first = start()
    session = session_with(first, *prompts)
    switch(first, session, "off")
    first.kill()
    assert memory_in(reopen(start(), session)["result"]) == "off"


def test_a_window_that_takes_a_session_over_follows_what_was_chosen_in_the_other(start: Start) -> None:
    first, second = start(), start()
    session = session_with(first, "Keep a note.")
    reopen(second, session)
    switch(first, session, "off")
    before = len(second.seen)
    talk(second, session, "Think aloud.")
    followed = [update for message in second.seen[before:] if (update := update_of(message)).get("configOptions")]
    assert [memory_in(update) for update in followed] == ["off"]
    assert "The memory is off in this session" in said(second, session, "/memory")


def test_a_choice_made_while_another_window_has_the_session_holds_when_it_comes_back(start: Start) -> None:
    first, second = start(), start()
    session = session_with(first, "Keep a note.")
    reopen(second, session)
    talk(second, session, "Think aloud.")
    switch(first, session, "off")
    talk(first, session, "Think aloud.")
    first.kill()
    assert memory_in(reopen(start(), session)["result"]) == "off"


def test_a_session_id_that_no_session_can_have_is_no_fault_to_delete(start: Start) -> None:
    agent = start()
    for odd in ("\ud800", "../x", "a\0b", ""):
        assert agent.answer(agent.request("session/delete", {"sessionId": odd}))["result"] == {}
    assert listed(agent) == []
