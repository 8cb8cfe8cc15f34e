"""What reaches a terminal: nothing that could command it."""

from __future__ import annotations

import io
import json

import pytest

from acp_server import markdown
from acp_server.harmless import BOLD, columns, fitting, json_text, one_line, printable
from acp_server.models import names
from acp_server.terminal import Output


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b]0;title\x07", "␛]0;title␇"),
        ("one\r\ntwo\rthree", "one\r\ntwo␍three"),
        ("\x7f\x9b2J", "␡⟨U+009B⟩2J"),
        ("safe\u202etxt.exe", "safe⟨U+202E⟩txt.exe"),
        ("日本 é 👩‍💻", "日本 é 👩‍💻"),
    ],
)
def test_control_characters_are_shown_and_nothing_else_is_touched(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize(
    ("character", "form"), [("\x1b", "␛"), ("\x7f", "␡"), ("\x9b", "⟨U+009B⟩"), ("\u202e", "⟨U+202E⟩")]
)
def test_a_control_character_has_one_form_on_a_terminal_in_cards_in_titles_and_in_sentences(
    character: str, form: str
) -> None:
    for shown in (printable, one_line, markdown.shown, markdown.one_line, markdown.escaped, markdown.note_markdown):
        assert shown(f"a{character}b").replace("\\", "") == f"a{form}b"
    assert markdown.plain_title(f"a{character}b") == names.shown(f"a{character}b") == f"a{form}b"


def test_json_carries_every_character_and_no_control() -> None:
    value = {"text": "\x1b\x9b\x7f\u202e\ud800 é"}
    text = json_text(value)
    assert json.loads(text) == value
    assert not set(text) & set("\x1b\x9b\x7f\u202e")


def test_styles_are_shown_only_where_they_are_wanted() -> None:
    assert Output(io.StringIO(), colour=False).style("a\x1b", BOLD) == "a␛"
    assert Output(io.StringIO(), colour=True).style("a", "") == "a"
    assert Output(io.StringIO(), colour=True).style("a\x1b", BOLD) == f"{BOLD}a␛\x1b[0m"


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("abc", 3, "abc"),
        ("abc", 2, "ab"),
        ("日本", 3, "日"),
        ("日本", 4, "日本"),
        ("e\u0301x", 1, "e\u0301"),
        ("a", 0, ""),
    ],
)
def test_a_text_is_cut_by_the_columns_that_it_takes(text: str, width: int, shown: str) -> None:
    assert fitting(text, width) == shown
    assert columns(shown) <= width


def drawn(width: int | None, *, colour: bool = False) -> tuple[io.StringIO, Output]:
    stream = io.StringIO()
    return stream, Output(stream, colour=colour, width=width)


@pytest.mark.parametrize(
    ("width", "shown"),
    [(None, "12  name  a\tb\n"), (13, "12  name  a b\n"), (12, "12  name  a…\n"), (8, "12  nam…\n"), (1, "…\n")],
)
def test_a_row_ends_where_the_terminal_does(width: int | None, shown: str) -> None:
    stream, out = drawn(width)
    out.row(("12  ", ""), ("name", BOLD), ("  a\tb", ""))
    assert stream.getvalue() == shown


def test_a_cut_row_keeps_its_styles_and_nothing_in_it_commands_the_terminal() -> None:
    stream, out = drawn(4, colour=True)
    out.row(("a\n\x1bbc", BOLD), ("d", ""))
    assert stream.getvalue() == f"{BOLD}a␊␛\x1b[0m…\n"


@pytest.mark.parametrize(("width", "lines"), [(None, ["  +abcdef"]), (6, ["  +abc", "  def"]), (9, ["  +abcdef"])])
def test_a_folded_line_goes_on_below_itself(width: int | None, lines: list[str]) -> None:
    stream, out = drawn(width)
    out.folded("+abcdef", 2)
    assert stream.getvalue().splitlines() == lines


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
