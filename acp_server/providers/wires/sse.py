"""Server-sent events out of bytes, as the HTML standard reads them. Pure.

A line ends with CR LF, LF or CR and with nothing else: U+2028, U+0085 and the like belong to the data, so `splitlines`
must not touch it. Lines are cut as bytes and decoded whole, so a character that arrives in two pieces is one character
again. The stream is UTF-8 whatever a header says; bytes that aren't become U+FFFD.

One deviation: an event that the end of the stream leaves without its blank line counts. Servers leave that line out
after their last event, and an event that was really cut isn't JSON any more, which the parser of the wire finds out.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from acp_server.providers.faults import FaultKind, WireFault

MAX_EVENT_BYTES = 32 * 1024 * 1024
"""No answer of a model has an event as large; a stream without line ends must not fill the memory."""

_LINE_END = re.compile(rb"\r\n|\n|\r")
_BOM = b"\xef\xbb\xbf"


class ServerEvent(NamedTuple):
    """One event: its name ("" for none) and its data, lines joined by LF."""

    event: str
    data: str


class EventStream:
    """Takes bytes as they arrive, gives events once they are whole."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._after_return = False
        self._begun = False
        self._event = ""
        self._data: list[str] = []
        self._size = 0

    def feed(self, data: bytes) -> list[ServerEvent]:
        """The events that these bytes complete. Raises WireFault where one is longer than any event is."""
        if self._after_return and data:
            data = data.removeprefix(b"\n")
            self._after_return = False
        if data.endswith(b"\r"):
            self._after_return = True
        events = []
        start = 0
        for end in _LINE_END.finditer(data):
            line = self._line(data[start : end.start()])
            start = end.end()
            if event := self._take(line):
                events.append(event)
        self._rest += data[start:]
        if len(self._rest) + self._size > MAX_EVENT_BYTES:
            raise WireFault(FaultKind.BROKEN_EVENT)
        return events

    def end(self) -> list[ServerEvent]:
        """What the end of the stream completes."""
        events = [event for line in (self._line(b""), b"") if (event := self._take(line))]
        self._after_return = False
        return events

    def _line(self, tail: bytes) -> bytes:
        line = bytes(self._rest) + tail if self._rest else tail
        self._rest.clear()
        if not self._begun:
            self._begun = True
            line = line.removeprefix(_BOM)
        return line

    def _take(self, line: bytes) -> ServerEvent | None:
        """One line without its end: a field is kept, a blank line gives the event."""
        if not line:
            return self._dispatch()
        name, _, value = line.partition(b":")
        if name == b"data":
            self._size += len(value)
            self._data.append(_decoded(value))
        elif name == b"event":
            self._event = _decoded(value)
        return None

    def _dispatch(self) -> ServerEvent | None:
        event = ServerEvent(self._event, "\n".join(self._data)) if self._data else None
        self._event, self._data, self._size = "", [], 0
        return event


def _decoded(value: bytes) -> str:
    return value.removeprefix(b" ").decode("utf-8", "replace")
