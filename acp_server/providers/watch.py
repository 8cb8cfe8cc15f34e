"""Bounded waits that notice when the machine was asleep meanwhile.

A sleeping machine stops the monotonic clock, which time-outs go by, but not the clock on the wall. A connection seldom
outlives a sleep, and a dead one says nothing: so where the two clocks have come apart, what is waited for gets
`after_sleep` seconds more and no longer.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

SLEPT_SECONDS = 20.0
"""Clocks that are so far apart were parted by a sleep; less may be somebody setting the time."""


@dataclass(frozen=True, slots=True)
class Clocks:
    """Seconds: `monotonic` from anywhere on, `wall` since the epoch."""

    monotonic: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds. Servers that run a large model themselves may read a long prompt for minutes before their first byte,
    and some think as long without a word; nobody else needs as much.
    """

    connect: float = 10.0
    first_byte: float = 300.0
    silence: float = 300.0
    error_body: float = 5.0
    drain: float = 0.25
    """How long the end of a stream is waited for after its closing event, so that the connection can be used again."""
    pulse: float = 5.0
    after_sleep: float = 20.0


OF_THE_SYSTEM = Clocks()
USUAL = Timeouts()


class Watch:
    """Watches one request from its start on, as a context: one timer looks at the clocks now and then.

    There is a wait for each piece of an answer, so a wait must cost next to nothing: it only says until when, and is as
    exact as the timer.
    """

    def __init__(self, clocks: Clocks, timeouts: Timeouts) -> None:
        self._clocks = clocks
        self._after_sleep = timeouts.after_sleep
        self._beat_seconds = min(timeouts.pulse, timeouts.first_byte / 4, timeouts.silence / 4)
        self._apart = self._parted()
        self._loop = asyncio.get_running_loop()
        self._waiting: asyncio.Task[object] | None = None
        self._until = 0.0
        self._expired = False

    def __enter__(self) -> Watch:
        """Begin to look at the clocks."""
        self._timer = self._loop.call_later(self._beat_seconds, self._beat)
        return self

    def __exit__(self, *_: object) -> None:
        """Look no more."""
        self._timer.cancel()

    @property
    def slept(self) -> bool:
        """Whether the machine slept since the start."""
        return self._parted() - self._apart > SLEPT_SECONDS

    async def within(self, seconds: float, awaited: Awaitable[T]) -> T:
        """What is awaited; raises TimeoutError after `seconds`, or soon after a sleep."""
        task = asyncio.current_task()
        assert task is not None
        cancels_before = task.cancelling()
        self._until = self._loop.time() + seconds
        self._waiting = task
        try:
            return await awaited
        except asyncio.CancelledError:
            if self._expired and task.uncancel() <= cancels_before:
                raise TimeoutError from None
            raise
        finally:
            self._waiting = None

    def _beat(self) -> None:
        """End the wait that is overdue; after a sleep the rest of it is short."""
        now = self._loop.time()
        if self.slept:
            self._until = min(self._until, now + self._after_sleep)
        if self._waiting is not None and now >= self._until:
            self._expired = True
            self._waiting.cancel()
            return
        self._timer = self._loop.call_later(self._beat_seconds, self._beat)

    def _parted(self) -> float:
        return self._clocks.wall() - self._clocks.monotonic()
