"""Notes that are taken in and hold what looks like a secret are named, and taken in all the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_cli import Shell

from acp_server import imported_secrets
from memory_core import Memory

PASSWORD = b"# Staging\n\npassword = hunter2xyz!\n"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    shell = Shell(tmp_path)
    folder = shell.notes
    for name in ("a", "b", "c", "d", "e"):
        (folder / f"{name}.md").write_bytes(PASSWORD if name != "c" else b"# Plain\n")
    for path in shell.state.glob("acp-state.db*"):
        path.unlink()
    return shell


@pytest.mark.report("M40")
def test_the_first_look_names_notes_that_hold_what_looks_like_a_secret_and_not_the_secret(shell: Shell) -> None:
    done = shell.run("memory", "view")
    said = done.stderr.decode()
    assert "4 notes that were taken in hold what looks like a secret (a.md, b.md, d.md and 1 other)" in said
    assert "hunter2" not in said
    assert shell.json("view")["entries"] == 5
    assert shell.run("memory", "view").stderr == b""


def test_a_large_import_is_read_in_part(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imported_secrets, "MAX_READ_BYTES", len(PASSWORD) * 2)
    with Memory.open(shell.project, state_dir=shell.state) as memory:
        (said,) = imported_secrets.secrets_of(memory, memory.reconcile())
    assert said.startswith("2 notes")
