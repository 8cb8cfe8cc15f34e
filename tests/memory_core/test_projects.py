"""Projects that move, are cloned again, are listed and removed; and a memory in figures."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from memory_core import Memory, checkout
from memory_core.all_projects import AllProjects
from memory_core.exceptions import NotPossible, StateUnavailable

ROOT = Path(__file__).parents[2]


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def folder(path: Path, remote: str = "") -> Path:
    """A directory; with a remote, the bare bones of a repository."""
    path.mkdir(parents=True)
    if remote:
        for part in ("objects", "refs"):
            (path / ".git" / part).mkdir(parents=True)
        (path / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        config = f'[core]\n\tbare = false\n[remote "origin"]\n\turl = {remote}\n\tfetch = x\n'
        (path / ".git" / "config").write_text(config, encoding="utf-8")
    return path


def write(project: Path, state: Path, **texts: str) -> None:
    with Memory.open(project, state_dir=state) as memory:
        for name, text in texts.items():
            memory.write(name, text)


def texts(project: Path, state: Path) -> list[bytes | None]:
    with Memory.open(project, state_dir=state) as memory:
        memory.reconcile()
        while memory.index_more():
            pass
        assert memory.verify().problems == ()
        return [found.raw for found in memory.export()]


URL = "https://me:secret@Example.org/team/shop.git"


def test_a_move_takes_history_files_and_sessions_along(tmp_path: Path, state: Path) -> None:
    old, new = folder(tmp_path / "old"), tmp_path / "new"
    write(old, state, a="first")
    write(old, state, a="second")
    home = next((state / "projects").iterdir())
    (home / "sessions").mkdir()
    (home / "sessions" / "s.jsonl").write_text("{}\n", encoding="utf-8")
    old.rename(new)
    with AllProjects(state) as all_projects:
        moved = all_projects.move(str(old), str(new))
        assert [each.id for each in all_projects.listing()] == [moved.id]
    assert moved.id.startswith("new-")
    assert texts(new, state) == [b"first", b"second"]
    assert (state / "projects" / moved.id / "sessions" / "s.jsonl").exists()


def test_a_process_that_has_the_new_place_open_goes_on_there(tmp_path: Path, state: Path) -> None:
    old, new = folder(tmp_path / "old"), folder(tmp_path / "new")
    write(old, state, a="A")
    with Memory.open(new, state_dir=state) as memory:
        memory.reconcile()
        before = memory.mark()
        with AllProjects(state) as all_projects:
            all_projects.move(str(old), str(new))
        assert memory.reconcile().appended == 0
        assert memory.read("a").text == "A"
        assert memory.mark() != before


def test_a_move_over_another_memory_is_refused_and_changes_nothing(tmp_path: Path, state: Path) -> None:
    old, new = folder(tmp_path / "old"), folder(tmp_path / "new")
    write(old, state, a="A")
    write(new, state, b="B")
    with AllProjects(state) as all_projects:
        for first, second in ((old, new), (old, old)):
            with pytest.raises(NotPossible):
                all_projects.move(str(first), str(second))
        with pytest.raises(NotPossible, match="no memory of"):
            all_projects.move(str(tmp_path / "nowhere"), str(new))
        with pytest.raises(StateUnavailable):
            all_projects.move(str(old), str(tmp_path / "nowhere"))
    assert (texts(old, state), texts(new, state)) == ([b"A"], [b"B"])


def test_a_move_over_files_that_nobody_looked_at_is_refused(tmp_path: Path, state: Path) -> None:
    old, new = folder(tmp_path / "old"), folder(tmp_path / "new")
    write(old, state, a="A")
    with Memory.open(new, state_dir=state) as memory:
        (Path(memory.project.memories) / "b.md").write_text("B", encoding="utf-8")
    with AllProjects(state) as all_projects, pytest.raises(NotPossible, match="note files"):
        all_projects.move(str(old), str(new))
    assert (texts(old, state), texts(new, state)) == ([b"A"], [b"B"])


def killed(fault: str, state: Path, *words: str) -> None:
    code = "import sys\nfrom memory_core.all_projects import AllProjects\nstate, verb, *words = sys.argv[1:]\n"
    code += "getattr(AllProjects(state), verb)(*words)\n"
    done = subprocess.run(
        [sys.executable, "-c", code, str(state), *words],
        env={"PYTHONPATH": str(ROOT), "CAUDRA_FAULT": fault, "PATH": os.environ["PATH"]},
        capture_output=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr


@pytest.mark.parametrize("looks_first", ["old", "new"])
@pytest.mark.parametrize("point", ["move.dropped", "move.described", "move.renamed", "move.committed"])
def test_a_move_that_was_killed_loses_nothing(tmp_path: Path, state: Path, point: str, looks_first: str) -> None:
    old, new = folder(tmp_path / "old"), folder(tmp_path / "new")
    write(old, state, a="first")
    write(old, state, a="second")
    Memory.open(new, state_dir=state).close()
    killed(point, state, "move", str(old), str(new))
    if looks_first == "old":
        try:
            with Memory.open(old, state_dir=state) as memory:
                memory.reconcile()
        except StateUnavailable as error:
            assert "being moved" in str(error)
    with Memory.open(new, state_dir=state) as memory:
        memory.reconcile()
        done = memory.view().entries
    if not done:
        with AllProjects(state) as all_projects:
            all_projects.move(str(old), str(new))
    assert texts(new, state) == [b"first", b"second"]
    assert texts(old, state) == []


@pytest.mark.report("M18")
def test_a_checkout_cloned_again_is_offered_its_memory_once(tmp_path: Path, state: Path) -> None:
    write(folder(tmp_path / "one", URL), state, a="A", b="B")
    with Memory.open(folder(tmp_path / "two", "git@example.org:team/shop"), state_dir=state) as memory:
        memory.reconcile()
        said = memory.offer()
        assert said is not None
        assert "has 2 notes" in said
        assert memory.offer() is None
        assert "secret" not in said
    for path in state.rglob("project.json"):
        assert "secret" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("remote", ["", "https://example.org/team/other.git"])
def test_another_repository_is_offered_nothing(tmp_path: Path, state: Path, remote: str) -> None:
    write(folder(tmp_path / "one", URL), state, a="A")
    with Memory.open(folder(tmp_path / "two", remote), state_dir=state) as memory:
        memory.reconcile()
        assert memory.offer() is None
        with pytest.raises(NotPossible, match="No other memory"):
            memory.adopt()


def test_a_memory_with_notes_is_offered_nothing(tmp_path: Path, state: Path) -> None:
    write(folder(tmp_path / "one", URL), state, a="A")
    two = folder(tmp_path / "two", URL)
    write(two, state, b="B")
    with Memory.open(two, state_dir=state) as memory:
        assert memory.offer() is None
        with pytest.raises(NotPossible, match="of its own"):
            memory.adopt()
    assert texts(two, state) == [b"B"]


def test_adopting_from_a_checkout_that_is_gone_moves_its_memory(tmp_path: Path, state: Path) -> None:
    one, two = folder(tmp_path / "one", URL), folder(tmp_path / "two", URL)
    write(one, state, a="first")
    write(one, state, a="second")
    shutil.rmtree(one)
    with Memory.open(two, state_dir=state) as memory:
        memory.reconcile()
        assert memory.adopt().gone
        assert memory.read("a").text == "second"
    assert texts(two, state) == [b"first", b"second"]
    with AllProjects(state) as all_projects:
        assert [each.name for each in all_projects.listing()] == ["two"]


def test_adopting_from_a_checkout_that_is_there_takes_a_copy(tmp_path: Path, state: Path) -> None:
    one, two = folder(tmp_path / "one", URL), folder(tmp_path / "two", URL)
    write(one, state, a="A")
    with Memory.open(two, state_dir=state) as memory:
        memory.reconcile()
        assert not memory.adopt().gone
        assert list((Path(memory.project.home) / "tmp").iterdir()) == []
    write(two, state, a="new")
    assert (texts(one, state), texts(two, state)) == ([b"A"], [b"A", b"new"])


def test_where_several_memories_fit_one_has_to_be_named(tmp_path: Path, state: Path) -> None:
    for name in ("one", "two"):
        write(folder(tmp_path / name, URL), state, **{name: name})
    three = folder(tmp_path / "three", URL)
    with Memory.open(three, state_dir=state) as memory:
        with pytest.raises(NotPossible, match="Several"):
            memory.adopt()
        memory.adopt(str(tmp_path / "two"))
    assert texts(three, state) == [b"two"]


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_a_first_commit_in_common_is_enough(tmp_path: Path, state: Path) -> None:
    one, two = folder(tmp_path / "one"), tmp_path / "two"
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    environment |= {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    for words in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "first")):
        subprocess.run(["git", *words], cwd=one, env=environment, check=True)
    with Memory.open(one, state_dir=state) as memory:
        memory.reconcile()
        assert memory.offer() is None
        memory.write("a", "A")
    shutil.copytree(one, two)
    shutil.rmtree(one)
    with Memory.open(two, state_dir=state) as memory:
        memory.reconcile()
        assert memory.offer() is not None
        memory.adopt()
    assert texts(two, state) == [b"A"]


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://github.com/o/r.git", "github.com/o/r"),
        ("https://user:token@GitHub.com/o/r", "github.com/o/r"),
        ("ssh://git@github.com:22/o/r.git", "github.com/o/r"),
        ("git@github.com:o/r.git", "github.com/o/r"),
        ("github.com:o/r", "github.com/o/r"),
        ("/srv/git/r.git/", "/srv/git/r"),
        ("../r.git", "../r"),
        ("file:///srv/git/r.git", "file:///srv/git/r"),
    ],
)
def test_an_address_is_the_same_by_every_protocol(url: str, address: str) -> None:
    assert checkout.address(url) == address


def test_the_remote_is_read_from_gits_own_file() -> None:
    text = '[remote "up"]\n url = a:b\n[branch "x"]\n url = no\n[REMOTE]\n url = no\n'
    text += '[remote "origin"] # c\n\turl = "c:d"\n'
    assert checkout.remotes(text) == {"up": "a:b", "origin": "c:d"}


def test_projects_are_listed_with_what_they_hold(tmp_path: Path, state: Path) -> None:
    one, two = folder(tmp_path / "one"), folder(tmp_path / "two")
    write(one, state, a="12345")
    write(one, state, a="1234567")
    write(two, state, b="B")
    shutil.rmtree(one)
    with AllProjects(state) as all_projects:
        listed = {each.name: each for each in all_projects.listing()}
    found = listed["one"]
    assert (found.path, found.entries, found.notes, found.text_bytes, found.gone) == (str(one), 2, 1, 12, True)
    assert found.last_ms is not None
    assert not listed["two"].gone


def test_a_removed_project_leaves_no_byte(tmp_path: Path, state: Path) -> None:
    one, two = folder(tmp_path / "one"), folder(tmp_path / "two")
    write(one, state, a="unlikelyword " * 100)
    write(two, state, b="B")
    with AllProjects(state) as all_projects:
        with pytest.raises(NotPossible):
            all_projects.remove("nothing")
        assert all_projects.remove(str(one)) is None
        assert [each.name for each in all_projects.listing()] == ["two"]
    assert not any(b"unlikelyword" in path.read_bytes() for path in state.rglob("*") if path.is_file())
    assert (texts(one, state), texts(two, state)) == ([], [b"B"])


def test_a_removal_that_was_killed_is_finished_by_another(tmp_path: Path, state: Path) -> None:
    one = folder(tmp_path / "one")
    write(one, state, a="A")
    killed("remove.folder", state, "remove", str(one))
    with AllProjects(state) as all_projects:
        all_projects.remove(str(one))
        assert all_projects.listing() == []


@pytest.mark.report("M29")
def test_figures_tell_the_largest_the_oldest_and_the_never_opened(tmp_path: Path, state: Path) -> None:
    with Memory.open(folder(tmp_path / "one"), state_dir=state) as memory:
        for name, size in (("small", 10), ("large", 1000), ("middle", 100)):
            memory.write(name, "x" * size)
        memory.write("gone", "G")
        memory.delete("gone")
        memory.read("large")
        memory.zoom(0, 1)
        assert memory.stats().unopened == 3
        memory.idle_step()
        found = memory.stats()
    assert (found.entries, found.notes, found.deleted, found.note_bytes, found.text_bytes) == (5, 3, 1, 1110, 1111)
    assert [each.name for each in found.largest] == ["large.md", "middle.md", "small.md"]
    assert [each.name for each in found.oldest] == ["small.md", "large.md", "middle.md"]
    assert [each.name for each in found.never_opened] == ["middle.md"]
    assert [each.opened for each in found.largest] == [1, 0, 1]
