"""Who only looks leaves nothing behind: commands in a directory that has no memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_cli import Shell
from test_cli_projects import checkout

from acp_server.exits import Exit
from acp_server.sentences import cli as say
from memory_core import Memory

LOOKS = {
    ("view",): Exit.OK,
    ("zoom", "0+1"): Exit.USAGE,
    ("list",): Exit.OK,
    ("search", "word"): Exit.OK,
    ("read", "a"): Exit.WRONG,
    ("log",): Exit.OK,
    ("log", "a"): Exit.WRONG,
    ("diff", "a@0", "a@1"): Exit.WRONG,
    ("verify",): Exit.OK,
    ("stats",): Exit.OK,
    ("export",): Exit.OK,
    ("projects",): Exit.OK,
}


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def entries(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.mark.parametrize("words", LOOKS, ids=" ".join)
def test_a_look_where_nothing_was_ever_kept_makes_nothing(shell: Shell, words: tuple[str, ...]) -> None:
    temporary = shell.project.parent / "temporary"
    temporary.mkdir()
    before = entries(shell.project.parent)
    shell.memory(*words, code=LOOKS[words], TMPDIR=str(temporary))
    assert entries(shell.project.parent) == before


@pytest.mark.parametrize("words", LOOKS, ids=" ".join)
def test_a_look_beside_other_projects_makes_no_project(shell: Shell, words: tuple[str, ...]) -> None:
    shell.memory("write", "a", said=b"A")
    elsewhere = shell.project.parent / "elsewhere"
    elsewhere.mkdir()
    before = entries(shell.state)
    shell.memory(*words, "--project", str(elsewhere), code=LOOKS[words])
    assert entries(shell.state) == before
    assert len(shell.json("projects")["projects"]) == 1


def test_what_is_shown_of_no_memory_is_what_an_empty_one_shows(shell: Shell) -> None:
    looks = [words for words in LOOKS if words != ("projects",)]
    absent = [shell.run("memory", *words, "--json").stdout for words in looks]
    Memory.open(shell.project, state_dir=shell.state).close()
    assert [shell.run("memory", *words, "--json").stdout for words in looks] == absent


def test_notes_that_lie_there_before_any_memory_are_a_memory(shell: Shell) -> None:
    folder = Path(shell.json("export")["project"]["memories"])
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("# A\n", encoding="utf-8")
    assert shell.memory("read", "a") == "# A\n"


def test_an_empty_list_tells_of_the_memory_that_the_repository_has_elsewhere(shell: Shell) -> None:
    checkout(shell.project)
    clone = checkout(shell.project.parent / "clone")
    shell.memory("write", "a", said=b"# A\n")
    for _ in range(2):
        found = shell.run("memory", "list", "--project", str(clone))
        assert (found.returncode, found.stdout.decode()) == (Exit.OK, say.NOTHING_YET + "\n")
        assert b"caudra-acp memory adopt" in found.stderr and str(shell.project).encode() in found.stderr
    assert len(shell.json("projects")["projects"]) == 1
    shell.memory("adopt", "--project", str(clone))
    assert shell.run("memory", "list", "--project", str(clone)).stderr == b""
