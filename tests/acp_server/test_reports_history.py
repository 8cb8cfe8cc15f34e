"""Faults that people met elsewhere in what a model is sent: commands, a history made shorter, thinking."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from harness import AgentProcess, texts, update_of
from model_server import ModelServer, says
from providers.legal_bodies import check
from providers.server import Reply, Server, stream
from providers.words import SPEECH
from providers.words import said as says_it
from session_support import begin, choose, listed, people, reopen, said

from acp_server.models.values import Wire
from acp_server.providers.interface import JsonObject

PIECE = "The build is slow because of the linker. "
LONG = PIECE * 100


@contextmanager
def asking(folder: Path, config: str, model: str = "lab/large") -> Iterator[AgentProcess]:
    """An agent whose sessions begin with the model of a configuration."""
    place = folder / "config"
    place.mkdir(exist_ok=True)
    (place / "config.toml").write_text(config, encoding="utf-8")
    with begin(folder, doors=None, CAUDRA_CONFIG_DIR=str(place), CAUDRA_MODEL=model) as agent:
        yield agent


def offered(agent: AgentProcess) -> list[JsonObject]:
    """The commands that were announced last."""
    updates = [update_of(each) for each in agent.seen]
    kept = [each for each in updates if each.get("sessionUpdate") == "available_commands_update"]
    commands = kept[-1]["availableCommands"]
    assert isinstance(commands, list)
    return commands


def typed(command: JsonObject) -> str:
    """A command as a person would type it, with a word where it takes one."""
    takes = command.get("input")
    hint = takes["hint"] if isinstance(takes, dict) else ""
    return f"/{command['name']} {hint}".strip()


@pytest.mark.report("A10")
def test_commands_are_offered_after_new_load_and_resume_and_what_is_typed_reaches_them_whole(tmp_path: Path) -> None:
    with begin(tmp_path) as agent:
        session = agent.new_session()
        first = offered(agent)
        choose(agent, session)
        said(agent, session, "Think aloud.")
        for method in ("session/load", "session/resume"):
            reopen(agent, session, method)
            before = len(agent.seen)
            agent.until(lambda message: update_of(message).get("sessionUpdate") == "available_commands_update")
            assert offered(agent) == first
            assert not [each for each in agent.seen[before:] if "result" in each]
        said(agent, session, "/rename Two  words, *one* /more é")
        assert listed(agent)[0]["title"] == "Two words, *one* /more é"
        assert "/rename" in said(agent, session, "/renmae now")
        assert "There is no command /frobnicate (the nearest is" in said_before_a_fault(agent, session, "/frobnicate")


def said_before_a_fault(agent: AgentProcess, session: str, text: str) -> str:
    """The agent's words in a turn that a script doesn't know how to answer."""
    before = len(agent.seen)
    assert "error" in agent.prompt(session, text)
    return texts(agent.seen[before:])


@pytest.mark.report("B28")
def test_each_command_that_is_offered_does_something_and_no_model_reads_it(tmp_path: Path) -> None:
    with ModelServer([says(LONG)]) as server, asking(tmp_path, server.config()) as agent:
        session = agent.new_session()
        commands = offered(agent)
        assert {each["name"] for each in commands} >= {"compact", "clear", "help", "memory", "sessions", "rename"}
        for command in commands:
            for _ in range(3):
                said(agent, session, "Go on.")
            assert said(agent, session, typed(command))
            said(agent, session, "Go on.")
        heard = str([message for body in server.requests for message in body["messages"] if message["role"] == "user"])
        assert all(f"/{command['name']}" not in heard for command in commands)
        help_of = said(agent, session, "/help")
        assert all(f"`/{command['name']}" in help_of for command in commands)


@pytest.mark.report("B28")
def test_commands_that_need_no_model_answer_while_its_server_is_down(tmp_path: Path) -> None:
    with ModelServer([says("Never.")]) as server:
        config = server.config()
    with asking(tmp_path, config) as agent:
        session = agent.new_session()
        for command in offered(agent):
            if command["name"] != "compact":
                assert said(agent, session, typed(command))


TURNS = ("First.", "Second.", "Third.")


@pytest.mark.report("B25")
def test_a_history_that_was_made_shorter_stays_so_in_the_next_process_and_is_still_shown_whole(tmp_path: Path) -> None:
    with ModelServer([says(LONG)], compaction=[says("The linker is slow.")]) as server:
        with asking(tmp_path, server.config()) as agent:
            session = agent.new_session()
            for text in TURNS:
                said(agent, session, text)
            said(agent, session, "/compact")
        with asking(tmp_path, server.config()) as agent:
            reopen(agent, session)
            assert people(agent.seen) == [*TURNS, "/compact"]
            assert texts(agent.seen).count(LONG) == len(TURNS)
            said(agent, session, "Go on.")
        before, after = (str(body["messages"]) for body in server.bodies("chat")[-2:])
        assert (before.count(LONG), after.count(LONG)) == (2, 1)  # the newest turn stays whole
        assert "The linker is slow." in after


@pytest.mark.report("B26")
def test_a_summary_is_never_shown_as_what_somebody_said(tmp_path: Path) -> None:
    summaries = [says("SUMMARY ONE"), says("SUMMARY TWO")]
    with ModelServer([says(LONG)], compaction=summaries, title=says("SUMMARY-FREE")) as server:
        with asking(tmp_path, server.config()) as agent:
            session = agent.new_session()
            for _ in range(2):
                for text in TURNS:
                    said(agent, session, text)
                said(agent, session, "/compact the linker")
            assert len(server.bodies("compaction")) == 2
            assert "SUMMARY ONE" in str(server.bodies("compaction")[1])
            live = texts(agent.seen)
        with asking(tmp_path, server.config()) as agent:
            reopen(agent, session)
            assert people(agent.seen) == [*TURNS, "/compact the linker"] * 2
            replayed = texts(agent.seen)
            said(agent, session, "Go on.")
        assert "SUMMARY TWO" in str(server.bodies("chat")[-1]["messages"])
        for shown in (live, replayed):
            assert "SUMMARY ONE" not in shown and "SUMMARY TWO" not in shown
        assert all("SUMMARY" not in str(body) for body in server.bodies("title"))


GONE: dict[str, Callable[[str], str]] = {
    "its provider": lambda config: config.replace('provider = "lab"', 'provider = "shop"'),
    "its key": lambda config: f'{config}api_key_env = "NO_SUCH_KEY"\n',
    "all of it": lambda config: "",
}
"""What is no longer in a configuration, and how."""


@pytest.mark.report("B10")
@pytest.mark.parametrize("gone", GONE)
def test_a_session_of_a_model_of_the_person_s_own_loads_as_it_was_and_without_it(tmp_path: Path, gone: str) -> None:
    with ModelServer([says(LONG)]) as server:
        with asking(tmp_path, server.config()) as agent:
            session = agent.new_session()
            said(agent, session, "First.")
        with asking(tmp_path, server.config()) as agent:
            assert reopen(agent, session)["result"]["configOptions"][0]["currentValue"] == "lab/large"
            said(agent, session, "Second.")
        assert len(server.bodies("chat")) == 2
        with asking(tmp_path, GONE[gone](server.config()), model="embedded/librarian") as agent:
            option = reopen(agent, session)["result"]["configOptions"][0]
            assert people(agent.seen) == ["First.", "Second."]
            assert option["currentValue"] in [each["value"] for each in option["options"]]
            told = said(agent, session, "help")
            assert told.partition("\n")[0].count("lab/large") == 1
            assert "lab/large" not in said(agent, session, "help")


MARKS = {Wire.ANTHROPIC: "c2ln", Wire.RESPONSES: "Z0FB"}
"""What a server signs a thought with; Chat Completions has no such thing."""


@pytest.mark.report("A16")
@pytest.mark.parametrize("wire", list(Wire))
def test_thinking_goes_back_as_it_came_over_calls_and_a_load_and_a_shorter_history_is_still_legal(
    tmp_path: Path, wire: Wire
) -> None:
    speech = SPEECH[wire]
    arguments = '{"command": "view"}'
    thinks = [*speech.begin(), *speech.think(["Let me ", "look."]), *speech.call("call000001", "memory", arguments)]
    script: list[Reply] = [stream([*thinks, *speech.end("tools")]), stream(says_it(wire, [LONG]))]
    with Server(script) as server:
        env = {"CAUDRA_TEST_SERVER": server.url, "CAUDRA_TEST_WIRE": wire.value, "TESTER_API_KEY": "sk-test-abcd1234"}
        with begin(tmp_path, doors="remote_model.py", **env) as agent:
            session = agent.new_session()
            choose(agent, session)
            said(agent, session, "Look.")
        with begin(tmp_path, doors="remote_model.py", **env) as agent:
            reopen(agent, session)
            said(agent, session, "Go on.")
            said(agent, session, "/compact")
            said(agent, session, "Go on.")
            asked = len(server.requests)
        bodies = [check(wire, json.loads(each.body)) for each in server.requests]
    assert asked == 4
    for body in bodies[1:3]:
        assert MARKS.get(wire, "call000001") in str(body)
    assert history(bodies[2])[: len(history(bodies[1]))] == history(bodies[1])
    assert "call000001" not in str(bodies[3])


def history(body: JsonObject) -> list[str]:
    """The messages of a request, without the marks of a provider's cache."""
    items = body.get("messages", body.get("input"))
    assert isinstance(items, list)
    return [str(item).replace(", 'cache_control': {'type': 'ephemeral'}", "") for item in items]
