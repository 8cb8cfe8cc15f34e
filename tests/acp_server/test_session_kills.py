"""The agent is killed at every step of a turn: what was shown before the last answer is there after a load."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import AgentProcess, Message, texts, update_of
from session_support import begin, choose, people, reopen, talk


def steps_of_a_turn(agent: AgentProcess, session: str, text: str) -> Iterator[Message]:
    """Each message of a turn as it comes, permissions allowed."""
    asked = agent.start_prompt(session, text)
    while True:
        message = agent.read()
        yield message
        if message.get("method") == "session/request_permission":
            allow = {"outcome": {"outcome": "selected", "optionId": message["params"]["options"][0]["optionId"]}}
            agent.send({"jsonrpc": "2.0", "id": message["id"], "result": allow})
        elif message.get("id") == asked and "method" not in message:
            return


def messages_in_a_turn(folder: Path, text: str) -> int:
    with begin(folder) as agent:
        session = agent.new_session()
        choose(agent, session)
        return sum(1 for _ in steps_of_a_turn(agent, session, text))


@pytest.mark.parametrize("text", ["Keep two notes."])
def test_a_session_killed_at_any_message_of_a_turn_loads_and_goes_on(tmp_path: Path, text: str) -> None:
    for last in range(messages_in_a_turn(tmp_path / "whole", text)):
        folder = tmp_path / str(last)
        with begin(folder) as agent:
            session = agent.new_session()
            choose(agent, session)
            talk(agent, session, "Think aloud.")
            for number, _ in enumerate(steps_of_a_turn(agent, session, text)):
                if number == last:
                    break
        with begin(folder) as agent:
            assert "result" in reopen(agent, session), f"killed after message {last}"
            assert people(agent.seen)[0] == "Think aloud."
            updates = [update_of(each) for each in agent.seen]
            cards = [each for each in updates if each.get("sessionUpdate") == "tool_call"]
            assert {card["status"] for card in cards} <= {"completed", "failed"}
            before = len(agent.seen)
            assert talk(agent, session, "What did you hear?")["result"] == {"stopReason": "end_turn"}
            heard = texts(agent.seen[before:])
            assert heard.startswith("PERSON Think aloud.\nMODEL Done.")
            assert heard.count("\nCALL ") == heard.count("\nRESULT ")


@pytest.mark.report("B11")
def test_two_windows_on_one_session_lose_no_turn_whoever_is_killed(tmp_path: Path) -> None:
    """The second asks and takes over, one of the two is killed at a random point, a third loads it."""
    chance = random.Random(11)
    with begin(tmp_path) as agent:
        session = agent.new_session()
        choose(agent, session)
        talk(agent, session, "Think aloud.")
    answered = 1
    for _ in range(6):
        with begin(tmp_path) as first, begin(tmp_path) as second:
            for agent in (first, second):
                assert "result" in reopen(agent, session)
                if "result" in talk(agent, session, "Think aloud."):
                    answered += 1
            victim, other = chance.sample([first, second], 2)
            victim.start_prompt(session, "Count to five.")
            if chance.random() < 0.5:
                victim.read()
            victim.kill()
            assert talk(other, session, "Think aloud.")["result"] == {"stopReason": "end_turn"}
            answered += 1
    with begin(tmp_path) as agent:
        assert "result" in reopen(agent, session)
        assert texts(agent.seen).count("Done.") == answered
