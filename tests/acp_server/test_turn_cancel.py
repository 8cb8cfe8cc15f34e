"""A cancel at every place: the turn answers `cancelled` once, each card ends, and the next turn works."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path

import pytest
from turn_support import Script, Stage, asks, call, ends, stage

from acp_server.events import CardChanged, TextChunk, TurnEnded, TurnEvent
from acp_server.providers.interface import AssistantItem, CallStarted, TextDelta, ToolItem, UserItem
from memory_core.memory import Memory

WRITE = {"command": "write", "path": "deploy.md", "content": "# Deploy\n"}


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Stage]:
    made = stage(tmp_path)
    yield made
    await made.runner.close()


async def cancelled(scene: Stage, script: Script, reached: Awaitable[object], times: int = 1) -> TurnEnded:
    task = asyncio.create_task(scene.say("first", script=script))
    await reached
    for _ in range(times):
        task.cancel()
    return await task


async def works_again(scene: Stage) -> None:
    assert await scene.say("second", script=[ends()]) == TurnEnded("end_turn")
    open_calls = set()
    for item in scene.provider.requests[-1].items:
        if isinstance(item, AssistantItem):
            open_calls |= {call.id for call in item.calls}
        if isinstance(item, ToolItem):
            open_calls.discard(item.call_id)
    assert open_calls == set()


async def test_before_the_first_chunk(scene: Stage) -> None:
    reached = asyncio.Event()
    assert await cancelled(scene, [[reached]], reached.wait()) == TurnEnded("cancelled")
    assert scene.events == []
    assert scene.provider.closed == 1
    await works_again(scene)


async def test_before_the_turn_has_begun(scene: Stage) -> None:
    assert await cancelled(scene, [ends()], asyncio.sleep(0)) == TurnEnded("cancelled")
    await works_again(scene)


@pytest.mark.parametrize("times", [1, 2, 5])
async def test_in_mid_stream_however_often(scene: Stage, times: int) -> None:
    reached = asyncio.Event()
    script: Script = [[TextDelta("I th"), CallStarted("c1", "memory"), reached]]
    assert await cancelled(scene, script, reached.wait(), times) == TurnEnded("cancelled")
    assert scene.states() == {"c1": ["pending", "failed"]}
    await works_again(scene)
    assert scene.provider.requests[-1].items == (UserItem("first"), AssistantItem("I th"), UserItem("second"))


async def test_while_the_person_is_asked(scene: Stage) -> None:
    reached = asyncio.Event()
    scene.person.answers = [reached]
    ended = await cancelled(scene, [asks(*call(WRITE))], reached.wait())
    assert ended == TurnEnded("cancelled")
    assert scene.states() == {"c1": ["pending", "in_progress", "failed"]}
    with scene.door() as door:
        assert door.mark().entries == 0
    await works_again(scene)


async def test_after_the_approval_the_write_ends_with_its_receipt(scene: Stage) -> None:
    held, go_on, approved = threading.Event(), threading.Event(), asyncio.Event()
    memory = await scene.runner.memories.get(str(scene.project), "s1")

    def hold(_: Memory) -> None:
        held.set()
        go_on.wait()

    async def approve() -> str:
        """Yes, with the writer thread busy, so that the write has to wait for it."""
        waiting.append(asyncio.ensure_future(memory.write(hold)))
        await asyncio.to_thread(held.wait)
        approved.set()
        return "allow_once"

    waiting: list[asyncio.Future[None]] = []
    scene.person.answers = [approve]
    both = [*call(WRITE), *call(WRITE, call_id="c2")]
    task = asyncio.create_task(scene.say("first", script=[asks(*both)]))
    await approved.wait()
    task.cancel()
    await asyncio.sleep(0)
    go_on.set()
    assert await task == TurnEnded("cancelled")
    await waiting[0]
    assert scene.states() == {"c1": ["pending", "in_progress", "completed"], "c2": ["pending", "failed"]}
    with scene.door() as door:
        assert [row.name for row in door.log()] == ["deploy.md"]
    await works_again(scene)


async def test_between_two_calls(scene: Stage) -> None:
    task: asyncio.Task[TurnEnded] | None = None

    async def emit(event: TurnEvent) -> None:
        scene.events.append(event)
        if isinstance(event, CardChanged) and event.status == "completed" and task is not None:
            task.cancel()
            await asyncio.sleep(0)

    scene.provider.script[:] = [
        asks(*call({"command": "view"}), *call({"command": "view"}, call_id="c2")),
    ]
    task = asyncio.create_task(scene.runner.run(scene.session(), "first", emit, scene.person))
    assert await task == TurnEnded("cancelled")
    assert scene.states()["c2"][-1] == "failed"
    await works_again(scene)


async def test_a_client_that_reads_nothing_does_not_hold_the_end(scene: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acp_server.loop.CLOSING_SECONDS", 0.01)
    reached = asyncio.Event()

    async def emit(event: TurnEvent) -> None:
        if isinstance(event, CardChanged):
            await asyncio.Event().wait()

    scene.provider.script[:] = [[CallStarted("c1", "memory"), reached]]
    task = asyncio.create_task(scene.runner.run(scene.session(), "first", emit, scene.person))
    await reached.wait()
    task.cancel()
    assert await task == TurnEnded("cancelled")


async def test_a_cancel_after_the_end_hits_nothing(scene: Stage) -> None:
    task = asyncio.create_task(scene.say("first", script=[ends(TextDelta("All"))]))
    assert await task == TurnEnded("end_turn")
    task.cancel()
    await works_again(scene)
    assert [event.text for event in scene.events if isinstance(event, TextChunk)] == ["Done."]


async def test_a_cancel_while_the_memory_opens_leaves_nothing_open_without_an_owner(scene: Stage) -> None:
    memories = scene.runner.memories
    waiting = asyncio.create_task(memories.get(str(scene.project), "s1"))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait([waiting])
    assert waiting.cancelled()
    assert (await memories.get(str(scene.project), "s1")) is memories.open[0]
    assert len(memories.open) == 1
