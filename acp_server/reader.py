"""The one thread that reads from the client, and sees when the client is gone.

It hands over one batch of lines at a time and waits until the loop took it, so what was read and not yet
handled is bounded. While it is paused it reads nothing but still sees a hang-up of the client's reading
end.
"""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable
from enum import Enum

from acp_server.lines import Line, LineReader
from acp_server.stdio import GONE, HAS_POLL


class End(Enum):
    """Why nothing more comes."""

    INPUT_ENDED = "input ended"
    CLIENT_GONE = "client gone"


class Reader:
    """`deliver` gets lines, `ended` gets the end, once; both are called from the reader's thread."""

    def __init__(
        self,
        reader: LineReader,
        output: int,
        deliver: Callable[[list[Line]], None],
        ended: Callable[[End], None],
    ) -> None:
        self._reader = reader
        self._output = output
        self._deliver = deliver
        self._ended = ended
        self._woken, self._wake = os.pipe()
        self._reading = threading.Event()

    def start(self) -> None:
        """Begin to read."""
        self._reading.set()
        target = self._run if HAS_POLL else self._run_without_poll
        threading.Thread(target=target, name="reader", daemon=True).start()

    def go_on(self) -> None:
        """The last batch was taken and there is room for answers: read the next."""
        if not self._reading.is_set():
            self._reading.set()
            os.write(self._wake, b"\0")

    def _run(self) -> None:
        poller = select.poll()
        poller.register(self._output, 0)
        poller.register(self._woken, select.POLLIN)
        watching_input = False
        while True:
            wanted = self._reading.is_set() and not self._reader.ended
            if wanted != watching_input:
                self._watch_input(poller, wanted)
                watching_input = wanted
            events = dict(poller.poll())
            if events.get(self._output, 0) & GONE:
                self._ended(End.CLIENT_GONE)
                return
            if self._woken in events:
                os.read(self._woken, 1)
            if watching_input and self._reader.descriptor in events:
                self._read()

    def _watch_input(self, poller: select.poll, wanted: bool) -> None:
        if wanted:
            poller.register(self._reader.descriptor, select.POLLIN)
        else:
            poller.unregister(self._reader.descriptor)

    def _read(self) -> None:
        lines = self._reader.read()
        if lines:
            self._reading.clear()
            self._deliver(lines)
        if self._reader.ended:
            self._ended(End.INPUT_ENDED)

    def _run_without_poll(self) -> None:
        while not self._reader.ended:
            self._reading.wait()
            self._read()
