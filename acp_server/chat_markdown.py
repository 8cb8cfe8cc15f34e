"""Markdown as a terminal shows it: links as places, bold words bold, escapes gone, rows broken at spaces where the
terminal's `width` in columns is given; fenced text stays. Pure.

`Style` gives a text its style and makes it harmless; where styles are off it only makes it harmless.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from urllib.parse import unquote

from acp_server.chat_fences import Fences
from acp_server.chat_flow import Flow, laid
from acp_server.harmless import BOLD

Style = Callable[[str, str], str]

_WHOLE = (
    r"\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|(?P<code>(?<!`)(?P<ticks>`+)(?!`)[^\n]{0,2000}?(?<!`)(?P=ticks)(?!`))"
    r"|\[(?P<label>(?:[^\[\]\\\n]|\\.){0,2000})\]\((?P<uri>[^()\s]{0,4000})\)"
    r"|\*\*(?P<bold>[^\n]{1,2000}?)\*\*"
)
"""What is longer is text like any other: without an end each sign would look for its other one to the line's end."""
_UNFINISHED = (
    r"(?P<unfinished>\\\Z|`[^\n]*\Z|\*\Z|\*\*[^\n]*\Z"
    r"|\[(?:[^\[\]\\\n]|\\.)*(?:\\?\Z|\](?:\Z|\([^()\s]*\Z)))"
)
_INLINE = re.compile(_WHOLE)
_STREAMED = re.compile(f"{_WHOLE}|{_UNFINISHED}")
_PLACE = re.compile(r"#L(\d+)(?::\d+)?$")


def place(uri: str) -> str:
    """A `file://` address as a path, `:line` after it where it names one; any other address as it is."""
    if not uri.startswith("file://"):
        return uri
    path = unquote(_PLACE.sub("", uri).removeprefix("file://"))
    line = _PLACE.search(uri)
    return path if line is None else f"{path}:{line[1]}"


def inline(text: str, style: Style, code: str = "") -> str:
    """One line of Markdown, harmless and readable; `code` is the style of its plain words."""
    pieces, done = [], 0
    for token in _INLINE.finditer(text):
        pieces += [style(text[done : token.start()], code), _token(token, style, code)]
        done = token.end()
    return "".join([*pieces, style(text[done:], code)])


def _token(token: re.Match[str], style: Style, code: str) -> str:
    if token["escaped"] is not None:
        return style(token["escaped"], code)
    if token["bold"] is not None:
        return inline(token["bold"], style, BOLD)
    if token["uri"] is None or not token["uri"].startswith("file://"):
        return style(token[0], code)
    return f"{inline(token['label'], style, code)} ({style(place(token['uri']), '')})"


def lines(text: str, style: Style, width: int | None = None) -> Iterator[str]:
    """The rows of a whole text, the fences themselves left out."""
    fences = Fences()
    for line in text.replace("\r\n", "\n").split("\n"):
        if not fences.take(line):
            yield from [style(line, "")] if fences.inside else laid(inline(line, style), width)


class Prose:
    """Text that comes in pieces: what isn't whole yet (a link, bold words, a word) waits for more or the line end.

    `HELD_CHARACTERS` is the most that waits.
    """

    HELD_CHARACTERS = 4096

    def __init__(self, style: Style, width: int | None = None) -> None:
        self._style = style
        self._flow = Flow(width)
        self._fences = Fences()
        self._held = self._return = ""
        self._whole_line = True

    def feed(self, piece: str) -> str:
        """What can be shown now."""
        piece = (self._return + piece).replace("\r\n", "\n")
        self._return = "\r" if piece.endswith("\r") else ""
        *ended, last = (self._held + piece.removesuffix("\r")).split("\n")
        shown = [self._rest_of_line(line) for line in ended]
        settled = self._settled(last)
        if self._whole_line and settled:
            self._fences.begin(last)
        self._held = last[settled:]
        self._whole_line = self._whole_line and settled == 0
        return "".join([*shown, self._draw(last[:settled])])

    def end(self) -> str:
        """What was still held; a message that comes after it begins outside of any fence."""
        held, self._held, self._return, self._whole_line = self._held + self._return, "", "", True
        drawn = self._draw(held) + self._flow.end()
        self._fences = Fences()
        return drawn

    def _rest_of_line(self, line: str) -> str:
        """A line to its end; a fence is shown as it is."""
        is_fence = self._whole_line and self._fences.take(line)
        self._whole_line = True
        if is_fence or self._fences.inside:
            return self._style(line, "") + "\n"
        return self._flow.feed(inline(line, self._style) + "\n")

    def _draw(self, text: str) -> str:
        if self._fences.inside:
            return self._style(text, "")
        return self._flow.feed(inline(text, self._style))

    def _settled(self, text: str) -> int:
        """How many characters of an unfinished line can be shown already."""
        if self._whole_line and len(text) <= self.HELD_CHARACTERS and self._fences.may_be(text):
            return 0
        if self._fences.inside:
            return len(text)
        waits = next((token for token in _STREAMED.finditer(text) if token["unfinished"] is not None), None)
        if waits is None or len(text) - waits.start() > self.HELD_CHARACTERS:
            return len(text)
        return waits.start()
