"""What requests take, measured where they are made: into the ledger, and as the session's total.

Only models behind a server are metered: the embedded one asks nobody and costs nothing, and its tokens are none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from acp_server.compaction import window_of
from acp_server.events import UsageChanged
from acp_server.ledger import Ledger
from acp_server.models.values import Price
from acp_server.providers.interface import Request, Usage
from acp_server.spend import MICRO, Outcome, Spent, Total, in_window, is_known, micro_dollars


@dataclass(frozen=True, slots=True)
class Facts:
    """What spend needs to know of a model: its price, and its context window in tokens (None where unknown)."""

    price: Price
    window: int | None = None


FactsOf = Callable[[str], Facts | None]
"""The facts of a model by its value, None for one that is not metered."""


class Measured(Protocol):
    """A request that is being measured: whoever reads its stream puts what the server told of tokens here."""

    usage: Usage | None


class Meter:
    """Measures the requests of all sessions of a process."""

    def __init__(self, ledger: Ledger, facts: FactsOf, now_ms: Callable[[], int]) -> None:
        """`now_ms` is milliseconds since the epoch."""
        self.ledger = ledger
        self._facts = facts
        self._now_ms = now_ms
        self._totals: dict[str, Total] = {}

    @contextmanager
    def request(self, project: str, request: Request, measured: Measured) -> Iterator[None]:
        """One request, from its start to its end, however it ends."""
        outcome = Outcome.FAILED
        try:
            yield
            outcome = Outcome.ANSWERED
        except (asyncio.CancelledError, GeneratorExit):
            outcome = Outcome.CANCELLED
            raise
        finally:
            self._record(project, request, measured.usage, outcome)

    def changed(self, request: Request, usage: Usage) -> UsageChanged | None:
        """What the person sees after a request; None for a model that isn't metered."""
        facts = self._facts(request.model)
        if facts is None:
            return None
        return UsageChanged(in_window(usage), facts.window, self.dollars(request))

    def dollars(self, request: Request) -> float | None:
        """What a request's session has cost so far; None where its model's price, or a part of the cost, is unknown."""
        facts = self._facts(request.model)
        if facts is None or not is_known(facts.price):
            return None
        return self._totals.get(request.session, Total()).dollars

    def window(self, model: str) -> int | None:
        """The window, in tokens, that a model's requests have to stay within; None for one that isn't metered."""
        facts = self._facts(model)
        return None if facts is None else window_of(facts.window)

    async def settled(self) -> None:
        """Wait, not for long, until what was measured is in the ledger."""
        await self.ledger.settled()

    def take_notices(self) -> tuple[str, ...]:
        """What the person should hear of the ledger, once."""
        taken, self.ledger.notices[:] = tuple(self.ledger.notices), []
        return taken

    def resume(self, session: str, dollars: float) -> None:
        """A session that is loaded goes on from the cost that it had, unless this process knows better."""
        self._totals.setdefault(session, Total(round(dollars * MICRO)))

    def forget_session(self, session: str) -> None:
        """The session was closed."""
        self._totals.pop(session, None)

    async def close(self) -> None:
        """Write what is left."""
        await self.ledger.close()

    def _record(self, project: str, request: Request, usage: Usage | None, outcome: Outcome) -> None:
        facts = self._facts(request.model)
        if facts is None:
            return
        money = None if usage is None else micro_dollars(facts.price, usage)
        spent = Spent(
            when_ms=self._now_ms(),
            project=project,
            session=request.session,
            model=request.model,
            purpose=request.purpose.value,
            outcome=outcome,
            usage=usage,
            micro_dollars=money,
        )
        self._totals[request.session] = self._totals.get(request.session, Total()).plus(spent)
        self.ledger.record(spent)
