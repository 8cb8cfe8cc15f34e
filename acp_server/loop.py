"""Asking a model and running the calls that it asks for, again and again, until it has done: a turn's, and a task's.

A round is one request (`rounds.py`) and the calls it asked for (`tool_calls.py`), in order; calls of a tool that may
run beside itself run at the same time where they stand together. A round without calls ends the exchange; so does the
limit on rounds, and a model whose calls go on failing. Whatever ends it, `close` leaves a history that a provider
accepts: each call is followed by a result.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Protocol

from acp_server.cancelling import CancelScope
from acp_server.endings import MAX_FAILED_CALLS, Ending, ending_of
from acp_server.history import closed
from acp_server.metering import Meter
from acp_server.providers.interface import Item, Provider, ProviderFault, Request, StopReason, ToolCall, ToolItem, Usage
from acp_server.rounds import Round, ask_model
from acp_server.seams import Emit
from acp_server.sentences import tools as say
from acp_server.tool_calls import Calls

CLOSING_SECONDS = 2.0
"""How long the end of open cards may take after a cancel: a client that reads nothing must not hold the
turn.
"""

MAX_TOGETHER = 4
"""Calls of one answer that run at the same time."""

Work = Callable[[], Coroutine[None, None, ToolItem]]


class Side(Protocol):
    """Whose exchange it is."""

    @property
    def items(self) -> Sequence[Item]:
        """The history so far."""
        ...

    def request(self) -> Request:
        """What is asked next."""
        ...

    def new_calls(self) -> Calls:
        """Where the calls of the next answer run."""
        ...

    def add(self, item: Item) -> None:
        """Take an answer or a result into the history."""
        ...

    async def answered(self, request: Request, usage: Usage) -> None:
        """A request was answered, and the server told of its tokens."""
        ...


class Room(Protocol):
    """Makes room for the next request in a model's window."""

    async def make(self) -> None:
        """Make room where the history nears the end of the window."""
        ...

    async def make_after(self, fault: ProviderFault) -> bool:
        """Make room where a request was refused as too long; whether it is worth asking again. Raises ProviderFault."""
        ...


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What an exchange uses: who answers, who is shown what happens, who names messages, who measures; without a `room`
    the history only grows.
    """

    provider: Provider
    emit: Emit
    ids: Callable[[], str]
    meter: Meter | None
    project: str
    scope: CancelScope
    max_requests: int
    room: Room | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """How an exchange ended (None: plainly), and what the last answer said."""

    ending: Ending | None
    text: str


class Loop:
    """One exchange."""

    def __init__(self, side: Side, around: Surroundings) -> None:
        self._side = side
        self._around = around
        self.calls: Calls | None = None

    async def run(self) -> Finished:
        """Go on until the model has done. Raises ProviderFault."""
        shown, failed_in_a_row = False, 0
        answer = Round("")
        for _ in range(self._around.max_requests):
            answer = await self._ask()
            shown = shown or answer.item is not None
            if not answer.calls or answer.reason is StopReason.REFUSAL:
                return Finished(ending_of(answer.reason, shown=shown), "".join(answer.text))
            for result in await self._run_calls(answer.calls):
                failed_in_a_row = failed_in_a_row + 1 if result.failed else 0
            if failed_in_a_row >= MAX_FAILED_CALLS:
                return Finished(Ending.FAILED_CALLS, "".join(answer.text))
        return Finished(Ending.REQUESTS, "".join(answer.text))

    async def close(self, card: str, result: str) -> None:
        """End what is open, in the history first; the client gets at most `CLOSING_SECONDS` to take its part."""
        for item in closed(self._side.items, result):
            self._side.add(item)
        if self.calls is None or not self.calls.open_cards:
            return
        try:
            async with asyncio.timeout(CLOSING_SECONDS):
                await self.calls.close_cards(card)
        except TimeoutError:
            return

    async def _ask(self) -> Round:
        """The next answer; a request that was refused as too long is made again once there is room."""
        room = self._around.room
        if room is not None:
            await room.make()
        while True:
            answer = Round(self._around.ids())
            try:
                await self._request(answer)
                return answer
            except ProviderFault as fault:
                shown = answer.item is not None or (self.calls is not None and bool(self.calls.open_cards))
                if room is None or shown or not await room.make_after(fault):
                    raise

    async def _request(self, answer: Round) -> None:
        """One request; what came of it is in the history whatever happens. What the one before took is in the ledger
        first, so that a crash loses at most this one.
        """
        around, side = self._around, self._side
        calls = self.calls = side.new_calls()
        request, meter = side.request(), around.meter
        if meter is not None:
            await meter.settled()
        try:
            with nullcontext() if meter is None else meter.request(around.project, request, answer):
                await ask_model(around.provider, request, answer, calls, around.emit)
        finally:
            if (item := answer.item) is not None:
                side.add(item)
        if answer.usage is not None:
            await side.answered(request, answer.usage)

    async def _run_calls(self, asked: Sequence[ToolCall]) -> list[ToolItem]:
        calls = self.calls
        assert calls is not None
        await calls.close_cards(say.CARD_CUT_CALL, but=asked)
        results: list[ToolItem] = []
        for group in _groups(asked, calls.tools.together):
            for result in await together([partial(calls.run, call) for call in group]):
                results.append(result)
                self._side.add(result)
            self._around.scope.checkpoint()
        return results


def _groups(asked: Sequence[ToolCall], side_by_side: frozenset[str]) -> Iterator[Sequence[ToolCall]]:
    """The calls in order: those that may run at the same time as one group, every other alone."""
    for beside, group in groupby(asked, lambda call: call.name in side_by_side):
        if beside:
            yield tuple(group)
        else:
            yield from ((call,) for call in group)


async def together(works: Sequence[Work]) -> list[ToolItem]:
    """The results in order. One work alone runs in the caller's own task; of several, `MAX_TOGETHER` run at a time, and
    a cancel reaches all of them.
    """
    if len(works) == 1:
        return [await works[0]()]
    free = asyncio.Semaphore(MAX_TOGETHER)

    async def run(work: Work) -> ToolItem:
        async with free:
            return await work()

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(run(work)) for work in works]
    return [task.result() for task in tasks]
