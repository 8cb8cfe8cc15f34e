"""The background writer of summary lines in a running agent, with the embedded summarizer.

It works on each project's threads in small batches, only while no turn runs, and sleeps until it is
woken (at the end of each turn). A batch is short, so a turn that begins meanwhile waits for one batch at
most.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from acp_server.memory_threads import ProjectMemory
from memory_core.exceptions import MemoryFault, NotWaiting

if TYPE_CHECKING:
    from memory_core.memory import Memory

MODEL = "embedded/extractive"
BATCH_LINES = 4

Summarize = Callable[[Sequence[str]], str]

_log = logging.getLogger(__name__)


class Summarizer:
    """Writes what is pending in each project it was woken for."""

    def __init__(self, summarize: Summarize) -> None:
        """`summarize` folds texts into one line of at most 512 bytes."""
        self._summarize = summarize
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._turns = 0
        self._quiet = asyncio.Event()
        self._quiet.set()

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

    def wake(self, memory: ProjectMemory) -> None:
        """Something may be pending in this project."""
        task = self._tasks.get(memory.project_id)
        if task is None or task.done():
            self._tasks[memory.project_id] = asyncio.create_task(self._write_all(memory))

    async def idle(self) -> None:
        """Wait until nothing is left to write in any project."""
        while running := [task for task in self._tasks.values() if not task.done()]:
            await asyncio.wait(running)

    async def close(self) -> None:
        """Stop after the batch that is being written."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _write_all(self, memory: ProjectMemory) -> None:
        try:
            while True:
                await self._quiet.wait()
                lines = await memory.read(self._written)
                if not await memory.write(partial(_store, lines)):
                    break
        except MemoryFault as fault:
            _log.warning("summaries pause: %s", fault)

    def _written(self, memory: Memory) -> list[tuple[str, str]]:
        """A few pending lines' addresses with their texts."""
        pending = memory.pending_lines(BATCH_LINES)
        return [(line.address, self._summarize(line.halves)) for line in pending]


def _store(lines: Sequence[tuple[str, str]], memory: Memory) -> bool:
    """Store a few lines and do a step of what else waits for an idle moment; whether there may be more to do."""
    waiting = memory.idle_step()
    stored = 0
    for address, text in lines:
        try:
            memory.store_line(address, text, model=MODEL)
        except NotWaiting:
            continue
        stored += 1
    return waiting or stored > 0
