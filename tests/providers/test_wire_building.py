"""Bodies of requests: whatever a history holds, each wire gets what it takes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from legal_bodies import check
from wire_streams import decoded, model_of, parsed, stream

from acp_server.models.quirks import quirks_of
from acp_server.models.values import Model, Quirks, Wire
from acp_server.providers.interface import (
    AssistantItem,
    CallReady,
    Item,
    JsonObject,
    Native,
    Purpose,
    Request,
    TextDelta,
    ToolCall,
    ToolItem,
    ToolSpec,
    UserItem,
)
from acp_server.providers.wires import WIRES
from acp_server.providers.wires.arguments import UNREADABLE
from acp_server.providers.wires.bodies import encoded

TOOLS = (
    ToolSpec("memory", "Keeps notes.", {"type": "object", "properties": {"command": {"type": "string"}}}),
    ToolSpec("read_file", "Reads.", {"type": "object"}),
)
HI = UserItem("hi")
VIEW = '{"command":"view"}'


def request(*items: Item, session: str = "", purpose: Purpose = Purpose.CHAT, bound: int | None = None) -> Request:
    return Request("some/model", "You help.", TOOLS, items, session, purpose, bound)


def body(wire: Wire, *items: Item, model: Model | None = None) -> dict[str, object]:
    return check(wire, WIRES[wire].build(model or model_of(wire), request(*items)))


def spoken(wire: Wire, *items: Item, model: Model | None = None) -> list[JsonObject]:
    """The conversation in the body, the system prompt left out."""
    found = body(wire, *items, model=model)
    turns = found["input"] if wire is Wire.RESPONSES else found["messages"]
    assert isinstance(turns, list)
    return [turn for turn in turns if turn.get("role") != "system"]


def texts(wire: Wire, *items: Item) -> str:
    return json.dumps(spoken(wire, *items), ensure_ascii=False)


def call(call_id: str = "c1", name: str = "memory", arguments: str = VIEW) -> ToolCall:
    return ToolCall(call_id, name, arguments)


def answer(name: str, server: str = "") -> AssistantItem:
    """What a stream left in the history."""
    wire = Wire(name.split("/")[0])
    events = [event for event in parsed(wire, decoded([stream(name)]), server) if not isinstance(event, Exception)]
    calls = tuple(event.call for event in events if isinstance(event, CallReady))
    native = next((event for event in events if isinstance(event, Native)), None)
    return AssistantItem("".join(event.text for event in events if isinstance(event, TextDelta)), calls, native)


def results(item: AssistantItem) -> list[ToolItem]:
    return [ToolItem(each.id, each.name, "done") for each in item.calls]


WORDS = st.one_of(
    st.text(max_size=8),
    st.sampled_from(["", " ", "\n", "\x00", "\ud83d", "\ude00", "\ud83d\ude00", "a\u2028b", "\ufeff"]),
)
IDS = st.sampled_from(["", "c1", "c2", "call_" + "x" * 60, "functions.memory:0", "a b", "ü", "\ud800", "c1-2"])
ARGUMENTS = st.sampled_from(
    [
        "",
        " ",
        VIEW,
        "{",
        "[]",
        "null",
        '{"a":NaN}',
        '{"a":"\\ud800"}',
        '{"a":1e999}',
        "[" * 5000,
        '{"a":' + "9" * 5000 + "}",
    ]
)
CALLS = st.builds(ToolCall, IDS, st.sampled_from(["memory", "", "no such tool", "x" * 80, "ü.é"]), ARGUMENTS)
NATIVE = [
    ("anthropic/thinking-and-call", "", "signature"),
    ("anthropic/redacted-thinking", "", "redacted_thinking"),
    ("anthropic/text-around-thinking", "", "signature"),
    ("anthropic/broken-arguments", "", "signature"),
    ("responses/reasoning-and-call", "", "encrypted_content"),
    ("responses/two-messages", "", "phase"),
    ("chat-completions/reasoning-content", "deepseek", "reasoning_content"),
    ("chat-completions/no-reasoning-with-call", "deepseek", "reasoning_content"),
    ("chat-completions/reasoning-details", "openrouter", "reasoning_details"),
    ("chat-completions/all-index-zero", "gemini", "thought_signature"),
    ("chat-completions/odd-values", "openrouter", "reasoning_details"),
]

ITEMS = st.lists(
    st.one_of(
        st.builds(UserItem, WORDS),
        st.builds(AssistantItem, WORDS, st.lists(CALLS, max_size=3).map(tuple)),
        st.builds(ToolItem, IDS, st.just("memory"), WORDS, st.booleans()),
        st.sampled_from([answer(name, server) for name, server, _ in NATIVE]),
    ),
    max_size=12,
)


@pytest.mark.parametrize("wire", Wire)
@settings(max_examples=150, deadline=None)
@given(items=ITEMS)
def test_every_history_makes_a_legal_body(wire: Wire, items: list[Item]) -> None:
    body(wire, *items)


@pytest.mark.parametrize("wire", Wire)
def test_what_was_said_and_done_is_all_there_and_in_order(wire: Wire) -> None:
    said = texts(wire, HI, AssistantItem("looking", (call(),)), ToolItem("c1", "memory", "seen"), UserItem("thanks"))
    places = [said.index(word) for word in ("hi", "looking", "memory", "seen", "thanks")]
    assert places == sorted(places)


@pytest.mark.parametrize("wire", Wire)
def test_turns_of_one_side_become_one(wire: Wire) -> None:
    assert len(spoken(wire, HI, UserItem("there"), AssistantItem("a"), AssistantItem("b"), UserItem("c"))) == 3


@pytest.mark.parametrize("wire", Wire)
@pytest.mark.parametrize("nothing", [AssistantItem(""), AssistantItem(" \n"), UserItem(" ")])
def test_a_turn_without_words_or_calls_is_left_out(wire: Wire, nothing: Item) -> None:
    assert spoken(wire, HI, nothing) == spoken(wire, HI)


@pytest.mark.parametrize("wire", Wire)
def test_a_call_without_its_result_gets_one_that_says_so(wire: Wire) -> None:
    assert "did not run to its end" in texts(wire, HI, AssistantItem("", (call(),)), UserItem("go"))


@pytest.mark.parametrize("wire", Wire)
def test_a_result_without_its_call_is_told_as_text(wire: Wire) -> None:
    assert "lost and found" in texts(wire, HI, ToolItem("gone", "memory", "lost and found"))


@pytest.mark.parametrize("wire", Wire)
def test_ids_that_come_again_in_a_later_answer_are_told_apart(wire: Wire) -> None:
    round_ = [AssistantItem("", (call(),)), ToolItem("c1", "memory", "seen")]
    said = texts(wire, HI, *round_, *round_, *round_)
    assert [said.count(f'"{each}"') for each in ("c1", "c1-2", "c1-3")] == [2, 2, 2]


@pytest.mark.parametrize(
    ("given", "length", "kept"),
    [("aB3dE6gH9", 9, True), ("call_1", 9, False), ("call-1", None, True), ("é", None, False)],
)
def test_an_id_keeps_its_form_where_the_server_takes_it(given: str, length: int | None, kept: bool) -> None:
    wire = Wire.CHAT_COMPLETIONS
    model = model_of(wire, "mistral" if length else "")
    asked, result = spoken(wire, HI, AssistantItem("", (call(given),)), ToolItem(given, "memory", "x"), model=model)[
        1:3
    ]
    sent = str(result["tool_call_id"])
    assert json.dumps(asked["tool_calls"]).count(f'"{sent}"') == 1
    assert (sent == given) is kept
    assert length is None or (len(sent) == length and sent.isalnum())


@pytest.mark.parametrize("wire", Wire)
@pytest.mark.parametrize("raw", ["{broken", "[1]", '"text"', "nonsense"])
def test_arguments_that_were_no_object_go_back_as_one_that_shows_them(wire: Wire, raw: str) -> None:
    said = texts(wire, HI, AssistantItem("", (call(arguments=raw),)), ToolItem("c1", "memory", "no", failed=True))
    assert UNREADABLE in said


@pytest.mark.parametrize("wire", [Wire.CHAT_COMPLETIONS, Wire.RESPONSES])
def test_arguments_go_back_as_the_model_wrote_them(wire: Wire) -> None:
    raw = '{ "command" : "view",  "n":1.0 }'
    assert json.dumps(raw) in texts(wire, HI, AssistantItem("", (call(arguments=raw),)), ToolItem("c1", "memory", "x"))


def test_a_failed_result_is_marked_where_the_wire_has_a_mark() -> None:
    item = AssistantItem("", (call(),))
    failed = spoken(Wire.ANTHROPIC, HI, item, ToolItem("c1", "memory", "no", failed=True))[-1]
    fine = spoken(Wire.ANTHROPIC, HI, item, ToolItem("c1", "memory", "yes"))[-1]
    assert '"is_error": true' in json.dumps(failed)
    assert "is_error" not in json.dumps(fine)


@pytest.mark.parametrize(("name", "server", "mark"), NATIVE)
def test_what_the_provider_wants_back_goes_back_unchanged(name: str, server: str, mark: str) -> None:
    wire, item = Wire(name.split("/")[0]), answer(name, server)
    assert item.native is not None
    sent = spoken(wire, HI, item, *results(item), UserItem("on"), model=model_of(wire, server))
    blocks = [*item.native.blocks]
    assert (sent[1]["content"] if wire is Wire.ANTHROPIC else sent[1 : 1 + len(blocks)]) == blocks
    assert mark in json.dumps(blocks)


@pytest.mark.parametrize(("name", "server", "mark"), NATIVE)
def test_own_blocks_stay_away_from_other_models_and_other_wires(name: str, server: str, mark: str) -> None:
    item = answer(name, server)
    other = replace(item, native=replace(item.native, model="another/model")) if item.native else item
    for wire in Wire:
        said = texts(wire, HI, other, *results(item), UserItem("on"))
        assert mark not in said
        assert item.text.replace("\n", "\\n") in said
        if wire != name.split("/")[0]:
            assert mark not in texts(wire, HI, item, *results(item), UserItem("on"))


@pytest.mark.parametrize(("name", "server", "mark"), NATIVE)
def test_own_blocks_stay_away_where_the_history_says_something_else_by_now(name: str, server: str, mark: str) -> None:
    item = answer(name, server)
    wire = Wire(name.split("/")[0])
    changed = [replace(item, text=f"{item.text} blanked")]
    if item.calls:
        changed += [
            replace(item, calls=(replace(item.calls[0], arguments='{"blanked":1}'), *item.calls[1:])),
            replace(item, calls=(replace(item.calls[0], id="renamed"), *item.calls[1:])),
        ]
    for each in changed:
        assert mark not in texts(wire, HI, each, *results(each), UserItem("on"))


def test_a_call_with_an_id_of_an_earlier_turn_drops_the_blocks_and_nothing_else() -> None:
    item = answer("anthropic/thinking-and-call")
    sent = spoken(Wire.ANTHROPIC, HI, item, *results(item), item, *results(item))
    assert "signature" in json.dumps(sent[1])
    assert "signature" not in json.dumps(sent[3])
    assert "Let me look." in json.dumps(sent[3])


def test_a_server_that_wants_thinking_back_gets_the_field_for_calls_of_other_models_too() -> None:
    wire, item = Wire.CHAT_COMPLETIONS, AssistantItem("", (call(),))
    asked = spoken(wire, HI, item, *results(item), model=model_of(wire, "deepseek"))[1]
    assert asked["reasoning_content"] == ""


def built(wire: Wire, model: Model, asked: Request) -> JsonObject:
    return WIRES[wire].build(model, asked)


@pytest.mark.parametrize(
    ("model_id", "thinking"),
    [
        ("claude-opus-5", "adaptive"),
        ("claude-fable-5", "adaptive"),
        ("claude-opus-4-8", "adaptive"),
        ("claude-sonnet-4-6", "adaptive"),
        ("claude-mythos-preview", "adaptive"),
        ("us.anthropic.claude-opus-4-7-v1", "adaptive"),
        ("claude-sonnet-4-5-20250929", "enabled"),
        ("claude-haiku-4.5", "enabled"),
        ("claude-opus-4-20250514", "enabled"),
        ("claude-3-7-sonnet-20250219", "enabled"),
        ("some-other-model", "enabled"),
    ],
)
def test_a_claude_is_asked_to_think_in_the_way_of_its_version(model_id: str, thinking: str) -> None:
    model = model_of(Wire.ANTHROPIC, model_id=model_id, thinks=True, max_output=64_000)
    found = built(Wire.ANTHROPIC, model, request(HI))["thinking"]
    assert isinstance(found, dict)
    assert found["type"] == thinking
    assert ("budget_tokens" in found) is (thinking == "enabled")


def test_a_budget_for_thinking_leaves_room_to_answer_or_is_not_given() -> None:
    for limit, budget in ((64_000, 10_000), (8_192, 4_096), (2_048, 1_024), (2_000, None)):
        body_ = built(Wire.ANTHROPIC, model_of(Wire.ANTHROPIC, thinks=True, max_output=limit), request(HI))
        thinking = body_.get("thinking")
        assert (thinking["budget_tokens"] if isinstance(thinking, dict) else None) == budget


@pytest.mark.parametrize(
    ("limit", "bound", "thinks", "expected"),
    [
        (None, None, False, 8_192),
        (4_096, None, False, 4_096),
        (128_000, None, False, 32_000),
        (64_000, 300, False, 300),
        (64_000, 300, True, 8_492),
        (4_096, 300, True, 4_096),
    ],
)
def test_anthropic_is_always_told_how_much_may_be_written(
    limit: int | None, bound: int | None, thinks: bool, expected: int
) -> None:
    model = model_of(Wire.ANTHROPIC, thinks=thinks, max_output=limit)
    body_ = built(Wire.ANTHROPIC, model, request(HI, bound=bound))
    assert body_["max_tokens"] == expected
    assert "thinking" in body_ or not (thinks and bound is None)


def test_responses_keeps_nothing_at_the_server_and_asks_for_reasoning_of_models_that_reason() -> None:
    wire = Wire.RESPONSES
    plain, thinks = (built(wire, model_of(wire, thinks=each), request(HI)) for each in (False, True))
    assert plain["store"] is thinks["store"] is False
    assert "include" not in plain
    assert "reasoning" not in plain
    assert thinks["include"] == ["reasoning.encrypted_content"]
    assert thinks["reasoning"] == {"summary": "auto"}
    assert built(wire, model_of(wire), request(HI, bound=1))["max_output_tokens"] == 16


@pytest.mark.parametrize(
    ("server", "fields"),
    [
        ("", {"stream_options": {"include_usage": True}, "max_tokens": 9}),
        ("openai", {"max_completion_tokens": 9, "prompt_cache_key": "s1"}),
        ("azure", {"max_completion_tokens": 9}),
        ("mistral", {"max_tokens": 9, "prompt_cache_key": "s1"}),
        ("groq", {"max_completion_tokens": 9}),
    ],
)
def test_a_server_gets_the_fields_it_knows(server: str, fields: dict[str, object]) -> None:
    wire = Wire.CHAT_COMPLETIONS
    found = built(wire, model_of(wire, server), request(HI, session="s1", bound=9))
    assert {name: found.get(name) for name in fields} == fields
    assert ("prompt_cache_key" in found) is ("prompt_cache_key" in fields)
    assert ("stream_options" in found) is (server != "mistral")


def test_what_answers_at_another_address_has_no_quirks_of_the_inventor() -> None:
    assert quirks_of("openai", elsewhere=True) == quirks_of("some server") == Quirks()
    assert quirks_of("openai") != Quirks()
    assert quirks_of("mistral", elsewhere=True) == quirks_of("mistral")


@pytest.mark.parametrize("server", ["openrouter", "deepseek", "groq", "gemini"])
def test_a_server_is_asked_for_thinking_in_its_own_way_and_only_where_the_model_thinks(server: str) -> None:
    wire = Wire.CHAT_COMPLETIONS
    own = model_of(wire, server).endpoint.quirks.thinking
    assert own
    assert set(own) <= set(built(wire, model_of(wire, server, thinks=True), request(HI)))
    assert not set(own) & set(built(wire, model_of(wire, server), request(HI)))


@pytest.mark.parametrize(
    ("purpose", "marks"), [(Purpose.CHAT, 4), (Purpose.COMPACTION, 4), (Purpose.TITLE, 2), (Purpose.MEMORY, 2)]
)
def test_the_cache_holds_the_prefix_and_the_turns_that_another_request_goes_on_with(
    purpose: Purpose, marks: int
) -> None:
    history: Sequence[Item] = (HI, AssistantItem("a"), UserItem("b"), AssistantItem("c"), UserItem("d"))
    found = built(Wire.ANTHROPIC, model_of(Wire.ANTHROPIC), request(*history, purpose=purpose))
    assert json.dumps(found).count("cache_control") == marks
    assert "cache_control" in json.dumps(found["tools"])
    assert "cache_control" in json.dumps(found["system"])


@pytest.mark.parametrize(
    ("model_id", "purpose", "marked"),
    [
        ("anthropic/claude-sonnet-5", Purpose.CHAT, True),
        ("anthropic/claude-sonnet-5", Purpose.TITLE, False),
        ("openai/gpt-5.5", Purpose.CHAT, False),
    ],
)
def test_openrouter_is_told_to_cache_the_models_that_want_to_be_told(
    model_id: str, purpose: Purpose, marked: bool
) -> None:
    wire = Wire.CHAT_COMPLETIONS
    found = built(wire, model_of(wire, "openrouter", model_id=model_id), request(HI, purpose=purpose))
    assert ("cache_control" in found) is marked


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_that_json_cannot_hold_is_null(number: float) -> None:
    assert encoded({"a": [number], "b": "\ud800"}) == '{"a":[null],"b":"\ufffd"}'.encode()


@pytest.mark.parametrize("wire", Wire)
def test_a_request_without_tools_or_system_prompt_has_no_empty_ones(wire: Wire) -> None:
    found = check(wire, built(wire, model_of(wire), Request("some/model", "", (), (HI,))))
    assert not {"tools", "system", "instructions"} & set(found)


@pytest.mark.parametrize(
    ("wire", "server", "header", "value"),
    [
        (Wire.CHAT_COMPLETIONS, "openai", "authorization", "Bearer k"),
        (Wire.CHAT_COMPLETIONS, "azure", "api-key", "k"),
        (Wire.RESPONSES, "openai", "authorization", "Bearer k"),
        (Wire.ANTHROPIC, "", "x-api-key", "k"),
    ],
)
def test_the_key_goes_into_the_header_of_the_server(wire: Wire, server: str, header: str, value: str) -> None:
    model = model_of(wire, server)
    with_key, without = WIRES[wire].headers(model, "k"), WIRES[wire].headers(model, None)
    assert {name: each for name, each in with_key.items() if name not in without} == {header: value}
    assert all(name == name.lower() for name in with_key)


def test_an_endpoints_own_headers_come_last() -> None:
    model = model_of(Wire.ANTHROPIC)
    model = replace(model, endpoint=replace(model.endpoint, headers={"Anthropic-Version": "x", "X-Own": "y"}))
    found = WIRES[Wire.ANTHROPIC].headers(model, None)
    assert (found["anthropic-version"], found["x-own"]) == ("x", "y")


@pytest.mark.parametrize(
    ("wire", "base", "path"),
    [
        (Wire.CHAT_COMPLETIONS, "http://h/v1", "/chat/completions"),
        (Wire.RESPONSES, "http://h/v1", "/responses"),
        (Wire.ANTHROPIC, "http://h", "/v1/messages"),
        (Wire.ANTHROPIC, "http://h/v1", "/messages"),
        (Wire.ANTHROPIC, "http://h/anthropic", "/v1/messages"),
    ],
)
def test_requests_go_where_the_wire_takes_them(wire: Wire, base: str, path: str) -> None:
    assert WIRES[wire].path(model_of(wire, base_url=base)) == path
