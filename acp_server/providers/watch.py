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
    """Watches one request from its start on."""

    def __init__(self, clocks: Clocks, timeouts: Timeouts) -> None:
        self._clocks = clocks
        self._timeouts = timeouts
        self._apart = self._parted()
        self._next_beat: asyncio.TimerHandle

    @property
    def slept(self) -> bool:
        """Whether the machine slept since the start."""
        return self._parted() - self._apart > SLEPT_SECONDS

    async def within(self, seconds: float, awaited: Awaitable[T]) -> T:
        """What is awaited; raises TimeoutError after `seconds`, or soon after a sleep."""
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(None) as limit:
            self._beat(loop, limit, loop.time() + seconds)
            try:
                return await awaited
            finally:
                self._next_beat.cancel()

    def _beat(self, loop: asyncio.AbstractEventLoop, limit: asyncio.Timeout, until: float) -> None:
        """Look at the clocks now and then: one timer a wait, since there is a wait for each piece of an answer."""
        now = loop.time()
        if now >= until:
            limit.reschedule(now)
            return
        if self.slept:
            until = min(until, now + self._timeouts.after_sleep)
        self._next_beat = loop.call_later(min(self._timeouts.pulse, until - now), self._beat, loop, limit, until)

    def _parted(self) -> float:
        return self._clocks.wall() - self._clocks.monotonic()
