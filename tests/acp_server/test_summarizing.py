"""Summary lines are written in the background of a running agent, never while a turn runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from turn_support import Stage, ends, stage

from acp_server.summarizing import MODEL, Summarizer
from memory_core.extractive import summarize
from memory_core.results import LineState

LONG = "# Deploy {0}\n\n" + "The deploy key number {0} rotates on Mondays, and the pipeline waits. " * 12


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Stage]:
    made = stage(tmp_path)
    made.runner.summarizer = Summarizer(summarize)
    with made.door() as door:
        for number in range(9):
            door.write(f"n{number}.md", LONG.format(number))
    yield made
    await made.runner.close()


async def test_all_that_is_pending_is_written_after_a_turn_and_marked(scene: Stage) -> None:
    assert scene.runner.summarizer is not None
    await scene.say()
    await scene.runner.summarizer.idle()
    with scene.door() as door:
        assert door.pending_lines() == ()
        lines = door.view().lines
    assert {(line.state, line.model) for line in lines} == {(LineState.WRITTEN, MODEL)}
    assert all(len(line.text.encode()) <= 512 for line in lines)


async def test_nothing_is_written_while_a_turn_runs(scene: Stage) -> None:
    asked: list[Sequence[str]] = []

    def fold(halves: Sequence[str]) -> str:
        asked.append(halves)
        return summarize(halves)

    summarizer = scene.runner.summarizer = Summarizer(fold)
    await scene.runner.prepare(scene.session())
    memory = await scene.runner.memories.get(str(scene.project))
    reached = asyncio.Event()
    task = asyncio.create_task(scene.say(script=[[reached], ends()]))
    await reached.wait()
    summarizer.wake(memory)
    await memory.write(lambda _: None)
    await memory.read(lambda _: None)
    assert asked == []
    task.cancel()
    await task
    await summarizer.idle()
    assert len(asked) > 9


async def test_closing_stops_it_between_two_batches(scene: Stage) -> None:
    await scene.say()
    await scene.runner.close()
    with scene.door() as door:
        assert door.verify().ok
