"""The bytes that a provider's cache compares: what was sent stays as it was, and only grows at its end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise

import pytest
from wire_streams import model_of

from acp_server.models.values import Wire
from acp_server.prefix import system_prompt
from acp_server.providers.interface import (
    AssistantItem,
    Item,
    JsonObject,
    Native,
    Request,
    ToolCall,
    ToolItem,
    UserItem,
)
from acp_server.providers.wires import WIRES
from acp_server.providers.wires.anthropic_building import tool_use
from acp_server.providers.wires.bodies import encoded
from acp_server.tools.memory_arguments import SPEC

TURNS = 20
WRITES = 10
CLOSING = b"]}"
VIEW = "0+1|keys: the deploy key rotates on Mondays.\n1+1|names: Zoë writes `naïve` 😀.\n"


def thought(call: ToolCall) -> Native:
    """Own blocks of an answer with one call."""
    return Native(
        Wire.ANTHROPIC, "some/model", ({"type": "thinking", "thinking": "", "signature": "czE="}, tool_use(call))
    )


def histories() -> Iterator[tuple[Item, ...]]:
    """The history of every request of a session: a turn writes a note, or reads one, or asks nothing."""
    items: list[Item] = []
    for turn in range(TURNS):
        items.append(UserItem(f"{turn}: remember Zoë's “key” 😀\nline two"))
        if turn % 2 == 0:
            yield tuple(items)
            arguments = json.dumps({"command": "write", "path": f"note-{turn}.md", "content": "# K\n\nü"})
            call = ToolCall(f"call_{turn % 4}", "memory", arguments)
            items.append(AssistantItem("", (call,), thought(call)))
            items.append(ToolItem(call.id, "memory", f"Written as entry {turn}.", failed=turn == 4))
        yield tuple(items)
        items.append(AssistantItem(f"Noted {turn}."))
    assert sum(isinstance(item, ToolItem) for item in items) == WRITES


def request(items: tuple[Item, ...]) -> Request:
    return Request("some/model", system_prompt(VIEW), (SPEC, replace(SPEC, name="other")), items, session="s1")


def sent(wire: Wire) -> list[bytes]:
    model = model_of(wire, "openai", thinks=True)
    return [encoded(unmarked(WIRES[wire].build(model, request(items)))) for items in histories()]


def unmarked(body: JsonObject) -> JsonObject:
    """The body without the cache's marks in its conversation, which move along with it."""
    messages = json.loads(json.dumps(body.get("messages", [])))
    for block in (block for message in messages for block in message["content"] or () if isinstance(block, dict)):
        block.pop("cache_control", None)
    return {**body, "messages": messages} if "messages" in body else body


@pytest.mark.parametrize("wire", Wire)
def test_over_twenty_turns_and_ten_writes_each_body_begins_with_the_one_before(wire: Wire) -> None:
    bodies = sent(wire)
    assert len(bodies) == TURNS + WRITES
    for before, after in pairwise(bodies):
        assert before.endswith(CLOSING)
        assert after.startswith(before.removesuffix(CLOSING))


@pytest.mark.parametrize("wire", Wire)
def test_tools_and_system_prompt_stand_before_the_conversation_and_are_the_same_bytes_in_all(wire: Wire) -> None:
    opening = b'"input":[' if wire is Wire.RESPONSES else b'"messages":['
    heads = {body.partition(opening)[0] for body in sent(wire)}
    assert len(heads) == 1
    assert all(part in next(iter(heads)) for part in (b'"tools":', b'"memory"'))
    assert all(json.dumps(VIEW, ensure_ascii=False)[1:-1].encode() in body for body in sent(wire))


def test_the_cache_finds_the_mark_that_the_request_before_left() -> None:
    marks = []
    for items in histories():
        messages = WIRES[Wire.ANTHROPIC].build(model_of(Wire.ANTHROPIC), request(items))["messages"]
        assert isinstance(messages, list)
        marks.append([place for place, each in enumerate(messages) if "cache_control" in json.dumps(each)])
        assert marks[-1][-1] == len(messages) - 1
    assert all(before[-1] in after for before, after in pairwise(marks))


def test_another_process_sends_the_same_bytes() -> None:
    code = f"import sys; sys.path[:0] = {sys.path!r}\nimport test_wires_prefix as t\nsys.stdout.buffer.write(t.last())"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert outputs == {last()}


def last() -> bytes:
    """The last body of each wire."""
    return b"\n".join(sent(wire)[-1] for wire in Wire)


def steps(work: Callable[[], object]) -> int:
    """How many functions are called, built-in ones included."""
    count = 0

    def profile(_: object, event: str, __: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def long_history(rounds: int) -> tuple[Item, ...]:
    """About 400 tokens a round; the provider begins its ids anew in each answer."""
    items: list[Item] = []
    for number in range(rounds):
        call = ToolCall("call_1", "memory", json.dumps({"command": "read", "path": f"{number}.md"}))
        items += [UserItem(f"{number}"), AssistantItem("", (call,), thought(call))]
        items += [ToolItem("call_1", "memory", "word " * 300), AssistantItem("answer " * 10)]
    return tuple(items)


@pytest.mark.parametrize("wire", Wire)
def test_a_long_history_costs_steps_and_bytes_in_proportion(wire: Wire) -> None:
    model = model_of(wire)
    half, whole = (request(long_history(rounds)) for rounds in (250, 500))
    sizes = [len(encoded(WIRES[wire].build(model, each))) for each in (half, whole)]
    taken = [steps(partial(WIRES[wire].build, model, each)) for each in (half, whole)]
    assert sizes[1] > 800_000
    assert sizes[1] <= 2.1 * sizes[0]
    assert taken[1] <= 2.1 * taken[0]


@pytest.mark.parametrize("name", ["memory", None])
def test_a_long_call_costs_steps_in_proportion(name: str | None) -> None:
    def stream(pieces: int) -> list[str]:
        function = {"arguments": "{}", **({"name": name} if name else {})}
        first = {"index": 0, "id": "c", "function": {"name": "memory", "arguments": '{"content":"'}}
        deltas = [first, *[{"index": 0, "function": function}] * pieces]
        return [json.dumps({"choices": [{"delta": {"tool_calls": [delta]}}]}) for delta in deltas]

    def parse(chunks: list[str]) -> None:
        parser = WIRES[Wire.CHAT_COMPLETIONS].Parser(model_of(Wire.CHAT_COMPLETIONS))
        for chunk in chunks:
            parser.feed("", chunk)

    half, whole = (steps(partial(parse, stream(pieces))) for pieces in (500, 1000))
    assert whole <= 2.1 * half
