"""Cards as lines of text: what the protocol's content blocks look like in a terminal. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Callable

from acp_server import chat_markdown
from acp_server.chat_markdown import Style, place
from acp_server.harmless import CYAN, DIM, GREEN, RED
from acp_server.providers.interface import JsonObject, JsonValue
from acp_server.sentences import chat as say

MAX_TEXT_LINES = 60
"""Lines of one text block that are drawn; a diff is always drawn whole, since a person decides on it."""

_DIFF_STYLE = {"+": GREEN, "-": RED}


def text_lines(text: str, style: Style, width: int | None = None) -> list[str]:
    """A text block: Markdown made readable, at most `MAX_TEXT_LINES` rows of `width` columns."""
    rows = list(chat_markdown.lines(text.rstrip("\n"), style, width))
    left = len(rows) - MAX_TEXT_LINES
    return rows if left <= 0 else [*rows[:MAX_TEXT_LINES], style(say.more_lines(left), DIM)]


def diff_lines(old: str, new: str, style: Style) -> list[str]:
    """A diff with three lines of context, whole: where only the end of the last line differs, that is told as well."""
    told = bool(old) and bool(new) and old.endswith("\n") != new.endswith("\n")
    rows = list(difflib.unified_diff(_rows(old, told), _rows(new, told), lineterm=""))[2:]
    return [
        style(part, _DIFF_STYLE.get(row[:1], ""))
        for row in rows
        if not row.startswith("@@")
        for part in row.split("\n")
    ]


def _rows(text: str, told: bool) -> list[str]:
    """The lines of a text, which only `\\n` ends; the last one, where it isn't ended, says so if that is to be told."""
    rows = text.split("\n")
    if not rows[-1]:
        rows.pop()
    elif told:
        rows[-1] += f"\n\\ {say.NO_LINE_END}"
    return rows


def _text(block: JsonObject, style: Style, width: int | None) -> list[str]:
    value = block.get("text")
    return text_lines(value, style, width) if isinstance(value, str) else []


def _resource_link(block: JsonObject, style: Style, _width: int | None) -> list[str]:
    return [style(f"→ {place(str(block.get('uri', '')))}", CYAN)]


def _diff(block: JsonObject, style: Style, _width: int | None) -> list[str]:
    old, new = block.get("oldText"), block.get("newText")
    rows = diff_lines(old if isinstance(old, str) else "", new if isinstance(new, str) else "", style)
    return [style(str(block.get("path", "")), CYAN), *rows]


_BLOCKS: dict[str, Callable[[JsonObject, Style, int | None], list[str]]] = {
    "text": _text,
    "resource_link": _resource_link,
    "diff": _diff,
}


def block_lines(block: JsonValue, style: Style, width: int | None = None) -> list[str]:
    """One item of a card's content, its texts in rows of `width` columns; kinds that a terminal can't show give
    nothing.
    """
    if not isinstance(block, dict):
        return []
    inner = block.get("content") if block.get("type") == "content" else block
    if not isinstance(inner, dict):
        return []
    draw = _BLOCKS.get(str(inner.get("type")))
    return [] if draw is None else draw(inner, style, width)
