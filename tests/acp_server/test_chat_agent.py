"""The chat with our own agent: what the README promises, in real processes."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from acp_server.chat_again import LAST_TURNS
from acp_server.exits import Exit
from acp_server.sentences import chat as say
from acp_server.sentences.cli import AGENT_MAY_NOT
from acp_server.sentences.sessions import left_there, session_damaged, take_over_question
from acp_server.session_files.ownership import Owner, Ownership

ROOT = Path(__file__).resolve().parents[2]
REMEMBER = "remember that the deploy key rotates on Mondays"


class Desk:
    """A project with a memory of its own, and a pipe to the chat."""

    def __init__(self, home: Path) -> None:
        self.project = home / "project"
        self.project.mkdir()
        self.state = home / "state"

    def chat(self, said: str, *words: str, code: Exit = Exit.OK, complaint: str = "") -> str:
        done = self._run(said, words)
        assert (done.returncode, done.stderr.strip()) == (code, complaint), done
        return done.stdout

    def complaint(self, said: str, *words: str, code: Exit) -> str:
        done = self._run(said, words)
        assert (done.returncode, done.stdout) == (code, ""), done
        return done.stderr

    def _run(self, said: str, words: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
        command = self.command(*words)
        return subprocess.run(
            command, input=said, capture_output=True, encoding="utf-8", env=self.environ, timeout=120, check=False
        )

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-P", "-m", "acp_server", "chat", "--project", str(self.project), *words]

    @property
    def environ(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(ROOT), "CAUDRA_STATE_DIR": str(self.state), "TERM": "dumb"}

    @property
    def notes(self) -> dict[str, str]:
        found = self.state.glob("projects/*/memories/*.md")
        return {note.name: note.read_text(encoding="utf-8") for note in found}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_a_pipe_writes_nothing_that_a_person_would_have_to_allow(desk: Desk) -> None:
    shown = desk.chat(REMEMBER, code=Exit.REFUSED)
    assert say.allow_hint("memory.write") in shown
    assert desk.notes == {}


def test_what_is_remembered_in_one_chat_is_found_in_the_next(desk: Desk) -> None:
    receipt = desk.chat(REMEMBER, "--allow", "memory.write")
    ((name, text),) = desk.notes.items()
    assert "rotates on Mondays" in text
    assert "entry 0" in receipt
    found = desk.chat("what do we know about the deploy key?")
    assert name in found
    assert "rotates on Mondays" in found


def test_a_pipe_learns_from_the_exit_code_that_the_last_call_failed(desk: Desk) -> None:
    assert "368+8" in desk.chat("open 368+8", code=Exit.WRONG)


def test_the_agents_own_commands_change_nothing_by_way_of_another_agent(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAUDRA_AGENT", "1")
    desk.chat(REMEMBER, "--allow", "memory.write", code=Exit.REFUSED, complaint=AGENT_MAY_NOT)
    assert AGENT_MAY_NOT in desk.chat(REMEMBER, code=Exit.WRONG)
    assert desk.notes == {}


def test_a_note_is_deleted_only_where_deleting_is_allowed(desk: Desk) -> None:
    desk.chat(REMEMBER, "--allow", "memory.write")
    (name,) = desk.notes
    desk.chat(f"delete {name}", "--allow", "memory.write", code=Exit.REFUSED)
    assert name in desk.notes
    desk.chat(f"delete {name}", "--allow", "memory.delete")
    assert desk.notes == {}


def test_no_rule_lets_a_secret_pass(desk: Desk) -> None:
    desk.chat("remember that password = 'hV9x2LqT7pZw4KmR'", "--allow", "memory.write", code=Exit.REFUSED)
    assert desk.notes == {}


def test_a_note_can_not_command_the_terminal(desk: Desk) -> None:
    desk.chat(REMEMBER, "--allow", "memory.write")
    (note,) = (desk.state / "projects").glob("*/memories/*.md")
    note.write_text("# Deploy key\n\nRotates \x1b[2J on Mondays \x9b31m.\n", encoding="utf-8")
    assert not set(desk.chat("what do we know about the deploy key?")) & set("\x1b\x9b")


def test_a_chat_goes_on_with_the_newest_session_or_with_the_one_that_is_named(desk: Desk) -> None:
    desk.chat("what do we know about apples?")
    desk.chat("what do we know about pears?")
    listed = desk.chat("/sessions", "--continue")
    assert listed.index("pears? (this one)") < listed.index("about apples?")
    older = listed.split("`")[3]
    assert "about apples? (this one)" in desk.chat("/sessions", "--resume", older)
    assert len(list(desk.state.glob("projects/*/sessions/*.jsonl"))) == 2


def test_a_chat_goes_on_with_the_model_that_it_is_given(desk: Desk) -> None:
    desk.chat("hello")
    (path,) = desk.state.glob("projects/*/sessions/*.jsonl")
    desk.chat("hello", "--continue")
    assert '"options"' not in path.read_text(encoding="utf-8")
    desk.chat("hello", "--continue", "-m", "embedded/librarian")
    assert '"model":"embedded/librarian"' in path.read_text(encoding="utf-8").split('"options"')[1]
    assert "nobody/nothing" in desk.complaint("hello", "--continue", "-m", "nobody/nothing", code=Exit.USAGE)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("-c",), say.no_session("{project}")),
        (("--resume", "../x"), say.NO_SESSION_ID),
        (("--resume", ""), say.NO_SESSION_ID),
        (("--resume", "a\nb"), say.NO_SESSION_ID),
        (("--resume", "01a23923"), say.unknown_session("01a23923")),
    ],
)
def test_a_session_that_is_not_there_is_told_and_none_is_begun_in_its_place(
    desk: Desk, words: tuple[str, ...], sentence: str
) -> None:
    desk.chat("hello", *words, code=Exit.WRONG, complaint=sentence.format(project=desk.project))
    assert list(desk.state.glob("projects/*/sessions/*")) == []


def test_a_session_of_another_directory_is_not_the_newest_of_this_one(desk: Desk) -> None:
    desk.chat("hello")
    desk.project = desk.project.parent / "other"
    desk.project.mkdir()
    desk.chat("hello", "-c", code=Exit.WRONG, complaint=say.no_session(str(desk.project)))


def shown_again(desk: Desk) -> str:
    """What a terminal shows of the newest session before anything is typed."""
    return at_terminal(desk, [(say.GREETING, ""), (say.PROMPT, "\x04")])


def at_terminal(desk: Desk, steps: list[tuple[str, str]], code: Exit = Exit.OK) -> str:
    """What a terminal shows of a chat that goes on with the newest session: each text is waited for, then keys are
    pressed.
    """
    master, slave = pty.openpty()
    chat = subprocess.Popen(desk.command("-c"), stdin=slave, stdout=slave, stderr=slave, env=desk.environ)
    os.close(slave)
    shown, seen = b"", 0
    for text, keys in steps:
        while (found := shown.find(text.encode(), seen)) < 0:
            shown += os.read(master, 65536)
        seen = found + len(text.encode())
        os.write(master, keys.encode())
    with suppress(OSError):  # what Linux says of a terminal that nobody has open any more
        while more := os.read(master, 65536):
            shown += more
    assert chat.wait(30) == code
    os.close(master)
    return shown.decode().replace("\r\n", "\n")


@pytest.fixture
def held(desk: Desk) -> Iterator[Path]:
    """A session that an editor has open."""
    desk.chat("hello")
    (path,) = desk.state.glob("projects/*/sessions/*.jsonl")
    hold = Ownership(str(path), Owner("token", os.getpid(), "Zed", "2026-12-02T14:03:00Z"))
    hold.take()
    yield path
    hold.release()


TAKEN = take_over_question("Zed", "2026-12-02T14:03:00Z")


@pytest.mark.parametrize("key", ["r\n", "\x04"])
def test_a_session_that_stays_in_another_window_is_told_before_a_prompt_is_typed(
    desk: Desk, held: Path, key: str
) -> None:
    before = held.read_bytes()
    shown = at_terminal(desk, [(TAKEN, ""), (say.PROMPT, key)], Exit.WRONG)
    assert left_there("Zed") in shown and say.GREETING not in shown
    assert held.read_bytes() == before


def test_a_session_that_is_taken_over_from_another_window_goes_on_without_a_second_question(
    desk: Desk, held: Path
) -> None:
    steps = [(TAKEN, ""), (say.PROMPT, "a\n"), (say.GREETING, ""), (say.PROMPT, "hello again\n"), ("Hello.", "")]
    shown = at_terminal(desk, [*steps, (say.PROMPT, "\x04")])
    assert shown.count(TAKEN) == 1 and shown.count(say.QUESTION) == 1
    assert b"hello again" in held.read_bytes()


def test_a_session_is_shown_again_at_a_terminal_with_what_the_person_said(desk: Desk) -> None:
    desk.chat(REMEMBER, "--allow", "memory.write")
    shown = shown_again(desk)
    assert shown.index(say.PROMPT + REMEMBER) < shown.index("Remember deploy-key.md") < shown.index("Noted in")
    heading = shown.partition("\n")[0]
    assert heading.startswith("Going on with “") and REMEMBER[:20].casefold() in heading.casefold()


def test_of_a_long_session_a_terminal_shows_the_last_turns_and_how_many_came_before(desk: Desk) -> None:
    desk.chat("hello")
    (path,) = desk.state.glob("projects/*/sessions/*.jsonl")
    opening, *turn = path.read_text(encoding="utf-8").splitlines(keepends=True)
    message = json.loads(next(line for line in turn if '"type":"turn"' in line))["messageId"]
    turns = [
        "".join(turn).replace('"hello"', f'"hello {number}"').replace(message, f"m{number}")
        for number in range(LAST_TURNS + 1_180)
    ]
    path.write_text(opening + "".join(turns), encoding="utf-8")
    shown = shown_again(desk)
    assert shown.partition("\n")[2].startswith(say.earlier_turns(1_180) + "\n")
    assert f"{say.PROMPT}hello 1180\n" in shown and f"{say.PROMPT}hello 1179\n" not in shown
    assert f"{say.PROMPT}hello 1199\n" in shown


def test_a_session_that_is_damaged_is_told_with_its_file_and_what_can_be_opened_instead(desk: Desk) -> None:
    desk.chat("hello")
    (path,) = desk.state.glob("projects/*/sessions/*.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], b"{\n", *lines[1:]]))
    told = desk.complaint("hello", "-c", code=Exit.WRONG)
    assert told.strip() == say.not_opened(session_damaged(path.stem, str(path), 2))
