"""The state directory and its database: what isn't ours, damaged or unreachable is refused in one sentence."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Place

from memory_core import Memory
from memory_core.exceptions import MemoryFault, StateUnavailable

ROOT = Path(__file__).parents[2]


def refused(place: Place) -> str:
    with pytest.raises(StateUnavailable) as caught:
        place.open()
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


def test_a_database_of_another_program_is_refused_and_not_touched(place: Place) -> None:
    place.state.mkdir()
    path = place.state / "acp-state.db"
    for application in (0, 77):
        path.unlink(missing_ok=True)
        with sqlite3.connect(path) as db:
            db.execute("CREATE TABLE theirs (x)")
            db.execute(f"PRAGMA application_id = {application}")
        db.close()
        before = path.read_bytes()
        assert "another program" in refused(place)
        assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"not a database at all", b"x" * 9000, b"SQLite format 3\0" + b"\1" * 4096])
def test_a_file_that_is_no_database_is_refused_and_not_touched(place: Place, content: bytes) -> None:
    place.state.mkdir()
    path = place.state / "acp-state.db"
    path.write_bytes(content)
    refused(place)
    assert path.read_bytes() == content


def test_a_database_of_a_newer_release_is_refused(place: Place) -> None:
    place.open().close()
    with sqlite3.connect(place.state / "acp-state.db") as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    assert "newer release" in refused(place)


def test_a_state_directory_that_is_a_file_is_refused(place: Place) -> None:
    place.state.write_text("x", encoding="utf-8")
    assert str(place.state) in refused(place)


@pytest.mark.report("M9")
def test_a_database_that_was_deleted_is_filled_again_from_the_files(place: Place) -> None:
    with place.open() as memory:
        memory.write("b", "# B\n")
        memory.write("a", "# A\n")
    os.utime(place.memories / "b.md", (100, 100))
    for path in place.state.glob("acp-state.db*"):
        path.unlink()
    with place.open() as memory:
        assert memory.reconcile().imported == 2
        assert [row.name for row in memory.log()] == ["a.md", "b.md"]


@pytest.mark.report("M9")
def test_a_database_deleted_under_a_running_process_is_filled_again_and_loses_no_write(place: Place) -> None:
    with place.open() as memory:
        memory.write("a", "# A\n")
        memory.reconcile()
        for path in place.state.glob("acp-state.db*"):
            path.unlink()
        assert memory.view().entries == 0
        memory.write("b", "# B\n")
        memory.reconcile()
        assert {row.name for row in memory.log()} == {"a.md", "b.md"}
        assert memory.verify().ok


def test_a_journal_whose_database_was_lost_begins_in_a_generation_of_its_own(place: Place) -> None:
    """The numbers of its entries mean others now: a session that saw the old ones must notice."""
    with place.open() as memory:
        memory.write("a", "# A\n")
        before = memory.mark()
        for path in place.state.glob("acp-state.db*"):
            path.unlink()
        assert memory.reconcile().imported == 1
        assert memory.mark().entries == before.entries
        assert memory.mark().generation != before.generation


@pytest.mark.report("M4")
def test_a_state_directory_that_goes_away_is_not_replaced_by_an_empty_one(place: Place, tmp_path: Path) -> None:
    """An unmounted home: said at each call, and once it is back, the memory goes on where it was."""
    with place.open() as memory:
        memory.write("a", "# A\n")
        place.state.rename(tmp_path / "away")
        for ask in (memory.reconcile, memory.view, lambda: memory.write("b", "# B\n"), lambda: memory.search("a")):
            with pytest.raises(StateUnavailable, match="nothing was cleared"):
                ask()
        assert not place.state.exists()
        (tmp_path / "away").rename(place.state)
        assert memory.write("b", "# B\n").entry == 1
        assert memory.verify().ok


def test_a_state_directory_that_was_removed_and_made_anew_is_used_from_then_on(place: Place) -> None:
    with place.open() as memory:
        memory.write("a", "# A\n")
        shutil.rmtree(place.state)
        with pytest.raises(StateUnavailable):
            memory.reconcile()
        with place.open() as other:
            assert other.write("b", "# B\n").entry == 0
            memory.reconcile()
            assert [row.name for row in memory.log()] == ["b.md"]
            assert memory.write("c", "# C\n").entry == 1
            assert memory.verify().ok


def test_a_database_that_was_away_and_came_back_is_used_again(place: Place, tmp_path: Path) -> None:
    """In between stands one of another program, which is refused and not touched."""
    path = place.state / "acp-state.db"
    with place.open() as memory:
        memory.write("a", "# A\n")
        path.rename(tmp_path / "away.db")
        with sqlite3.connect(path) as db:
            db.execute("CREATE TABLE theirs (x)")
        db.close()
        theirs = path.read_bytes()
        for ask in (memory.reconcile, memory.view):
            with pytest.raises(StateUnavailable, match="another program"):
                ask()
        assert path.read_bytes() == theirs
        (tmp_path / "away.db").replace(path)
        assert memory.write("b", "# B\n").entry == 1
        assert memory.view().entries == 2


@pytest.mark.report("M5")
@pytest.mark.parametrize("part", ["memories", "tmp"])
def test_what_the_system_refuses_is_a_sentence_too(place: Place, part: str) -> None:
    """Here a file stands where a directory should; a directory that may not be listed ends the same way."""
    with place.open() as memory:
        memory.write("a", "# A\n")
    directory = place.memories.parent / part
    shutil.rmtree(directory)
    directory.write_text("in the way", encoding="utf-8")
    with place.open() as memory:
        with pytest.raises(StateUnavailable) as caught:
            memory.reconcile()
            memory.write("b", "# B\n")
        assert str(place.memories.parent) in str(caught.value)
    assert directory.read_text(encoding="utf-8") == "in the way"


@pytest.mark.report("M4")
def test_removing_the_notes_directory_clears_the_journal_and_says_so(place: Place) -> None:
    with place.open() as memory:
        memory.write("a", "# A\n")
        generation = memory.mark().generation
        shutil.rmtree(place.memories)
        found = memory.reconcile()
        assert found.cleared and "1 entry" in found.notices[0]
        assert memory.mark().generation == generation + 1
        assert memory.view().lines == ()
        assert not memory.reconcile().cleared
        assert memory.write("a", "# again\n").entry == 0
        assert memory.verify().ok


def test_removing_the_project_directory_whole_clears_too(place: Place) -> None:
    with place.open() as memory:
        memory.write("a", "# A\n")
        shutil.rmtree(place.memories.parent)
        assert memory.write("b", "# B\n").entry == 0
        assert [row.name for row in memory.log()] == ["b.md"]
        assert memory.verify().ok


@pytest.mark.report("M4")
def test_a_dangling_link_or_a_missing_state_directory_clears_nothing(place: Place, tmp_path: Path) -> None:
    with place.open() as memory:
        memory.write("a", "# A\n")
        kept = tmp_path / "kept"
        memories = place.memories
        memories.rename(kept)
        memories.symlink_to(tmp_path / "unmounted")
        with pytest.raises(StateUnavailable, match="nothing was cleared"):
            memory.reconcile()
        memories.unlink()
        memories.symlink_to(kept)
        assert memory.reconcile().appended == 0
        projects = place.state / "projects"
        projects.rename(tmp_path / "away")
        with pytest.raises(StateUnavailable, match="nothing was cleared"):
            memory.reconcile()
        (tmp_path / "away").rename(projects)
        assert memory.reconcile().appended == 0
        assert memory.verify().ok


@pytest.mark.report("M6")
def test_a_writer_waits_for_a_lock_and_succeeds(place: Place) -> None:
    with place.open() as memory:
        memory.reconcile()
        holder = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(place.state / "acp-state.db")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        with holder:
            assert holder.stdout is not None and holder.stdin is not None
            assert holder.stdout.readline() == b"held\n"
            assert memory.view().entries == 0
            holder.stdin.close()
            assert memory.write("a", "x").entry == 0
        assert holder.returncode == 0


HOLD = """
import sqlite3, sys, threading
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
threading.Event().wait(0.3)
db.execute("COMMIT")
"""


@pytest.mark.report("M5")
def test_a_full_disk_is_said_in_one_sentence_and_loses_nothing(place: Place) -> None:
    with place.open() as memory:
        memory.write("a", "# A\n")
    command = [sys.executable, "-c", FULL, str(place.project), str(place.state)]
    result = subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONPATH": str(ROOT)})
    lines = result.stdout.splitlines()
    assert lines[-1] == "read: # A"
    assert all(line.startswith("refused: ") for line in lines[:-1]) and len(lines) == 3
    with place.open() as memory:
        memory.reconcile()
        assert memory.verify().ok
        assert memory.read("a").text == "# A\n"


FULL = """
import resource, signal, sys
from memory_core import Memory
from memory_core.exceptions import MemoryFault
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
memory = Memory.open(sys.argv[1], state_dir=sys.argv[2])
memory.reconcile()
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
for name in ("a", "b"):
    try:
        memory.write(name, "x" * 100_000)
    except MemoryFault as error:
        print("refused:", error)
print("read:", memory.read("a").text.strip())
"""


def test_processes_that_open_at_once_make_one_database(place: Place) -> None:
    code = "import sys; from memory_core import Memory; m = Memory.open(sys.argv[1], state_dir=sys.argv[2]);" + (
        "[m.write(f'{sys.argv[3]}-{i}', 'x') for i in range(5)]"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(place.project), str(place.state), str(number)],
            env={"PYTHONPATH": str(ROOT)},
        )
        for number in range(4)
    ]
    assert [process.wait() for process in processes] == [0, 0, 0, 0]
    with place.open() as memory:
        memory.reconcile()
        assert memory.view().entries == 20
        assert memory.verify().ok


def test_every_error_of_the_memory_is_one_class_with_a_sentence(memory: Memory) -> None:
    for attempt in (
        lambda: memory.read("nothing"),
        lambda: memory.zoom(3, 2),
        lambda: memory.write("../x", "y"),
        lambda: memory.store_line("0+1", "x", model="m"),
        lambda: memory.forget("nothing"),
    ):
        with pytest.raises(MemoryFault) as caught:
            attempt()
        assert caught.value.message.endswith(".")
        assert "\n" not in str(caught.value)
