"""The chat with our own agent: what the README promises, in real processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from acp_server.exits import Exit
from acp_server.sentences import chat as say
from acp_server.sentences.cli import AGENT_MAY_NOT

ROOT = Path(__file__).resolve().parents[2]
REMEMBER = "remember that the deploy key rotates on Mondays"


class Desk:
    """A project with a memory of its own, and a pipe to the chat."""

    def __init__(self, home: Path) -> None:
        self.project = home / "project"
        self.project.mkdir()
        self.state = home / "state"

    def chat(self, said: str, *words: str, code: Exit = Exit.OK, complaint: str = "") -> str:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "acp_server", "chat", "--project", str(self.project), *words],
            input=said,
            capture_output=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": str(ROOT), "CAUDRA_STATE_DIR": str(self.state)},
            timeout=120,
        )
        assert (done.returncode, done.stderr.strip()) == (code, complaint), done
        return done.stdout

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
