"""What a task may take: tokens, time, and whose account they are on."""

from __future__ import annotations

from itertools import count, pairwise
from pathlib import Path

from turn_support import Stage, asks, call, ends, stage

from acp_server.providers.interface import TextDelta, Usage
from acp_server.subagents import Budget, Subagents
from acp_server.tools.memory import MemoryTool
from acp_server.tools.registry import Tools
from acp_server.tools.task import TaskTool

GIVE = {"title": "look", "prompt": "Look."}


def giving(folder: Path, budget: Budget, seconds_a_look: float = 0.0) -> Stage:
    """A stage whose model gives a task with this budget; each look at the clock is so much later."""
    scene = stage(folder)
    ticks = count()
    subagents = Subagents(
        scene.runner.providers,
        Tools([MemoryTool()]),
        scene.runner.ids,
        budget=budget,
        clock=lambda: next(ticks) * seconds_a_look,
    )
    scene.runner.tools = Tools([MemoryTool(), TaskTool(subagents)], together=["task"])
    return scene


async def report(scene: Stage) -> str:
    view = asks(*call({"command": "view"}), Usage(600, 0, 10))
    await scene.say("hello", script=[asks(*call(GIVE, "task")), view, view, view, ends(), ends()])
    return next(item.text for item in scene.results if item.name == "task")


async def test_a_task_stops_before_the_request_that_its_tokens_do_not_cover(tmp_path: Path) -> None:
    scene = giving(tmp_path, Budget(max_tokens=1_000))
    assert await report(scene) == "error: The task was stopped after 1,000 tokens. Give a smaller one."
    assert sum(request.system.startswith("You are a helper") for request in scene.provider.requests) == 2


async def test_a_task_stops_before_the_request_that_its_time_does_not_cover(tmp_path: Path) -> None:
    scene = giving(tmp_path, Budget(max_seconds=90), seconds_a_look=40)
    assert await report(scene) == "error: The task was stopped after 1.5 minutes. Give a smaller one."


async def test_an_answer_that_spends_the_last_tokens_is_still_the_report(tmp_path: Path) -> None:
    scene = giving(tmp_path, Budget(max_tokens=10))
    script = [asks(*call(GIVE, "task")), ends(TextDelta("Found."), Usage(600, 0, 10)), ends()]
    await scene.say("hello", script=script)
    assert scene.results[0].text == "Found."


async def test_the_requests_of_a_task_are_on_its_sessions_account(tmp_path: Path) -> None:
    scene = giving(tmp_path, Budget())
    await report(scene)
    assert {request.session for request in scene.provider.requests} == {"s1"}


async def test_every_request_of_a_task_begins_with_the_same_bytes(tmp_path: Path) -> None:
    scene = giving(tmp_path, Budget())
    await report(scene)
    helped = [each for each in scene.provider.requests if each.system.startswith("You are a helper")]
    assert len(helped) == 4
    for before, after in pairwise(helped):
        assert (after.system, after.tools) == (before.system, before.tools)
        assert after.items[: len(before.items)] == before.items
