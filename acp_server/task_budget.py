"""What a task may take, and what it took so far.

It is looked at before each request, so that nothing is cut off in the middle; an answer that has begun may take as long
again, since a model that goes on forever never comes to a next request. The time in which a person is asked is not the
task's.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import cast

from acp_server.providers.interface import ModelInfo, Provider, ProviderEvent, Request, Stopped, Usage
from acp_server.sentences import tasks as say


@dataclass(frozen=True, slots=True)
class Budget:
    """What one task may take; tokens are those of all its requests, input and output."""

    max_requests: int = 30
    max_tokens: int = 1_000_000
    max_seconds: float = 900.0
    max_output_bytes: int = 64 * 1024


USUAL = Budget()


class Spent(Exception):
    """A budget is spent; the sentence says which."""


class Account:
    """What one task took."""

    def __init__(self, budget: Budget, clock: Callable[[], float]) -> None:
        """`clock` is in seconds and only goes on; the task's time begins now."""
        self._budget = budget
        self._clock = clock
        self._tokens = 0
        self._began = clock()

    def take(self, usage: Usage) -> None:
        """A request took this."""
        self._tokens += usage.input_tokens + usage.output_tokens

    def check(self) -> None:
        """Raises Spent where nothing is left."""
        if self._tokens >= self._budget.max_tokens:
            raise Spent(say.out_of_tokens(self._budget.max_tokens))
        self._check_time(self._budget.max_seconds)

    def check_answer(self) -> None:
        """Raises Spent where an answer goes on and on."""
        self._check_time(2 * self._budget.max_seconds)

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """A part whose time is not the task's. Not nested."""
        since = self._clock()
        try:
            yield
        finally:
            self._began += self._clock() - since

    def _check_time(self, seconds: float) -> None:
        if self._clock() - self._began >= seconds:
            raise Spent(say.out_of_time(seconds))


class Bounded:
    """A provider as a task asks it: none of its answers goes on forever."""

    def __init__(self, provider: Provider, account: Account) -> None:
        self._provider = provider
        self._account = account

    def models(self) -> tuple[ModelInfo, ...]:
        """Those of the provider."""
        return self._provider.models()

    async def stream(self, request: Request) -> AsyncIterator[ProviderEvent]:
        """The provider's events. Raises ProviderFault, and Spent in the middle of an answer."""
        stream = cast("AsyncGenerator[ProviderEvent, None]", self._provider.stream(request))
        async with aclosing(stream):
            async for event in stream:
                if not isinstance(event, Stopped):
                    self._account.check_answer()
                yield event
