"""What requests cost: one request as the ledger keeps it, and its money. Pure.

Money is counted in whole micro-dollars, and only where each price that the request needs is known: a total is never
made of guesses. A model without any price costs nobody knows what, one whose prices are 0 costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from acp_server.models.values import Price
from acp_server.providers.interface import Usage

MICRO = 1_000_000
"""Micro-dollars of a dollar; prices are dollars for a million tokens, so a price is micro-dollars for one token."""


class Outcome(StrEnum):
    """How a request ended."""

    ANSWERED = "answered"
    FAILED = "failed"
    CANCELLED = "cancelled"


class GroupBy(StrEnum):
    """What sums are made by; days are those of UTC."""

    PURPOSE = "purpose"
    MODEL = "model"
    DAY = "day"
    PROJECT = "project"


@dataclass(frozen=True, slots=True)
class Spent:
    """One request: `when_ms` since the epoch, `purpose` as `interface.Purpose` says it, `usage` None where the server
    told none, `micro_dollars` None where tokens or price are unknown.
    """

    when_ms: int
    project: str
    session: str
    model: str
    purpose: str
    outcome: Outcome
    usage: Usage | None = None
    micro_dollars: int | None = None

    @property
    def provider(self) -> str:
        """Whose model it was."""
        return self.model.partition("/")[0]


@dataclass(frozen=True, slots=True)
class Total:
    """What a session's requests cost so far; `unpriced` counts those whose price nobody knows."""

    micro_dollars: int = 0
    unpriced: int = 0

    def plus(self, spent: Spent) -> Total:
        """With one more request; one whose server told no tokens (cut off, failed) adds nothing."""
        if spent.usage is None:
            return self
        if spent.micro_dollars is None:
            return replace(self, unpriced=self.unpriced + 1)
        return replace(self, micro_dollars=self.micro_dollars + spent.micro_dollars)

    @property
    def dollars(self) -> float | None:
        """The cost, None where a part of it is unknown."""
        return None if self.unpriced else self.micro_dollars / MICRO


def uncached(usage: Usage) -> int:
    """Input tokens that were read at the full price."""
    return max(0, usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens)


def in_window(usage: Usage) -> int:
    """Tokens in the window after the request: all input, cached counted once, and the answer."""
    return usage.input_tokens + usage.output_tokens


def is_known(price: Price) -> bool:
    """Whether anything is known of what a model costs."""
    return price.input is not None or price.output is not None


def micro_dollars(price: Price, usage: Usage) -> int | None:
    """What a request cost; None where a price that it needs is unknown."""
    if not is_known(price) or (price.up_to_tokens is not None and usage.input_tokens > price.up_to_tokens):
        return None
    parts = (
        (uncached(usage), price.input),
        (usage.cached_tokens, price.cached),
        (usage.cache_write_tokens, price.cache_write),
        (usage.output_tokens, price.output),
    )
    needed = [(tokens, each) for tokens, each in parts if tokens]
    known = [tokens * each for tokens, each in needed if each is not None]
    return round(sum(known)) if len(known) == len(needed) else None
