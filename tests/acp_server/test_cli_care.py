"""`memory verify --repair` and `memory resummarize`, as scripts use them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from test_cli import Shell

from acp_server.exits import Exit
from memory_core import Memory


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    made = Shell(tmp_path)
    for number in range(4):
        made.memory("write", f"n{number}", said=f"# N{number}\n{'word ' * 200}".encode())
    yield made


def damage(shell: Shell) -> None:
    with closing(sqlite3.connect(shell.state / "acp-state.db", isolation_level=None)) as db:
        db.execute("UPDATE project SET view_bytes = 1")
        db.execute("DELETE FROM frontier WHERE start = 2")


def test_a_repair_mends_what_verify_found(shell: Shell) -> None:
    damage(shell)
    assert "do not cover" in shell.memory("verify", code=Exit.WRONG)
    assert shell.json("verify", "--repair")["ok"] is True
    assert shell.json("verify")["problems"] == []


def test_a_command_of_the_agent_may_check_and_not_repair(shell: Shell) -> None:
    damage(shell)
    shell.memory("verify", "--repair", code=Exit.REFUSED, CAUDRA_AGENT="1")
    shell.memory("verify", code=Exit.WRONG, CAUDRA_AGENT="1")
    shell.memory("resummarize", code=Exit.REFUSED, CAUDRA_AGENT="1")


def test_lines_of_the_embedded_summarizer_are_handed_to_the_next_session(shell: Shell) -> None:
    with Memory.open(shell.project, state_dir=shell.state) as memory:
        for line in memory.pending_lines():
            memory.store_line(line.address, f"{line.address} {'x' * 300}", model="embedded/extractive")
    assert shell.memory("resummarize") == "4 lines are written anew by the next session.\n"
    with Memory.open(shell.project, state_dir=shell.state) as memory:
        assert len(memory.pending_lines()) >= 4
