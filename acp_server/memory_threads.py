"""The projects' memories on threads: for each project one thread that writes and one that reads.

The memory is synchronous. What runs on a thread runs to its end, whatever becomes of the task that waits
for it; whether a task may stop waiting is decided by the caller (`cancelling.py`).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from memory_core.memory import Memory

T = TypeVar("T")

OpenMemory = Callable[[str], "Memory"]


class ProjectMemory:
    """One project's open memory, shared by its sessions."""

    def __init__(self, memory: Memory, writer: ThreadPoolExecutor) -> None:
        """`writer` is the thread on which `memory` was opened."""
        self._memory = memory
        self._writer = writer
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="memory-read")
        self.project_id = memory.project.id
        self.folder = str(memory.project.memories)

    async def read(self, ask: Callable[[Memory], T]) -> T:
        """Run a reading function on the reader thread. Raises what it raises."""
        return await asyncio.get_running_loop().run_in_executor(self._reader, ask, self._memory)

    async def write(self, change: Callable[[Memory], T]) -> T:
        """Run a changing function on the writer thread. Raises what it raises."""
        return await asyncio.get_running_loop().run_in_executor(self._writer, change, self._memory)

    async def close(self) -> None:
        """End both threads after what they are doing, and close the memory."""
        await self.read(lambda _: None)
        await self.write(lambda memory: memory.close())
        self._reader.shutdown(wait=False)
        self._writer.shutdown(wait=False)


class Memories:
    """The memories this process has open, by project."""

    def __init__(self, open_memory: OpenMemory) -> None:
        """`open_memory` opens the memory of the project that a directory belongs to."""
        self._open_memory = open_memory
        self._by_project: dict[str, ProjectMemory] = {}
        self._openings: dict[str, asyncio.Task[ProjectMemory]] = {}

    async def get(self, directory: str) -> ProjectMemory:
        """The memory of the directory's project, opened if need be. Raises StateUnavailable and other
        MemoryFaults. A cancel ends the wait and not the opening, so that nothing stays open without an owner.
        """
        key = os.path.realpath(directory)
        opening = self._openings.get(key)
        if opening is None or (opening.done() and (opening.cancelled() or opening.exception() is not None)):
            opening = self._openings[key] = asyncio.create_task(self._opened(key))
        return await asyncio.shield(opening)

    @property
    def open(self) -> tuple[ProjectMemory, ...]:
        """The open memories."""
        return tuple(self._by_project.values())

    async def close(self) -> None:
        """Close every memory."""
        openings, self._openings = list(self._openings.values()), {}
        await asyncio.gather(*openings, return_exceptions=True)
        memories, self._by_project = self.open, {}
        for memory in memories:
            await memory.close()

    async def _opened(self, directory: str) -> ProjectMemory:
        """A memory of one project is opened once, also when two directories of it are used."""
        writer = ThreadPoolExecutor(1, thread_name_prefix="memory-write")
        loop = asyncio.get_running_loop()
        try:
            memory = await loop.run_in_executor(writer, self._open_memory, directory)
        except BaseException:
            writer.shutdown(wait=False)
            raise
        project = memory.project.id
        if project in self._by_project:
            await loop.run_in_executor(writer, memory.close)
            writer.shutdown(wait=False)
        else:
            self._by_project[project] = ProjectMemory(memory, writer)
        return self._by_project[project]
