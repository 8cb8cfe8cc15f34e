"""Processes of tools that work at the same time, as those of tasks do: a cancel ends all, and none ends another's."""

from __future__ import annotations

import asyncio
import logging
import os
from pathlib import Path

import pytest
from turn_support import asks, call, ends, stage

from acp_server.children import Children, children_of
from acp_server.subagents import Subagents
from acp_server.tools.registry import Tools
from acp_server.tools.search_text import SearchText
from acp_server.tools.task import TaskTool

GIVE = {"title": "look", "prompt": "Look."}
ENDLESS = {"query": r"(a|a|aa)+$", "regex": True}


@pytest.mark.parametrize("tasks", [1, 3])
async def test_a_cancel_ends_the_searches_of_all_tasks_and_their_processes(tmp_path: Path, tasks: int) -> None:
    scene = stage(tmp_path)
    subagents = Subagents(scene.runner.providers, Tools([SearchText(Children())]), scene.runner.ids)
    scene.runner.tools = Tools([TaskTool(subagents)], together=["task"])
    (scene.project / "b.txt").write_text("a" * 64 + "b\n", encoding="utf-8")
    before = set(children_of(os.getpid()))
    given = [step for number in range(tasks) for step in call(GIVE, "task", f"c{number}")]
    looking = asks(*call(ENDLESS, "search_text"))
    turn = asyncio.create_task(scene.say("look", script=[asks(*given), *[looking] * tasks, ends()]))
    while len(set(children_of(os.getpid())) - before) < 2 * tasks:  # each search has its watcher
        await asyncio.sleep(0)
    turn.cancel()
    assert (await turn).stop_reason == "cancelled"
    assert set(children_of(os.getpid())) <= before
    assert {states[-1] for states in scene.states().values()} == {"failed"}


async def test_the_end_of_a_process_ends_none_that_begins_or_ends_beside_it(caplog: pytest.LogCaptureFixture) -> None:
    children = Children()

    async def said(word: str) -> bytes:
        child = await children.start(["/bin/echo", word], cwd="/", environ={})
        assert child.process.stdout is not None
        try:
            return await child.process.stdout.read()
        finally:
            await children.end(child)

    with caplog.at_level(logging.WARNING):
        for _ in range(60):
            assert await asyncio.gather(*map(said, "abcd")) == [b"a\n", b"b\n", b"c\n", b"d\n"]
    assert caplog.messages == [], "nobody else waited for a process"
