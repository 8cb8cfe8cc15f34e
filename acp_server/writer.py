"""The one thread that writes to the client. It joins what waits into one write.

The descriptor stays in blocking mode (it may be shared with others, who would be surprised), so the thread
may hang in a write while the client doesn't read; nothing else does.
"""

from __future__ import annotations

import os
import select
import threading
from collections import deque
from collections.abc import Callable


class Writer:
    """Takes bytes from any thread, writes them in order. `drained` is called from its thread when all is
    written.
    """

    def __init__(self, descriptor: int, drained: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._drained = drained
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
            self._waiting.append(data)
            self._waiting_bytes += len(data)
            self._changed.notify()

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
