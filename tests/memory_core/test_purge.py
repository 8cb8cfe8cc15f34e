"""Purge: after a forget no byte of the notes is in any file of the state directory, whoever reads and whoever dies."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from bytes_on_disk import files_with, indexed
from worlds import PROJECTS, World

from memory_core import purge
from memory_core.exceptions import NoSuchNote
from memory_core.results import Traces
from memory_core.storing import Text

ROOT = Path(__file__).parents[2]
WRITER = Path(__file__).with_name("writer.py")
LATE = "b1c2d3f4g5h6"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path, 40)


@contextmanager
def another_reading(world: World) -> Iterator[None]:
    """Another process that reads the database in one long transaction."""
    reader = subprocess.Popen(
        [sys.executable, "-c", READ, str(world.database)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with reader:
        assert reader.stdin is not None and reader.stdout is not None
        assert reader.stdout.readline() == b"reading\n"
        yield
        reader.stdin.close()
    assert reader.returncode == 0


READ = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN")
db.execute("SELECT count(*) FROM entry").fetchone()
print("reading", flush=True)
sys.stdin.read()
"""


@pytest.mark.report("M41")
def test_two_hundred_of_four_thousand_notes_leave_no_byte(tmp_path: Path) -> None:
    world = World(tmp_path, 1_000)
    names = world.chosen(2, 200)
    secrets = [world.tokens[2][name] for name in names]
    kept = [world.tokens[2][name] for name in sorted(set(world.tokens[2]) - set(names))[:50]]
    assert indexed(world.database, secrets)
    with another_reading(world), world.open(0), world.open(2) as memory:
        assert memory.forget(*names).traces is Traces.PROCESS
        assert world.database.name in files_with(world.state, secrets)
    with world.open(2) as memory:
        assert not memory.purge_pending()
        assert files_with(world.state, secrets) == set()
        assert indexed(world.database, secrets) == set()
        assert indexed(world.database, kept)
        assert files_with(world.state, kept)
        assert memory.verify().problems == ()
    for number in (0, 1, 3):
        with world.open(number) as memory:
            assert memory.verify().problems == ()
            assert memory.read("n7").text.startswith(f"# n7 {world.tokens[number]['n7']}")


def test_names_given_at_once_are_one_change_and_one_purge(world: World) -> None:
    names = world.chosen(1, 10)
    secrets = [world.tokens[1][name] for name in names]
    with world.open(1) as memory:
        version = memory._ground.head(memory._ground.writer).version
        forgotten = memory.forget(*names, f"{names[0]}.md")
        assert (forgotten.notes, forgotten.versions, forgotten.purged) == (10, 10, True)
        assert forgotten.lines >= 10
        assert memory._ground.head(memory._ground.writer).version == version + 1
        assert files_with(world.state, secrets) == set()
        assert indexed(world.database, secrets) == set()


@pytest.mark.report("M43")
def test_with_an_unknown_name_among_them_nothing_is_forgotten_and_near_names_are_said(world: World) -> None:
    with world.open(0) as memory:
        with pytest.raises(NoSuchNote, match=r"Near it: n3\.md|n33"):
            memory.forget("n1", "n333")
        assert memory.read("n1").text
        assert memory.forget("n1").notes == 1


def test_a_deleted_note_leaves_no_byte_either(world: World) -> None:
    secret = world.tokens[0]["n5"]
    with world.open(0) as memory:
        memory.delete("n5")
        assert memory.forget("n5").purged
        assert files_with(world.state, [secret]) == set()
        assert indexed(world.database, [secret]) == set()


def test_while_another_process_reads_traces_remain_and_the_next_idle_step_removes_them(world: World) -> None:
    secret = world.tokens[3]["n9"]
    with world.open(3) as memory, world.open(1) as neighbour:
        with another_reading(world):
            forgotten = memory.forget("n9")
            assert (forgotten.traces, forgotten.purged) == (Traces.PROCESS, False)
            memory.idle_step()
            neighbour.idle_step()
            assert memory.purge_pending()
            assert world.database.name in files_with(world.state, [secret])
            memory.write("after", "goes on")
        neighbour.idle_step()
        assert not memory.purge_pending()
        assert files_with(world.state, [secret]) == set()
        assert memory.read("after").text == "goes on"


def test_one_forget_while_another_waits_for_a_reader_is_purged_with_it(world: World) -> None:
    secrets = [world.tokens[3]["n9"], world.tokens[3]["n10"], world.tokens[2]["n11"]]
    with world.open(3) as memory, world.open(2) as neighbour:
        with another_reading(world):
            assert not memory.forget("n9").purged
            assert not memory.forget("n10").purged
            assert not neighbour.forget("n11").purged
        memory.idle_step()
        assert not neighbour.purge_pending()
        assert files_with(world.state, secrets) == set()


@pytest.mark.report("M41")
@pytest.mark.parametrize(
    "point",
    ["forget.marked", "forget.removed", "forget.blanked", "purge.optimized", "purge.vacuumed", "purge.checkpointed"],
)
def test_a_forget_that_was_killed_anywhere_is_whole_once_the_memory_is_opened(world: World, point: str) -> None:
    names = world.chosen(1, 3)
    secrets = [world.tokens[1][name] for name in names]
    steps = [str(world.projects[1]), str(world.state), f"forget:{','.join(names)}"]
    killed = subprocess.run(
        [sys.executable, str(WRITER), *steps],
        capture_output=True,
        env={"PYTHONPATH": str(ROOT), "CAUDRA_FAULT": point},
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    with world.open(1) as memory:
        assert not memory.purge_pending()
        assert files_with(world.state, secrets) == set()
        assert indexed(world.database, secrets) == set()
        assert memory.reconcile().appended == 0
        assert memory.verify().problems == ()
        assert memory.mark().forgets == 3


def test_any_other_project_that_is_opened_finishes_a_purge(world: World) -> None:
    secret = world.tokens[1]["n3"]
    with another_reading(world), world.open(1) as memory:
        assert not memory.forget("n3").purged
    world.open(0).close()
    assert files_with(world.state, [secret]) == set()


def test_processes_that_forget_one_note_at_once_forget_it_once(world: World) -> None:
    secret = world.tokens[0]["n2"]
    command = [sys.executable, str(WRITER), str(world.projects[0]), str(world.state), "forget:n2"]
    processes = [subprocess.Popen(command, env={"PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE) for _ in range(3)]
    said = [process.communicate()[1] for process in processes]
    ended = [process.returncode for process in processes]
    assert 0 in ended
    assert all(code == 0 or b"NoSuchNote" in words for code, words in zip(ended, said, strict=True))
    with world.open(0) as memory:
        memory.idle_step()
        assert memory.mark().forgets == 1
        assert files_with(world.state, [secret]) == set()
        assert memory.verify().problems == ()


def test_a_line_that_is_finished_after_the_forget_is_not_stored(world: World) -> None:
    with world.open(0) as memory:
        memory.write("new", "# New q7w8z9\n" + "word " * 200)
        claimed = memory.claim_lines("slow")
        assert [line.address for line in claimed] == ["40+1"]
        memory.forget("n39")
        assert memory.store_claimed("slow", [Text(line.address, LATE, "m") for line in claimed]) == ()
        assert files_with(world.state, [LATE]) == set()


def test_clearing_leaves_no_byte(world: World) -> None:
    secrets = list(world.tokens[2].values())
    with world.open(2) as memory:
        shutil.rmtree(memory.project.memories)
        found = memory.reconcile()
        assert found.cleared and len(found.notices) == 1
        assert files_with(world.state, secrets) == set()
    for number in {*range(PROJECTS)} - {2}:
        with world.open(number) as memory:
            assert memory.verify().problems == ()


def test_clearing_beside_a_reader_says_that_traces_remain(world: World) -> None:
    secrets = list(world.tokens[2].values())
    with world.open(2) as memory:
        with another_reading(world):
            shutil.rmtree(memory.project.memories)
            assert "traces remain" in memory.reconcile().notices[1]
        memory.idle_step()
        assert files_with(world.state, secrets) == set()


def test_a_mark_that_another_process_left_is_finished_by_a_write_to_that_name(world: World) -> None:
    secret = world.tokens[0]["n4"]
    with world.open(0) as memory:
        db = memory._ground.writer
        db.execute("INSERT INTO forgetting SELECT journal, name FROM name WHERE name = 'n4.md' AND journal = 1")
        receipt = memory.write("n4", "harmless")
        assert receipt.new_name
        memory.idle_step()
        assert files_with(world.state, [secret]) == set()
        assert memory.read("n4").text == "harmless"
        assert memory.verify().problems == ()


def test_a_disk_without_room_leaves_traces_and_says_why(world: World) -> None:
    secret = world.tokens[0]["n4"]
    result = subprocess.run(
        [sys.executable, "-c", FULL, str(world.projects[0]), str(world.state)],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT)},
        check=True,
    )
    assert result.stdout == "disk\nn5 there\n"
    with world.open(0) as memory:
        assert not memory.purge_pending()
        assert files_with(world.state, [secret]) == set()
        assert memory.verify().problems == ()


FULL = """
import os, resource, signal, sys
from memory_core import Memory
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
memory = Memory.open(sys.argv[1], state_dir=sys.argv[2])
memory.reconcile()
size = os.path.getsize(memory.project.state_dir + "/acp-state.db")
resource.setrlimit(resource.RLIMIT_FSIZE, (size // 2, size // 2))
print(memory.forget("n4").traces)
print("n5", "there" if memory.read("n5").text else "gone")
"""


@pytest.mark.parametrize(("used", "copies"), [(0, 0), (1_000_000, 1), (60_000_000, 1), (200_000_000, 2)])
def test_the_room_for_a_purge_is_a_log_and_for_large_databases_a_temporary_file(used: int, copies: int) -> None:
    assert copies * used < purge.room_needed(used) <= copies * used * 1.05 + 2_000_000


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files are listed on Linux only")
def test_a_large_database_is_rewritten_by_way_of_a_nameless_file_in_the_state_directory(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purge, "MAX_BYTES_IN_MEMORY", 0)
    seen: set[str] = set()

    def look() -> None:
        for link in Path("/proc/self/fd").iterdir():
            with suppress(OSError):
                seen.add(str(link.readlink()))

    with world.open(0) as memory:
        memory._ground.writer.execute("PRAGMA cache_size = 10")  # so that even a small file goes through the disk
        memory._ground.writer.set_progress_handler(look, 200)
        assert memory.forget("n4").purged
        memory._ground.writer.set_progress_handler(None, 0)
    temporary = {path for path in seen if "etilqs" in path}
    assert temporary
    assert all(path.startswith(f"{world.state}/") and path.endswith("(deleted)") for path in temporary)
    assert files_with(world.state, [world.tokens[0]["n4"]]) == set()
