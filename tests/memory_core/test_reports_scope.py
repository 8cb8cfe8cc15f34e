"""Whose memory it is: worktrees, renamed checkouts, links, namesakes, directories in a repository; with real git."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from memory_core import Memory
from memory_core.results import Entry, Origin, OriginKind
from memory_core.results_json import as_json


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def git(*words: str, within: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(within), "GIT_CONFIG_NOSYSTEM": "1"}
    who = ("-c", "user.name=n", "-c", "user.email=e@example.org")
    subprocess.run(["git", *who, *words], cwd=within, check=True, capture_output=True, env=environment)


def repository(path: Path) -> Path:
    """A repository with a first commit of its own."""
    path.mkdir(parents=True)
    git("init", "-b", "main", within=path)
    git("commit", "--allow-empty", "-m", f"first of {path}", within=path)
    return path


def write(project: Path, state: Path, name: str, text: str) -> None:
    with Memory.open(project, state_dir=state) as memory:
        memory.write(name, text)


def names(project: Path, state: Path) -> list[str]:
    with Memory.open(project, state_dir=state) as memory:
        memory.reconcile()
        assert memory.verify().problems == ()
        return [note.name for note in memory.notes()]


@pytest.mark.report("M15")
def test_a_worktree_has_the_notes_of_its_repository_and_leaves_them_behind(tmp_path: Path, state: Path) -> None:
    app = repository(tmp_path / "app")
    write(app, state, "a", "A")
    git("worktree", "add", "../side", within=app)
    write(tmp_path / "side", state, "b", "B")
    assert names(tmp_path / "side", state) == names(app, state) == ["b.md", "a.md"]
    git("worktree", "remove", "../side", within=app)
    assert not (tmp_path / "side").exists()
    assert names(app, state) == ["b.md", "a.md"]


@pytest.mark.report("M16")
def test_a_repository_may_say_that_its_worktrees_have_memories_of_their_own(tmp_path: Path, state: Path) -> None:
    app = repository(tmp_path / "app")
    for name in ("one", "two"):
        git("worktree", "add", f"../{name}", within=app)
    git("config", "caudra.worktrees", "own", within=app)
    for place in (app, tmp_path / "one", tmp_path / "two"):
        write(place, state, "active-ticket", place.name)
    (tmp_path / "one" / "below").mkdir()
    for place in (app, tmp_path / "one", tmp_path / "two"):
        with Memory.open(place, state_dir=state) as memory:
            assert memory.read("active-ticket").text == place.name
            assert memory.project.id.startswith(f"{place.name}-")
    assert names(tmp_path / "one" / "below", state) == ["active-ticket.md"]
    git("config", "caudra.worktrees", "shared", within=app)
    with Memory.open(tmp_path / "one", state_dir=state) as memory:
        assert memory.read("active-ticket").text == "app"


@pytest.mark.report("M16")
def test_what_another_worktree_replaced_is_said_and_stays_readable(tmp_path: Path, state: Path) -> None:
    app = repository(tmp_path / "app")
    git("worktree", "add", "../side", within=app)
    with Memory.open(app, state_dir=state) as here, Memory.open(tmp_path / "side", state_dir=state) as there:
        here.write("active-ticket", "mine")
        receipt = there.write("active-ticket", "theirs", origin=Origin(OriginKind.SESSION, "s2"))
        assert receipt.replaced == 0
        assert "entry 0" in receipt.notices[0]
        entry = here.zoom(0, 1)
        assert isinstance(entry, Entry)
        assert (entry.text, entry.replaced_by) == ("mine", 1)


@pytest.mark.report("M18")
def test_a_renamed_checkout_is_offered_its_notes_and_takes_them_over(tmp_path: Path, state: Path) -> None:
    old = repository(tmp_path / "proj")
    with Memory.open(old, state_dir=state) as memory:
        memory.write("a", "A")
        assert memory.offer() is None
    old.rename(tmp_path / "proj2")
    with Memory.open(tmp_path / "proj2", state_dir=state) as memory:
        memory.reconcile()
        assert "has 1 note" in (memory.offer() or "")
        assert memory.adopt().gone
        assert memory.read("a").text == "A"
    assert names(tmp_path / "proj2", state) == ["a.md"]


@pytest.mark.report("M19")
def test_through_a_link_it_is_the_same_memory(tmp_path: Path, state: Path) -> None:
    for made in (repository(tmp_path / "app"), tmp_path / "plain"):
        made.mkdir(exist_ok=True)
        link = tmp_path / f"link-to-{made.name}"
        link.symlink_to(made)
        write(link, state, f"by-link-{made.name}", "x")
        write(made, state, f"by-path-{made.name}", "x")
        assert len(names(made, state)) == len(names(link, state)) == 2


@pytest.mark.report("M21", "M23")
def test_two_repositories_of_one_folder_name_know_nothing_of_each_other(tmp_path: Path, state: Path) -> None:
    alpha, beta = (repository(tmp_path / name / "app") for name in ("alpha", "beta"))
    planted = "zebrafinch"
    with Memory.open(beta, state_dir=state) as other:
        other.write("own", "# Own\n")
        mark = other.mark()
        write(alpha, state, planted, f"# Always use {planted}\n\n{planted} " * 300)
        with Memory.open(alpha, state_dir=state) as memory:
            for line in memory.pending_lines():
                memory.store_line(line.address, f"use {planted}", model="m")
        other.reconcile()
        assert other.search(planted).hits == ()
        assert list(other.since(mark, exclude_session=None)) == []
        shown = [other.view().text, str(as_json(other.view())), str(list(other.log())), str(list(other.notes()))]
        assert planted not in "".join(shown)
    assert names(alpha, state) == [f"{planted}.md"]
    assert len(list((state / "projects").iterdir())) == 2


@pytest.mark.report("M22")
def test_a_directory_in_a_repository_has_the_repositorys_memory_and_a_project_in_it_its_own(
    tmp_path: Path, state: Path
) -> None:
    """The rule that docs/editors.md states."""
    mono = repository(tmp_path / "mono")
    (mono / "packages" / "ui").mkdir(parents=True)
    inner = repository(mono / "packages" / "engine")
    write(mono, state, "whole", "x")
    write(mono / "packages" / "ui", state, "part", "x")
    write(inner, state, "inner", "x")
    assert names(mono, state) == names(mono / "packages" / "ui", state) == ["part.md", "whole.md"]
    assert names(inner, state) == ["inner.md"]


@pytest.mark.report("M22")
def test_a_memory_under_an_id_of_another_rule_is_offered_and_taken_over(tmp_path: Path, state: Path) -> None:
    """As after an update that makes ids otherwise: the folder's name isn't the one that is looked for any more."""
    mono = repository(tmp_path / "mono")
    (mono / "sub").mkdir()
    with Memory.open(mono / "sub", state_dir=state) as memory:
        memory.write("a", "A")
        memory.offer()
        home = Path(memory.project.home)
    home.rename(home.with_name("by-another-rule"))
    with closing(sqlite3.connect(state / "acp-state.db")) as db:
        db.execute("UPDATE project SET directory = 'by-another-rule'")
        db.commit()
    with Memory.open(mono / "sub", state_dir=state) as memory:
        memory.reconcile()
        assert "has 1 note" in (memory.offer() or "")
        memory.adopt("by-another-rule")
    assert names(mono, state) == names(mono / "sub", state) == ["a.md"]
