"""The requests that wait for an answer, and how each is cancelled.

The client's ids are replaced by serial numbers on the way in and put back on the way out: one id used
twice, or `1` beside `"1"`, can't mix up answers. Nothing here does I/O; all of it runs on the loop's
thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from acp_server.jsonrpc import RequestId

CURRENT: ContextVar[int] = ContextVar("current request")
"""The serial number of the request that a task answers."""


@dataclass(slots=True)
class Waiting:
    """One request that was not answered yet."""

    id: RequestId
    answered: asyncio.Event = field(default_factory=asyncio.Event)
    cancel: Callable[[], None] | None = None
    cancelled: bool = False


class InFlight:
    """The unanswered requests by serial number, in the order they came."""

    def __init__(self) -> None:
        self._waiting: dict[int, Waiting] = {}
        self._last = 0

    def __len__(self) -> int:
        """How many there are."""
        return len(self._waiting)

    def begin(self, request_id: RequestId) -> int:
        """Note a request; its serial number, which is current for the task that is made next."""
        self._last += 1
        self._waiting[self._last] = Waiting(request_id)
        CURRENT.set(self._last)
        return self._last

    def id_of(self, serial: int) -> RequestId:
        """The client's id of an unanswered request."""
        return self._waiting[serial].id

    def finish(self, serial: int) -> None:
        """The answer went out."""
        self._waiting.pop(serial).answered.set()

    def cancel(self, request_id: RequestId) -> None:
        """The client wants no more of a request: `1`, `"1"` and `True` are three ids. Unknown ones and
        second cancels are ignored.
        """
        for waiting in list(self._waiting.values()):
            if type(waiting.id) is type(request_id) and waiting.id == request_id and not waiting.cancelled:
                waiting.cancelled = True
                if waiting.cancel is not None:
                    waiting.cancel()

    @contextmanager
    def cancellable(self, cancel: Callable[[], None]) -> Iterator[None]:
        """While inside, `$/cancel_request` for the current request calls `cancel`; at once where it came
        before.
        """
        waiting = self._waiting[CURRENT.get()]
        waiting.cancel = cancel
        if waiting.cancelled:
            cancel()
        try:
            yield
        finally:
            waiting.cancel = None

    async def answered(self, serials: Iterable[int]) -> None:
        """Wait until these requests were answered."""
        for waiting in [self._waiting[serial] for serial in serials if serial in self._waiting]:
            await waiting.answered.wait()

    async def all_answered(self) -> None:
        """Wait until no request is unanswered."""
        while self._waiting:
            await self.answered(list(self._waiting))
