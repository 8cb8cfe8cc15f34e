"""When the background writer may ask a model again. Pure: the time comes in, in ms since the epoch.

- After a passing failure the line is tried again 10 s later.
- After five failures in a row a breaker waits instead, from 10 s on, doubling to 10 min; then one probe at a time is
  let through, and the first that succeeds opens the way again.
- `[memory] max_summary_tokens_per_hour` caps the spend: past it, summaries wait until enough of the last hour's
  tokens have passed out of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

RETRY_MS = 10_000
MAX_WAIT_MS = 600_000
FAILURES_TO_BREAK = 5
HOUR_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class Pace:
    """Failures in a row, until when to wait, and what was spent in the last hour as (when, tokens)."""

    max_tokens_per_hour: int
    failures: int = 0
    not_before_ms: int = 0
    spent: tuple[tuple[int, int], ...] = ()

    @property
    def broken(self) -> bool:
        """Whether the breaker is open, so that one probe at a time is let through."""
        return self.failures >= FAILURES_TO_BREAK

    def failed(self, now_ms: int, tokens: int = 0) -> Pace:
        """After a passing failure that came after so many tokens."""
        failures = self.failures + 1
        doublings = max(0, failures - FAILURES_TO_BREAK)
        wait = min(RETRY_MS << min(doublings, 16), MAX_WAIT_MS)
        return replace(self._with(now_ms, tokens), failures=failures, not_before_ms=now_ms + wait)

    def succeeded(self, now_ms: int, tokens: int) -> Pace:
        """After a line was written for `tokens` of uncached input and output."""
        return replace(self._with(now_ms, tokens), failures=0, not_before_ms=0)

    def mended(self) -> Pace:
        """With another model: what failed before says nothing of it."""
        return replace(self, failures=0, not_before_ms=0)

    def _with(self, now_ms: int, tokens: int) -> Pace:
        spent = tuple(one for one in self.spent if one[0] > now_ms - HOUR_MS)
        return replace(self, spent=(*spent, (now_ms, tokens)) if tokens else spent)

    def wait_ms(self, now_ms: int) -> int:
        """How long to wait before the next request; 0 where it may go now."""
        return max(0, self.not_before_ms - now_ms, self.capped_until_ms(now_ms) - now_ms)

    def capped_until_ms(self, now_ms: int) -> int:
        """When the cap on spend lets the next line through; `now_ms` where it does so now."""
        left = [one for one in self.spent if one[0] > now_ms - HOUR_MS]
        total = sum(tokens for _, tokens in left)
        for when, tokens in left:
            if total < self.max_tokens_per_hour:
                return now_ms
            total -= tokens
            until = when + HOUR_MS
            if total < self.max_tokens_per_hour:
                return until
        return now_ms
