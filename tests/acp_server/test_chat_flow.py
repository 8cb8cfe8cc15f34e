"""How text is laid out in the width of a terminal."""

from __future__ import annotations

import io

import pytest

from acp_server.chat_cards import block_lines
from acp_server.chat_flow import Flow, laid
from acp_server.chat_markdown import Prose
from acp_server.chat_screen import Screen
from acp_server.harmless import BOLD, PLAIN, columns, printable
from acp_server.terminal import Output

WORDS = "Each of these words is whole wherever the terminal ends."
URL = "https://example.org/a/very/long/path"


def plain(text: str, _code: str) -> str:
    return printable(text)


@pytest.mark.parametrize(
    ("line", "width", "rows"),
    [
        ("", 10, [""]),
        ("one two three", None, ["one two three"]),
        ("one two three", 13, ["one two three"]),
        ("one two three", 12, ["one two", "three"]),
        ("one two  ", 7, ["one two"]),
        ("日本 日本 x", 9, ["日本 日本", "x"]),
        ("日本語、漢字「仮名」x", 8, ["日本語、", "漢字「仮", "名」x"]),
        ("a\tb c", 10, ["a       b", "c"]),
    ],
)
def test_a_line_is_broken_at_spaces_by_the_columns_that_its_words_take(
    line: str, width: int | None, rows: list[str]
) -> None:
    assert laid(line, width) == rows


@pytest.mark.parametrize(
    ("line", "rows"),
    [
        ("- one two three", ["- one two", "  three"]),
        ("12. one two three", ["12. one", "    two", "    three"]),
        ("> one two three", ["> one two", "  three"]),
        ("  one two three", ["  one two", "  three"]),
        ("     one two", ["     one", "two"]),
    ],
)
def test_a_row_goes_on_below_the_text_of_its_item(line: str, rows: list[str]) -> None:
    assert laid(line, 9) == rows


def test_a_word_that_is_wider_than_the_terminal_stays_whole_on_a_row_of_its_own() -> None:
    assert laid(f"see {URL} or that", 20) == ["see", f"{URL} or", "that"]
    assert laid(URL, 20) == [URL]


def test_styles_take_no_columns() -> None:
    assert laid(f"{BOLD}one two{PLAIN} three", 7) == [f"{BOLD}one two{PLAIN}", "three"]


@pytest.mark.parametrize("size", [1, 50, 600])
def test_a_very_long_word_stays_one_word_when_it_comes_in_pieces(size: int) -> None:
    text, flow = f"key {'x' * 5_000} end", Flow(80)
    drawn = "".join(flow.feed(text[at : at + size]) for at in range(0, len(text), size)) + flow.end()
    assert drawn == f"key\n{'x' * 5_000} end"


def test_only_the_last_word_waits_for_more() -> None:
    flow = Flow(80)
    assert [flow.feed(piece) for piece in ("wo", "rd ", "and more")] == ["", "word", " and"]
    assert flow.end() == " more"


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize("width", [4, 9, 24])
def test_text_in_pieces_is_laid_out_as_the_whole_is(width: int, size: int) -> None:
    text = f"- {WORDS}\n\n日本語、漢字「仮名」\tx\n  **{WORDS}** [a](file:///a.md)\n```\n{WORDS}\n```\n{URL} ends"
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    whole, prose = Prose(plain, width), Prose(plain, width)
    drawn = "".join([*map(prose.feed, pieces), prose.end()])
    assert drawn == whole.feed(text) + whole.end()
    assert f"\n{WORDS}\n" in drawn
    assert "".join(drawn.split()) == "".join(text.replace("[a](file:///a.md)", "a(/a.md)").replace("**", "").split())


def test_texts_of_cards_are_broken_at_spaces_and_code_is_not() -> None:
    text = f"{WORDS}\n```\n{WORDS}\n```"
    rows = block_lines({"type": "content", "content": {"type": "text", "text": text}}, plain, 20)
    assert rows == [*laid(WORDS, 20), WORDS]


def test_all_that_a_narrow_terminal_shows_but_code_and_diffs_is_broken_at_spaces() -> None:
    stream = io.StringIO()
    screen = Screen(Output(stream, colour=True, width=24))
    diff = {"type": "diff", "path": "/n/a.md", "newText": WORDS}
    block = {"type": "content", "content": {"type": "text", "text": f"# Found {WORDS}\n\n{WORDS}"}}
    for update in (
        {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": WORDS}},
        {"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": WORDS}},
        {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": WORDS}},
        {"toolCallId": "c", "title": f"Found {WORDS}", "sessionUpdate": "tool_call", "status": "completed"}
        | {"content": [diff, block]},
    ):
        screen.update(update)
    screen.note(WORDS)
    shown = stream.getvalue()
    for code in {part.partition("m")[0] for part in shown.split("\x1b[")[1:]}:
        shown = shown.replace(f"\x1b[{code}m", "")
    too_wide = [row for row in shown.splitlines() if columns(row) > 24]
    assert too_wide == [f"  +{WORDS}"]
    assert " ".join(shown.split()).count(WORDS) == 7


def test_what_was_typed_in_several_lines_is_shown_again_as_one_prompt_apart_from_what_came_before() -> None:
    stream = io.StringIO()
    screen = Screen(Output(stream, colour=False, width=None))
    screen.note("Going on.")
    screen.update({"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "one\r\ntwo\rthree\n"}})
    screen.update({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "So."}})
    screen.apart()
    screen.note("Type.")
    assert stream.getvalue() == "Going on.\n\n> one\n  two␍three\nSo.\n\nType.\n"
