"""The background writer of summary lines in a running agent.

It works on each project's threads, only while no turn runs, and sleeps until it is woken (at the end of each turn).
Workers lease lines before they write them (`memory_core.leases`), so that over all processes of a project no line is
written twice and two workers at most are at it. A passing failure gives the lines back and is tried again later
(`pace.py`); a line that a model refuses three times is written by the embedded summarizer and marked so. Who writes is
asked before each line (`writer_choice.py`); where nobody can, the work ends with a sentence until somebody is chosen.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count

from acp_server.background import BackgroundMemory, LineDoor
from acp_server.line_writers import (
    EmbeddedWriter,
    LineWriter,
    PassingFault,
    Refused,
    Summarize,
    Unavailable,
    Written,
)
from acp_server.memory_threads import ProjectMemory
from acp_server.pace import Pace
from acp_server.seams import SessionState
from acp_server.sentences import log
from acp_server.sentences import summaries as say
from acp_server.world import iso_utc
from acp_server.writer_choice import Choices, Choose
from memory_core.exceptions import MemoryFault
from memory_core.results import Pending
from memory_core.storing import Text

RENEW_SECONDS = 45.0
"""A lease lasts 120 s: one renewal may fail before it ends."""
RETRY_CLAIM_SECONDS = 10.0
"""How long to wait where lines are waiting and other processes write them."""
MAX_REFUSALS = 3
MAX_TOKENS_PER_HOUR = 10_000_000

Sleep = Callable[[float], Awaitable[None]]
"""Waits so many seconds."""

_log = logging.getLogger(__name__)


class Summarizer:
    """Writes what is pending in each project it was woken for."""

    def __init__(
        self,
        summarize: Summarize,
        writer: LineWriter | None = None,
        *,
        owner: str = "",
        now_ms: Callable[[], int] = lambda: 0,
        sleep: Sleep = asyncio.sleep,
        max_tokens_per_hour: int = MAX_TOKENS_PER_HOUR,
        choose: Choose | None = None,
    ) -> None:
        """`writer` writes lines (the embedded one by default) where `choose` names no other; `owner` names this process
        in leases.
        """
        self._embedded = EmbeddedWriter(summarize)
        self._choices = Choices(writer if writer is not None else self._embedded, choose)
        self._told: dict[ProjectMemory, str] = {}
        self._owner = owner
        self._now_ms = now_ms
        self._sleep = sleep
        self._tasks: dict[ProjectMemory, list[asyncio.Task[None]]] = {}
        self._turns = 0
        self._quiet = asyncio.Event()
        self._quiet.set()
        self._refusals: Counter[tuple[str, str]] = Counter()
        self._workers = count(1)
        self._probe = asyncio.Lock()
        self.pace = Pace(max_tokens_per_hour)

    @contextmanager
    def held(self) -> Iterator[None]:
        """While a turn runs, nothing is written."""
        self._turns += 1
        self._quiet.clear()
        try:
            yield
        finally:
            self._turns -= 1
            if not self._turns:
                self._quiet.set()

    def wake(self, memory: ProjectMemory, session: SessionState | None = None) -> None:
        """Something may be pending in this project; from now on `session` runs it, where one is given."""
        if session is not None and self._choices.run_by(memory, session):
            self.pace = self.pace.mended()
        writer = self._writer(memory)
        running = [task for task in self._tasks.get(memory, []) if not task.done()]
        for _ in range((0 if writer is None else writer.workers) - len(running)):
            owner = f"{self._owner}/{next(self._workers)}"
            running.append(asyncio.create_task(self._work(memory, BackgroundMemory(memory), owner)))
        self._tasks[memory] = running

    def switched(self, memory: ProjectMemory, session: SessionState) -> None:
        """The session's model may be another now: where it runs the project's lines, they go on with that."""
        if self._choices.is_run_by(memory, session):
            self.wake(memory, session)

    def why_waiting(self, memory: ProjectMemory) -> str | None:
        """Why no line of the project is written now, in a sentence; None where nothing is in the way."""
        now_ms = self._now_ms()
        until_ms = self.pace.capped_until_ms(now_ms)
        if until_ms > now_ms:
            return say.capped(self.pace.max_tokens_per_hour, iso_utc(until_ms * 1_000_000))
        choice = self._choices.now(memory)
        return choice if isinstance(choice, str) else None

    async def idle(self) -> None:
        """Wait until nothing is left to write in any project."""
        while running := [task for tasks in self._tasks.values() for task in tasks if not task.done()]:
            await asyncio.wait(running)

    async def stop(self, memory: ProjectMemory) -> None:
        """End the work on a project whose memory is about to be closed."""
        await _ended(self._tasks.pop(memory, []))
        self._choices.let_go(memory)
        self._told.pop(memory, None)

    async def close(self) -> None:
        """End all work."""
        await _ended([task for tasks in self._tasks.values() for task in tasks])

    def _writer(self, memory: ProjectMemory) -> LineWriter | None:
        """Who writes the next line; None where nobody can, which the log says once."""
        choice = self._choices.now(memory)
        if isinstance(choice, str):
            self._tell(memory, choice)
            return None
        return choice

    def _tell(self, memory: ProjectMemory, sentence: str) -> None:
        if self._told.get(memory) != sentence:
            self._told[memory] = sentence
            _log.warning(log.SUMMARIES_PAUSE, sentence)

    async def _work(self, project: ProjectMemory, memory: BackgroundMemory, owner: str) -> None:
        """One worker: claims, writes and stores until nothing is left."""
        try:
            while await self._step(project, memory, owner):
                pass
        except MemoryFault as fault:
            _log.warning(log.SUMMARIES_PAUSE, fault)
        except asyncio.CancelledError:
            await asyncio.shield(memory.write(partial(_release, owner)))  # a claim may have been under way
            raise

    async def _step(self, project: ProjectMemory, memory: BackgroundMemory, owner: str) -> bool:
        """One batch of lines, or a wait; whether there may be more to do."""
        await self._quiet.wait()
        wait_ms = self.pace.wait_ms(self._now_ms())
        if wait_ms:
            if capped := self.why_waiting(project):
                self._tell(project, capped)
            await self._sleep(wait_ms / 1000)
            return True
        writer = self._writer(project)
        if writer is None:
            return False
        claimed = await memory.write(lambda door: door.claim_lines(owner, writer.at_once))
        if claimed:
            await self._batch(project, memory, owner, claimed, writer)
            return True
        if await memory.write(lambda door: door.idle_step()):
            return True
        if not await memory.read(lambda door: door.pending_lines(1) or door.purge_pending()):
            return False
        await self._sleep(RETRY_CLAIM_SECONDS)
        return True

    async def _batch(
        self,
        project: ProjectMemory,
        memory: BackgroundMemory,
        owner: str,
        claimed: Sequence[Pending],
        writer: LineWriter,
    ) -> None:
        """Writes what was claimed; whatever happens, nothing stays leased."""
        renewal = asyncio.create_task(self._renew(memory, owner)) if writer is not self._embedded else None
        try:
            if self.pace.broken:
                async with self._probe:
                    texts = await self._texts(memory, claimed[:1], writer)
            else:
                texts = await self._texts(memory, claimed, writer)
            await memory.write(lambda door: door.store_claimed(owner, texts))
        except PassingFault as fault:
            self.pace = self.pace.failed(self._now_ms(), fault.tokens)
            _log.info(log.LINE_TRIED_AGAIN, fault)
        except Unavailable as fault:
            self._choices.unavailable(project, writer, str(fault))
        finally:
            if renewal is not None:
                renewal.cancel()
                await asyncio.gather(renewal, return_exceptions=True)
            await asyncio.shield(memory.write(partial(_release, owner)))

    async def _texts(self, memory: BackgroundMemory, claimed: Sequence[Pending], writer: LineWriter) -> list[Text]:
        return [text for line in claimed if (text := await self._text(memory, line, writer)) is not None]

    async def _text(self, memory: BackgroundMemory, line: Pending, writer: LineWriter) -> Text | None:
        """The text of one line, or None where it was refused and will be asked for again."""
        context: Sequence[str] = ()
        key = (memory.project_id, line.address)
        if self._refusals[key] >= MAX_REFUSALS:
            writer = self._embedded
        if writer.reads_context:
            context = await memory.read(lambda door: door.line_context(line.address))
        try:
            written = await writer.write(line, context)
        except Refused as refused:
            self._refusals[key] += 1
            self.pace = self.pace.succeeded(self._now_ms(), refused.tokens)
            return None
        self._refusals.pop(key, None)
        self.pace = self.pace.succeeded(self._now_ms(), written.tokens)
        return _as_text(line, written)

    async def _renew(self, memory: BackgroundMemory, owner: str) -> None:
        while True:
            await self._sleep(RENEW_SECONDS)
            await memory.write(lambda door: door.renew_lines(owner))


async def _ended(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _as_text(line: Pending, written: Written) -> Text:
    return Text(line.address, written.text, written.model, written.cut)


def _release(owner: str, memory: LineDoor) -> None:
    memory.release_lines(owner)
