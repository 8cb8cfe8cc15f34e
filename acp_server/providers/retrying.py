"""When a request that failed is tried again, and after how long. Pure: time and chance come in.

The waits double from one second on, each a quarter shorter or longer by chance, so that many agents don't come back
at once. A server that names a time gets at least that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from acp_server.providers.faults import PATIENCE_SECONDS, RULES, WireFault

FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 16.0


@dataclass(slots=True)
class Retries:
    """The attempts of one request. `chance` gives numbers from 0 to 1.

    `after` is asked at each fault with the seconds that passed since the request began, waits included.
    """

    chance: Callable[[], float]
    done: int = 0
    _first_fault: float | None = field(default=None)

    def after(self, fault: WireFault, passed_seconds: float) -> float | None:
        """Seconds until the next attempt, None where this was the last."""
        if self._first_fault is None:
            self._first_fault = passed_seconds
        if fault.final or self.done >= RULES[fault.kind].retries:
            return None
        wait = self._wait(fault.wait_seconds)
        if passed_seconds - self._first_fault + wait > PATIENCE_SECONDS:
            return None
        self.done += 1
        return wait

    def _wait(self, asked: float | None) -> float:
        doubled = min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * (1 << self.done))
        own = doubled * (0.75 + self.chance() / 2)
        if asked is None:
            return own
        return asked + self.chance() / 2 if asked >= FIRST_WAIT_SECONDS else own
