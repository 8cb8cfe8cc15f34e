"""Sessions that last, with a real agent: what is loaded equals what was seen, and the model knows it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness import AgentProcess, Message, texts, update_of
from session_support import Start, drawn, file_of, listed, people, questions, reopen, session_with, starter, talk


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts agents on one state directory."""
    yield from starter(tmp_path)


def without_title(shown: list[Message]) -> list[Message]:
    return [each for each in shown if set(each) != {"title"}]


TALK = ("Keep two notes.", "Look at everything.", "Call what can't be called.", "Think aloud.")


def test_a_load_draws_what_was_drawn_live_then_answers_then_tells_commands_usage_and_title(start: Start) -> None:
    first = start()
    session = session_with(first, *TALK)
    live = drawn(first.seen)
    first.close_input()
    first.wait()
    second = start()
    answer = reopen(second, session)
    replayed = second.seen[:-1]
    assert without_title([each for each in drawn(replayed) if each.get("key", ("",))[0] != "user_message_chunk"]) == (
        without_title(live)
    )
    said = [each["text"] for each in drawn(replayed) if each.get("key", ("",))[0] == "user_message_chunk"]
    assert said == list(TALK)
    assert answer["result"]["configOptions"][0]["currentValue"] == "test/scripted"
    after = [second.read() for _ in range(2)]
    assert [update_of(each)["sessionUpdate"] for each in after] == ["available_commands_update", "session_info_update"]
    assert update_of(after[1])["title"] == "Keep two notes."


def test_a_refused_change_keeps_the_diff_that_was_asked_about_live_and_when_loaded(start: Start) -> None:
    first = start()
    session = session_with(first, "Keep a note.", answer="reject_once")
    (question,) = questions(first.seen)
    live = [each for each in drawn(first.seen) if "toolCallId" in each]
    first.close_input()
    first.wait()
    (card,) = live
    assert card["content"][:-1] == question["params"]["toolCall"]["content"]
    assert card["content"][0]["type"] == "diff"
    assert "refused" in card["content"][-1]["content"]["text"]
    second = start()
    reopen(second, session)
    assert [each for each in drawn(second.seen[:-1]) if "toolCallId" in each] == live


@pytest.mark.report("B4")
@pytest.mark.parametrize("method", ["session/load", "session/resume"])
def test_the_model_has_the_whole_conversation_after_a_load_or_a_resume(start: Start, method: str) -> None:
    first = start()
    session = session_with(first, "Keep a note.", "What did you hear?")
    heard = texts(first.seen)
    first.kill()
    second = start()
    reopen(second, session, method)
    before = len(second.seen)
    talk(second, session, "What did you hear?")
    again = texts(second.seen[before:])
    told = heard[heard.index("PERSON Keep a note.") :]
    assert again == f"{told}\nMODEL {told}\nPERSON What did you hear?"


def test_a_resume_draws_nothing(start: Start) -> None:
    first = start()
    session = session_with(first, "Think aloud.")
    first.kill()
    second = start()
    seen = len(second.seen)
    reopen(second, session, "session/resume")
    assert [update_of(each) for each in second.seen[seen:-1]] == []


def test_a_load_and_a_resume_change_no_byte_of_what_is_there(start: Start, tmp_path: Path) -> None:
    first = start()
    session = session_with(first, "Keep a note.")
    first.kill()
    path = next((first.state / "projects").glob(f"*/sessions/{session}.jsonl"))
    before = path.read_bytes()
    for method in ("session/load", "session/resume"):
        second = start()
        reopen(second, session, method)
        second.close_input()
        second.wait()
        assert path.read_bytes() == before
        assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.report("A8")
def test_an_unknown_session_is_not_found_and_nothing_is_made(start: Start) -> None:
    agent = start()
    for method in ("session/load", "session/resume", "session/fork"):
        for unknown in ("nowhere", "../../etc/passwd", "", "a\0b"):
            answer = reopen(agent, unknown, method)
            assert answer["error"]["code"] == -32002
            assert answer["error"]["data"]["uri"] == unknown
    assert list(agent.state.glob("projects/*/sessions/*")) == []


def damage_gone(path: Path) -> None:
    path.unlink()


def damage_empty(path: Path) -> None:
    path.write_bytes(b"")


def damage_garbled(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], b"{\n", *lines[3:]]))


def damage_newer(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b'{"type":"hologram","version":1}\n')


def damage_foreign(path: Path) -> None:
    other = json.loads(path.read_bytes().splitlines()[0]) | {"sessionId": "another"}
    path.write_bytes(json.dumps(other).encode() + b"\n")


DAMAGES = [damage_gone, damage_empty, damage_garbled, damage_newer, damage_foreign]


@pytest.mark.report("B5")
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_session_that_cant_be_read_is_an_error_that_names_it(start: Start, damage: Callable[[Path], None]) -> None:
    first = start()
    session = session_with(first, "Keep a note.")
    first.kill()
    path = next((first.state / "projects").glob(f"*/sessions/{session}.jsonl"))
    damage(path)
    before = path.read_bytes() if path.exists() else None
    second = start()
    for method in ("session/load", "session/resume"):
        answer = reopen(second, session, method)
        assert session in (told := answer["error"]["data"]["details"])
        assert str(path) in told or damage in (damage_gone, damage_newer)
    assert (path.read_bytes() if path.exists() else None) == before
    assert second.prompt(second.new_session(), "help")["result"] == {"stopReason": "end_turn"}


def test_a_session_without_a_prompt_can_be_loaded(start: Start) -> None:
    first = start()
    session = first.new_session()
    first.kill()
    second = start()
    assert "result" in reopen(second, session)
    assert second.prompt(session, "help")["result"] == {"stopReason": "end_turn"}


@pytest.mark.report("B11")
def test_a_session_that_another_window_has_asks_before_it_goes_on_and_is_never_written_by_both(start: Start) -> None:
    first, second = start(), start()
    session = session_with(first, "Think aloud.")
    reopen(second, session)
    left = talk(second, session, "Think aloud.", "reject_once")
    assert left["result"] == {"stopReason": "end_turn"}
    assert "stays" in texts(second.seen)
    talk(second, session, "Keep a note.")
    before = len(first.seen)
    talk(first, session, "Think aloud.", "reject_once")
    assert "stays" in texts(first.seen[before:])
    third = start()
    second.kill()
    reopen(third, session)
    assert people(third.seen) == ["Think aloud.", "Keep a note."]


@pytest.mark.report("B8")
def test_a_load_in_another_directory_moves_the_session_there_and_says_so(start: Start, tmp_path: Path) -> None:
    first = start()
    session = session_with(first, "Keep a note.")
    first.kill()
    second = start()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    reopen(second, session, cwd=str(elsewhere))
    before = len(second.seen)
    talk(second, session, "What were you told?")
    told = texts(second.seen[before:])
    assert str(elsewhere) in told
    assert "flaky-tests" not in told.split("<memory>")[1]
    listed = second.answer(second.request("session/list", {"cwd": str(elsewhere)}))["result"]["sessions"]
    assert [each["sessionId"] for each in listed] == [session]


@pytest.mark.parametrize("changed", ["cwd", "additionalDirectories"])
def test_a_session_that_is_only_looked_at_from_elsewhere_changes_no_byte(
    start: Start, tmp_path: Path, changed: str
) -> None:
    first = start()
    session = session_with(first, "Keep a note.")
    path = file_of(first, session)
    first.kill()
    with path.open("ab") as file:
        file.write(b'{"cut')
    kept = path.read_bytes()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    where = {"cwd": str(elsewhere)} if changed == "cwd" else {"additionalDirectories": [str(elsewhere)]}
    second = start()
    for _ in range(2):
        assert "result" in reopen(second, session, **where)
    second.answer(second.request("session/close", {"sessionId": session}))
    assert path.read_bytes() == kept and not path.with_suffix(".cut").exists()
    assert "result" in reopen(second, session, **where)
    talk(second, session, "Keep a note.")
    assert str(elsewhere) in path.read_text(encoding="utf-8")


def test_a_session_whose_directory_is_gone_is_still_drawn(start: Start, tmp_path: Path) -> None:
    first = start()
    gone = tmp_path / "gone"
    gone.mkdir()
    session = first.new_session(gone)
    talk(first, session, "help")
    first.kill()
    gone.rmdir()
    second = start()
    assert "result" in reopen(second, session, cwd=str(gone))
    assert "error" in reopen(second, session, cwd=str(tmp_path / "nowhere"))


def test_a_session_is_listed_by_others_from_its_first_answer_on(start: Start) -> None:
    first = start()
    sessions = [session_with(first, "Think aloud.") for _ in range(2)]
    first.kill()
    assert {each["sessionId"] for each in listed(start())} == set(sessions)


@pytest.mark.report("B1")
def test_lists_hold_sessions_with_a_turn_whatever_directory_the_process_is_in(start: Start, tmp_path: Path) -> None:
    first = start()
    session = session_with(first, "Think aloud.")
    first.new_session()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    other = first.new_session(elsewhere)
    talk(first, other, "help")
    (tmp_path / "link").symlink_to(first.project)
    second = start()
    spellings = [str(first.project), f"{first.project}/", str(tmp_path / "link"), f"{tmp_path}/elsewhere/../project"]
    for cwd in spellings:
        page = second.answer(second.request("session/list", {"cwd": cwd}))["result"]
        assert [each["sessionId"] for each in page["sessions"]] == [session]
        assert page["sessions"][0]["title"] == "Think aloud."
    for agent in (first, second):
        every = agent.answer(agent.request("session/list", {}))["result"]["sessions"]
        assert {each["sessionId"] for each in every} == {session, other}
    assert second.answer(second.request("session/list", {"cwd": "/nowhere"}))["result"] == {"sessions": []}
    forged = second.answer(second.request("session/list", {"cursor": "rubbish"}))
    assert forged["error"]["code"] == -32602


def test_a_deleted_session_is_gone_from_disk_and_lists_and_a_second_delete_is_no_fault(start: Start) -> None:
    agent = start()
    session = session_with(agent, "Think aloud.")
    for _ in range(2):
        assert agent.answer(agent.request("session/delete", {"sessionId": session}))["result"] == {}
    assert agent.answer(agent.request("session/delete", {"sessionId": "../../x"}))["result"] == {}
    assert list(agent.state.glob(f"projects/*/sessions/{session}*")) == []
    assert agent.answer(agent.request("session/list", {}))["result"]["sessions"] == []
    assert agent.prompt(session, "help")["error"]["code"] == -32002


@pytest.mark.report("B13")
def test_a_session_deleted_in_a_prompt_ends_it_and_never_comes_back(start: Start) -> None:
    agent = start()
    session = session_with(agent, "Think aloud.")
    asked = agent.start_prompt(session, "Count to five.")
    agent.text_until("three")
    gone = agent.request("session/delete", {"sessionId": session})
    assert agent.answer(asked)["result"] == {"stopReason": "cancelled"}
    assert agent.answer(gone)["result"] == {}
    assert agent.answer(agent.request("session/list", {}))["result"]["sessions"] == []
    assert list(agent.state.glob(f"projects/*/sessions/{session}*")) == []


@pytest.mark.report("B13")
def test_a_load_in_a_prompt_ends_it_and_shows_what_it_came_to(start: Start) -> None:
    agent = start()
    session = session_with(agent, "Think aloud.")
    asked = agent.start_prompt(session, "Count to five.")
    agent.text_until("three")
    loading = agent.request("session/load", {"sessionId": session, "cwd": str(agent.project), "mcpServers": []})
    assert agent.answer(asked)["result"] == {"stopReason": "cancelled"}
    before = len(agent.seen)
    assert "result" in agent.answer(loading)
    assert texts(agent.seen[before:]).endswith("one two three ")


def test_a_branch_knows_what_was_said_and_leaves_its_origin_alone(start: Start) -> None:
    agent = start()
    session = session_with(agent, "Keep a note.")
    branch = reopen(agent, session, "session/fork")["result"]["sessionId"]
    assert branch != session
    before = len(agent.seen)
    talk(agent, branch, "What did you hear?")
    assert "PERSON Keep a note." in texts(agent.seen[before:])
    before = len(agent.seen)
    talk(agent, session, "What did you hear?")
    assert texts(agent.seen[before:]).count("PERSON What did you hear?") == 1


@pytest.mark.report("B10")
def test_a_model_that_is_gone_gives_way_with_one_sentence(start: Start) -> None:
    first = start()
    session = session_with(first, "Think aloud.")
    first.kill()
    second = AgentProcess(first.state.parent, doors=None, env={"CAUDRA_TEST": None})
    try:
        second.initialize()
        answer = reopen(second, session)
        assert answer["result"]["configOptions"][0]["currentValue"] == "embedded/librarian"
        before = len(second.seen)
        second.prompt(session, "help")
        assert "test/scripted" in texts(second.seen[before:])
    finally:
        second.kill()
