"""Answers that end otherwise than whole, and what a remote model needs of the turn: waits, its own blocks back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from turn_support import Script, Stage, asks, call, ends, stage

from acp_server.endings import ENDINGS, MAX_FAILED_CALLS, Ending
from acp_server.events import Notice, ThoughtChunk, TurnEnded
from acp_server.household import Limits
from acp_server.providers.interface import (
    AssistantItem,
    CallStarted,
    Native,
    ProviderFault,
    Stopped,
    StopReason,
    TextDelta,
    ThoughtDelta,
    ToolItem,
    UserItem,
    Waiting,
)
from acp_server.sentences import endings as say

VIEW = {"command": "view"}
RUBBISH = {"command": "fly"}
BLOCKS = Native("anthropic", "p/m", ({"type": "thinking", "thinking": "Hm.", "signature": "s"},))


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Stage]:
    made = stage(tmp_path)
    yield made
    await made.runner.close()


def notices(scene: Stage) -> list[str]:
    return [event.text.strip() for event in scene.events if isinstance(event, Notice)]


def test_every_ending_has_its_words_in_the_table() -> None:
    assert set(ENDINGS) == set(Ending) == {Ending(name) for name in say.WHEN} == {Ending(name) for name in say.SEEN}


async def test_an_answer_without_a_word_is_told_in_the_chat(scene: Stage) -> None:
    ended = await scene.say(script=[[ThoughtDelta("Hm."), Stopped(StopReason.END_TURN)]])
    assert (ended, notices(scene)) == (TurnEnded("end_turn"), [say.EMPTY])


async def test_a_turn_that_showed_something_may_end_without_a_word(scene: Stage) -> None:
    ended = await scene.say(script=[asks(*call(VIEW)), [Stopped(StopReason.END_TURN)]])
    assert (ended, notices(scene)) == (TurnEnded("end_turn"), [])


async def test_an_answer_that_is_cut_says_so_after_its_text_and_goes_back_to_the_model(scene: Stage) -> None:
    ended = await scene.say(script=[[TextDelta("Once upon"), Stopped(StopReason.MAX_TOKENS)]])
    assert (ended, scene.text) == (TurnEnded("max_tokens"), f"Once upon\n\n{say.LENGTH}")
    await scene.say("go on")
    assert scene.provider.requests[-1].items[1] == AssistantItem("Once upon")


@pytest.mark.parametrize("said", ["", "I can't"])
async def test_a_refused_question_is_left_out_from_there_on(scene: Stage, said: str) -> None:
    await scene.say("one")
    ended = await scene.say("bad", script=[[TextDelta(said), Stopped(StopReason.REFUSAL)]])
    assert (ended, notices(scene)) == (TurnEnded("refusal"), [say.REFUSAL])
    await scene.say("two")
    assert [item.text for item in scene.provider.requests[-1].items if isinstance(item, UserItem)] == ["one", "two"]


async def test_a_reminder_before_a_refused_question_stands_before_the_next(scene: Stage) -> None:
    await scene.say("one")
    with scene.door() as door:
        door.write("a.md", "# A\n")
    await scene.say("bad", script=[[Stopped(StopReason.REFUSAL)]])
    await scene.say("two")
    newest = scene.provider.requests[-1].items[-1]
    assert isinstance(newest, UserItem)
    assert newest.text.count("note a.md") == 1 and newest.text.endswith("two")
    await scene.say("three")
    assert scene.provider.requests[-1].items[-1] == UserItem("three")


async def test_calls_of_a_refused_answer_are_not_run_and_their_cards_end(scene: Stage) -> None:
    await scene.say(script=[[*call(VIEW), Stopped(StopReason.REFUSAL)]])
    assert scene.states() == {"c1": ["pending", "failed"]}


async def test_a_call_in_an_answer_that_was_cut_is_told_to_the_model_and_the_turn_goes_on(scene: Stage) -> None:
    broken = [*call('{"command": "wri'), Stopped(StopReason.MAX_TOKENS)]
    ended = await scene.say(script=[broken, ends()])
    assert (ended, scene.results[0].failed) == (TurnEnded("end_turn"), True)
    assert scene.states() == {"c1": ["pending", "in_progress", "failed"]}


async def test_a_model_whose_calls_go_on_failing_is_stopped_with_a_sentence(scene: Stage) -> None:
    ended = await scene.say(script=[asks(*call(RUBBISH, call_id=f"c{n}")) for n in range(50)])
    assert (ended, notices(scene)) == (TurnEnded("max_turn_requests"), [say.FAILED_CALLS])
    assert len(scene.provider.requests) == MAX_FAILED_CALLS
    assert {states[-1] for states in scene.states().values()} == {"failed"}
    await scene.say("and now?", script=[ends()])
    items = scene.provider.requests[-1].items
    assert sum(isinstance(item, ToolItem) for item in items) == MAX_FAILED_CALLS


async def test_one_call_that_works_begins_the_count_anew(scene: Stage) -> None:
    def rubbish(count: int) -> Script:
        return [asks(*call(RUBBISH)) for _ in range(count)]

    ended = await scene.say(script=[*rubbish(19), asks(*call(VIEW)), *rubbish(19), ends()])
    assert (ended, notices(scene)) == (TurnEnded("end_turn"), [])


async def test_the_limit_on_requests_is_told(tmp_path: Path) -> None:
    scene = stage(tmp_path, [asks(*call(VIEW))] * 3, limits=Limits(max_turn_requests=3))
    assert await scene.say() == TurnEnded("max_turn_requests")
    assert notices(scene) == [say.REQUESTS]
    await scene.runner.close()


async def test_a_wait_is_shown_as_a_thought_and_stays_out_of_the_history(scene: Stage) -> None:
    await scene.say(script=[[Waiting("Busy; trying again in 1 second.", 1.0), *ends()]])
    assert [event.text for event in scene.events if isinstance(event, ThoughtChunk)] == [
        "Busy; trying again in 1 second.\n\n"
    ]
    await scene.say("again")
    assert scene.provider.requests[-1].items[1] == AssistantItem("Done.")


async def test_an_answer_goes_back_in_its_providers_own_blocks(scene: Stage) -> None:
    await scene.say(script=[[TextDelta("Hi"), BLOCKS, Stopped(StopReason.END_TURN)]])
    await scene.say("again")
    assert scene.provider.requests[-1].items[1] == AssistantItem("Hi", (), BLOCKS)


async def test_the_blocks_of_an_answer_whose_call_got_another_id_are_left_out(scene: Stage) -> None:
    await scene.say(script=[asks(*call(VIEW), *call(VIEW), BLOCKS), ends()])
    answer = scene.provider.requests[-1].items[1]
    assert isinstance(answer, AssistantItem)
    assert ([each.id for each in answer.calls], answer.native) == (["c1", "c1-2"], None)


async def test_the_blocks_of_an_answer_that_broke_off_are_left_out(scene: Stage) -> None:
    ended = await scene.say(script=[[TextDelta("Hi"), BLOCKS, ProviderFault("Broken; ask again.")]])
    assert ended == TurnEnded("end_turn", error="Broken; ask again.")
    await scene.say("again")
    assert scene.provider.requests[-1].items[1] == AssistantItem("Hi")


async def test_a_fault_after_a_call_runs_nothing_and_ends_its_card(scene: Stage) -> None:
    write = {"command": "write", "path": "a.md", "content": "# A\n"}
    scene.person.answers = ["allow_once"]
    await scene.say(script=[[*call(write), CallStarted("c2", "memory"), ProviderFault("Broken; ask again.")]])
    assert {states[-1] for states in scene.states().values()} == {"failed"}
    assert scene.person.questions == []
    await scene.say("again")
    assert [item.failed for item in scene.results] == [True]
