"""A project's memory is open as long as a session uses it: closed with the last one, at whatever moment that comes."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from harness import DEADLINE_SECONDS, AgentProcess
from turn_support import Session, Stage, ends, stage

from acp_server.events import TurnEnded
from acp_server.line_writers import Written
from acp_server.memory_threads import Memories, ProjectMemory
from acp_server.summarizing import Summarizer
from memory_core.extractive import summarize
from memory_core.memory import Memory
from memory_core.results import Pending

LONG = "# Deploy {0}\n\n" + "The deploy key number {0} rotates on Mondays, and the pipeline waits. " * 12


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Stage]:
    made = stage(tmp_path)
    yield made
    await made.runner.close()


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("memory-")]


def open_databases(pid: int | str = "self") -> int:
    folder = f"/proc/{pid}/fd"
    found = 0
    for descriptor in os.listdir(folder):
        try:
            found += "acp-state.db" in str(Path(folder, descriptor).readlink())
        except FileNotFoundError:  # closed meanwhile, or that of the listing
            continue
    return found


async def nothing(_: ProjectMemory) -> None:
    """There is no background work to stop."""


async def test_with_the_last_session_threads_and_files_go(scene: Stage) -> None:
    others, files = threads(), open_databases()
    for name in ("s1", "s2"):
        await scene.say(session=name)
    running = [thread for thread in threads() if thread not in others]
    await scene.runner.forget_session("s1")
    assert running and scene.runner.memories.open != ()
    assert all(thread.is_alive() for thread in running)
    await scene.runner.forget_session("s2")
    assert scene.runner.memories.open == ()
    for thread in running:
        thread.join(DEADLINE_SECONDS)
    assert set(threads()) <= set(others)
    assert open_databases() <= files


async def test_a_session_without_a_turn_uses_its_memory_too(scene: Stage) -> None:
    await scene.runner.prepare(scene.session("s1"))
    await scene.say(session="s2")
    await scene.runner.forget_session("s2")
    (memory,) = scene.runner.memories.open
    await scene.say(session="s1")
    assert scene.runner.memories.open == (memory,)


async def test_a_session_in_another_directory_of_the_project_keeps_its_memory(scene: Stage) -> None:
    (scene.project / ".git").mkdir()
    (scene.project / "sub").mkdir()
    await scene.say(session="s1")
    inner = Session("s2", str(scene.project / "sub"))
    assert await scene.runner.run(inner, "hello", scene.emit, scene.person) == TurnEnded("end_turn")
    await scene.runner.forget_session("s1")
    assert len(scene.runner.memories.open) == 1
    assert await scene.runner.run(inner, "hello", scene.emit, scene.person) == TurnEnded("end_turn")
    await scene.runner.forget_session("s2")
    assert scene.runner.memories.open == ()


async def test_a_session_that_was_closed_may_be_asked_for_again(scene: Stage) -> None:
    for _ in range(3):
        assert await scene.say() == TurnEnded("end_turn")
        await scene.runner.forget_session("s1")
    assert scene.runner.memories.open == ()


async def test_forgetting_a_session_that_never_had_a_memory_does_nothing(scene: Stage) -> None:
    await scene.say()
    await scene.runner.forget_session("unknown")
    assert len(scene.runner.memories.open) == 1


async def test_a_turn_that_begins_while_the_memory_closes_gets_one_of_its_own(scene: Stage) -> None:
    await scene.say()
    (first,) = scene.runner.memories.open
    at_work, go_on = threading.Event(), threading.Event()

    def long_work(_: Memory) -> None:
        at_work.set()
        go_on.wait(DEADLINE_SECONDS)

    work = asyncio.create_task(first.write(long_work))
    await asyncio.to_thread(at_work.wait)
    closing = asyncio.create_task(scene.runner.forget_session("s1"))
    await asyncio.sleep(0)
    assert await scene.say(session="s2") == TurnEnded("end_turn")
    (second,) = scene.runner.memories.open
    assert second is not first and not closing.done()
    go_on.set()
    await work
    await closing
    assert await scene.say(session="s2") == TurnEnded("end_turn")
    assert scene.runner.memories.open == (second,)


async def test_a_session_closed_while_its_memory_opens_leaves_nothing_open(tmp_path: Path) -> None:
    opening, go_on = threading.Event(), threading.Event()
    scene = stage(tmp_path)

    def slowly(directory: str) -> Memory:
        opening.set()
        go_on.wait(DEADLINE_SECONDS)
        return Memory.open(directory, state_dir=scene.state)

    memories = Memories(slowly)
    waiting = asyncio.create_task(memories.get(str(scene.project), "s1"))
    await asyncio.to_thread(opening.wait)
    leaving = asyncio.create_task(memories.leave("s1", nothing))
    await asyncio.sleep(0)
    go_on.set()
    await leaving
    await waiting
    assert memories.open == ()
    assert open_databases() == 0
    await memories.close()


async def test_two_directories_that_open_while_one_is_left_keep_the_memory_that_is_used(tmp_path: Path) -> None:
    scene = stage(tmp_path)
    (scene.project / ".git").mkdir()
    (scene.project / "sub").mkdir()
    memories = Memories(lambda directory: Memory.open(directory, state_dir=scene.state))
    first = asyncio.create_task(memories.get(str(scene.project), "s1"))
    second = asyncio.create_task(memories.get(str(scene.project / "sub"), "s2"))
    await asyncio.sleep(0)
    await memories.leave("s1", nothing)
    used = await second
    assert memories.open == (used,)
    assert await used.read(lambda door: door.mark().entries) == 0
    await first
    await memories.leave("s2", nothing)
    assert memories.open == ()
    await memories.close()


async def test_a_memory_that_could_not_be_opened_is_none_to_close(tmp_path: Path) -> None:
    scene = stage(tmp_path)
    scene.state.rmdir()
    scene.state.write_text("in the way", encoding="utf-8")
    assert await scene.say() == TurnEnded("end_turn")
    await scene.runner.forget_session("s1")
    scene.state.unlink()
    assert await scene.say() == TurnEnded("end_turn")
    assert len(scene.runner.memories.open) == 1
    await scene.runner.close()


class Waiting:
    """A writer of lines whose model never answers."""

    at_once = 1
    workers = 2
    reads_context = False

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    async def write(self, line: Pending, context: Sequence[str]) -> Written:
        self.asked.set()
        await asyncio.Event().wait()
        raise AssertionError(line, context)


async def test_summaries_stop_first_and_give_back_their_lines(scene: Stage) -> None:
    writer = Waiting()
    scene.runner.summarizer = Summarizer(summarize, writer, owner="p", now_ms=lambda: time.time_ns() // 1_000_000)
    with scene.door() as door:
        for number in range(4):
            door.write(f"n{number}.md", LONG.format(number))
        await scene.say(script=[ends()])
        await writer.asked.wait()
        await scene.runner.forget_session("s1")
        assert scene.runner.memories.open == ()
        assert len(door.claim_lines("another", 4)) == 4


async def test_a_claim_under_way_when_they_stop_is_given_back_too(scene: Stage) -> None:
    armed, claiming, go_on = threading.Event(), threading.Event(), threading.Event()

    def clock() -> int:
        if armed.is_set():
            claiming.set()
            go_on.wait(DEADLINE_SECONDS)
        return time.time_ns()

    memories = Memories(lambda directory: Memory.open(directory, state_dir=scene.state, clock=clock))
    writer = Waiting()
    summarizer = Summarizer(summarize, writer, owner="p", now_ms=lambda: time.time_ns() // 1_000_000)
    with scene.door() as door:
        for number in range(4):
            door.write(f"n{number}.md", LONG.format(number))
        memory = await memories.get(str(scene.project), "s1")
        armed.set()
        summarizer.wake(memory)
        await asyncio.to_thread(claiming.wait, DEADLINE_SECONDS)
        stopping = asyncio.create_task(summarizer.stop(memory))
        await asyncio.sleep(0)
        go_on.set()
        await stopping
        assert not writer.asked.is_set()
        assert len(door.claim_lines("another", 4)) == 4
    await memories.close()


async def test_a_close_that_nobody_waits_for_is_done_all_the_same(scene: Stage) -> None:
    await scene.say()
    closing = asyncio.create_task(scene.runner.forget_session("s1"))
    await asyncio.sleep(0)
    closing.cancel()
    await asyncio.wait([closing])
    await scene.runner.close()
    assert open_databases() == 0


def test_an_agent_whose_sessions_were_closed_holds_no_more_than_one_that_had_none(tmp_path: Path) -> None:
    with AgentProcess(tmp_path, doors="scripted_model.py") as agent:
        agent.initialize()
        pid = agent.process.pid

        def held() -> tuple[int, int]:
            return len(os.listdir(f"/proc/{pid}/fd")), len(os.listdir(f"/proc/{pid}/task"))

        def close(session: str) -> None:
            assert agent.answer(agent.request("session/close", {"sessionId": session}))["result"] == {}

        folders = [tmp_path / f"p{number}" for number in range(6)]
        for folder in folders:
            folder.mkdir()
        one = agent.new_session(folders[0])
        agent.prompt(one, "hello")
        close(one)
        before = held()
        sessions = [agent.new_session(folder) for folder in folders for _ in range(2)]
        for session in sessions:
            agent.prompt(session, "hello")
        assert held() > (before[0] + 5 * len(folders), before[1] + len(folders))
        for session in sessions:
            close(session)
        assert open_databases(pid) == 0
        deadline = time.monotonic() + DEADLINE_SECONDS
        while (now := held()) > before and time.monotonic() < deadline:  # threads end a moment after their work
            agent.answer(agent.request("session/close", {"sessionId": "none"}))
        assert now[0] <= before[0] and now[1] <= before[1]
