"""The process's own input and output: taken over once, watched with `poll`, written without hanging. Light.

Rules
1. Descriptors 0 and 1 are taken away at the start: what prints by itself lands on standard error, what reads
   gets nothing, and children inherit neither. The protocol lives on private duplicates in blocking mode.
2. A client that closed its reading end is seen by `poll` (`POLLERR`), not by a write that fails some day.
3. Until the hand-over writes go out in pieces of at most 4,096 bytes after `POLLOUT`: a pipe has room for
   that, so a client that reads nothing can't hang the agent.
"""

from __future__ import annotations

import os
import select
import time

HAS_POLL = hasattr(select, "poll")
"""False on Windows: there the threads do all the work and a client that is gone shows at the end of input."""

GONE = (select.POLLERR | select.POLLHUP | select.POLLNVAL) if HAS_POLL else 0
PIECE_BYTES = 4096
GRACE_MS = 1000
"""How long an answer may wait for a client that closed the agent's input and doesn't read."""


class Stdio:
    """The private descriptors of the protocol."""

    __slots__ = ("input", "output")

    def __init__(self, input_descriptor: int, output_descriptor: int) -> None:
        self.input = input_descriptor
        self.output = output_descriptor


def claim() -> Stdio:
    """Take descriptors 0 and 1 over (rule 1). Raises OSError where they were closed from the start."""
    for descriptor in (0, 1):
        os.fstat(descriptor)
    nothing = os.open(os.devnull, os.O_RDWR)  # takes the place of 2 where that was closed
    claimed = Stdio(os.dup(0), os.dup(1))
    os.dup2(2, 1)
    os.dup2(nothing, 0)
    if nothing > 2:
        os.close(nothing)
    return claimed


def write_promptly(stdio: Stdio, data: bytes) -> bool:
    """Write all of `data` (rule 3); False where the client is gone or, its input closed, reads nothing for
    1 s.
    """
    poller = select.poll()
    poller.register(stdio.output, select.POLLOUT)
    poller.register(stdio.input, 0)
    rest, deadline = memoryview(data), None
    while rest:
        timeout_ms = None if deadline is None else max(0.0, (deadline - time.monotonic()) * 1000)
        events = dict(poller.poll(timeout_ms))
        if events.get(stdio.output, 0) & select.POLLOUT:
            try:
                rest = rest[os.write(stdio.output, rest[:PIECE_BYTES]) :]
            except BlockingIOError:  # somebody made it non-blocking, and it has room for less: look again
                continue
            except OSError:
                return False
        elif not events or stdio.output in events:
            return False
        elif deadline is None:
            deadline = time.monotonic() + GRACE_MS / 1000
            poller.unregister(stdio.input)
    return True
