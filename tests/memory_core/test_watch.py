"""Hints that notes changed: from real directories, through the system's own watch, and where it has nothing to give."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import Empty, Queue
from tempfile import TemporaryDirectory

import pytest

from memory_core import notes
from memory_core.watch import FIRST_RETRY_SECONDS, LAST_RETRY_SECONDS, MAX_DIRECTORIES, Eye, Watch, directories

DEADLINE_SECONDS = 20.0


class Looking:
    """An eye that is asked again and again, under a clock that the test moves."""

    def __init__(self, *folders: Path) -> None:
        self.folders = [str(folder) for folder in folders]
        self.troubles: list[str] = []
        self.eye = Eye(self.troubles.append)
        self.now = 0.0

    def look(self, *asked: str) -> list[str]:
        return self.eye.look(self.folders, asked, self.now)

    def hints(self) -> list[str]:
        """Looks on, a millisecond each, until there is a hint; none at the deadline."""
        deadline = time.monotonic() + DEADLINE_SECONDS
        while time.monotonic() < deadline:
            if hints := self.look():
                return hints
        return []

    def until(self, folder: Path) -> None:
        """Looks on until this folder is hinted. The system may tell one write in parts, and so another folder again."""
        while str(folder) not in (hints := self.hints()):
            assert hints, f"no hint of {folder}"

    def watched(self) -> Looking:
        """The same, once the hint is over that comes because watching begins."""
        assert sorted(self.hints()) == sorted(self.folders)
        return self


@pytest.fixture
def memories(tmp_path: Path) -> Path:
    folder = tmp_path / "memories"
    folder.mkdir()
    return folder


@pytest.fixture
def looking(memories: Path) -> Iterator[Looking]:
    made = Looking(memories).watched()
    yield made
    made.eye.close()


def change(folder: Path, name: str = "a.md") -> None:
    (folder / name).write_text("# A\n", encoding="utf-8")


def test_what_is_watched_from_now_on_is_hinted_once_since_it_may_have_changed_before(memories: Path) -> None:
    eye = Looking(memories).watched()
    assert [eye.look() for _ in range(20)] == [[]] * 20
    eye.eye.close()


@pytest.mark.parametrize(
    "what",
    [
        lambda note: note.write_text("changed", encoding="utf-8"),
        lambda note: note.unlink(),
        lambda note: note.rename(note.with_name("b.md")),
        lambda note: os.utime(note, ns=(1, 1)),
        lambda note: shutil.copy(note, note.with_name("c.md")),
    ],
)
def test_a_note_that_is_changed_removed_renamed_touched_or_copied_gives_a_hint(memories: Path, what: object) -> None:
    change(memories)
    looking = Looking(memories).watched()
    assert callable(what)
    what(memories / "a.md")
    assert looking.hints() == looking.folders
    looking.eye.close()


def test_a_look_at_the_files_and_a_hidden_file_give_no_hint(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
        change(folder)
    looking = Looking(*folders).watched()
    notes.scan(str(folders[0]))
    notes.read(str(folders[0]), "a.md")
    change(folders[0], ".a.md.swp")
    change(folders[1])  # the system tells changes in their order, so all of the first folder came before
    assert looking.hints() == [str(folders[1])]
    looking.eye.close()


def test_changes_that_never_come_to_rest_are_hinted_all_the_same(looking: Looking) -> None:
    for number in range(10_000):
        change(Path(looking.folders[0]), f"n{number % 50}.md")
        if looking.look():
            return
    pytest.fail("no hint")


def test_a_new_directory_is_watched_too(looking: Looking, memories: Path) -> None:
    inner = memories / "topics" / "deploy"
    inner.mkdir(parents=True)
    assert looking.hints()
    while looking.look():  # the inner one is found when the outer one is listed
        pass
    change(inner)
    assert looking.hints() == looking.folders


def test_only_directories_of_notes_are_watched_and_none_behind_a_link(tmp_path: Path, memories: Path) -> None:
    (memories / "topics").mkdir()
    (memories / ".git" / "objects").mkdir(parents=True)
    (tmp_path / "disk" / "deep").mkdir(parents=True)
    (memories / "disk").symlink_to(tmp_path / "disk")
    assert list(directories(str(memories))) == [str(memories), str(memories / "topics")]


def test_of_very_many_directories_the_outer_ones_are_watched(memories: Path) -> None:
    for number in range(MAX_DIRECTORIES):
        (memories / f"d{number}" / "inner").mkdir(parents=True)
    found = directories(str(memories))
    assert len(found) == MAX_DIRECTORIES
    assert not any(path.endswith("inner") for path in found)


def test_a_notes_directory_that_is_a_link_is_watched_where_it_leads(tmp_path: Path, memories: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(memories)
    looking = Looking(link).watched()
    change(memories)
    assert looking.hints() == [str(link)]
    looking.eye.close()


def test_a_folder_that_is_removed_and_made_again_is_watched_again(looking: Looking, memories: Path) -> None:
    for _ in range(3):
        shutil.rmtree(memories)
        memories.mkdir()
        looking.now += LAST_RETRY_SECONDS + 1  # where a look falls between the two, the next try comes later
        assert looking.hints() == looking.folders
        change(memories)
        assert looking.hints() == looking.folders


@pytest.mark.parametrize("kind", ["missing", "dangling", "a file"])
def test_a_folder_that_is_not_there_is_told_once_and_tried_again_with_longer_and_longer_waits(
    tmp_path: Path, memories: Path, kind: str
) -> None:
    absent = tmp_path / "absent"
    if kind == "dangling":
        absent.symlink_to(tmp_path / "unmounted")
    elif kind == "a file":
        change(tmp_path, "absent")
    looking = Looking(memories, absent)
    assert looking.hints() == [str(memories)]
    tries = 0
    for _ in range(600):
        looking.now += 0.5
        before = looking.eye.retry_at
        assert looking.look() == []
        tries += looking.eye.retry_at != before
    assert len(looking.troubles) == 1
    assert 8 <= tries <= 12
    change(memories)
    looking.until(memories)
    if kind == "a file":
        absent.unlink()
    (tmp_path / "unmounted" if kind == "dangling" else absent).mkdir()
    looking.now += LAST_RETRY_SECONDS
    looking.until(absent)
    looking.eye.close()


def test_a_folder_that_is_asked_for_again_is_tried_at_once(tmp_path: Path) -> None:
    absent = tmp_path / "absent"
    looking = Looking(absent)
    assert looking.look() == []
    absent.mkdir()
    assert looking.look() == []
    looking.look(str(absent))
    assert looking.hints() == [str(absent)]
    looking.eye.close()


def test_a_folder_may_lose_its_directories_while_it_is_listed(memories: Path) -> None:
    for number in range(50):
        (memories / f"d{number}").mkdir()
    looking = Looking(memories).watched()
    shutil.rmtree(memories)
    looking.look()
    memories.mkdir()
    looking.now += LAST_RETRY_SECONDS
    assert looking.hints() == [str(memories)]
    looking.eye.close()


EXHAUSTED = """
import os, resource, sys, time
from memory_core.watch import Eye
import watchfiles
folder, kind = sys.argv[1:]
if kind == "permission" and os.geteuid() == 0:  # nothing is unreadable to root
    os.chown(folder, 65534, 65534)
    os.setuid(65534)
free = os.open(os.devnull, os.O_RDONLY)
os.close(free)
def limit(value):
    if kind == "descriptors":
        resource.setrlimit(resource.RLIMIT_NOFILE, (1024 if value else free, 1024))
    elif kind == "permission":
        os.chmod(folder, 0o700 if value else 0)
    else:
        open("/proc/sys/user/max_inotify_" + kind, "w").write(str(value))
def hints(now):
    end = time.monotonic() + 20
    while time.monotonic() < end:
        if found := eye.look([folder], [], now):
            return found
troubles = []
eye = Eye(troubles.append)
limit(0)
assert [eye.look([folder], [], now / 2) for now in range(20)] == [[]] * 20
assert len(troubles) == 1, troubles
limit(100)
assert hints(100.0) == [folder]
open(folder + "/a.md", "w").close()
assert hints(100.0) == [folder]
assert len(troubles) == 1, troubles
print(troubles[0])
"""


def exhausted(folder: Path | str, kind: str, wrapper: Sequence[str] = ()) -> str:
    """A process whose limit is reached, and then is no more; the one trouble that it told."""
    done = subprocess.run(
        [*wrapper, sys.executable, "-c", EXHAUSTED, str(folder), kind],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": os.getcwd()},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def own_limits() -> bool:
    """Whether this system gives a process a user namespace, with limits of its own."""
    found = shutil.which("unshare")
    return found is not None and subprocess.run([found, "-Ur", "true"], capture_output=True).returncode == 0


@pytest.mark.skipif(not own_limits(), reason="no user namespaces here")
@pytest.mark.parametrize(("kind", "reason"), [("instances", "Too many open files"), ("watches", "limit reached")])
def test_where_the_system_has_no_watch_left_it_is_told_once_and_tried_again(
    memories: Path, kind: str, reason: str
) -> None:
    assert reason in exhausted(memories, kind, ("unshare", "-Ur"))


def test_without_a_file_descriptor_left_it_is_told_once_and_tried_again(memories: Path) -> None:
    assert "Too many open files" in exhausted(memories, "descriptors")


def test_a_folder_that_may_not_be_read_is_told_once_and_tried_again() -> None:
    with TemporaryDirectory() as folder:  # one that others may reach, as a test's own may not be
        assert "Permission denied" in exhausted(folder, "permission")


class Told:
    """A watch with a short period, and what it said."""

    def __init__(self) -> None:
        self.hints: Queue[str] = Queue()
        self.watch = Watch(self.hints.put, lambda reason: None, period_seconds=0.01)

    @property
    def threads(self) -> list[threading.Thread]:
        return [thread for thread in threading.enumerate() if thread.name == "notes-watch"]

    def until(self, *folders: Path) -> None:
        """Waits until each of the folders was hinted, in whatever order."""
        missing = set(map(str, folders))
        while missing:
            missing.discard(self.hints.get(timeout=DEADLINE_SECONDS))


def test_one_thread_watches_all_folders_from_the_first_to_the_last(tmp_path: Path) -> None:
    told = Told()
    folders = [tmp_path / f"p{number}" for number in range(5)]
    assert told.threads == []
    for folder in folders:
        folder.mkdir()
        told.watch.add(str(folder))
    (thread,) = told.threads
    told.until(*folders)
    for folder in folders:
        change(folder)
        told.until(folder)
    assert told.threads == [thread]
    for folder in folders[1:]:
        told.watch.remove(str(folder))
    assert told.threads == [thread]
    told.watch.remove(str(folders[0]))
    thread.join(DEADLINE_SECONDS)
    assert told.threads == []


def test_after_the_end_no_hint_comes_and_watching_can_begin_again(memories: Path) -> None:
    told = Told()
    told.watch.add(str(memories))
    told.until(memories)
    (thread,) = told.threads
    change(memories)
    told.watch.close()
    while not told.hints.empty():
        told.hints.get_nowait()
    thread.join(DEADLINE_SECONDS)
    with pytest.raises(Empty):
        told.hints.get_nowait()
    told.watch.add(str(memories))
    told.until(memories)
    told.watch.close()
    for again in told.threads:
        again.join(DEADLINE_SECONDS)


def test_the_first_retry_comes_soon_and_the_last_ones_seldom() -> None:
    assert FIRST_RETRY_SECONDS <= 1 < LAST_RETRY_SECONDS <= 60


def test_the_library_is_imported_by_the_watch_alone() -> None:
    code = "import sys, memory_core.memory, memory_core.watch; assert 'watchfiles' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": os.getcwd()})
