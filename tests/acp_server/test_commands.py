"""Slash commands through a real agent: what each answers and changes, and that no model hears of any."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness import AgentProcess, Message, texts, update_of
from session_support import choose, file_of

from acp_server.commands import COMMANDS, Typed, Unknown, typed

SAY_REQUEST = json.dumps([[["say-request"]]])


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[AgentProcess]:
    with AgentProcess(tmp_path, doors="directed_model.py") as process:
        process.initialize()
        yield process


@pytest.fixture
def session(agent: AgentProcess) -> str:
    return opened(agent)


def opened(agent: AgentProcess) -> str:
    session = agent.new_session()
    option = {"sessionId": session, "configId": "model", "value": "test/scripted"}
    agent.answer(agent.request("session/set_config_option", option))
    return session


def test_a_call_that_utf_8_cannot_hold_is_mended_and_breaks_no_later_turn(agent: AgentProcess, session: str) -> None:
    assert heard(agent, session, json.dumps([[["call", "no\ud800", "\ud800"]]]))
    assert '"name":"no\\ufffd","arguments":"\\ufffd"' in file_of(agent, session).read_text(encoding="ascii")
    choose(agent, session, "embedded/librarian")
    assert heard(agent, session, "What do you know about retries?")
    assert heard(agent, session, "/compact")


def words(*steps: list[Any]) -> str:
    return json.dumps([list(steps)])


def heard(agent: AgentProcess, session: str, text: str) -> str:
    """What the person reads after a prompt."""
    before = len(agent.seen)
    answer = agent.prompt(session, text)
    assert answer["result"] == {"stopReason": "end_turn"}
    return texts(agent.seen[before:])


def requested(agent: AgentProcess, session: str) -> tuple[str, str]:
    """What the model gets with one more message: the system prompt with the view, and the history."""
    system, _, history = heard(agent, session, SAY_REQUEST).rpartition("\n['memory'")
    return system, history


def wrote(agent: AgentProcess, session: str, path: str) -> None:
    """A session writes a note."""
    call = ["call", "memory", {"command": "write", "path": path, "content": f"# {path}\n\nA reason.\n"}]
    prompt = agent.start_prompt(session, words(call))
    question = agent.asked("session/request_permission")
    outcome = {"outcome": "selected", "optionId": "allow_once"}
    agent.send({"jsonrpc": "2.0", "id": question["id"], "result": {"outcome": outcome}})
    agent.answer(prompt)


def reloaded(agent: AgentProcess, session: str) -> list[Message]:
    """The updates of a load, after the session was closed."""
    agent.answer(agent.request("session/close", {"sessionId": session}))
    before = len(agent.seen)
    params = {"sessionId": session, "cwd": str(agent.project), "mcpServers": []}
    agent.answer(agent.request("session/load", params))
    agent.until(lambda message: update_of(message).get("sessionUpdate") == "available_commands_update")
    return [update for message in agent.seen[before:] if (update := update_of(message))]


def drawn_texts(updates: list[Message]) -> list[str]:
    """The texts of the messages that are drawn."""
    return [each["content"]["text"] for each in updates if each["sessionUpdate"] == "agent_message_chunk"]


# When a prompt is a command


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_a_name_alone_or_with_words_is_the_command(command: Any) -> None:
    found = typed(f"/{command.name}")
    assert isinstance(found, Typed) and (found.command, found.words) == (command, "")
    found = typed(f"/{command.name}   two words \n")
    assert isinstance(found, Typed) and found.words == "two words"


@pytest.mark.parametrize(
    "text",
    ["/etc/passwd", " /help", "/help\nand more", "//help", "/", "/ help", "help", "/1", "/help/x", "/usr/bin is full"],
)
def test_what_only_looks_like_a_command_is_for_the_model(text: str) -> None:
    assert typed(text) is None


def test_more_blocks_or_another_kind_of_block_are_no_command() -> None:
    block = {"type": "text", "text": "/help"}
    assert isinstance(typed("/help", [block]), Typed)
    assert typed("/help", [block, block]) is None
    assert typed("/help", [{"type": "resource_link", "uri": "file:///help", "name": "/help"}]) is None


@pytest.mark.parametrize(("text", "nearest"), [("/hepl", "help"), ("/Compact", "compact"), ("/memroy x", "memory")])
def test_a_slip_is_told_and_reaches_no_model(text: str, nearest: str) -> None:
    found = typed(text)
    assert isinstance(found, Unknown) and found.slip and found.nearest == nearest


def test_a_word_that_is_no_slip_goes_to_the_model_with_a_word_to_the_person(agent: AgentProcess, session: str) -> None:
    agent.prompt(session, "/frobnicate")  # the model of this test understands JSON alone
    assert "no command /frobnicate (the nearest is" in texts(agent.seen)


# What they do


def test_commands_are_announced_for_new_and_loaded_sessions(agent: AgentProcess, session: str) -> None:
    heard(agent, session, words(["say", "Hello."]))
    (announced,) = [each for each in reloaded(agent, session) if each["sessionUpdate"] == "available_commands_update"]
    assert [each["name"] for each in announced["availableCommands"]] == [command.name for command in COMMANDS]
    assert all(each["description"] for each in announced["availableCommands"])


def test_help_lists_every_command(agent: AgentProcess, session: str) -> None:
    shown = heard(agent, session, "/help")
    assert [line for line in shown.splitlines() if line.startswith("- `/")] == [
        f"- `{command.usage}`: {command.description}." for command in COMMANDS
    ]


def test_no_model_reads_a_command_or_its_answer(agent: AgentProcess, session: str) -> None:
    for command in ("/help", "/memory", "/sessions", "/rename Fine", "/hlep", "/rename"):
        heard(agent, session, command)
    _, history = requested(agent, session)
    assert history.count("UserItem") == 1
    assert "Fine" not in history and "/help" not in history


def test_a_loaded_session_draws_commands_and_sends_none(agent: AgentProcess, session: str) -> None:
    heard(agent, session, words(["say", "Hello."]))
    answer = heard(agent, session, "/help")
    drawn = reloaded(agent, session)
    assert {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "/help"}}.items() <= next(
        each for each in drawn if each.get("content", {}).get("text") == "/help"
    ).items()
    assert answer in drawn_texts(drawn)
    assert "/help" not in requested(agent, session)[1]


def test_a_command_without_its_words_or_with_too_many_does_nothing(agent: AgentProcess, session: str) -> None:
    assert heard(agent, session, "/rename") == (
        "/rename needs a title behind it, so nothing was done; type /rename and the title."
    )
    assert "takes no words, so nothing was done" in heard(agent, session, "/clear the desk")
    assert "longer than 2,000 characters" in heard(agent, session, "/compact " + "x" * 2001)
    assert "takes rebuild, on, off or nothing" in heard(agent, session, "/memory wipe")


def test_clear_empties_the_history_and_takes_the_view_anew(agent: AgentProcess, session: str) -> None:
    heard(agent, session, words(["say", "An old answer."]))
    wrote(agent, opened(agent), "late.md")
    assert "The model begins anew" in heard(agent, session, "/clear")
    system, history = requested(agent, session)
    assert "An old answer." not in history
    assert "late.md" in system and "late.md" not in history
    assert heard(agent, opened(agent), "/clear") == "There is nothing to clear yet."


def test_a_cleared_session_is_still_drawn_whole_and_stays_cleared(agent: AgentProcess, session: str) -> None:
    heard(agent, session, words(["say", "An old answer."]))
    heard(agent, session, "/clear")
    drawn = reloaded(agent, session)
    assert "An old answer." in drawn_texts(drawn)
    assert "An old answer." not in requested(agent, session)[1]


def test_memory_shows_what_came_since_the_view_was_frozen(agent: AgentProcess, session: str) -> None:
    assert "has frozen no view yet" in heard(agent, session, "/memory")
    wrote(agent, session, "own.md")
    wrote(agent, opened(agent), "theirs.md")
    shown = heard(agent, session, "/memory")
    assert "This session froze its view at 0 entries. Since then 2 entries:" in shown
    since = [line for line in shown.partition("Since then")[2].splitlines() if " note " in line]
    rows = {line.split()[2].rstrip(":"): line.rpartition("(")[2] for line in since}
    assert rows == {"own.md": "written here)", "theirs.md": "comes with the next message)"}
    heard(agent, session, words(["say", "Noted."]))
    assert "theirs.md: theirs.md (reminder)" in heard(agent, session, "/memory")


def test_memory_rebuild_takes_the_view_anew_with_the_next_message_and_withdraws_reminders(
    agent: AgentProcess, session: str
) -> None:
    heard(agent, session, words(["say", "First."]))
    wrote(agent, opened(agent), "theirs.md")
    assert "UserItem(text='# Memory updated" in requested(agent, session)[1]
    assert "The view is taken anew with the next message." in heard(agent, session, "/memory rebuild")
    system, history = requested(agent, session)
    assert "theirs.md" in system
    assert "UserItem(text='# Memory updated" not in history
    assert "froze its view at 1 entry. Nothing came since." in heard(agent, session, "/memory")


def test_sessions_lists_those_of_the_directory_and_marks_this_one(agent: AgentProcess, session: str) -> None:
    heard(agent, session, words(["say", "One."]))
    heard(agent, session, "/rename *Bold* <b>`x`</b>")
    other = opened(agent)
    heard(agent, other, words(["say", "Two."]))
    rows = [line for line in heard(agent, other, "/sessions").splitlines() if line.startswith("- ")]
    assert len(rows) == 2
    assert [f"`{other}`" in row for row in rows] == ["(this one)" in row for row in rows]
    (renamed,) = [row for row in rows if f"`{session}`" in row]
    assert renamed.startswith(r"- \*Bold\*") and "<b>" not in renamed.replace("\\<b>", "")


def test_a_chosen_title_outlives_later_turns_and_a_load(agent: AgentProcess, session: str) -> None:
    heard(agent, session, "/rename A fine title")
    heard(agent, session, words(["say", "Hello."]))
    titles = [
        each["title"] for each in map(update_of, agent.seen) if each.get("sessionUpdate") == "session_info_update"
    ]
    assert titles == ["A fine title"]
    (drawn,) = [each for each in reloaded(agent, session) if each["sessionUpdate"] == "session_info_update"]
    assert drawn["title"] == "A fine title"
    listed = agent.answer(agent.request("session/list", {}))["result"]["sessions"]
    assert [each["title"] for each in listed] == ["A fine title"]


def test_a_command_makes_no_title(agent: AgentProcess, session: str) -> None:
    heard(agent, session, "/help")
    assert not [each for each in map(update_of, agent.seen) if each.get("sessionUpdate") == "session_info_update"]


def test_compact_of_nothing_says_so(agent: AgentProcess, session: str) -> None:
    assert heard(agent, session, "/compact") == "There is nothing to make shorter yet."
    heard(agent, session, words(["say", "Short."]))
    assert heard(agent, session, "/compact") == "There is nothing to make shorter yet."


def test_compact_shortens_what_the_model_reads_and_nothing_that_the_person_sees(
    agent: AgentProcess, session: str
) -> None:
    heard(agent, session, words(["say", "An old answer. " * 200]))
    heard(agent, session, words(["say", "A newer answer."]))
    assert "a summary stands for 1 earlier turn" in heard(agent, session, "/compact")
    _, history = requested(agent, session)
    assert history.count("An old answer.") < 200 and "A newer answer." in history
    assert "An old answer. " * 200 in drawn_texts(reloaded(agent, session))


def test_a_command_waits_for_the_turn_before_it(agent: AgentProcess, session: str) -> None:
    turn = agent.start_prompt(session, words(["wait"]))
    command = agent.start_prompt(session, "/help")
    agent.cancel(session)
    assert {agent.answer(each)["result"]["stopReason"] for each in (turn, command)} == {"cancelled"}
    assert "What can be typed here" in heard(agent, session, "/help")
