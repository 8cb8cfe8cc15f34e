"""How content blocks are drawn in a terminal."""

from __future__ import annotations

import pytest

from acp_server.chat_cards import MAX_TEXT_LINES, block_lines, diff_lines
from acp_server.chat_markdown import Prose, inline, place
from acp_server.harmless import printable
from acp_server.providers.interface import JsonValue


def plain(text: str, _code: str) -> str:
    return printable(text)


def test_a_message_that_ends_in_a_fence_leaves_the_next_one_outside_of_it() -> None:
    for ending in ("```", "never closed"):
        prose = Prose(plain)
        prose.feed(f"```\nrow\n{ending}")
        prose.end()
        assert prose.feed("[a](file:///b)\n") == "a (/b)\n"


def in_pieces(text: str, size: int) -> str:
    prose = Prose(plain, 40)
    return "".join(prose.feed(text[at : at + size]) for at in range(0, len(text), size)) + prose.end()


CODE = "f(**a, **b) and a long line of code that no terminal of forty columns breaks"


@pytest.mark.parametrize(
    "text",
    [
        f"   ```py\n   {CODE}\n   ```\n",
        f"~~~\n{CODE}\n~~~\n",
        f"> ```\n> {CODE}\n> ```\n",
        f"````\n```\n{CODE}\n`````  \n",
        f"> ~~~ sh\n> {CODE}\n",
    ],
)
@pytest.mark.parametrize("size", [1, 3, 1_000])
def test_code_stays_as_it_is_and_what_follows_its_fence_is_prose(text: str, size: int) -> None:
    shown = in_pieces(f"{text}It is **so**.\n", size)
    assert shown == f"{text}It is so.\n"


@pytest.mark.parametrize("size", [1, 2, 1_000])
def test_lines_that_end_in_a_return_and_a_newline_are_lines(size: int) -> None:
    shown = in_pieces("One.\r\n```\r\ncode\r\n```\r\nTwo \r **so**.\r\n", size)
    assert shown == "One.\n```\ncode\n```\nTwo ␍ so.\n"


@pytest.mark.parametrize("sign", ["[", "[a ", "**[", "[](", "`a ", "~"])
def test_a_long_line_of_signs_without_their_other_ones_is_drawn_as_it_is(sign: str) -> None:
    text = "x " + sign * 10_001
    assert inline(text, plain).count(sign[-1]) == text.count(sign[-1])
    assert Prose(plain).feed(text + "\n").count(sign[-1]) == text.count(sign[-1])


@pytest.mark.parametrize(
    ("old", "new", "rows"),
    [
        ("", "a\x0cb\rc\u2028d\n", ["+a␌b␍c⟨U+2028⟩d"]),
        ("x\n", "x", ["-x", "+x", "\\ No line end here"]),
        ("x\n", "x\r\n", ["-x", "+x␍"]),
        ("", "x", ["+x"]),
        ("x\n", "", ["-x"]),
    ],
)
def test_a_diff_shows_all_that_a_person_approves(old: str, new: str, rows: list[str]) -> None:
    assert diff_lines(old, new, plain) == rows


@pytest.mark.parametrize(
    ("uri", "shown"),
    [
        ("file:///notes/a.md", "/notes/a.md"),
        ("file:///notes/a%20b.md#L3:3", "/notes/a b.md:3"),
        ("https://example.org/#L3", "https://example.org/#L3"),
    ],
)
def test_an_address_is_shown_as_a_place(uri: str, shown: str) -> None:
    assert place(uri) == shown


def test_links_to_files_read_as_label_and_place_and_others_stay() -> None:
    text = "[a](file:///a.md#L1:1) and [b](https://b) and [c]"
    assert inline(text, plain) == "a (/a.md:1) and [b](https://b) and [c]"


def test_escapes_are_undone_but_in_code_and_bold_words_are_bold() -> None:
    def shown(text: str, code: str) -> str:
        return f"<{text}>" if code else text

    assert inline(r"2\*3 \[x\] `\*` **b\_c** C:\dir", shown) == r"2*3 [x] `\*` <b><_><c> C:\dir"


@pytest.mark.parametrize(
    ("block", "lines"),
    [
        (
            {"type": "content", "content": {"type": "text", "text": "```\n547+1 | x\n```\nend"}},
            ["547+1 | x", "end"],
        ),
        ({"type": "content", "content": {"type": "text", "text": "````text\n```\n````\n"}}, ["```"]),
        (
            {"type": "content", "content": {"type": "resource_link", "uri": "file:///n/a.md", "name": "a"}},
            ["→ /n/a.md"],
        ),
        (
            {"type": "diff", "path": "/n/a.md", "oldText": "a\nb\n", "newText": "a\nc\n"},
            ["/n/a.md", " a", "-b", "+c"],
        ),
        ({"type": "diff", "path": "/n/a.md", "newText": "c\n"}, ["/n/a.md", "+c"]),
        ({"type": "terminal", "terminalId": "t"}, []),
        ({"type": "content", "content": {"type": "text", "text": 5}}, []),
        ("nonsense", []),
        (None, []),
    ],
)
def test_a_block_is_drawn_as_lines(block: JsonValue, lines: list[str]) -> None:
    assert block_lines(block, plain) == lines


def test_a_long_text_is_cut_and_a_long_diff_never() -> None:
    text = "\n".join("x" * 3 for _ in range(MAX_TEXT_LINES + 7))
    drawn = block_lines({"type": "content", "content": {"type": "text", "text": text}}, plain)
    assert len(drawn) == MAX_TEXT_LINES + 1
    assert drawn[-1] == "… 7 more lines"
    assert len(block_lines({"type": "diff", "path": "p", "oldText": "", "newText": text}, plain)) == MAX_TEXT_LINES + 8


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize(
    "text",
    [
        "see [a-b.md](file:///n/a.md#L3:3), and [c](file:///c.md).",
        "a list [x] of [y] things [z",
        "[a](https://x) [b](file:///b b) [",
        "line one [open\nline two](file:///a.md) end",
        "**bold [a](file:///a.md)** and `code *` and \\*escaped\\* **open\nend",
        "text\n```sh\n[a](file:///a.md) \\* **x**\n```\n[a](file:///a.md)",
    ],
)
def test_prose_in_pieces_reads_as_the_whole_does(text: str, size: int) -> None:
    prose = Prose(plain)
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    whole = Prose(plain)
    assert "".join([*map(prose.feed, pieces), prose.end()]) == whole.feed(text + "\n").removesuffix("\n")
