"""A cancel that reaches the work once, and never inside a part that must end.

The work runs in a task of its own. The first cancel from outside is passed on to it, unless it is in a
protected part (an approved write): then the work notices at its next `checkpoint`. Later cancels change
nothing, so the work can clean up with ordinary awaits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")


async def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """The work's result, once it is done: a cancel that comes meanwhile, or several, is raised only then."""
    task = asyncio.create_task(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        raise asyncio.CancelledError from task.exception()
    return task.result()


class CancelScope:
    """Owns one piece of cancellable work; `requested` says whether a cancel came."""

    def __init__(self) -> None:
        """A scope without work yet."""
        self.requested = False
        self._protected = False
        self._work: asyncio.Task[Any] | None = None

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The work's result. A cancel of the caller is passed on; it is raised only where the work raises
        it.
        """
        task: asyncio.Task[T] = asyncio.create_task(work)
        self._work = task
        while not task.done():
            try:
                await asyncio.wait((task,))
            except asyncio.CancelledError:
                self._request()
        return task.result()

    @contextmanager
    def protected(self) -> Iterator[None]:
        """A part that no cancel interrupts. Not nested."""
        self._protected = True
        try:
            yield
        finally:
            self._protected = False

    def checkpoint(self) -> None:
        """Raises CancelledError where a cancel came while the work was protected."""
        if self.requested:
            raise asyncio.CancelledError

    def _request(self) -> None:
        current = asyncio.current_task()
        if current is not None:
            current.uncancel()
        first, self.requested = not self.requested, True
        if first and not self._protected and self._work is not None:
            self._work.cancel()
