"""What is written to the client: at once where there is room, else by one thread that joins what waits into one write.

The descriptor stays in blocking mode (it may be shared with others, who would be surprised), so the thread
may hang in a write while the client doesn't read; nothing else does. A word that comes alone is written by whoever
brings it: waking the thread would take longer than all that happened to the word since the model's server sent it.
"""

from __future__ import annotations

import os
import select
import threading
import time
from collections import deque
from collections.abc import Callable

SURE_BYTES = 4096
"""A pipe that is ready for writing takes as much without blocking (`PIPE_BUF` on Linux)."""
ALONE_SECONDS = 0.002
"""What follows sooner after another is part of a burst, which the thread writes in fewer pieces."""


class Writer:
    """Takes bytes from any thread, writes them in order. `drained` is called from its thread when all is
    written.
    """

    def __init__(self, descriptor: int, drained: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._drained = drained
        self._room = select.poll()
        self._room.register(descriptor, select.POLLOUT)
        self._last_put = 0.0
        self._waiting: deque[bytes] = deque()
        self._changed = threading.Condition()
        self._waiting_bytes = 0
        self._broken = False
        threading.Thread(target=self._run, name="writer", daemon=True).start()

    @property
    def waiting_bytes(self) -> int:
        """How many bytes the client has not taken yet."""
        return self._waiting_bytes

    def put(self, data: bytes) -> None:
        """Write `data` after all that waits; thrown away when the client is gone."""
        with self._changed:
            if self._broken:
                return
            if rest := data[self._written_at_once(data) :]:
                self._waiting.append(rest)
                self._waiting_bytes += len(rest)
                self._changed.notify()

    def _written_at_once(self, data: bytes) -> int:
        """How many bytes are written already: all of a little that comes alone, where there is room for it."""
        now = time.monotonic()
        alone, self._last_put = now - self._last_put > ALONE_SECONDS, now
        if not alone or self._waiting_bytes or len(data) > SURE_BYTES or not self._room.poll(0):
            return 0
        try:
            return os.write(self._descriptor, data)
        except OSError:  # the thread will meet the same, and knows what follows
            return 0

    def abandon(self) -> None:
        """The client is gone: throw away what waits and what comes."""
        with self._changed:
            self._broken = True
            self._waiting.clear()
            self._waiting_bytes = 0
        self._drained()

    def _run(self) -> None:
        while True:
            data = self._take()
            try:
                self._write(data)
            except OSError:
                self.abandon()
                return
            self._account(len(data))

    def _take(self) -> bytes:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting)
            data = b"".join(self._waiting)
            self._waiting.clear()
            return data

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(self._descriptor, rest) :]
            except BlockingIOError:  # somebody who shares it made the descriptor non-blocking
                select.select([], [self._descriptor], [])

    def _account(self, written_bytes: int) -> None:
        with self._changed:
            self._waiting_bytes = max(0, self._waiting_bytes - written_bytes)
            empty = self._waiting_bytes == 0
        if empty:
            self._drained()
