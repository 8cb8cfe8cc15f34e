"""A memory that is off, for good or for a session: nothing of it is seen, nothing written, and it comes back whole."""

from __future__ import annotations

import contextlib
import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness import DEADLINE_SECONDS, AgentProcess, Message, texts, update_of
from session_support import allow, file_of, notes, reopen, said, session_with, talk

from acp_server.config import load_config
from acp_server.memory_switch import memory_on
from acp_server.sentences.memory_outline import OFF, OFF_FOR_THE_MODEL, ON_ALREADY, TURNED_OFF, TURNED_ON

LOOK = json.dumps([[["say-request"]]])
REMINDED = "UserItem(text='# Memory updated"


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[AgentProcess]:
    with started(tmp_path) as process:
        yield process


@contextlib.contextmanager
def started(folder: Path, config: str = "", **env: str | None) -> Iterator[AgentProcess]:
    """An agent with a configuration."""
    configure(folder, config)
    unique: dict[str, str | None] = {"CAUDRA_TEST_IDS": None}
    with AgentProcess(folder, doors="directed_model.py", env={**unique, **env}) as process:
        process.initialize()
        yield process


def configure(folder: Path, config: str) -> None:
    place = folder / "state" / "config"
    place.mkdir(parents=True, exist_ok=True)
    (place / "config.toml").write_text(config, encoding="utf-8")


def does(*rounds: list[list[Any]]) -> str:
    return json.dumps(rounds)


def keeps(path: str) -> str:
    text = f"# About {path}\n\nFor a reason.\n"
    return does([["call", "memory", {"command": "write", "path": path, "content": text}]])


def switch(agent: AgentProcess, session: str, value: object) -> Message:
    params = {"sessionId": session, "configId": "memory", "value": value}
    return agent.answer(agent.request("session/set_config_option", params))


def shown(options: list[Message]) -> str:
    """The value of the option as a client shows it."""
    return str(next(each["currentValue"] for each in options if each["id"] == "memory"))


def asked(agent: AgentProcess, session: str) -> tuple[str, list[str], str]:
    """What the model is sent: system prompt, tools, history."""
    system, _, rest = said(agent, session, LOOK).rpartition("\n['")
    tools, _, history = rest.partition("]\n")
    return system, tools.replace("'", "").split(", "), history


def is_off(agent: AgentProcess, session: str) -> bool:
    """Whether the model is sent nothing of the memory; half of it is a fault."""
    system, tools, _ = asked(agent, session)
    off = "memory" not in tools
    assert (OFF_FOR_THE_MODEL in system) == off
    assert ("<memory>" in system) == (not off)
    return off


# For good


@pytest.mark.parametrize("command", [LOOK, "/memory", "/sessions", "/help", "/memory rebuild", "/clear"])
def test_where_it_is_off_for_good_no_directory_of_notes_is_made(tmp_path: Path, command: str) -> None:
    with started(tmp_path, "[memory]\nenabled = false\n") as agent:
        session = session_with(agent, command)
        talk(agent, session, does([["call", "memory", {"command": "view"}], ["call", "task", {"task": "x"}]]))
        agent.close_input()
        agent.wait()
    assert [path.name for path in (tmp_path / "state" / "projects").glob("*/*")] == ["sessions"]
    assert not (tmp_path / "state" / "acp-state.db").exists()


def test_where_it_is_off_for_good_the_model_gets_no_view_and_no_tool_and_the_person_is_told_on_demand(
    tmp_path: Path,
) -> None:
    with started(tmp_path, "[memory]\nenabled = false\n") as agent:
        params = {"cwd": str(agent.project), "mcpServers": []}
        options = agent.answer(agent.request("session/new", params))["result"]["configOptions"]
        assert shown(options) == "off"
        session = session_with(agent)
        before = len(agent.seen)
        assert is_off(agent, session)
        assert "memory" not in texts(agent.seen[before:]).partition("You are Caudra")[0].lower()
        assert said(agent, session, "/memory") == OFF == said(agent, session, "/memory rebuild")


def test_a_task_of_such_a_session_has_no_memory_either(tmp_path: Path) -> None:
    with started(tmp_path, "[memory]\nenabled = false\n") as agent:
        session = session_with(agent)
        task = {"title": "Look", "prompt": does([["say-request"]])}
        heard = said(agent, session, does([["call", "task", task]]))
        assert "search_text" in heard
        assert "'memory'" not in heard and "<memory>" not in heard


def test_the_embedded_model_says_that_it_is_off_and_how_it_is_turned_on(tmp_path: Path) -> None:
    with started(tmp_path, "[memory]\nenabled = false\n") as agent:
        session = agent.new_session()
        assert "/memory on" in said(agent, session, "remember that the tests need Docker")
        said(agent, session, "/memory on")
        said(agent, session, "remember that the tests need Docker")
    assert len(notes(agent)) == 1


def test_a_project_that_is_named_is_without_memory_and_its_neighbour_is_not(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with started(tmp_path, f'[memory]\noff_in = ["{tmp_path}/project"]\n') as agent:
        session = session_with(agent)
        assert is_off(agent, session)
        neighbour = agent.new_session(other)
        option = {"sessionId": neighbour, "configId": "model", "value": "test/scripted"}
        agent.answer(agent.request("session/set_config_option", option))
        assert not is_off(agent, neighbour)


def test_a_choice_of_the_session_stands_above_the_configuration(tmp_path: Path) -> None:
    with started(tmp_path, "[memory]\nenabled = false\n") as agent:
        session = session_with(agent)
        assert shown(switch(agent, session, "on")["result"]["configOptions"]) == "on"
        assert not is_off(agent, session)
        assert is_off(agent, session_with(agent))


NAMED = {
    "the directory": ("{place}", True),
    "from the home on": ("~/diary", True),
    "the home itself": ("~", True),
    "with a slash at its end": ("{place}/", True),
    "by a way around": ("{place}/../diary", True),
    "by a symbolic link": ("{link}", True),
    "one above": ("{home}", True),
    "one beside": ("{place}-2", False),
    "one that isn't there": ("/nowhere/at/all", False),
}


@pytest.fixture
def diary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "diary"
    place.mkdir()
    (tmp_path / "link").symlink_to(place)
    monkeypatch.setenv("HOME", str(tmp_path))
    return place


@pytest.mark.parametrize("way", NAMED)
def test_off_in_names_a_directory_however_it_is_written(diary: Path, way: str) -> None:
    named, off = NAMED[way]
    text = named.format(place=diary, home=diary.parent, link=diary.parent / "link")
    assert memory_on({"memory": {"off_in": [text]}}, str(diary)) is not off


def test_off_in_means_what_lies_below_and_every_worktree_of_the_repository(diary: Path) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(diary)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(diary.parent / "side")], check=True)
    (diary / "deep" / "er").mkdir(parents=True)
    raw: dict[str, object] = {"memory": {"off_in": [str(diary)]}}
    for place in (diary / "deep" / "er", diary.parent / "side"):
        assert not memory_on(raw, str(place))
    assert not memory_on({"memory": {"off_in": [str(diary.parent / "side")]}}, str(diary))


WRONG: dict[str, tuple[str, str]] = {
    "a relative directory": (
        'off_in = ["diary"]',
        "it must be a directory from the root or from the home directory on",
    ),
    "somebody without a home": ('off_in = ["~nobody-of-this-name/x"]', "it must be a directory from the root"),
    "a NUL": ('off_in = ["/a\\u0000b"]', "it must be a directory from the root"),
    "a text": ('off_in = "/diary"', "it must be a list"),
    "numbers": ("off_in = [1]", "it must be a text in quotes"),
    "a switch in quotes": ('enabled = "false"', "it must be true or false"),
    "a switch as a number": ("enabled = 0", "it must be true or false"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_setting_that_is_wrong_is_told_with_what_would_be_right_and_counts_as_not_said(
    tmp_path: Path, fault: str
) -> None:
    line, right = WRONG[fault]
    with started(tmp_path, f"[memory]\n{line}\n") as agent:
        session = session_with(agent)
        assert f"config.toml, line 2, memory.{line.partition(' ')[0]}" in (heard := said(agent, session, LOOK))
        assert right in heard
        assert not is_off(agent, session)
    assert not load_config(tmp_path / "none.toml")[1]


def test_one_wrong_directory_leaves_the_others_in_force(diary: Path) -> None:
    assert not memory_on({"memory": {"off_in": ["wrong", 7, str(diary)]}}, str(diary))


# For a session


def test_off_takes_effect_with_the_next_message_and_on_takes_the_view_anew_once(agent: AgentProcess) -> None:
    session, other = session_with(agent, keeps("own.md")), session_with(agent)
    assert not is_off(agent, session)
    assert shown(switch(agent, session, "off")["result"]["configOptions"]) == "off"
    assert is_off(agent, session)
    before = len(agent.seen)
    talk(agent, other, keeps("theirs.md"))
    assert is_off(agent, session)
    assert "changed elsewhere" not in texts(agent.seen[before:])
    switch(agent, session, "on")
    system, _, history = asked(agent, session)
    assert "own.md" in system and "theirs.md" in system
    assert REMINDED not in history
    assert asked(agent, session)[0] == system


def test_reminders_of_before_are_withdrawn_when_it_goes_off(agent: AgentProcess) -> None:
    session, other = session_with(agent, LOOK), session_with(agent)
    talk(agent, other, keeps("theirs.md"))
    said(agent, session, does([["say", "Read."]]))
    assert REMINDED in asked(agent, session)[2]
    switch(agent, session, "off")
    assert REMINDED not in asked(agent, session)[2]


def test_other_sessions_of_the_project_go_on_as_before(agent: AgentProcess) -> None:
    session, other = session_with(agent, LOOK), session_with(agent, LOOK)
    held = asked(agent, other)[0]
    switch(agent, session, "off")
    assert is_off(agent, session)
    talk(agent, other, keeps("kept.md"))
    assert notes(agent) == ["kept.md"]
    assert asked(agent, other)[0] == held


def test_a_switch_in_mid_turn_holds_from_the_next_turn_on(agent: AgentProcess) -> None:
    session = session_with(agent, LOOK)
    write = ["call", "memory", {"command": "write", "path": "late.md", "content": "# Late\n"}]
    prompt = agent.start_prompt(session, does([write], [["say-request"]]))
    question = agent.asked("session/request_permission")
    before = len(agent.seen)
    switch(agent, session, "off")
    allow(agent, question)
    assert agent.answer(prompt)["result"] == {"stopReason": "end_turn"}
    heard = texts(agent.seen[before:])
    assert "['memory'" in heard and "Wrote late.md as entry 0." in heard
    assert notes(agent) == ["late.md"]
    assert is_off(agent, session)


def test_a_model_that_is_chosen_in_mid_turn_answers_from_the_next_turn_on(agent: AgentProcess) -> None:
    session = session_with(agent, LOOK)
    write = ["call", "memory", {"command": "write", "path": "late.md", "content": "# Late\n"}]
    prompt = agent.start_prompt(session, does([write], [["say", "Still the first."]]))
    question = agent.asked("session/request_permission")
    option = {"sessionId": session, "configId": "model", "value": "embedded/librarian"}
    agent.answer(agent.request("session/set_config_option", option))
    allow(agent, question)
    before = len(agent.seen)
    agent.answer(prompt)
    assert texts(agent.seen[before:]) == "Still the first."
    assert "librarian" in said(agent, session, "help")


def test_a_memory_that_no_session_uses_is_closed_also_where_it_went_off_in_mid_turn(agent: AgentProcess) -> None:
    session = session_with(agent, keeps("own.md"))
    database = str(agent.state / "acp-state.db")
    assert database in open_files(agent)
    prompt = agent.start_prompt(session, does([["wait"]]))
    switch(agent, session, "off")
    agent.cancel(session)
    agent.answer(prompt)
    let_go(agent, database)
    switch(agent, session, "on")
    assert not is_off(agent, session)
    assert database in open_files(agent)
    switch(agent, session, "off")
    let_go(agent, database)


def test_a_model_that_calls_the_tool_all_the_same_gets_a_sentence(agent: AgentProcess) -> None:
    session = session_with(agent, keeps("own.md"))
    switch(agent, session, "off")
    heard = said(agent, session, does([["call", "memory", {"command": "read", "path": "own.md"}]]))
    assert "memory" in heard and "For a reason" not in heard


def test_memory_on_and_off_are_commands_too_and_the_clients_menu_follows(agent: AgentProcess) -> None:
    session = session_with(agent, LOOK)
    assert said(agent, session, "/memory on") == ON_ALREADY
    before = len(agent.seen)
    assert said(agent, session, "/memory off") == TURNED_OFF
    (told,) = updates(agent.seen[before:], "config_option_update")
    assert shown(told["configOptions"]) == "off"
    assert is_off(agent, session)
    assert said(agent, session, "/memory off") == OFF
    before = len(agent.seen)
    assert said(agent, session, "/memory on") == TURNED_ON
    (told,) = updates(agent.seen[before:], "config_option_update")
    assert shown(told["configOptions"]) == "on"
    assert "is taken with the next message" in said(agent, session, "/memory")
    assert not is_off(agent, session)


@pytest.mark.parametrize("by", ["the option", "the command"])
@pytest.mark.parametrize("method", ["session/load", "session/resume"])
def test_a_session_comes_back_as_it_was_left(tmp_path: Path, by: str, method: str) -> None:
    with started(tmp_path) as agent:
        session = session_with(agent, keeps("own.md"))
        if by == "the option":
            switch(agent, session, "off")
        else:
            said(agent, session, "/memory off")
        held = asked(agent, session)[0]
        agent.close_input()
        agent.wait()
    with started(tmp_path) as agent:
        assert shown(reopen(agent, session, method)["result"]["configOptions"]) == "off"
        assert asked(agent, session)[0] == held
        assert said(agent, session, "/memory") == OFF
        switch(agent, session, "on")
        assert "own.md" in asked(agent, session)[0]


def test_a_choice_made_before_the_first_message_comes_back_too(tmp_path: Path) -> None:
    with started(tmp_path) as agent:
        session = session_with(agent)
        switch(agent, session, "off")
        agent.close_input()
        agent.wait()
    with started(tmp_path) as agent:
        assert shown(reopen(agent, session, "session/resume")["result"]["configOptions"]) == "off"
        assert is_off(agent, session)


def test_a_session_that_never_chose_follows_the_configuration_of_the_day(tmp_path: Path) -> None:
    with started(tmp_path) as agent:
        session = session_with(agent, keeps("own.md"))
        agent.close_input()
        agent.wait()
    with started(tmp_path, "[memory]\nenabled = false\n") as agent:
        assert shown(reopen(agent, session)["result"]["configOptions"]) == "off"
        assert is_off(agent, session)


def test_a_branch_has_the_memory_off_where_the_session_had(agent: AgentProcess) -> None:
    session = session_with(agent, LOOK)
    switch(agent, session, "off")
    branch = reopen(agent, session, "session/fork")["result"]
    assert shown(branch["configOptions"]) == "off"
    assert is_off(agent, branch["sessionId"])


@pytest.mark.parametrize("value", ["maybe", "", "Off", "off\n", "x" * 100_000])
def test_a_value_that_there_is_not_is_refused_with_a_short_sentence_and_changes_nothing(
    agent: AgentProcess, value: str
) -> None:
    session = session_with(agent)
    error = switch(agent, session, value)["error"]
    assert error["code"] == -32602
    assert error["data"]["details"].startswith("The option memory is on or off, not '")
    assert len(error["data"]["details"]) < 100 and "\n" not in error["data"]["details"]
    assert not is_off(agent, session)
    assert '"values":{"memory"' not in file_of(agent, session).read_text()


@pytest.mark.parametrize("value", [True, False, None, 0, ["off"]])
def test_a_value_of_another_kind_is_refused(agent: AgentProcess, value: object) -> None:
    session = session_with(agent)
    assert switch(agent, session, value)["error"]["code"] == -32602


def test_in_a_headless_run_it_is_off_as_the_configuration_says(tmp_path: Path) -> None:
    configure(tmp_path, "[memory]\nenabled = false\n")
    arguments = ("-m", "acp_server", "-p", LOOK, "--project", str(tmp_path / "project"), "-m", "test/scripted")
    with AgentProcess(tmp_path, doors="directed_model.py", arguments=arguments) as run:
        run.close_input()
        heard = everything(run)
    assert OFF_FOR_THE_MODEL in heard and "['read_file'" in heard
    assert not list((tmp_path / "state").glob("projects/*/memories"))


def everything(run: AgentProcess) -> str:
    """All that a process writes to its output."""
    lines = []
    with contextlib.suppress(AssertionError):
        while True:
            lines.append(run.read_line().decode())
    return "\n".join(lines)


def updates(messages: list[Message], kind: str) -> list[Message]:
    return [update for each in messages if (update := update_of(each)).get("sessionUpdate") == kind]


def let_go(agent: AgentProcess, path: str) -> None:
    """Wait until the agent has a file open no longer, while it answers others."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while path in open_files(agent):
        assert time.monotonic() < deadline, path
        agent.answer(agent.request("session/list", {}))


def open_files(agent: AgentProcess) -> set[str]:
    """The files that a process has open."""
    names = set()
    for link in Path(f"/proc/{agent.process.pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            names.add(str(link.readlink()))
    return names
