"""Cards as lines of text: what the protocol's content blocks look like in a terminal. Pure.

`Style` gives a text its style and makes it harmless; where styles are off it only makes it harmless.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator
from urllib.parse import unquote

from acp_server.providers.interface import JsonObject, JsonValue
from acp_server.sentences import chat as say
from acp_server.terminal import BOLD, CYAN, DIM, GREEN, RED

Style = Callable[[str, str], str]

MAX_TEXT_LINES = 60
"""Lines of one text block that are drawn; a diff is always drawn whole, since a person decides on it."""

_LINK = re.compile(r"\[((?:[^\]\\\n]|\\.)*)\]\((file://[^)\s]*)\)")
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_FENCE = re.compile(r"(`{3,})[\w-]*")
_PLACE = re.compile(r"#L(\d+)(?::\d+)?$")
_DIFF_STYLE = {"+": GREEN, "-": RED, "@": CYAN}


def place(uri: str) -> str:
    """A `file://` address as a path, `:line` after it where it names one; any other address as it is."""
    if not uri.startswith("file://"):
        return uri
    path = unquote(_PLACE.sub("", uri).removeprefix("file://"))
    line = _PLACE.search(uri)
    return path if line is None else f"{path}:{line[1]}"


def links(text: str) -> str:
    """Links to files as `label (path:line)`."""
    return _LINK.sub(lambda match: f"{match[1]} ({place(match[2])})", text)


def _markdown_line(line: str, style: Style, plain: str) -> str:
    """One line of Markdown: links readable, bold words bold."""
    pieces = _BOLD.split(links(line))
    shown = [style(piece, BOLD if odd else plain) for piece, odd in zip(pieces, _alternate(), strict=False)]
    return "".join(shown)


def _alternate() -> Iterator[bool]:
    while True:
        yield False
        yield True


def _unfenced(lines: list[str]) -> Iterator[tuple[str, bool]]:
    """Each line without the fences themselves, and whether it stood between fences."""
    fence: str | None = None
    for line in lines:
        opened = _FENCE.fullmatch(line) if fence is None else None
        if opened is not None:
            fence = opened[1]
        elif line == fence:
            fence = None
        else:
            yield line, fence is not None


def text_lines(text: str, style: Style, *, bold: bool = True) -> list[str]:
    """A text block: Markdown made readable, at most `MAX_TEXT_LINES` lines of it."""
    rows = list(_unfenced(text.rstrip("\n").split("\n")))
    drawn = [
        style(row, "") if fenced or not bold else _markdown_line(row, style, "")
        for row, fenced in rows[:MAX_TEXT_LINES]
    ]
    left = len(rows) - len(drawn)
    return drawn if left <= 0 else [*drawn, style(say.more_lines(left), DIM)]


def diff_lines(old: str, new: str, style: Style) -> list[str]:
    """A diff with three lines of context, whole."""
    rows = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="")
    return [style(row, _DIFF_STYLE.get(row[:1], "")) for row in list(rows)[2:] if not row.startswith("@@")]


def _text(block: JsonObject, style: Style, key: str) -> list[str]:
    value = block.get(key)
    return text_lines(value, style) if isinstance(value, str) else []


def _resource_link(block: JsonObject, style: Style) -> list[str]:
    return [style(f"→ {place(str(block.get('uri', '')))}", CYAN)]


def _diff(block: JsonObject, style: Style) -> list[str]:
    old, new = block.get("oldText"), block.get("newText")
    rows = diff_lines(old if isinstance(old, str) else "", new if isinstance(new, str) else "", style)
    return [style(str(block.get("path", "")), CYAN), *rows]


_BLOCKS: dict[str, Callable[[JsonObject, Style], list[str]]] = {
    "text": lambda block, style: _text(block, style, "text"),
    "resource_link": _resource_link,
    "diff": _diff,
}


def block_lines(block: JsonValue, style: Style) -> list[str]:
    """One item of a card's content; kinds that a terminal can't show give nothing."""
    if not isinstance(block, dict):
        return []
    inner = block.get("content") if block.get("type") == "content" else block
    if not isinstance(inner, dict):
        return []
    draw = _BLOCKS.get(str(inner.get("type")))
    return [] if draw is None else draw(inner, style)


class Prose:
    """Text that comes in pieces: a link that isn't whole yet waits for its rest, up to `HELD_CHARACTERS`."""

    HELD_CHARACTERS = 4096

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """What can be shown now."""
        text = self._held + piece
        start = text.rfind("[")
        open_link = start >= 0 and re.fullmatch(r"\[[^\n]*", text[start:]) and not _LINK.match(text, start)
        closed = open_link and re.match(r"\[[^\]]*\](?!\(|$)|\[[^\]]*\]\([^)]*\)", text[start:])
        if open_link and not closed and len(text) - start < self.HELD_CHARACTERS:
            self._held = text[start:]
            return links(text[:start])
        self._held = ""
        return links(text)

    def end(self) -> str:
        """What was still held."""
        held, self._held = self._held, ""
        return links(held)
