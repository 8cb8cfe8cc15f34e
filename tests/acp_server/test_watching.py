"""Notes that change outside while nobody asks: taken in soon, told in the next turn, never cleared behind a person."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
import watchfiles
from harness import AgentProcess, texts
from turn_support import Session, Stage, asks, call, ends, stage

from acp_server.events import TurnEnded
from acp_server.memory_threads import ProjectMemory
from acp_server.summarizing import Summarizer
from memory_core import notes
from memory_core.extractive import summarize
from memory_core.memory import Memory
from memory_core.results import OriginKind
from memory_core.watch import Tell, Watch

DEADLINE_SECONDS = 20.0
LONG = "# Deploy\n\n" + "The deploy key rotates on Mondays, and the pipeline waits until it has. " * 20


class Pointing:
    """A watcher that hints when the test says so."""

    def __init__(self, hint: Tell, trouble: Tell) -> None:
        self.hint, self.trouble = hint, trouble
        self.folders: set[str] = set()

    def add(self, folder: str) -> None:
        self.folders.add(folder)

    def remove(self, folder: str) -> None:
        self.folders.discard(folder)

    def close(self) -> None:
        self.folders.clear()


class Pointed:
    """A stage whose watcher the test holds."""

    def __init__(self, folder: Path) -> None:
        self.made: list[Pointing] = []
        self.scene = stage(folder, new_watcher=self._new)

    def _new(self, hint: Tell, trouble: Tell) -> Pointing:
        self.made.append(Pointing(hint, trouble))
        return self.made[-1]

    @property
    def folders(self) -> set[str]:
        return {folder for watcher in self.made for folder in watcher.folders}

    async def memory(self) -> ProjectMemory:
        return await self.scene.runner.memories.get(str(self.scene.project), "s1")

    async def hint(self) -> None:
        """Gives a hint and waits until the project's threads have done what it led to."""
        memory = await self.memory()
        self.made[0].hint(memory.folder)
        for _ in range(3):
            await memory.write(lambda _: None)


@pytest.fixture
async def pointed(tmp_path: Path) -> AsyncIterator[Pointed]:
    made = Pointed(tmp_path)
    yield made
    await made.scene.runner.close()


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Stage]:
    made = stage(tmp_path, new_watcher=partial(Watch, period_seconds=0.02))
    yield made
    await made.runner.close()
    for thread in watch_threads():
        thread.join(DEADLINE_SECONDS)


def watch_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "notes-watch"]


def folder_of(scene: Stage) -> Path:
    with scene.door() as door:
        return Path(door.project.memories)


async def until(state: Path, ready: Callable[[], bool]) -> None:
    """Waits until it is so; asked whenever a file of the state directory changed, and now and then."""
    async with asyncio.timeout(DEADLINE_SECONDS):
        changes = watchfiles.awatch(state, watch_filter=None, step=10, rust_timeout=200, yield_on_timeout=True)
        while not ready():
            await anext(changes)
        await changes.aclose()


async def until_entries(scene: Stage, entries: int) -> None:
    with scene.door() as door:
        await until(scene.state, lambda: door.mark().entries == entries)


# With the system's own watch


async def test_a_note_edited_outside_is_an_entry_though_nobody_asks(scene: Stage) -> None:
    await scene.say()
    (folder_of(scene) / "a.md").write_text("# From an editor\n", encoding="utf-8")
    await until_entries(scene, 1)
    with scene.door() as door:
        (row,) = door.log()
    assert (row.name, row.heading, row.origin.kind) == ("a.md", "From an editor", OriginKind.OUTSIDE)
    await scene.say("and now?")
    assert "- 0+1 note a.md: From an editor\n" in scene.provider.requests[-1].items[-1].text  # type: ignore[union-attr]


async def test_the_lines_of_such_a_note_are_written_too(scene: Stage) -> None:
    scene.runner.summarizer = Summarizer(summarize)
    await scene.say()
    (folder_of(scene) / "a.md").write_text(LONG, encoding="utf-8")
    with scene.door() as door:
        await until(scene.state, lambda: door.mark().entries == 1 and not door.pending_lines())


async def test_a_deleted_note_and_one_in_a_new_directory_are_taken_in_too(scene: Stage) -> None:
    with scene.door() as door:
        door.write("a.md", "# A\n")
    await scene.say()
    folder = folder_of(scene)
    (folder / "a.md").unlink()
    await until_entries(scene, 2)
    (folder / "topics").mkdir()
    (folder / "topics" / "b.md").write_text("# B\n", encoding="utf-8")
    await until_entries(scene, 3)


async def test_what_the_agent_wrote_itself_is_no_entry_again(scene: Stage) -> None:
    scene.person.answers[:] = ["allow_once"]
    write = call({"command": "write", "path": "a.md", "content": "# A\n"})
    await scene.say(script=[asks(*write), ends()])
    (folder_of(scene) / "b.md").write_text("# B\n", encoding="utf-8")
    await until_entries(scene, 2)


async def test_a_user_s_files_stay_as_they_are(scene: Stage) -> None:
    await scene.say()
    note = folder_of(scene) / "a.md"
    note.write_text("# A\n", encoding="utf-8")
    before = note.stat()
    await until_entries(scene, 1)
    after = note.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


async def test_what_a_look_found_is_told_once_in_the_next_turn_of_each_session_there_was(scene: Stage) -> None:
    for name in ("s1", "s2", "s3"):
        await scene.runner.prepare(scene.session(name))
    for name in ("s1", "s2"):
        await scene.say(session=name)
    folder = folder_of(scene)
    with (folder / "huge.md").open("wb") as huge:
        huge.truncate(notes.MAX_KEPT_BYTES + 1)
    (folder / "small.md").write_text("# Small\n", encoding="utf-8")
    await until_entries(scene, 1)
    for name in ("s1", "s2", "s3"):
        await scene.say(session=name)
        assert scene.text.count("huge.md") == 1
    for name in ("s1", "s2", "s3", "s4"):
        await scene.say(session=name)
        assert scene.text == "Done."


async def test_a_directory_that_is_removed_and_written_again_is_taken_in_and_watched_on(scene: Stage) -> None:
    with scene.door() as door:
        door.write("old.md", "# Old\n")
        generation = door.mark().generation
    await scene.say()
    folder = folder_of(scene)
    shutil.rmtree(folder)
    await scene.say()
    assert "cleared" in scene.text
    (folder / "new.md").write_text("# New\n", encoding="utf-8")
    await until_entries(scene, 1)
    with scene.door() as door:
        assert door.mark().generation == generation + 1
        assert [row.name for row in door.log()] == ["new.md"]


async def test_a_directory_that_is_moved_away_and_back_while_nobody_asks_has_lost_nothing(scene: Stage) -> None:
    with scene.door() as door:
        door.write("a.md", "# A\n")
    await scene.say()
    folder = folder_of(scene)
    folder.rename(folder.with_name("kept"))
    folder.with_name("kept").rename(folder)
    (folder / "b.md").write_text("# B\n", encoding="utf-8")
    await until_entries(scene, 2)
    with scene.door() as door:
        assert door.mark().generation == 0


async def test_a_project_s_directory_that_vanishes_in_a_session_takes_nothing_along(scene: Stage) -> None:
    await scene.say()
    shutil.rmtree(scene.project)
    (folder_of_removed(scene) / "a.md").write_text("# A\n", encoding="utf-8")
    scene.person.answers[:] = ["allow_once"]
    write = call({"command": "write", "path": "b.md", "content": "# B\n"})
    assert await scene.say(script=[asks(*write), ends()]) == TurnEnded("end_turn")
    assert scene.text.endswith("Done.")
    memory = scene.runner.memories.open[0]
    assert await memory.read(lambda door: [row.name for row in door.log()]) == ["b.md", "a.md"]


def folder_of_removed(scene: Stage) -> Path:
    return Path(scene.runner.memories.open[0].folder)


async def test_a_project_s_directory_that_is_gone_before_the_first_turn_is_said_and_comes_back(scene: Stage) -> None:
    scene.project.rmdir()
    assert await scene.say() == TurnEnded("end_turn")
    assert str(scene.project) in scene.text
    scene.project.mkdir()
    await scene.say()
    assert "opened again" in scene.text
    (folder_of(scene) / "a.md").write_text("# A\n", encoding="utf-8")
    await until_entries(scene, 1)


async def test_nothing_is_watched_before_the_first_turn_and_after_the_last_session(scene: Stage) -> None:
    await scene.runner.prepare(scene.session())
    assert watch_threads() == []
    await scene.say()
    await scene.say(session="s2")
    (thread,) = watch_threads()
    await scene.runner.forget_session("s1")
    assert thread.is_alive()
    await scene.runner.forget_session("s2")
    thread.join(DEADLINE_SECONDS)
    assert not thread.is_alive()


# With hints that the test gives


async def test_while_a_turn_of_the_project_runs_nobody_else_looks(pointed: Pointed) -> None:
    scene = pointed.scene
    await scene.say()
    reached = asyncio.Event()
    turn = asyncio.create_task(scene.say(script=[[reached], ends()]))
    await reached.wait()
    with scene.door() as door:
        (Path(door.project.memories) / "a.md").write_text("# A\n", encoding="utf-8")
        await pointed.hint()
        assert door.mark().entries == 0
        turn.cancel()
        await turn
        await until(scene.state, lambda: door.mark().entries == 1)


async def test_a_look_in_the_background_never_clears_and_the_next_turn_does(pointed: Pointed) -> None:
    scene = pointed.scene
    with scene.door() as door:
        door.write("a.md", "# A\n")
        await scene.say()
        folder = Path(door.project.memories)
        shutil.rmtree(folder)
        await pointed.hint()
        assert not folder.exists()
        assert door.mark().entries == 1
        await scene.say()
        assert "cleared" in scene.text
        assert door.mark().entries == 0


async def test_a_hint_at_the_moment_of_a_turn_tells_each_notice_once(pointed: Pointed) -> None:
    scene = pointed.scene
    await scene.say()
    with (folder_of(scene) / "huge.md").open("wb") as huge:
        huge.truncate(notes.MAX_KEPT_BYTES + 1)
    memory = await pointed.memory()
    pointed.made[0].hint(memory.folder)
    await scene.say()
    assert scene.text.count("huge.md") == 1
    await scene.say()
    assert scene.text == "Done."


async def test_a_look_that_fails_is_one_line_in_the_log_and_the_next_turn_tells(
    pointed: Pointed, caplog: pytest.LogCaptureFixture
) -> None:
    scene = pointed.scene
    await scene.say()
    folder = folder_of(scene)
    folder.rmdir()
    folder.write_text("in the way", encoding="utf-8")
    for _ in range(3):
        await pointed.hint()
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    await scene.say()
    assert "can't be read" in scene.text
    folder.unlink()
    folder.mkdir()
    await scene.say()
    (folder / "a.md").write_text("# A\n", encoding="utf-8")
    await pointed.hint()
    await until_entries(scene, 1)


async def test_each_project_is_watched_once_however_many_sessions_it_has(pointed: Pointed, tmp_path: Path) -> None:
    scene = pointed.scene
    other = tmp_path / "other"
    other.mkdir()
    for name in ("s1", "s2", "s3"):
        await scene.say(session=name)
    await scene.runner.run(Session("s4", str(other)), "hello", scene.emit, scene.person)
    assert len(pointed.made) == 1
    assert len(pointed.folders) == 2
    for name in ("s1", "s2", "s3"):
        await scene.runner.forget_session(name)
    assert len(pointed.folders) == 1
    await scene.runner.forget_session("s4")
    assert pointed.folders == set()


async def test_a_hint_that_comes_late_finds_nobody_and_does_nothing(pointed: Pointed) -> None:
    scene = pointed.scene
    await scene.say()
    folder = (await pointed.memory()).folder
    await scene.runner.forget_session("s1")
    pointed.made[0].hint(folder)
    await scene.say()
    assert scene.text == "Done."


# A real agent

REAL_WORLD = {"CAUDRA_TEST": None, "CAUDRA_TEST_CLOCK": None, "CAUDRA_TEST_IDS": None}
WITHOUT_WATCHES = (
    "import os; os.execvp('unshare', ['unshare', '-Ur', 'sh', '-c',"
    " 'echo 0 > /proc/sys/user/max_inotify_instances; exec \"$0\" -m acp_server', {python!r}])"
)


@contextmanager
def at_door(agent: AgentProcess) -> Iterator[tuple[Memory, Path]]:
    with Memory.open(agent.project, state_dir=agent.state) as door:
        yield door, Path(door.project.memories)


async def test_an_agent_that_waits_takes_an_edit_in_and_ends_at_once(tmp_path: Path) -> None:
    with AgentProcess(tmp_path, doors=None, env=REAL_WORLD) as agent:
        agent.initialize()
        session = agent.new_session()
        agent.prompt(session, "hello")
        with at_door(agent) as (door, memories):
            (memories / "a.md").write_text("# A\n", encoding="utf-8")
            await until(agent.state, lambda: door.mark().entries == 1)
        agent.close_input()
        assert agent.wait() == 0
        assert agent.log() == ""


async def test_an_agent_without_a_watch_says_so_in_one_line_and_goes_on(tmp_path: Path) -> None:
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-Ur", "true"], capture_output=True).returncode:
        pytest.skip("no user namespaces here")
    script = WITHOUT_WATCHES.format(python=sys.executable)
    with AgentProcess(tmp_path, doors=None, env=REAL_WORLD, arguments=("-c", script)) as agent:
        agent.initialize()
        session = agent.new_session()
        agent.prompt(session, "hello")
        await until(tmp_path, lambda: bool(agent.log()))
        with at_door(agent) as (door, memories):
            (memories / "a.md").write_text("# A\n", encoding="utf-8")
            assert door.mark().entries == 0
            agent.prompt(session, "hello again")
            assert door.mark().entries == 1
        assert "Too many open files" in agent.log()
        assert agent.log().count("\n") == 1
        assert "Traceback" not in texts(agent.seen)
