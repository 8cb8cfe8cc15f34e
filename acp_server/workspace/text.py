"""Part of a text file as lines: bounded in lines, bytes and the length of each, whatever the file is. Pure but
for reading.

Text is UTF-8, or UTF-16 where a byte order mark says so; bytes that are neither are shown as U+FFFD. What holds a zero
byte in its first part is binary. Lines end with LF or CRLF.
"""

from __future__ import annotations

import codecs
import io
import os
from dataclasses import dataclass, replace
from typing import BinaryIO, Protocol

MAX_LINES = 2_000
MAX_BYTES = 48 * 1024
"""Of UTF-8 in the lines of one part: a result stays below the limit of every tool's."""
MAX_LINE_CHARACTERS = 2_000
COUNTED_BYTES = 16 * 1024 * 1024
"""The lines of a larger file are not counted to its end."""
DECODED_BYTES = 8 * 1024 * 1024
"""A file in UTF-16 is decoded up to here."""
PROBED_BYTES = 8 * 1024
CHUNK_BYTES = 1024 * 1024

_BOMS = ((codecs.BOM_UTF8, ""), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class Stop(Protocol):
    """Whether to go on."""

    def is_set(self) -> bool:
        """Whether nobody waits any more."""
        ...


class Stopped(Exception):
    """Nobody waits for the text any more."""


@dataclass(frozen=True, slots=True)
class Window:
    """Lines from `first` (1-based) on. `total` is the number of the file's lines, None where it was not counted; `size`
    is in bytes; `more` says whether lines follow; `encoding` is "" for UTF-8.
    """

    lines: tuple[str, ...]
    first: int
    total: int | None
    size: int
    more: bool
    encoding: str = ""
    bom: bool = False
    crlf: bool = False
    odd: bool = False
    cut: bool = False

    @property
    def last(self) -> int:
        """The number of the last line."""
        return self.first + len(self.lines) - 1


def is_binary(head: bytes) -> bool:
    """Whether a file that begins like this holds no text."""
    return b"\0" in head and not head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


def window_of_file(descriptor: int, first: int, limit: int, stop: Stop) -> Window | None:
    """Lines of an open file, None where it is binary. Takes the descriptor over. Raises OSError, Stopped."""
    with os.fdopen(descriptor, "rb") as stream:
        return _window(stream, os.fstat(stream.fileno()).st_size, first, limit, stop)


def window_of_text(text: str, first: int, limit: int, stop: Stop) -> Window:
    """Lines of a text that is at hand."""
    data = text.encode("utf-8", "replace")
    return _lines(io.BytesIO(data), len(data), first, limit, stop)


def _window(stream: BinaryIO, size: int, first: int, limit: int, stop: Stop) -> Window | None:
    head = stream.read(PROBED_BYTES)
    if is_binary(head):
        return None
    bom, encoding = next((pair for pair in _BOMS if head.startswith(pair[0])), (b"", ""))
    stream.seek(len(bom))
    if encoding:
        text = stream.read(DECODED_BYTES).decode(encoding, "replace")
        data = text.encode("utf-8", "replace")
        found = _lines(io.BytesIO(data), len(data), first, limit, stop)
    else:
        found = _lines(stream, size, first, limit, stop)
    return replace(found, size=size, encoding=encoding, bom=bool(bom))


def _lines(stream: BinaryIO, size: int, first: int, limit: int, stop: Stop) -> Window:
    skipped = _skip(stream, first - 1, stop)
    if skipped < first - 1:
        return Window((), first, skipped, size, more=False)
    taken: list[str] = []
    room, crlf, odd, cut = MAX_BYTES, False, False, False
    while len(taken) < min(limit, MAX_LINES):
        at = stream.tell()
        raw, whole = _line(stream, stop)
        if not raw:
            break
        crlf = crlf or raw.endswith(b"\r\n")
        text = raw.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", "replace")
        odd = odd or ("\ufffd" in text and b"\xef\xbf\xbd" not in raw)
        cut = cut or not whole or len(text) > MAX_LINE_CHARACTERS
        text = text if len(text) <= MAX_LINE_CHARACTERS else text[:MAX_LINE_CHARACTERS] + "…"
        room -= len(text.encode("utf-8", "replace")) + 1
        if room < 0 and taken:
            stream.seek(at)
            break
        taken.append(text)
    more = bool(stream.read(1))
    total = None
    if size <= COUNTED_BYTES:
        stream.seek(-1 if more else 0, os.SEEK_CUR)
        total = first - 1 + len(taken) + _skip(stream, None, stop)
    return Window(tuple(taken), first, total, size, more, crlf=crlf, odd=odd, cut=cut)


def _line(stream: BinaryIO, stop: Stop) -> tuple[bytes, bool]:
    """The next line, of a very long one its beginning, and whether it is whole."""
    most = MAX_LINE_CHARACTERS * 4 + 2
    raw = stream.readline(most)
    if raw.endswith(b"\n") or len(raw) < most:
        return raw, True
    while (rest := stream.readline(CHUNK_BYTES)) and not rest.endswith(b"\n"):
        _check(stop)
    return raw, not rest


def _skip(stream: BinaryIO, lines: int | None, stop: Stop) -> int:
    """Go over so many lines, or all; how many there were."""
    done, ended = 0, True
    while lines is None or done < lines:
        _check(stop)
        at = stream.tell()
        chunk = stream.read(CHUNK_BYTES)
        if not chunk:
            return done + (not ended)
        found = chunk.count(b"\n")
        if lines is not None and done + found >= lines:
            stream.seek(at + _end_of_line(chunk, lines - done))
            return lines
        done, ended = done + found, chunk.endswith(b"\n")
    return done


def _end_of_line(chunk: bytes, number: int) -> int:
    """Where the line of this number (1-based) ends in a chunk."""
    at = 0
    for _ in range(number):
        at = chunk.index(b"\n", at) + 1
    return at


def _check(stop: Stop) -> None:
    if stop.is_set():
        raise Stopped
