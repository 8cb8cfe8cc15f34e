"""Standard output and standard error: UTF-8 whatever the locale, styles where they show."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from acp_server.harmless import PLAIN, columns, fitting, json_text, one_line, printable


class OutputFault(Exception):
    """Standard output can't be written: its reader is gone (`closed`), or `reason` in the system's words."""

    def __init__(self, reason: str, *, closed: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.closed = closed


@contextmanager
def _faults_of_output() -> Iterator[None]:
    """Map what writing raises."""
    try:
        yield
    except OSError as error:
        closed = isinstance(error, BrokenPipeError)
        raise OutputFault(error.strerror or type(error).__name__, closed=closed) from error


class Output:
    """Standard output for people and programs: always UTF-8, whatever the locale; styled on a terminal only.

    A lone surrogate comes out as its escape, which is right in JSON too. `NO_COLOR` turns styles off. `width` is the
    terminal's in columns, None where there is none: rows are whole for programs.
    """

    def __init__(self, stream: IO[str], *, colour: bool, width: int | None = None) -> None:
        self._stream = stream
        self.colour = colour
        self.width = width
        self._fresh = self._empty = True

    def style(self, text: str, code: str) -> str:
        """`text` made harmless, in a style where styles are shown; an empty `code` is no style."""
        safe = printable(text)
        return f"{code}{safe}{PLAIN}" if self.colour and code and safe else safe

    def send(self, text: str) -> None:
        """Write `text` as it is; it was made harmless before, or is meant for a program."""
        if text:
            with _faults_of_output():
                self._stream.write(text)
            self._empty = text.endswith("\n\n") or (self._fresh and text == "\n")
            self._fresh = text.endswith("\n")

    def write(self, text: str) -> None:
        """Write text of any origin, made harmless."""
        self.send(printable(text))

    def line(self, text: str = "") -> None:
        """Write one line of text that is harmless already."""
        self.send(text + "\n")

    def row(self, *pieces: tuple[str, str]) -> None:
        """Write one line of pieces of any origin, each with its style ("" for none); cut where the terminal ends."""
        if self.width is None:
            self.line("".join(self.style(text, code) for text, code in pieces).rstrip())
            return
        texts = [one_line(text.replace("\t", " ")) for text, _ in pieces]
        whole = columns("".join(texts).rstrip()) <= self.width
        left, shown = self.width - (not whole), ""
        for text, (_, code) in zip(texts, pieces, strict=True):
            fits = fitting(text, left)
            left -= columns(fits)
            shown += self.style(fits, code)
            if fits != text:
                break
        self.line(shown.rstrip() if whole else f"{shown}…")

    def folded(self, text: str, indent: int) -> None:
        """Write a line of text of any origin after `indent` blanks; where the terminal ends it goes on below itself."""
        rest, margin = printable(text), " " * indent
        while self.width is not None and (rest := rest.expandtabs()):
            part = fitting(rest, max(self.width - indent, 2))
            if part == rest:
                break
            self.line(margin + part)
            rest = rest[len(part) :]
        self.line(margin + rest)

    def fresh_line(self) -> None:
        """Begin a new line where the last one isn't ended."""
        if not self._fresh:
            self.send("\n")

    def empty_line(self) -> None:
        """One empty line after what was written, where none stands there already."""
        self.fresh_line()
        if not self._empty:
            self.send("\n")

    def json(self, value: object) -> None:
        """Write one JSON value on a line of its own."""
        self.send(json_text(value) + "\n")

    def flush(self) -> None:
        """Hand on what was written."""
        with _faults_of_output():
            self._stream.flush()


def make_utf8(stream: IO[str] | None) -> None:
    """Make a standard stream speak UTF-8, so that no locale can make printing fail."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def is_dumb() -> bool:
    """Whether the terminal says that it knows no escape sequences."""
    return os.environ.get("TERM") == "dumb"


def wants_colour(stream: IO[str]) -> bool:
    """Whether styles are shown: on a terminal that isn't dumb, unless `NO_COLOR` is set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and not is_dumb()


def standard_output() -> Output:
    """The writer for this process's standard output; a closed one is replaced by nothing."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - lives as long as the process
    make_utf8(sys.stdout)
    return Output(sys.stdout, colour=wants_colour(sys.stdout), width=_width(sys.stdout))


def _width(stream: IO[str]) -> int | None:
    """The columns of the terminal that a stream leads to; None for another thing, or a terminal that doesn't know."""
    try:
        return (os.get_terminal_size(stream.fileno()).columns or None) if stream.isatty() else None
    except OSError:
        return None


def complain(sentence: str) -> None:
    """Write one plain sentence to standard error."""
    if sys.stderr is not None:
        make_utf8(sys.stderr)
        sys.stderr.write(printable(sentence) + "\n")
        sys.stderr.flush()


def discard_output() -> None:
    """Point standard output at nothing, so that the end of the process doesn't complain of a closed pipe."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)
