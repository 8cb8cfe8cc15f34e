"""Sessions and what goes wrong with them, at a real agent: files that are cut, gone, full or closed to it; loads that
meet a turn or are wanted no longer; many sessions at once.
"""

from __future__ import annotations

import json
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import AgentProcess, Message, texts, update_of
from session_support import (
    NO_SEQUENCE,
    Start,
    choose,
    drawn,
    every_page,
    file_of,
    listed,
    people,
    questions,
    reopen,
    said,
    session_with,
    starter,
    talk,
)

from acp_server.depth import MAX_DEPTH
from acp_server.sentences import sessions as say
from acp_server.sentences.wire import too_deep
from acp_server.session_files.files import STRETCH_BYTES
from tests.reliability.disk_faults import NotHere, denied, like_anybody

CANCELLED = {"stopReason": "cancelled"}


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts agents on one state directory."""
    yield from starter(tmp_path)


def test_a_session_cut_at_any_byte_of_its_last_three_records_loads_and_stays_as_it_is(start: Start) -> None:
    agent = start()
    session = session_with(agent, "Keep a note.", "Think aloud.")
    agent.answer(agent.request("session/close", {"sessionId": session}))
    path = file_of(agent, session)
    whole = path.read_bytes()
    first = sum(map(len, whole.splitlines(keepends=True)[:-3]))
    before = len(agent.seen)
    assert "result" in reopen(agent, session)
    shown = drawn(agent.seen[before:])
    for size in range(first, len(whole)):
        path.write_bytes(whole[:size])
        before = len(agent.seen)
        assert "result" in reopen(agent, session), size
        assert path.read_bytes() == whole[:size]
        replayed = drawn(agent.seen[before:])
        assert [each for each in replayed if each not in shown] == []
        assert people(agent.seen[before:])[0] == "Keep a note."
    assert not path.with_suffix(".cut").exists()
    assert said(agent, session, "What did you hear?").startswith("PERSON Keep a note.")
    assert path.with_suffix(".cut").read_bytes() == whole.splitlines()[-1] + b"\n"


def test_a_session_whose_file_is_deleted_while_it_is_open_goes_on_says_so_and_is_not_made_anew(start: Start) -> None:
    agent = start()
    session = session_with(agent, "Think aloud.")
    path = file_of(agent, session)
    path.unlink()
    assert say.SESSION_FILE_GONE in said(agent, session, "Think aloud.")
    assert "PERSON Think aloud." in said(agent, session, "What did you hear?")
    assert not path.exists()
    assert listed(agent) == []
    assert reopen(agent, session)["error"]["code"] == -32002
    assert "Done." in said(agent, session_with(agent), "Think aloud.")


def test_a_session_whose_file_another_program_cut_short_gets_no_record_behind_a_broken_one(start: Start) -> None:
    agent = start()
    session = session_with(agent, "Think aloud.", "Think aloud.")
    path = file_of(agent, session)
    short = path.read_bytes()[:-50]
    path.write_bytes(short)
    assert say.CUT_SHORT in said(agent, session, "Think aloud.")
    assert "PERSON Think aloud." in said(agent, session, "What did you hear?")
    assert path.read_bytes() == short
    before = len(agent.seen)
    assert "result" in reopen(agent, session)
    assert people(agent.seen[before:]) == ["Think aloud.", "Think aloud."]
    said(agent, session, "Think aloud.")
    before = len(agent.seen)
    reopen(agent, session)
    assert people(agent.seen[before:]) == ["Think aloud."] * 3


def test_a_branch_of_a_session_whose_turn_runs_has_what_was_said_before_and_the_turn_goes_on(start: Start) -> None:
    agent = start()
    session = session_with(agent, "Think aloud.")
    asked = agent.start_prompt(session, "Count to five.")
    agent.text_until("three")
    branch = reopen(agent, session, "session/fork")["result"]["sessionId"]
    heard = said(agent, branch, "What did you hear?")
    assert heard == "PERSON Think aloud.\nMODEL Done.\nPERSON What did you hear?"
    agent.cancel(session)
    assert agent.answer(asked)["result"] == CANCELLED
    heard = said(agent, session, "What did you hear?")
    assert heard.startswith("PERSON Think aloud.\nMODEL Done.\nPERSON Count to five.\nMODEL one two three ")
    assert heard.count("What did you hear?") == 1
    assert {session, branch} == {each["sessionId"] for each in listed(agent)}


@pytest.mark.parametrize("times", [1, 3])
def test_a_replay_that_is_wanted_no_longer_ends_and_leaves_the_session_free(start: Start, times: int) -> None:
    agent = start()
    session = agent.new_session()
    for _ in range(8):
        said(agent, session, "word " * 200_000)
    agent.answer(agent.request("session/close", {"sessionId": session}))
    path = file_of(agent, session)
    before = path.read_bytes()
    loading = agent.request("session/load", {"sessionId": session, "cwd": str(agent.project), "mcpServers": []})
    agent.until(lambda message: update_of(message).get("sessionUpdate") == "user_message_chunk")
    for _ in range(times):
        agent.notify("$/cancel_request", {"requestId": loading})
    assert agent.answer(loading)["error"]["code"] == -32800
    assert agent.prompt(session, "help")["error"]["code"] == -32002
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    second = start()
    assert "result" in reopen(second, session)
    assert said(second, session, "help")


def test_a_load_that_is_cancelled_twice_while_a_turn_is_ended_for_it_leaves_the_next_one_whole(start: Start) -> None:
    agent = start()
    session = session_with(agent, "Think aloud.")
    agent.start_prompt(session, "Keep a note.")
    agent.until(lambda message: message.get("method") == "session/request_permission")
    opened = {"sessionId": session, "cwd": str(agent.project), "mcpServers": []}
    unwanted = agent.request("session/load", opened)
    for _ in range(2):
        agent.notify("$/cancel_request", {"requestId": unwanted})
    wanted = agent.request("session/load", opened)
    assert "result" in agent.answer(wanted)
    before = len(agent.seen)
    assert said(agent, session, "Think aloud.")
    assert questions(agent.seen[before:]) == []
    path = file_of(agent, session)
    agent.answer(agent.request("session/close", {"sessionId": session}))
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_prompt_that_nests_too_deep_to_be_kept_is_refused_and_one_that_is_kept_is_read_again(start: Start) -> None:
    agent = start()
    session = session_with(agent)
    for levels in (MAX_DEPTH - 5, 200, 900, 30_000):
        block = f'{{"type":"text","text":"Think aloud.","_meta":{{"q":{"[" * levels}{"]" * levels}}}}}'
        params = f'{{"sessionId":"{session}","prompt":[{block}]}}'
        agent.write(f'{{"jsonrpc":"2.0","id":7777,"method":"session/prompt","params":{params}}}\n'.encode())
        answer = agent.until(lambda message: message.get("id", 0) in (None, 7777) and "method" not in message)
        refused = answer.get("error", {}).get("data", {}).get("details")
        assert refused == (None if levels < MAX_DEPTH else too_deep(MAX_DEPTH)), levels
    agent.answer(agent.request("session/close", {"sessionId": session}))
    assert "result" in reopen(agent, session)


@pytest.mark.parametrize("cwd", ["/a\0b", "/a\ud800"])
def test_a_session_of_a_place_that_can_not_be_goes_on_in_another(start: Start, cwd: str) -> None:
    agent = start()
    session = session_with(agent, "Think aloud.")
    agent.answer(agent.request("session/close", {"sessionId": session}))
    path = file_of(agent, session)
    opening, *rest = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([json.dumps(json.loads(opening) | {"cwd": cwd}).encode(), b"\n", *rest]))
    assert reopen(agent, session, cwd=cwd)["error"]["code"] == -32602
    assert "result" in reopen(agent, session)
    assert "Done." in said(agent, session, "Think aloud.")


@pytest.mark.parametrize("bad", [b"{\n", b'{"type":"hologram","version":1}\n'])
def test_a_long_session_is_drawn_up_to_what_can_not_be_read_then_refused_and_stays_as_it_is(
    start: Start, bad: bytes
) -> None:
    agent = start()
    session = session_with(agent, "Think aloud.")
    agent.answer(agent.request("session/close", {"sessionId": session}))
    path = file_of(agent, session)
    opening, *turn = path.read_bytes().splitlines(keepends=True)
    turns = turn * (3 * STRETCH_BYTES // sum(map(len, turn)))
    whole = b"".join([opening, *turns])
    path.write_bytes(b"".join([opening, *turns[:-1], bad, turns[-1]]))
    damaged = path.read_bytes()
    files = held_files(agent)
    for method in ("session/load", "session/resume"):
        before = len(agent.seen)
        told = reopen(agent, session, method)["error"]["data"]["details"]
        damage = say.session_damaged(session, str(path), 1 + len(turns))
        assert told == (damage if bad == b"{\n" else say.session_newer(session))
        assert bool(people(agent.seen[before:])) == (method == "session/load")
        assert agent.prompt(session, "help")["error"]["code"] == -32002
    assert path.read_bytes() == damaged
    assert held_files(agent) <= files
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    path.write_bytes(whole)
    before = len(agent.seen)
    assert "result" in reopen(agent, session)
    assert len(people(agent.seen[before:])) == len(turns) // len(turn)


def test_loads_a_close_and_a_delete_sent_in_a_row_are_each_answered_once_and_the_last_one_holds(start: Start) -> None:
    agent = start()
    session = session_with(agent, "Think aloud.")
    opened = {"sessionId": session, "cwd": str(agent.project), "mcpServers": []}
    methods = ["load", "load", "resume", "close", "load", "delete", "load", "resume"]
    asked = [agent.request(f"session/{method}", opened) for method in methods]
    answers: dict[int, Message] = {}
    while len(answers) < len(asked):
        message = agent.read()
        if message.get("id") in asked and "method" not in message:
            assert message["id"] not in answers
            answers[message["id"]] = message
    told = [answers[each] for each in asked]
    assert all("result" in each for each in told[:3])
    assert all(each["error"]["code"] == -32002 for each in told[-2:])
    assert list(agent.state.glob(f"projects/*/sessions/{session}*")) == []
    assert "Done." in said(agent, session_with(agent), "Think aloud.")


def test_a_close_behind_a_load_that_runs_lets_go_what_the_load_opened(start: Start) -> None:
    session = session_with(start(), "Think aloud.")
    agent = start()
    agent.initialize()
    opened = {"sessionId": session, "cwd": str(agent.project), "mcpServers": []}
    load, close = agent.request("session/load", opened), agent.request("session/close", {"sessionId": session})
    assert "result" in agent.answer(load) and agent.answer(close)["result"] == {}
    assert agent.answer(agent.start_prompt(session, "help"))["error"]["code"] == -32002


SESSIONS = 20


def test_twenty_sessions_at_once_hear_each_its_own_and_leave_no_file_open(start: Start) -> None:
    agent = start()
    said(agent, agent.new_session(), "help")
    every_page(agent)  # the index of sessions is open from here on
    files = held_files(agent)
    sessions = []
    for number in range(SESSIONS):
        session = agent.new_session()
        choose(agent, session)
        said(agent, session, f"/rename Number {number}")
        sessions.append(session)
    before = len(agent.seen)
    asked = [agent.start_prompt(session, "Keep a note.") for session in sessions]
    waiting = set(asked)
    while waiting:
        message = agent.read()
        if message.get("method") == "session/request_permission":
            outcome = {"outcome": "selected", "optionId": message["params"]["options"][0]["optionId"]}
            agent.send({"jsonrpc": "2.0", "id": message["id"], "result": {"outcome": outcome}})
        elif message.get("id") in waiting and "method" not in message:
            assert message["result"] == {"stopReason": "end_turn"}
            waiting.discard(message["id"])
    for session in sessions:
        own = [each for each in agent.seen[before:] if each.get("params", {}).get("sessionId") == session]
        assert texts(own).endswith("It is kept.")
        cards = [each for each in map(update_of, own) if each.get("sessionUpdate") == "tool_call"]
        assert len(cards) == 1
    for number, session in enumerate(sessions):
        heard = said(agent, session, "What did you hear?")
        assert heard.count("PERSON ") == 2
        reopened = len(agent.seen)
        assert "result" in reopen(agent, session)
        assert people(agent.seen[reopened:]) == [f"/rename Number {number}", "Keep a note.", "What did you hear?"]
        agent.answer(agent.request("session/close", {"sessionId": session}))
    assert held_files(agent) <= files
    assert {each["sessionId"] for each in listed(agent)} >= set(sessions)


def held_files(agent: AgentProcess) -> int:
    return len(list(Path(f"/proc/{agent.process.pid}/fd").iterdir()))


LIKE_ANYBODY = ("-m", "tests.reliability.like_anybody", "acp_server")


@pytest.fixture
def held_to_permissions(tmp_path: Path) -> Iterator[AgentProcess]:
    """An agent that may do no more than anybody's."""
    try:
        with like_anybody():
            pass
    except NotHere as reason:
        pytest.skip(str(reason))
    with AgentProcess(tmp_path, doors="scripted_model.py", env=NO_SEQUENCE, arguments=LIKE_ANYBODY) as agent:
        agent.initialize()
        yield agent


@pytest.mark.report("B5")
def test_a_session_whose_file_may_not_be_read_is_an_error_that_names_it_and_opens_once_it_may(
    held_to_permissions: AgentProcess,
) -> None:
    agent = held_to_permissions
    session = session_with(agent, "Think aloud.")
    path = file_of(agent, session)
    for place in (path, path.parent):
        with denied(place):
            for method in ("session/load", "session/resume", "session/fork"):
                assert session in reopen(agent, session, method)["error"]["data"]["details"]
            assert "Done." in said(agent, session_with(agent), "Think aloud.")
            assert session in [each["sessionId"] for each in listed(agent)]
    before = len(agent.seen)
    assert "result" in reopen(agent, session)
    assert people(agent.seen[before:]) == ["Think aloud."]


def test_a_project_that_can_not_be_looked_into_hides_no_session_of_another(
    held_to_permissions: AgentProcess, tmp_path: Path
) -> None:
    agent = held_to_permissions
    hidden = file_of(agent, session_with(agent, "Think aloud.")).parent
    (tmp_path / "elsewhere").mkdir()
    other = agent.new_session(tmp_path / "elsewhere")
    talk(agent, other, "help")
    agent.kill()
    for path in agent.state.glob("sessions.db*"):
        path.unlink()
    with denied(hidden), AgentProcess(tmp_path, arguments=LIKE_ANYBODY) as second:
        second.initialize()
        assert [each["sessionId"] for each in listed(second)] == [other]


def test_a_lock_file_of_junk_is_nobodys(start: Start) -> None:
    agent = start()
    session = session_with(agent, "Think aloud.")
    path = file_of(agent, session)
    agent.kill()
    for junk in (b"[" * 4000, b"\0" * 100, b'{"token": 1}', b"[]"):
        path.with_suffix(".lock").write_bytes(junk)
        second = start()
        assert "result" in reopen(second, session)
        choose(second, session)
        assert "Done." in said(second, session, "Think aloud.")
        second.kill()


def limit(agent: AgentProcess, size: int) -> None:
    """No file of the agent may grow beyond a size."""
    resource.prlimit(agent.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def test_a_disk_that_is_full_at_a_turn_s_end_is_said_and_what_was_not_kept_is_kept_once_there_is_room(
    start: Start,
) -> None:
    agent = start()
    session = agent.new_session()
    said(agent, session, "word " * 400_000)  # the session's file is by far the longest now
    choose(agent, session)
    path = file_of(agent, session)
    kept = path.read_bytes()
    limit(agent, len(kept))
    full = said(agent, session, "Think aloud.")
    assert "can't be kept on disk (File too large)" in full
    assert path.read_bytes() == kept
    assert "can't be kept" not in said(agent, session, "Think aloud.")
    limit(agent, resource.RLIM_INFINITY)
    talk(agent, session, "What did you hear?")
    agent.kill()
    second = start()
    assert "result" in reopen(second, session)
    assert people(second.seen)[1:] == ["Think aloud.", "Think aloud.", "What did you hear?"]


ESCAPES = ["../x", "../../../../etc/passwd", "a/../b", "..", "%2e%2e/x", "\x00", "x" * 5000]


def test_an_id_that_leads_elsewhere_reaches_no_file(start: Start, tmp_path: Path) -> None:
    agent = start()
    session = session_with(agent, "Think aloud.")
    path = file_of(agent, session)
    (path.parent.parent / "x.jsonl").write_bytes(path.read_bytes())
    for escape in ESCAPES:
        for method in ("session/load", "session/resume", "session/fork"):
            assert reopen(agent, escape, method)["error"]["code"] == -32002
        assert agent.answer(agent.request("session/delete", {"sessionId": escape}))["result"] == {}
        assert agent.answer(agent.request("session/close", {"sessionId": escape}))["error"]["code"] == -32002
    assert (path.parent.parent / "x.jsonl").exists()


def test_a_cursor_that_was_forged_is_refused_and_one_of_another_list_leads_nowhere_else(start: Start) -> None:
    agent = start()
    for _ in range(2):
        session_with(agent, "Think aloud.")
    forged = ["", "rubbish", "W10=", "WzEsMl0=", "é", "../..", "A" * 100_000]
    for cursor in forged:
        for params in ({"cursor": cursor}, {"cursor": cursor, "cwd": str(agent.project)}):
            assert agent.answer(agent.request("session/list", params))["error"]["code"] == -32602
    assert len(listed(agent)) == 2
