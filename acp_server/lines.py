"""Lines out of bytes, with a cap on their length. Only `\\n` ends a line: JSON may hold U+2028 and U+0085
raw.
"""

from __future__ import annotations

import os

MAX_LINE_BYTES = 64 * 1024 * 1024
"""A prompt with a large file in it passes; a stream without a newline can't fill the memory."""

READ_BYTES = 256 * 1024

Line = bytes | None
"""A line without its end, or None for one that was over the cap and thrown away."""


class LineSplitter:
    """Cuts a stream into lines. A line over the cap is dropped as it comes, so it never takes more than the
    cap.
    """

    def __init__(self, max_line_bytes: int = MAX_LINE_BYTES) -> None:
        self._max_line_bytes = max_line_bytes
        self._parts: list[bytes] = []
        self._size_bytes = 0

    def feed(self, data: bytes) -> list[Line]:
        """The lines that `data` ends."""
        *ended, rest = data.split(b"\n")
        lines: list[Line] = []
        for piece in ended:
            self._add(piece)
            lines.append(self._take())
        self._add(rest)
        return lines

    def finish(self) -> list[Line]:
        """The last line, where the stream ended without a newline."""
        return [self._take()] if self._size_bytes else []

    def _add(self, piece: bytes) -> None:
        self._size_bytes += len(piece)
        if self._size_bytes > self._max_line_bytes:
            self._parts.clear()
        else:
            self._parts.append(piece)

    def _take(self) -> Line:
        line = None if self._size_bytes > self._max_line_bytes else b"".join(self._parts)
        self._parts.clear()
        self._size_bytes = 0
        return line


class LineReader:
    """Reads a descriptor line by line: by the main thread until the hand-over, by the reader thread from
    then on.
    """

    def __init__(self, descriptor: int, max_line_bytes: int = MAX_LINE_BYTES) -> None:
        self.descriptor = descriptor
        self.ended = False
        self._splitter = LineSplitter(max_line_bytes)

    def read(self) -> list[Line]:
        """One read, which may block: the lines it ended. Sets `ended` at the end of input."""
        try:
            data = os.read(self.descriptor, READ_BYTES)
        except BlockingIOError:  # somebody made the descriptor non-blocking
            return []
        except OSError:  # a terminal or socket that is gone
            data = b""
        if data:
            return self._splitter.feed(data)
        self.ended = True
        return self._splitter.finish()
