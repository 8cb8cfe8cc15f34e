"""Texts of notes in cards: data that can't break what it stands in."""

from __future__ import annotations

import re

import pytest

from acp_server.links import file_uri
from acp_server.markdown import escaped, fenced, marked, note_markdown, plain_title, shown


@pytest.mark.parametrize("length", range(1, 12))
def test_a_fence_is_longer_than_any_run_of_backticks(length: int) -> None:
    text = fenced("a\n" + "`" * length + "\nb")
    fence = text.split("\n")[0]
    assert text.endswith("\n" + fence)
    assert len(fence) >= 3
    assert not re.search(f"{fence}", text[len(fence) : -len(fence)])


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("a\x1b[31mred", "a␛[31mred"),
        ("nul\0del\x7f", "nul␀del␡"),
        ("a\r\nb\rc\u2028d", "a\nb\nc\nd"),
        ("tab\tstays", "tab\tstays"),
        ("\u202eevil\u202c", "⟨U+202E⟩evil⟨U+202C⟩"),
        ("\u2066x\u2069", "⟨U+2066⟩x⟨U+2069⟩"),
        ("\x9b1m", "⟨U+009B⟩1m"),
        ("\ud800", "\ufffd"),
        ("👩‍💻 ❤️", "👩‍💻 ❤️"),
    ],
)
def test_control_characters_are_shown_and_not_sent(text: str, right: str) -> None:
    assert shown(text) == right


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("plain words", "plain words"),
        ("snake_case stays", "snake_case stays"),
        ("_em_ **b** `c`", r"\_em\_ \*\*b\*\* \`c\`"),
        ("<script>", r"\<script\>"),
        ("[x](http://y)", r"\[x\](http://y)"),
        ("# no heading", r"\# no heading"),
        ("- no list", r"\- no list"),
        ("1. no list", r"1\. no list"),
        ("a | b", r"a \| b"),
        ("two\nlines", "two lines"),
    ],
)
def test_escaped_text_reads_as_it_is(text: str, right: str) -> None:
    assert escaped(text) == right


@pytest.mark.parametrize(
    ("line", "marks", "right"),
    [
        ("We retry twice", [(3, 8)], "We **retry** twice"),
        ("getUserById", [(3, 7), (7, 9)], "get**UserBy**Id"),
        ("a 承認フロー", [(2, 4)], "a **承認**フロー"),
        ("*retry*", [(1, 6)], r"\***retry**\*"),
        ("retry", [(0, 5), (2, 4)], "**retry**"),
        ("(retry) now", [(0, 7)], "(**retry**) now"),
        ("- retry", [(2, 7)], r"\- **retry**"),
        ("a  b", [(1, 3)], "a  b"),
        ("cut", [(0, 99)], "**cut**"),
        ("x<b>retry</b>", [(4, 9)], r"x\<b\>**retry**\</b\>"),
        ("", [], ""),
    ],
)
def test_marks_are_bold_and_break_nothing(line: str, marks: list[tuple[int, int]], right: str) -> None:
    assert marked(line, marks) == right


@pytest.mark.parametrize(
    ("note", "right"),
    [
        ("# A\n\ntext", "# A\n\ntext"),
        ("<details><script>x</script>", r"\<details>\<script>x\</script>"),
        ("</details>", r"\</details>"),
        ("a < b", "a < b"),
        ("`<b>` and <b>", "`<\u2060b>` and \\<b>"),
        ("```html\n<b>\n```\n<b>", "```html\n<b>\n```\n\\<b>"),
        ("```\nopen", "```\nopen\n```"),
        ("~~~~\n```\n~~~~~", "~~~~\n```\n~~~~~"),
        ("``````````\nx\n```\n", "``````````\nx\n```\n\n``````````"),
        ("- a\n  ```\n<b>", "- a\n  ```\n<\u2060b>\n```"),
        ("``` not a `fence`\n<b>", "``` not a `fence`\n\\<b>"),
    ],
)
def test_a_note_stays_markdown_without_live_html(note: str, right: str) -> None:
    assert note_markdown(note) == right


def test_a_span_over_two_lines_hides_no_html() -> None:
    assert "<script>" not in note_markdown("a ` b\n` <script> `")


@pytest.mark.parametrize(
    ("title", "right"),
    [
        ("Search memory for foo: **bar**", "Search memory for foo bar"),
        ("Read `a`\nb", "Read 'a' b"),
        ("Read __init__.md", "Read _init_.md"),
        ("Found <script>", "Found ‹script›"),
    ],
)
def test_titles_are_one_plain_line_without_colon(title: str, right: str) -> None:
    assert plain_title(title) == right


def test_a_long_title_is_cut_after_a_word() -> None:
    title = plain_title("Search memory for " + "words " * 40)
    assert len(title) <= 80
    assert title.endswith("words…")


@pytest.mark.parametrize(
    ("path", "line", "right"),
    [
        ("/n/a b.md", 3, "file:///n/a%20b.md#L3:3"),
        ("/n/a#b%c(d).md", None, "file:///n/a%23b%25c%28d%29.md"),
        ("/n/承認.md", 0, "file:///n/%E6%89%BF%E8%AA%8D.md#L1:1"),
        ("C:\\n\\a b.md", 2, "file:///C:/n/a%20b.md#L2:2"),
    ],
)
def test_links_are_quoted_and_count_lines_from_one(path: str, line: int | None, right: str) -> None:
    assert file_uri(path, line) == right


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("![x](https://example.org/x.png)", "!\\[x](https://example.org/x.png)"),
        ("see ![x][1] and [y](z)", "see !\\[x][1] and [y](z)"),
        ("`![x](y)` ![x](y)", "`![x](y)` !\\[x](y)"),
        ("```\n![x](y)\n```", "```\n![x](y)\n```"),
    ],
)
def test_a_note_makes_no_editor_fetch_an_image(text: str, right: str) -> None:
    assert note_markdown(text) == right
