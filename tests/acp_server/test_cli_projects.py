"""Projects on the command line and in a first turn: listed, removed, moved, adopted, counted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from test_cli import ROOT, Shell

from acp_server.exits import Exit


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    made = Shell(tmp_path)
    checkout(made.project)
    made.memory("write", "a", said=b"# A\n")
    return made


def checkout(folder: Path) -> Path:
    for part in ("objects", "refs"):
        (folder / ".git" / part).mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (folder / ".git" / "config").write_text('[remote "origin"]\n\turl = git@example.org:o/r.git\n', encoding="utf-8")
    return folder


def test_projects_are_listed_and_removed(shell: Shell) -> None:
    (listed,) = shell.json("projects")["projects"]
    assert (listed["name"], listed["path"], listed["notes"], listed["gone"]) == (
        "project",
        str(shell.project),
        1,
        False,
    )
    assert listed["id"] in shell.memory("projects")
    shell.memory("projects", "--remove", listed["id"], code=Exit.REFUSED)
    shell.memory("projects", "--remove", listed["id"], "--yes", code=Exit.REFUSED, CAUDRA_AGENT="1")
    shell.memory("projects", "--remove", "nothing", "--yes", code=Exit.WRONG)
    assert shell.json("projects", "--remove", listed["id"], "--yes")["purged"]
    assert shell.json("projects")["projects"] == []
    assert shell.memory("projects") == "There are no projects yet.\n"


def test_a_directory_that_moved_gets_its_memory_back(shell: Shell, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    shell.project.rename(moved)
    shell.project.mkdir()
    assert "1 entry now belongs to" in shell.memory("move", str(shell.project), str(moved))
    assert shell.memory("--project", str(moved), "read", "a") == "# A\n"
    assert shell.memory("read", "a", "--project", str(moved)) == "# A\n"
    assert "empty" in shell.memory("list")
    shell.memory("move", str(moved), str(shell.project), code=Exit.REFUSED, CAUDRA_AGENT="1")


def test_a_clone_adopts_the_memory_of_its_repository(shell: Shell, tmp_path: Path) -> None:
    clone = checkout(tmp_path / "clone")
    shown = shell.json("adopt", "--project", str(clone))
    assert (shown["copied"], shown["from"]["notes"]) == (True, 1)
    assert shell.memory("read", "a", "--project", str(clone)) == "# A\n"
    refused = shell.json("adopt", "--project", str(clone), code=Exit.WRONG)
    assert refused["type"] == "memory.error"
    assert str(clone) in refused["message"]
    assert ".git" not in refused["message"]


def test_a_first_turn_offers_the_memory_once(shell: Shell, tmp_path: Path) -> None:
    clone = checkout(tmp_path / "clone")
    shutil.rmtree(shell.project)

    def chat() -> str:
        command = [sys.executable, "-P", "-m", "acp_server", "chat"]
        environment = {**shell.environment, "PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}
        done = subprocess.run(command, input=b"hello", capture_output=True, cwd=clone, env=environment, timeout=120)
        return done.stdout.decode()

    said = "caudra-acp memory adopt"
    assert (said in chat(), said in chat()) == (True, False)
    shell.project.mkdir()
    assert "now belongs to" in shell.memory("adopt", "--project", str(clone))
    assert [each["path"] for each in shell.json("projects")["projects"]] == [str(clone)]


def test_figures_are_shown(shell: Shell) -> None:
    shown = shell.memory("stats")
    assert "Largest notes" in shown
    assert "a.md" in shown
    figures = shell.json("stats")
    assert (figures["entries"], figures["notes"], figures["unopened"]) == (1, 1, 1)
    assert figures["largest"][0]["bytes"] == 4
