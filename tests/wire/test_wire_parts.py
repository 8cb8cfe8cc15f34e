"""The plain parts of the wire: lines, ids, clocks, updates, log lines, and the table of methods."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest
from acp.agent.router import build_agent_router
from acp.meta import AGENT_METHODS

from acp_server import jsonrpc, logs, updates, wire, world
from acp_server.agent import Agent
from acp_server.asking import chosen
from acp_server.depth import MAX_DEPTH, is_deep
from acp_server.desk import Desk, wrong_directory
from acp_server.events import Card, CardChanged, CardOpened, TextChunk, ThoughtChunk, TitleChanged, TurnEnded
from acp_server.jsonclean import clean, mended
from acp_server.lines import LineSplitter
from acp_server.params import CHECKS
from acp_server.providers.interface import JsonObject, JsonValue
from acp_server.providers.wires.answer import native
from acp_server.session import Session, Sessions
from acp_server.transport import encoded


@pytest.mark.parametrize(
    ("pieces", "lines"),
    [
        ([b"a\nb\n"], [b"a", b"b"]),
        ([b"a", b"b", b"\n"], [b"ab"]),
        ([b"\n", b"\n"], [b"", b""]),
        ([b"12345\n"], [b"12345"]),
        ([b"123456\nx\n"], [None, b"x"]),
        ([b"123", b"456", b"789", b"\nx\n"], [None, b"x"]),
        (["\u2028\n".encode(), b"\xc2\x85\n"], ["\u2028".encode(), b"\xc2\x85"]),
    ],
)
def test_only_a_newline_ends_a_line_and_one_over_the_cap_is_dropped(
    pieces: list[bytes], lines: list[bytes | None]
) -> None:
    splitter = LineSplitter(5)
    assert [line for piece in pieces for line in splitter.feed(piece)] == lines
    assert splitter.finish() == []


def test_what_is_left_at_the_end_is_a_line() -> None:
    splitter = LineSplitter(5)
    splitter.feed(b"ab")
    assert splitter.finish() == [b"ab"]
    splitter.feed(b"1234567")
    assert splitter.finish() == [None]


def test_the_table_of_methods_fits_the_library_s_routing() -> None:
    def new_agent() -> Agent:
        return Agent.__new__(Agent)

    router = build_agent_router(new_agent(), use_unstable_protocol=True)  # type: ignore[arg-type]
    routed = {method for method, route in router._requests.items() if route.func is not None}
    noticed = {method for method, route in router._notifications.items() if route.func is not None}
    assert routed == wire.AGENT_REQUESTS - wire.UNROUTED
    assert noticed == wire.AGENT_NOTIFICATIONS
    assert set(AGENT_METHODS.values()) >= wire.REQUESTS | wire.AGENT_NOTIFICATIONS
    assert CHECKS.keys() == wire.REQUESTS | wire.NOTIFICATIONS


def test_a_handler_is_no_function_that_the_library_would_call() -> None:
    assert not callable(Agent.__new__(Agent))


@pytest.mark.parametrize(
    ("event", "update"),
    [
        (
            TextChunk("m", "x"),
            {"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": {"type": "text", "text": "x"}},
        ),
        (
            ThoughtChunk("m", "x"),
            {"sessionUpdate": "agent_thought_chunk", "messageId": "m", "content": {"type": "text", "text": "x"}},
        ),
        (
            CardOpened("c", "Read", "read"),
            {
                "sessionUpdate": "tool_call",
                "toolCallId": "c",
                "title": "Read",
                "kind": "read",
                "status": "pending",
            },
        ),
        (CardChanged("c", None, Card()), {"sessionUpdate": "tool_call_update", "toolCallId": "c"}),
        (
            CardChanged("c", "completed", Card(content=(), locations=({"path": "/a"},), raw_input={}, raw_output=0)),
            {
                "sessionUpdate": "tool_call_update",
                "toolCallId": "c",
                "status": "completed",
                "content": [],
                "locations": [{"path": "/a"}],
                "rawInput": {},
                "rawOutput": 0,
            },
        ),
        (TitleChanged("T"), {"sessionUpdate": "session_info_update", "title": "T"}),
        (TurnEnded("end_turn"), None),
    ],
)
def test_each_event_is_one_update(event: updates.TurnEvent, update: dict[str, object] | None) -> None:
    assert updates.update_of(event) == update


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Authorization: Bearer abc.def-ghi", "abc.def-ghi"),
        ("api_key=0123456789", "0123456789"),
        ('{"password": "hunter2"}', "hunter2"),
        ("sk-ant-REDACTED", "sk-ant"),
        ("token: ghp_abcdefghij1234567890", "ghp_"),
        ("AKIAABCDEFGHIJKLMNOP", "AKIA"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE", "MIIE"),
        ("no answer from https://me:hunter22@host/v1", "hunter22"),
        ("https://onlyatoken123@host/v1", "onlyatoken123"),
    ],
)
def test_the_log_blanks_what_looks_like_a_secret(text: str, secret: str) -> None:
    assert secret not in logs.redact(text)
    assert "redacted" in logs.redact(text)


def test_ordinary_words_stay_in_the_log() -> None:
    text = "the tokenizer read 12 tokens; the key of the map is a password manager"
    assert logs.redact(text) == text


def test_an_exception_in_the_log_is_one_short_line_with_its_place() -> None:
    try:
        raise ValueError("first\nsecond")
    except ValueError as error:
        info = (ValueError, error, error.__traceback__)
    record = logging.LogRecord("x", logging.ERROR, __file__, 1, "it broke %s", ("here",), info)
    line = logs.ShortFormatter().format(record)
    assert line.startswith("error: x: it broke here: ValueError: first second (")
    assert "\n" not in line


def test_ids_sort_by_time_and_look_like_what_they_are() -> None:
    ids = [world.timed_id(1_700_000_000_000_000_000 + number * 1_000_000) for number in range(50)]
    assert ids == sorted(ids)
    assert len({*ids}) == 50
    assert all((len(each), each[14], each[19] in "89ab") == (36, "7", True) for each in ids)


def test_a_test_s_clock_and_ids_go_in_steps() -> None:
    clock, ids = world.stepping_clock("100,5"), world.numbered("id")
    assert [clock(), clock(), clock()] == [100, 105, 110]
    assert [ids(), ids()] == ["id-1", "id-2"]


def test_a_time_is_iso_8601_in_utc() -> None:
    assert world.iso_utc(1_700_000_000_123_456_789) == "2023-11-14T22:13:20.123Z"


def test_a_session_is_found_by_its_exact_id_until_it_is_removed() -> None:
    sessions = Sessions()
    session = Session("a", "/", (), "m", None)
    sessions.add(session)
    assert (sessions.get("a"), sessions.get("b"), list(sessions)) == (session, None, [session])
    sessions.remove("a")
    assert sessions.get("a") is None


def test_a_directory_is_right_or_the_sentence_names_it(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert wrong_directory(str(tmp_path)) is None
    for path in ("rel", str(tmp_path / "file"), str(tmp_path / "none"), "/a\0b", "/\ud800"):
        assert path in (sentence := wrong_directory(path) or "") or repr(path) in sentence


def test_a_choice_is_only_what_was_offered() -> None:
    assert chosen({"outcome": {"outcome": "selected", "optionId": "a"}}, {"a"}) == "a"
    assert chosen({"outcome": {"outcome": "selected", "optionId": "b"}}, {"a"}) is None
    assert chosen("a", {"a"}) is None


def test_what_json_cannot_say_becomes_null() -> None:
    odd = {"a": [float("nan"), float("inf"), 1.5, True, None], "b": ("x", b"y", object())}
    assert jsonrpc.repaired(odd) == {"a": [None, None, 1.5, True, None], "b": ["x", None, None]}


def test_a_message_that_json_cannot_hold_goes_out_as_json_all_the_same() -> None:
    odd = cast("JsonObject", {"a": [float("nan"), 1e-06], "b": "\ud83d", "c": object()})
    assert json.loads(encoded(odd)) == {"a": [None, 1e-06], "b": "\ud83d", "c": None}
    assert encoded({"b": "\ud83d é"}) == '{"b":"\\ud83d é"}\n'.encode()


@pytest.mark.parametrize(("text", "right"), [("a\ud83d" + "\ude00", "a😀"), ("\ud83d", "\ufffd"), ("é", "é"), ("", "")])
def test_text_from_outside_becomes_text_that_utf_8_can_hold(text: str, right: str) -> None:
    assert mended(text) == right
    assert clean({text: [text, float("inf")]}) == {right: [right, None]}


@pytest.mark.parametrize(("levels", "deep"), [(0, False), (MAX_DEPTH, False), (MAX_DEPTH + 1, True), (900, True)])
def test_a_value_is_deep_from_one_level_over_the_limit_on(levels: int, deep: bool) -> None:
    value: JsonValue = 1
    for level in range(levels):
        value = [value] if level % 2 else {"a": "flat", "b": value}
    assert is_deep(value) is deep


def test_blocks_that_are_too_deep_to_be_kept_do_not_go_back_to_their_server() -> None:
    deep: JsonValue = 1
    for _ in range(300):
        deep = [deep]
    assert native("responses", "m", [{"type": "reasoning"}]) is not None
    assert native("responses", "m", [{"type": "reasoning"}, {"x": deep}]) is None


def test_a_desk_answers_the_same_whatever_the_order(tmp_path: Path) -> None:
    testing = world.World(lambda: 0, world.numbered("id"), world.numbered("s"), str(tmp_path), {}, True)
    desk = Desk(testing)
    request = wire.read(b'{"id":1,"method":"initialize","params":{"protocolVersion":1}}')
    assert isinstance(request, wire.Request)
    assert desk.answer(request) == desk.answer(request)


def test_the_light_files_run_on_any_module_order(tmp_path: Path) -> None:
    """Each file of the fast path can be imported first: no circle hides behind a lucky order."""
    for name in ("wire", "params", "desk", "store", "session", "stdio", "lines", "jsonrpc", "world", "models_table"):
        subprocess.run([sys.executable, "-c", f"import acp_server.{name}"], check=True, cwd=Path.cwd())
