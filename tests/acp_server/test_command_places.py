"""Slash commands wherever they are typed: as a session's first words, in a branch, in a queue, beside another window,
where nothing can be kept, in the chat and headless.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import AgentProcess, Message, process_environment, texts, update_of
from session_support import NO_SEQUENCE, allow, file_of, listed, people, questions, reopen, said, session_with, talk
from test_memory_off import does, keeps, updates

from acp_server.exits import Exit
from acp_server.sentences import commands as say
from acp_server.sentences import memory_outline as say_memory

HELLO = does([["say", "Hello."]])


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[AgentProcess]:
    with begun(tmp_path) as process:
        yield process


def begun(folder: Path, **env: str | None) -> AgentProcess:
    process = AgentProcess(folder, doors="directed_model.py", env={**NO_SEQUENCE, **env})
    process.initialize()
    return process


def titles(messages: list[Message]) -> list[str]:
    return [str(update["title"]) for update in updates(messages, "session_info_update")]


# In a session


@pytest.mark.parametrize(
    "text", ["/etc", "/etc/hosts is wrong", "/* a comment */", "//help", " /help", "/help\n\nmore", "/help.", "/1", "/"]
)
def test_what_only_looks_like_a_command_reaches_the_model_word_for_word(agent: AgentProcess, text: str) -> None:
    session = agent.new_session()
    before = len(agent.seen)
    agent.prompt(session, text)
    assert say.HELP_HEAD not in texts(agent.seen[before:])
    record = next(line for line in file_of(agent, session).read_text().splitlines() if '"type":"turn"' in line)
    assert json.loads(record)["text"] == text


def test_a_command_among_other_blocks_is_for_the_model(agent: AgentProcess) -> None:
    session = session_with(agent)
    blocks = [{"type": "text", "text": "/help"}, {"type": "resource_link", "uri": "file:///a.py", "name": "a.py"}]
    before = len(agent.seen)
    agent.answer(agent.request("session/prompt", {"sessionId": session, "prompt": blocks}))
    assert say.HELP_HEAD not in texts(agent.seen[before:])


def test_a_session_that_begins_with_a_command_is_titled_by_the_first_words_to_the_model(agent: AgentProcess) -> None:
    session = session_with(agent, "/help", "/memory")
    assert titles(agent.seen) == []
    talk(agent, session, HELLO)
    assert titles(agent.seen) == [HELLO]


def test_a_session_of_commands_alone_is_drawn_again_and_goes_on(tmp_path: Path) -> None:
    with begun(tmp_path) as agent:
        session = session_with(agent, "/help")
        answer = texts(agent.seen)
    with begun(tmp_path) as agent:
        reopen(agent, session)
        assert (people(agent.seen), texts(agent.seen)) == (["/help"], answer)
        assert said(agent, session, HELLO) == "Hello."


@pytest.mark.parametrize("method", ["session/load", "session/resume", "session/fork"])
def test_commands_are_announced_once_the_answer_is_out(agent: AgentProcess, method: str) -> None:
    session = session_with(agent, HELLO)
    before = len(agent.seen)
    answer = reopen(agent, session, method)
    assert not updates(agent.seen[before:], "available_commands_update")
    told = agent.until(lambda message: update_of(message).get("sessionUpdate") == "available_commands_update")
    assert told["params"]["sessionId"] == answer["result"].get("sessionId", session)
    assert "help" in [each["name"] for each in update_of(told)["availableCommands"]]


def test_a_branch_draws_commands_and_sends_none(agent: AgentProcess) -> None:
    session = session_with(agent, HELLO, "/help")
    branch = reopen(agent, session, "session/fork")["result"]["sessionId"]
    before = len(agent.seen)
    reopen(agent, branch)
    assert people(agent.seen[before:]) == [HELLO, "/help"]
    assert "/help" not in said(agent, branch, does([["say-request"]]))


def test_a_command_behind_a_running_turn_is_answered_after_it(agent: AgentProcess) -> None:
    session = session_with(agent, HELLO)
    turn = agent.start_prompt(session, keeps("first.md"))
    question = agent.asked("session/request_permission")
    command = agent.start_prompt(session, "/memory")
    before = len(agent.seen)
    allow(agent, question)
    agent.answer(turn)
    assert "**Memory**" not in texts(agent.seen[before:])
    agent.answer(command)
    assert "0+1 note first.md: About first.md (written here)" in texts(agent.seen[before:])


def test_a_command_that_was_cancelled_while_it_waited_does_nothing(agent: AgentProcess) -> None:
    session = session_with(agent, HELLO)
    turn = agent.start_prompt(session, does([["wait"]]))
    command = agent.start_prompt(session, "/rename Never")
    agent.cancel(session)
    assert [agent.answer(each)["result"]["stopReason"] for each in (turn, command)] == ["cancelled"] * 2
    assert "Never" not in titles(agent.seen)


def test_a_title_that_the_person_chose_in_mid_conversation_stays(tmp_path: Path) -> None:
    with begun(tmp_path) as agent:
        session = session_with(agent, HELLO)
        assert said(agent, session, "/rename  Über <b>*alles*</b>\x1b[2J ") == (
            r"This session is called Über \<b\>\*alles\*\</b\>␛\[2J now."
        )
        talk(agent, session, HELLO)
        chosen = "Über <b>*alles*</b>␛[2J"
        assert titles(agent.seen) == [HELLO, chosen]
    with begun(tmp_path) as agent:
        reopen(agent, session)
        talk(agent, session, HELLO)
        assert set(titles(agent.seen)) == {chosen}
        assert [each["title"] for each in listed(agent)] == [chosen]


@pytest.mark.parametrize("words", ["\x00\x01", "\u200b" * 3, "\u2066", "\u0301"])
def test_a_title_of_which_nothing_would_be_seen_is_refused(agent: AgentProcess, words: str) -> None:
    session = session_with(agent)
    assert said(agent, session, f"/rename {words}") == say.TITLE_EMPTY
    assert titles(agent.seen) == []


def test_a_long_title_is_cut(agent: AgentProcess) -> None:
    session = session_with(agent, f"/rename {'word ' * 100}")
    assert len(titles(agent.seen)[0]) <= 200
    assert "longer than 2,000 characters" in said(agent, session, "/rename " + "x" * 2001)


# The list


def test_the_list_has_this_directory_alone_and_its_newest_twenty(agent: AgentProcess, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    talk(agent, agent.new_session(elsewhere), "/help")
    mine = [session_with(agent, f"/rename Number {number}") for number in range(22)]
    answer = said(agent, mine[-1], "/sessions")
    rows = [line for line in answer.splitlines() if line.startswith("- ")]
    assert [row.split(",")[0] for row in rows[:2]] == ["- Number 21 (this one)", "- Number 20"]
    assert len(rows) == 20
    assert "The 20 newest are shown" in answer


def test_no_title_breaks_out_of_its_row(agent: AgentProcess) -> None:
    hostile = "a](http://x) `b` **c** <img src=x> | d\x1b[31m # e"
    session = session_with(agent, f"/rename {hostile}", HELLO)
    answer = said(agent, session, "/sessions")
    (row,) = [line for line in answer.splitlines() if line.startswith("- ")]
    assert r"a\](http://x) \`b\` \*\*c\*\* \<img src=x\> \| d␛\[31m # e (this one)" in row


# Beside another window, and where nothing can be kept


def test_a_session_that_another_window_has_asks_before_a_command_too(tmp_path: Path) -> None:
    with begun(tmp_path) as first, begun(tmp_path) as second:
        session = session_with(first, HELLO)
        reopen(second, session)
        before = len(second.seen)
        talk(second, session, "/rename Mine", "reject_once")
        assert len(questions(second.seen[before:])) == 1
        assert "Mine" not in titles(second.seen)
        talk(second, session, "/rename Mine")
        assert "Mine" in titles(second.seen)
        assert said(first, session, "/help", "reject_once")
        with begun(tmp_path) as third:
            assert [each["title"] for each in listed(third)] == ["Mine"]
        talk(first, session, "/help")
        assert titles(first.seen)[-1] == "Mine"
        assert [each["title"] for each in listed(first)] == ["Mine"]


def test_a_session_whose_file_is_gone_is_told_so_and_its_commands_work(agent: AgentProcess) -> None:
    session = session_with(agent, HELLO)
    agent.answer(agent.request("session/close", {"sessionId": session}))
    reopen(agent, session, "session/resume")
    os.replace(path := file_of(agent, session), path.with_suffix(".away"))
    path.mkdir()
    answer = said(agent, session, "/help")
    assert say.HELP_HEAD in answer


def test_without_a_place_for_state_commands_answer(tmp_path: Path) -> None:
    with begun(tmp_path, CAUDRA_STATE_DIR="/proc/none") as agent:
        session = agent.new_session()
        assert say.HELP_HEAD in said(agent, session, "/help")
        assert say.NO_SESSIONS in said(agent, session, "/sessions")
        assert "can't be kept in /proc/none" in said(agent, session, "/memory")
        assert say_memory.TURNED_OFF in said(agent, session, "/memory off")
        assert "is called Here now" in said(agent, session, "/rename Here")


# In the terminal


def run(folder: Path, *words: str, typed: str = "") -> tuple[int, str, str]:
    """The program with nothing set up: no model, no key."""
    (folder / "project").mkdir(exist_ok=True)
    bare = dict.fromkeys(("CAUDRA_MODEL", "CAUDRA_TEST", "CAUDRA_TEST_CLOCK", "CAUDRA_TEST_IDS"))
    done = subprocess.run(
        [sys.executable, "-P", "-m", "acp_server", *words],
        input=typed,
        capture_output=True,
        encoding="utf-8",
        cwd=folder / "project",
        env=process_environment(folder / "state", bare),
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


def test_headless_the_answer_of_a_command_is_the_output(tmp_path: Path) -> None:
    code, out, _ = run(tmp_path, "-p", "/help")
    assert (code, out.splitlines()[0]) == (Exit.OK, say.HELP_HEAD)
    code, out, _ = run(tmp_path, "-p", "/memory")
    assert code == Exit.OK
    assert out.startswith("**Memory**: 0 lines over 0 entries") and say_memory.SUMMARIES_LATER in out


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("/hepl", "the nearest is /help"),
        ("/rename", "needs a title behind it"),
        ("/sessions", say.NOT_KEPT),
        ("/rename Mondays", say.NOT_KEPT),
        ("/clear", say.NOT_KEPT),
        ("/compact", say.NOT_KEPT),
        ("/memory off", say.NOT_KEPT),
        ("/memory rebuild", say.NOT_KEPT),
        ("/memory wipe", "not 'wipe'; nothing was done"),
        ("/help me", "takes no words"),
    ],
)
def test_headless_a_command_that_did_nothing_says_why_beside_the_output_and_fails(
    tmp_path: Path, typed: str, told: str
) -> None:
    code, out, errors = run(tmp_path, "-p", typed)
    assert (code, out) == (Exit.WRONG, "")
    assert told in errors


def test_the_chat_has_the_commands(tmp_path: Path) -> None:
    code, out, errors = run(tmp_path, "chat", typed="/help\n")
    assert (code, errors) == (Exit.OK, "")
    assert say.HELP_HEAD in out and "/compact [what to keep above all]" in out
    assert say.SESSIONS_HEAD in run(tmp_path, "chat", typed="/sessions")[1]
    assert say_memory.TURNED_OFF.partition(";")[0] in run(tmp_path, "chat", typed="/memory off")[1]
