"""What reaches a terminal: nothing that could command it."""

from __future__ import annotations

import io
import json

import pytest

from acp_server.harmless import BOLD, json_text, printable
from acp_server.terminal import Output


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b]0;title\x07", "␛]0;title␇"),
        ("one\r\ntwo\rthree", "one\r\ntwo␍three"),
        ("\x7f\x9b2J", "␡\\u009b2J"),
        ("safe\u202etxt.exe", "safe\\u202etxt.exe"),
        ("日本 é 👩‍💻", "日本 é 👩‍💻"),
    ],
)
def test_control_characters_are_shown_and_nothing_else_is_touched(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_json_carries_every_character_and_no_control() -> None:
    value = {"text": "\x1b\x9b\x7f\u202e\ud800 é"}
    text = json_text(value)
    assert json.loads(text) == value
    assert not set(text) & set("\x1b\x9b\x7f\u202e")


def test_styles_are_shown_only_where_they_are_wanted() -> None:
    assert Output(io.StringIO(), colour=False).style("a\x1b", BOLD) == "a␛"
    assert Output(io.StringIO(), colour=True).style("a", "") == "a"
    assert Output(io.StringIO(), colour=True).style("a\x1b", BOLD) == f"{BOLD}a␛\x1b[0m"


@pytest.mark.parametrize("before", ["text", "text\n", "text\n\n"])
def test_an_empty_line_is_written_only_where_none_stands(before: str) -> None:
    stream = io.StringIO()
    out = Output(stream, colour=False)
    out.send(before)
    out.empty_line()
    assert stream.getvalue() == "text\n\n"


def test_a_fresh_line_begins_only_where_one_is_needed() -> None:
    stream = io.StringIO()
    out = Output(stream, colour=False)
    out.fresh_line()
    out.write("text")
    out.fresh_line()
    out.fresh_line()
    assert stream.getvalue() == "text\n"
