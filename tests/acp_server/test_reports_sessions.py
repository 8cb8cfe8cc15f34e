"""Faults that people met in the sessions of other agents, made to happen to a real one: lists, threads that end each
other, notes that wait for an end, titles, prefixes, what a process is left with.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness import AgentProcess, Message, gone, texts, update_of
from model_server import ModelServer, says
from session_support import (
    NO_SEQUENCE,
    Start,
    allow,
    begin,
    choose,
    every_page,
    file_of,
    listed,
    notes,
    people,
    reopen,
    said,
    session_with,
    starter,
    talk,
)

from acp_server.session_files import records
from acp_server.session_files.records import AnswerRecord, EndRecord, Record, SessionRecord, TurnRecord
from memory_core import Memory

MEGABYTE = 1_000_000


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts agents on one state directory."""
    yield from starter(tmp_path)


def kept_session(state: Path, session: str, cwd: Path, at: str, words: str = "Hello.") -> None:
    """The file of a session that had a turn; `words` is what was answered."""
    folder = state / "projects" / f"p-{cwd.name}" / "sessions"
    folder.mkdir(parents=True, exist_ok=True)
    told: list[Record] = [
        SessionRecord(session_id=session, cwd=str(cwd), model="test/scripted", created=at),
        TurnRecord(message_id="m", prompt=({"type": "text", "text": "hi"},), text="hi", at=at),
        AnswerRecord(text=words, at=at),
        EndRecord(stop_reason="end_turn", at=at),
    ]
    (folder / f"{session}.jsonl").write_bytes(b"".join(map(records.line_of, told)))


@pytest.mark.report("B1")
def test_a_list_is_the_same_wherever_the_process_was_started(tmp_path: Path, start: Start) -> None:
    session = session_with(start(), "Think aloud.")
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    found = []
    for place in (Path("/"), tmp_path / "repository", tmp_path / "project"):
        with AgentProcess(tmp_path, doors="scripted_model.py", env=NO_SEQUENCE, cwd=place) as agent:
            agent.initialize()
            found.append([listed(agent), listed(agent, cwd=str(agent.project)), listed(agent, cwd=str(place))])
    everything = found[0][0]
    assert [each["sessionId"] for each in everything] == [session]
    assert found == [[everything, everything, []]] * 2 + [[everything] * 3]


@pytest.mark.report("B2")
def test_a_page_of_a_directory_holds_its_sessions_however_many_newer_ones_lie_elsewhere(
    tmp_path: Path, start: Start
) -> None:
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    here.mkdir()
    for number in range(3):
        kept_session(tmp_path / "state", f"here-{number}", here, f"2026-01-01T00:00:0{number}Z")
    for number in range(300):
        at = f"2026-02-01T00:{number // 60:02}:{number % 60:02}Z"
        kept_session(tmp_path / "state", f"there-{number:03}", elsewhere, at)
    kept_session(tmp_path / "state", "huge", elsewhere, "2026-03-01T00:00:00Z", "word " * (10 * MEGABYTE))
    agent = start()
    session = session_with(agent)
    running = agent.start_prompt(session, "Count to five.")
    agent.text_until("three")
    wanted = ["here-2", "here-1", "here-0"]
    for _ in range(2):
        assert every_page(agent, cwd=str(here)) == [wanted]
        pages = every_page(agent)
        assert [len(page) for page in pages] == [50] * 6 + [5]
        every = ["huge", session, *wanted, *(f"there-{number:03}" for number in range(300))]
        assert sorted(each for page in pages for each in page) == sorted(every)
    assert agent.answer(agent.request("session/list", {"cursor": "rubbish"}))["error"]["code"] == -32602
    assert not [each for each in agent.seen if each.get("id") == running and "method" not in each]


def in_a_question(agent: AgentProcess) -> tuple[str, int, Message]:
    """A session whose prompt waits in a call, for its person."""
    session = session_with(agent)
    asked = agent.start_prompt(session, "Keep a note.")
    return session, asked, agent.asked("session/request_permission")


def open_new(agent: AgentProcess, other: str) -> None:
    agent.new_session()


def load_other(agent: AgentProcess, other: str) -> None:
    assert "result" in reopen(agent, other)


def close_other(agent: AgentProcess, other: str) -> None:
    assert agent.answer(agent.request("session/close", {"sessionId": other}))["result"] == {}


def delete_other(agent: AgentProcess, other: str) -> None:
    assert agent.answer(agent.request("session/delete", {"sessionId": other}))["result"] == {}


@pytest.mark.report("B14")
@pytest.mark.parametrize("event", [open_new, load_other, close_other, delete_other])
def test_a_thread_that_is_opened_or_closed_ends_no_other(
    start: Start, event: Callable[[AgentProcess, str], None]
) -> None:
    agent = start()
    other = session_with(agent, "Think aloud.")
    session, asked, question = in_a_question(agent)
    event(agent, other)
    allow(agent, question)
    assert agent.answer(asked)["result"] == {"stopReason": "end_turn"}
    assert texts(agent.seen).endswith("It is kept.")
    assert "It is kept." in said(agent, session, "What did you hear?")
    assert sum(each.get("id") == asked and "method" not in each for each in agent.seen) == 1


def end_by_close(agent: AgentProcess, session: str) -> None:
    close_other(agent, session)
    agent.kill()


def end_by_input(agent: AgentProcess, session: str) -> None:
    agent.close_input()
    assert agent.wait() == 0


def end_by_signal(agent: AgentProcess, session: str) -> None:
    agent.signal(signal.SIGTERM)
    agent.wait()


def end_by_kill(agent: AgentProcess, session: str) -> None:
    agent.kill()


@pytest.mark.report("B20")
@pytest.mark.parametrize("end", [end_by_close, end_by_input, end_by_signal, end_by_kill])
def test_a_note_is_there_for_the_next_process_however_the_one_that_kept_it_ended(
    start: Start, end: Callable[[AgentProcess, str], None]
) -> None:
    first = start()
    end(first, session_with(first, "Keep a note."))
    second = start()
    told = said(second, session_with(second), "What were you told?")
    assert told.partition("<memory>\n")[2] == "0+1|note flaky-tests.md # Flaky tests  Retries are off.\n</memory>\n"
    with Memory.open(second.project, state_dir=second.state) as memory:
        assert memory.mark().entries == 1


SEEDED = [f"wombat{number}" for number in range(10)]


@pytest.mark.report("B22")
def test_a_title_is_made_of_what_the_person_said_and_of_nothing_that_is_remembered(tmp_path: Path) -> None:
    with ModelServer([says("Hello.")], title=says("A greeting")) as server:
        place = tmp_path / "config"
        place.mkdir()
        (place / "config.toml").write_text(server.config(), encoding="utf-8")
        with begin(tmp_path, doors=None, CAUDRA_CONFIG_DIR=str(place), CAUDRA_MODEL="lab/large") as agent:
            with Memory.open(agent.project, state_dir=agent.state) as memory:
                for name in SEEDED:
                    memory.write(name, f"# The subject of {name}\n")
            session = agent.new_session()
            said(agent, session, "hi")
            server.wait_for("title")
            said(agent, session, "hi")
            assert all(name not in str(server.bodies("title")) for name in SEEDED)
            assert all(name in str(server.bodies("chat")[0]) for name in SEEDED)
            (row,) = listed(agent)
            updates = [update_of(each) for each in agent.seen]
            titles = [each["title"] for each in updates if each.get("sessionUpdate") == "session_info_update"]
            assert {*titles, row["title"]} <= {"hi", "A greeting"}
            kept = [records.parse(line) for line in file_of(agent, session).read_bytes().splitlines()]
            assert [each.text for each in kept if isinstance(each, TurnRecord)] == ["hi", "hi"]
            second = len(agent.seen)
            reopen(agent, session)
            assert people(agent.seen[second:]) == ["hi", "hi"]


@pytest.mark.report("B23")
def test_a_file_of_instructions_or_a_note_that_changes_in_a_session_leaves_its_prefix_alone(start: Start) -> None:
    agent = start()
    instructions = agent.project / "AGENTS.md"
    instructions.write_text("Say yes.\n", encoding="utf-8")
    with Memory.open(agent.project, state_dir=agent.state) as memory:
        memory.write("outside", "# As it was\n")
        path = Path(memory.project.memories) / "outside.md"
    session = session_with(agent)
    first = said(agent, session, "What were you told?")
    said(agent, session, "Keep a note.")
    for content in (b"Say no.\n", b"\xff\xfe\0garbled", None):
        for file, text in ((instructions, content), (path, content)):
            file.unlink() if text is None else file.write_bytes(text)
        told = said(agent, session, "What were you told?")
        assert told.endswith(first)
    assert "RESULT c1 memory\n" in said(agent, session, "What did you hear?")
    fresh = said(agent, session_with(agent), "What were you told?").partition("<memory>\n")[2]
    assert "Say no." in fresh and "flaky-tests.md" in fresh
    before = len(agent.seen)
    talk(agent, session, "Look at everything.")
    assert "flaky-tests.md" in str(agent.seen[before:])
    assert notes(agent) == ["flaky-tests.md"]


def held(agent: AgentProcess) -> tuple[int, int, list[str]]:
    """What the process holds: open files, threads, children."""
    own = Path(f"/proc/{agent.process.pid}")
    children = (own / "task" / own.name / "children").read_text(encoding="ascii").split()
    return len(list((own / "fd").iterdir())), len(list((own / "task").iterdir())), children


def resident_bytes(agent: AgentProcess) -> int:
    pages = int(Path(f"/proc/{agent.process.pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def one_chat(agent: AgentProcess) -> None:
    """A session that is given a long text, runs a child process, and is closed in the middle of that."""
    session = agent.new_session()
    said(agent, session, "x" * MEGABYTE)
    choose(agent, session)
    asked = agent.start_prompt(session, "Run what never ends.")
    agent.until(lambda message: "It runs." in str(update_of(message).get("content")))
    *_, children = held(agent)
    close_other(agent, session)
    assert [each for each in agent.seen if each.get("id") == asked][-1]["result"] == {"stopReason": "cancelled"}
    assert children and all(gone(int(child)) for child in children)
    agent.seen.clear()


@pytest.mark.report("B56")
def test_chats_that_are_closed_leave_no_process_thread_file_or_memory_behind(start: Start) -> None:
    agent = start()
    for _ in range(5):
        one_chat(agent)
    files, threads, _ = held(agent)
    before = resident_bytes(agent)
    for _ in range(40):
        one_chat(agent)
    after = held(agent)
    assert (after[0], after[2]) == (files, []) and after[1] <= threads + 2
    assert resident_bytes(agent) - before < 20 * MEGABYTE


@pytest.mark.report("B32")
def test_a_load_and_a_resume_answer_with_all_options_as_a_new_session_does(start: Start) -> None:
    first = start()
    session = first.new_session()
    chosen = choose(first, session)["result"]["configOptions"]
    params = {"sessionId": session, "configId": "memory", "value": "off"}
    chosen = first.answer(first.request("session/set_config_option", params))["result"]["configOptions"]
    assert [each["id"] for each in chosen] == ["model", "memory"]
    assert [each["currentValue"] for each in chosen] == ["test/scripted", "off"]
    talk(first, session, "Think aloud.")
    for method in ("session/load", "session/resume"):
        assert reopen(first, session, method)["result"]["configOptions"] == chosen
    first.kill()
    second = start()
    for method in ("session/load", "session/resume"):
        assert reopen(second, session, method)["result"]["configOptions"] == chosen
