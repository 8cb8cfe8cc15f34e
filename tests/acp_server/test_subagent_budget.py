"""What a task may take: tokens, time, room, and whose account they are on; what it has where the memory is off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count, pairwise
from pathlib import Path

import pytest
from turn_support import Stage, Step, asks, call, ends, stage

from acp_server.child_ids import child_card, next_number
from acp_server.providers.faults import FaultKind
from acp_server.providers.interface import ProviderFault, TextDelta, Usage, UserItem
from acp_server.subagents import Subagents
from acp_server.task_budget import Budget
from acp_server.tools.list_directory import ListDirectory
from acp_server.tools.memory import MemoryTool
from acp_server.tools.registry import Tools
from acp_server.tools.task import TaskTool

GIVE = {"title": "look", "prompt": "Look."}


def giving(
    folder: Path, budget: Budget, seconds_a_look: float = 0.0, clock: Callable[[], float] | None = None
) -> Stage:
    """A stage whose model gives a task with this budget; without a clock each look at it is so much later."""
    scene = stage(folder)
    ticks = count()
    subagents = Subagents(
        scene.runner.providers,
        Tools([MemoryTool(), ListDirectory()]),
        scene.runner.ids,
        budget=budget,
        clock=clock or (lambda: next(ticks) * seconds_a_look),
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


async def test_an_answer_without_an_end_is_stopped_after_twice_the_time(tmp_path: Path) -> None:
    scene = giving(tmp_path, Budget(max_seconds=90), seconds_a_look=40)
    endless: list[Step] = [TextDelta("and on ")] * 1_000
    await scene.say("hello", script=[asks(*call(GIVE, "task")), endless, ends()])
    assert scene.results[0].text == "error: The task was stopped after 3 minutes. Give a smaller one."
    assert scene.provider.closed == len(scene.provider.requests)


async def test_an_answer_that_was_begun_in_time_is_still_the_report(tmp_path: Path) -> None:
    scene = giving(tmp_path, Budget(max_seconds=90), seconds_a_look=40)
    script = [asks(*call(GIVE, "task")), ends(TextDelta("Fou"), TextDelta("nd.")), ends()]
    await scene.say("hello", script=script)
    assert scene.results[0].text == "Found."


async def test_the_time_in_which_the_person_thinks_is_not_the_tasks(tmp_path: Path) -> None:
    now = [0.0]
    scene = giving(tmp_path, Budget(max_seconds=90), clock=lambda: now[0])

    def after_an_hour() -> str:
        now[0] += 3_600
        return "allow_once"

    scene.person.answers = [after_an_hour]
    wish = {"command": "write", "path": "kept.md", "content": "# Kept\n\nA reason.\n"}
    script = [asks(*call(GIVE, "task")), asks(*call(wish)), ends(TextDelta("Kept it.")), ends()]
    await scene.say("hello", script=script)
    assert scene.results[0].text == "Kept it."


@pytest.mark.parametrize("kind", [FaultKind.CONTEXT_OVERFLOW, FaultKind.TOO_LARGE])
async def test_a_task_that_outgrows_its_models_window_says_so(tmp_path: Path, kind: FaultKind) -> None:
    scene = giving(tmp_path, Budget())
    looks = asks(*call({"command": "view"}))
    script = [asks(*call(GIVE, "task")), looks, [ProviderFault("Too long.", kind)], ends(TextDelta("I go on."))]
    ended = await scene.say("hello", script=script)
    assert scene.results[0].text == (
        "error: The task was stopped because what it read no longer fits into its model's window. "
        "Give a smaller one, or several."
    )
    assert (ended.error, scene.text) == (None, "I go on.")


async def test_a_task_of_a_session_without_the_memory_has_none(tmp_path: Path) -> None:
    scene = giving(tmp_path, Budget())
    session = replace(scene.session(), memory=False)
    scene.provider.script[:] = [asks(*call(GIVE, "task")), ends(), ends()]
    await scene.runner.run(session, "hello", scene.emit, scene.person)
    (request,) = [each for each in scene.provider.requests if each.system.startswith("You are a helper")]
    assert [tool.name for tool in request.tools] == ["list_directory"]
    assert "memory" not in request.system


async def test_what_a_report_holds_can_be_shown_and_kept(tmp_path: Path) -> None:
    scene = giving(tmp_path, Budget())
    given = {"title": "look", "prompt": "Half \ud800 a sign."}
    script = [asks(*call(given, "task")), ends(TextDelta("a\x1b[31m \udc00 <img src=x>")), ends()]
    await scene.say("hello", script=script)
    assert scene.results[0].text == "a␛[31m � <img src=x>"
    assert scene.provider.requests[1].items == (UserItem("Half � a sign."),)
    (content,) = scene.card().content or ()
    assert content["content"] == {"type": "text", "text": "a␛[31m � \\<img src=x>"}


def test_a_number_is_given_once_though_the_history_was_made_shorter() -> None:
    assert next_number([], 0) == 1
    assert next_number([child_card(2, "c1"), "c7"], 0) == 3
    assert next_number([child_card(2, "c1")], 4) == 5
    assert next_number(["task-x-1", "task-7", f"task-{'9' * 5_000}-c", "task-²-c"], 0) == 1


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
