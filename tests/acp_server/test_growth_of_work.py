"""Work is in proportion to the length of a conversation and of an answer: lines of our own code are counted."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest
from providers.words import said
from turn_support import stage

from acp_server.models.values import Endpoint, Model, Wire
from acp_server.providers.interface import AssistantItem, Item, Request, ToolCall, ToolItem, ToolSpec, UserItem
from acp_server.providers.wires import WIRES
from acp_server.providers.wires.bodies import encoded
from acp_server.providers.wires.sse import EventStream
from acp_server.session_files.records import (
    AnswerRecord,
    CallObject,
    CardEndRecord,
    CardRecord,
    EndRecord,
    Record,
    ResultRecord,
    SessionRecord,
    TurnRecord,
)
from acp_server.session_files.replay import replay
from acp_server.session_files.restoring import restore

ROUNDS = 400
"""Rounds of question, call, result and answer; twice as many are some 200,000 tokens."""
WORDS = "a word or two of what was said " * 8
AT = "2026-01-02T03:04:05Z"
SLACK = 2.05
"""How much more work twice the length may be."""


def lines_run(work: Callable[[], object]) -> int:
    """How many lines of the agent's own code run."""
    count = 0

    def trace(frame: FrameType, event: str, _: object) -> Callable[..., object] | None:
        nonlocal count
        if "acp_server" not in frame.f_code.co_filename:
            return None
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def history(rounds: int) -> tuple[Item, ...]:
    items: list[Item] = []
    for number in range(rounds):
        call = ToolCall(f"call{number:05}", "memory", '{"command": "search", "query": "x"}')
        items += [
            UserItem(WORDS),
            AssistantItem(WORDS, (call,)),
            ToolItem(call.id, "memory", WORDS),
            AssistantItem(WORDS),
        ]
    return (*items, UserItem("and now?"))


def model(wire: Wire) -> Model:
    return Model("p/m", "m", Endpoint("p", wire, "http://127.0.0.1/v1", lambda: "k"))


@pytest.mark.parametrize("wire", list(Wire))
def test_building_a_request_is_linear_in_the_history(wire: Wire) -> None:
    tool = ToolSpec("memory", "The memory.", {"type": "object", "properties": {}})

    def build(rounds: int) -> bytes:
        return encoded(WIRES[wire].build(model(wire), Request("p/m", "You help.", (tool,), history(rounds))))

    assert len(build(2 * ROUNDS)) > 800_000
    short, long = (lines_run(lambda rounds=rounds: build(rounds)) for rounds in (ROUNDS, 2 * ROUNDS))
    assert ROUNDS < short < long <= SLACK * short


@pytest.mark.parametrize("wire", list(Wire))
def test_reading_an_answer_is_linear_in_its_length(wire: Wire) -> None:
    def read(count: int) -> None:
        stream, parser = EventStream(), WIRES[wire].Parser(model(wire))
        for piece in said(wire, ["word "] * count):
            for event, data in stream.feed(piece):
                parser.feed(event, data)

    short, long = (lines_run(lambda count=count: read(count)) for count in (1000, 2000))
    assert 1000 < short < long <= SLACK * short


@pytest.mark.parametrize("wire", list(Wire))
def test_an_answer_that_comes_byte_by_byte_is_linear_too(wire: Wire) -> None:
    def read(count: int) -> None:
        stream = EventStream()
        for byte in b"".join(said(wire, ["word "] * count)):
            stream.feed(bytes([byte]))

    short, long = (lines_run(lambda count=count: read(count)) for count in (10, 20))
    assert short < long <= SLACK * short


async def test_a_turn_does_no_work_that_grows_with_the_square_of_its_history(tmp_path: Path) -> None:
    counts = []
    for rounds in (ROUNDS, 2 * ROUNDS):
        (folder := tmp_path / str(rounds)).mkdir()
        scene = stage(folder)
        await scene.say("one")
        scene.runner.conversation("s1").items += history(rounds)
        count = 0

        def profile(frame: FrameType, event: str, _: object) -> None:
            nonlocal count
            count += event == "call" and "acp_server" in frame.f_code.co_filename

        sys.setprofile(profile)
        try:
            await scene.say("two")
        finally:
            sys.setprofile(None)
        counts.append(count)
        assert len(scene.provider.requests[-1].items) > 4 * rounds
        await scene.runner.close()
    assert counts[1] <= SLACK * counts[0]


@pytest.mark.parametrize("answered", [True, False])
def test_loading_a_session_is_linear_in_its_turns_also_where_each_was_cancelled_before_an_answer(
    answered: bool,
) -> None:
    def lines(turns: int) -> int:
        kept = session(turns, answered=answered)
        return lines_run(lambda: (restore(kept), list(replay(kept))))

    assert lines(2 * ROUNDS) <= SLACK * lines(ROUNDS)


def session(turns: int, *, answered: bool) -> list[Record]:
    kept: list[Record] = [SessionRecord(session_id="s", cwd="/p", model="test/x", created=AT)]
    for number in range(turns):
        kept.append(TurnRecord(message_id=f"p{number}", prompt=({"type": "text", "text": WORDS},), text=WORDS, at=AT))
        if answered:
            call = CallObject(id=f"c{number}", name="memory", arguments="{}")
            kept += [
                CardRecord(call_id=call.id, title="Memory", kind="read"),
                AnswerRecord(text="", calls=(call,), at=AT),
                CardEndRecord(call_id=call.id, status="completed", title="Read", kind="read"),
                ResultRecord(call_id=call.id, name="memory", text=WORDS, failed=False),
                AnswerRecord(text=WORDS, at=AT),
            ]
        kept.append(EndRecord(stop_reason="end_turn" if answered else "cancelled", at=AT))
    return kept
