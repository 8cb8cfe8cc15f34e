"""Fences around code in Markdown, line by line: of backticks or tildes, behind blanks or in a quotation. Pure."""

from __future__ import annotations

import re

_OPENS = re.compile(r"(?P<before>[ \t>]*)(?P<fence>`{3,}(?=[^`]*\Z)|~{3,}).*")
_CLOSES = re.compile(r"[ \t>]*(?P<fence>`{3,}|~{3,})[ \t]*")
_MAY_OPEN = re.compile(r"[ \t>]*(?:`{0,2}|`{3,}[^`]*|~{0,2}|~{3,}.*)")
_MAY_CLOSE = re.compile(r"[ \t>]*(?:`*|~*)[ \t]*")


class Fences:
    """Follows fences through lines without their ends."""

    def __init__(self) -> None:
        self._fence: str | None = None
        self._quoted = False

    @property
    def inside(self) -> bool:
        """Whether what comes next is code, for all that is known."""
        return self._fence is not None

    def begin(self, line: str) -> None:
        """A line begins so, with more than blanks: code in a quotation ends where the quotation does."""
        if self._quoted and line.strip() and not line.lstrip().startswith(">"):
            self._fence, self._quoted = None, False

    def take(self, line: str) -> bool:
        """Whether this whole line is a fence itself; `inside` changes with it."""
        self.begin(line)
        if self._fence is None:
            opened = _OPENS.fullmatch(line)
            if opened is not None:
                self._fence, self._quoted = opened["fence"], ">" in opened["before"]
            return opened is not None
        closed = _CLOSES.fullmatch(line)
        if closed is None or not closed["fence"].startswith(self._fence):
            return False
        self._fence, self._quoted = None, False
        return True

    def may_be(self, line: str) -> bool:
        """Whether a line that begins so may turn out to be a fence."""
        return (_MAY_OPEN if self._fence is None or self._quoted else _MAY_CLOSE).fullmatch(line) is not None
