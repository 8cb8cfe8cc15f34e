"""What is remembered is for its owner alone, whatever the process's mask is."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import process_environment

from memory_core.memory import Memory


@pytest.fixture
def open_mask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def loose(folder: Path) -> list[str]:
    """What somebody else could read."""
    found = [folder, *folder.rglob("*")]
    return [str(path.relative_to(folder)) for path in found if stat.S_IMODE(path.lstat().st_mode) & 0o077]


@pytest.mark.usefixtures("open_mask")
def test_the_database_and_its_log_are_private(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    with Memory.open(tmp_path / "project", state_dir=tmp_path / "state") as memory:
        memory.write("a.md", "# A\n")
        databases = list((tmp_path / "state").glob("acp-state.db*"))
        assert len(databases) == 3
        assert {stat.S_IMODE(path.stat().st_mode) for path in databases} == {0o600}


@pytest.mark.usefixtures("open_mask")
def test_an_empty_file_that_a_dead_process_left_becomes_the_database(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "acp-state.db").touch(0o600)
    with Memory.open(tmp_path / "project", state_dir=tmp_path / "state") as memory:
        assert memory.write("a.md", "# A\n").entry == 0


@pytest.mark.usefixtures("open_mask")
def test_nobody_else_reads_anything_that_the_agent_makes(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    environ = process_environment(tmp_path, {"CAUDRA_STATE_DIR": str(tmp_path / "under" / "state")})
    told = [sys.executable, "-m", "acp_server", "memory", "write", "a.md"]
    chat = [sys.executable, "-m", "acp_server", "chat", "--allow", "memory.write"]
    for command, words in ((told, b"# A\n"), (chat, b"remember that the deploy key rotates on Mondays\n")):
        subprocess.run(
            command, cwd=tmp_path / "project", env=environ, input=words, capture_output=True, check=True, timeout=60
        )
    assert loose(tmp_path / "under") == []
