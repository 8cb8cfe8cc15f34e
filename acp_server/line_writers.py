"""Who writes the text of a line: one interface, and the embedded summarizer behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from memory_core.results import Pending

EMBEDDED = "embedded/extractive"

Summarize = Callable[[Sequence[str]], str]
"""Folds texts into one line of at most 512 bytes."""


class NotWritten(Exception):
    """A line that a model didn't write; `tokens` is what trying took (uncached)."""

    def __init__(self, sentence: str = "", *, tokens: int = 0) -> None:
        super().__init__(sentence)
        self.tokens = tokens


class PassingFault(NotWritten):
    """The line couldn't be written now: a rate limit, an overload, a time-out, a lost connection."""


class Refused(NotWritten):
    """The model refused the line or answered nothing."""


class Unavailable(NotWritten):
    """The model can't be asked as it is bound (a wrong key, no such model): the text is a sentence that says why."""


@dataclass(frozen=True, slots=True)
class Written:
    """A line's text with the model that wrote it, whether it was cut to fit, and the tokens it cost (uncached)."""

    text: str
    model: str
    cut: bool = False
    tokens: int = 0


class LineWriter(Protocol):
    """Writes lines."""

    @property
    def at_once(self) -> int:
        """How many lines a worker takes at a time."""
        ...

    @property
    def workers(self) -> int:
        """How many workers of a process write for one project, at most two."""
        ...

    @property
    def reads_context(self) -> bool:
        """Whether the view's lines before the line are wanted."""
        ...

    async def write(self, line: Pending, context: Sequence[str]) -> Written:
        """The line's text, at most 512 bytes. Raises PassingFault, Refused, Unavailable."""
        ...


class EmbeddedWriter:
    """The embedded summarizer: no model, no network; it never fails."""

    at_once = 8
    workers = 1
    reads_context = False

    def __init__(self, summarize: Summarize) -> None:
        """`summarize` is the rule that folds texts."""
        self._summarize = summarize

    async def write(self, line: Pending, context: Sequence[str]) -> Written:  # noqa: ARG002 -- reads none
        """The line's text."""
        return Written(self._summarize(line.halves), EMBEDDED)
