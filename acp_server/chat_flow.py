"""Text laid out in the width of a terminal: rows are broken at spaces, and go on below their own beginning. Pure.

Rules
1. Text comes in pieces and may hold style codes, which take no columns. Only the last word of a line that isn't ended
   waits for more, `HELD_CHARACTERS` at most: it may grow too long for its row. What follows a word that no longer waits
   is still that word.
2. A word is never broken here. One that is wider than the terminal, such as an address, begins a row of its own and is
   left to the terminal, which knows then that its rows are one line.
3. Chinese and Japanese have no spaces: each of their letters is a word, with the punctuation that belongs to it.
"""

from __future__ import annotations

import re

from acp_server.harmless import columns

_OPENING, _CLOSING = "「『（【《〈〔", "、。，．！？：；」』）】》〉〕ー々\u3099\u309a"
_LETTER = "\u3041-\u3096\u30a1-\u30fa\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_BREAK = re.compile(
    r"(?<=[^ \t])(?=[ \t])"
    rf"|(?<=[{_LETTER}{_CLOSING}])(?=[^ \t{_CLOSING}\x1b])"
    rf"|(?<=[^ \t{_OPENING}])(?=[{_OPENING}{_LETTER}])"
)
"""Between two words: before blanks, and around each Chinese or Japanese letter."""
_CODES = re.compile(r"\x1b\[\d*m")
_MARK = re.compile(r"[-*+•●○>]|\d{1,3}[.)]")
"""What stands before the text of an item; its rows go on below the text."""

HELD_CHARACTERS = 512

_TAB = 8


class Flow:
    """Lays out text that comes in pieces; `width` in columns, None where rows have no end."""

    def __init__(self, width: int | None) -> None:
        self._width = width
        self._held = ""
        self._begin()

    def feed(self, piece: str) -> str:
        """What can be shown now."""
        if self._width is None:
            return piece
        *ended, last = (self._held + piece).split("\n")
        rows = [self._to_the_end(line, self._width) + "\n" for line in ended]
        words = _words(last)
        self._held = words.pop() if words and len(words[-1]) <= HELD_CHARACTERS else ""
        drawn = "".join([*rows, *(self._put(word, self._width) for word in words)])
        if words:
            self._goes_on = not self._held
        return drawn

    def end(self) -> str:
        """What was still held; what comes next begins a line."""
        held, self._held = self._held, ""
        return held if self._width is None else self._to_the_end(held, self._width)

    def _begin(self) -> None:
        self._column = 0
        self._goes_on = False
        """Whether the word that was shown last may not be over."""
        self._indent: int | None = None
        """Where further rows of this line begin; None before its first word."""

    def _to_the_end(self, line: str, width: int) -> str:
        drawn = "".join([self._put(word, width) for word in _words(line)])
        self._begin()
        return drawn

    def _put(self, piece: str, width: int) -> str:
        """A word with the blanks before it, or on a row of its own."""
        word = piece.lstrip(" \t")
        goes_on, self._goes_on = self._goes_on and word == piece, False
        blanks = _expanded(piece[: len(piece) - len(word)], self._column)
        plain = _CODES.sub("", word)
        start, size = self._column + len(blanks), columns(plain)
        if not plain and start > width:
            self._column = width
            return word
        if goes_on or self._indent is None or start <= self._indent or start + size <= width:
            before = blanks
        else:
            start, before = self._indent, "\n" + " " * self._indent
        self._column = start + size if start + size <= width else (start + size) % width or width
        if self._indent is None and plain:
            indent = start + size + 1 if _MARK.fullmatch(plain) else start
            self._indent = indent if indent <= width // 2 else 0
        return before + word


def laid(line: str, width: int | None) -> list[str]:
    """One line as the rows that show it."""
    flow = Flow(width)
    return (flow.feed(line) + flow.end()).split("\n")


def _words(text: str) -> list[str]:
    """The words, each with the blanks before it; the last may be blanks alone."""
    return _BREAK.split(text) if text else []


def _expanded(blanks: str, column: int) -> str:
    """Blanks that begin at a column, tabs as spaces."""
    past = column % _TAB
    return (" " * past + blanks).expandtabs(_TAB)[past:]
