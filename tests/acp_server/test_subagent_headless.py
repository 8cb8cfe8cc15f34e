"""Tasks of a headless run: nobody is asked, the rules hold for them too, what they take is their session's."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest
from model_server import ModelServer, calls, says, writes
from test_print import Shell

from acp_server.exits import Exit

GIVE = calls({"title": "keep it", "prompt": "Keep it."}, name="task")


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def sessions_of(shell: Shell) -> list[tuple[str, int]]:
    """Each session of the ledger, and how many requests it made."""
    with contextlib.closing(sqlite3.connect(shell.state / "acp-agent.db")) as db:
        return db.execute("SELECT session, COUNT(*) FROM request GROUP BY session").fetchall()


def test_a_write_of_a_task_that_nobody_can_allow_fails_with_the_rule_named(shell: Shell) -> None:
    with ModelServer([GIVE, writes("kept.md"), says("It was refused."), says("It isn't kept.")]) as server:
        shell.configure(server.config())
        events = shell.events("keep it", code=Exit.REFUSED)
        told = server.bodies("chat")[2]["messages"][-1]
    assert events[-1]["refused"] == ["memory.write"]
    assert "no rule of this project allows memory.write" in told["content"]
    assert shell.notes() == []


def test_a_rule_of_the_run_holds_for_its_tasks(shell: Shell) -> None:
    with ModelServer([GIVE, writes("kept.md"), says("Kept."), says("It is kept.")]) as server:
        shell.configure(server.config())
        shell.events("--allow", "memory.write", "keep it")
    assert shell.notes() == ["kept.md"]


def test_the_requests_of_a_task_are_in_the_ledger_as_its_sessions(shell: Shell) -> None:
    with ModelServer([GIVE, says("Nothing."), says("Nothing was found.")]) as server:
        shell.configure(server.config())
        shell.events("look")
    ((session, requests),) = sessions_of(shell)
    assert session and "/task" not in session and requests == 3
