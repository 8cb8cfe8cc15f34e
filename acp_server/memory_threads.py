"""The projects' memories on threads: for each project one thread that writes and one that reads.

The memory is synchronous. What runs on a thread runs to its end, whatever becomes of the task that waits
for it; whether a task may stop waiting is decided by the caller (`cancelling.py`).

A memory lives as long as sessions use it. Sessions use directories, and each directory in use holds the memory of its
project; with the last session of a directory the hold goes, with the last hold the memory is closed. Whoever comes
while it closes gets a memory of their own.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
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
        try:
            await self.read(lambda _: None)
            await self.write(lambda memory: memory.close())
        finally:
            self._reader.shutdown(wait=False)
            self._writer.shutdown(wait=False)


class _Place:
    """A directory in use: its sessions, and the opening of its project's memory."""

    def __init__(self) -> None:
        self.sessions: set[str] = set()
        self.opening: asyncio.Task[ProjectMemory] | None = None

    @property
    def failed(self) -> bool:
        """Whether no opening is under way or done."""
        opening = self.opening
        return opening is None or (opening.done() and (opening.cancelled() or opening.exception() is not None))


class Memories:
    """The memories this process has open, by project."""

    def __init__(self, open_memory: OpenMemory) -> None:
        """`open_memory` opens the memory of the project that a directory belongs to."""
        self._open_memory = open_memory
        self._places: dict[str, _Place] = {}
        self._by_project: dict[str, ProjectMemory] = {}
        self._holds: dict[ProjectMemory, set[_Place]] = {}
        self._releases: set[asyncio.Task[None]] = set()

    async def get(self, directory: str, session: str) -> ProjectMemory:
        """The memory of the directory's project for a session, opened if need be. Raises StateUnavailable and other
        MemoryFaults. A cancel ends the wait and not the opening, so that nothing stays open without an owner.
        """
        key = os.path.realpath(directory)
        place = self._places.setdefault(key, _Place())
        place.sessions.add(session)
        if place.opening is None or place.failed:
            place.opening = asyncio.create_task(self._opened(key, place))
        return await asyncio.shield(place.opening)

    @property
    def open(self) -> tuple[ProjectMemory, ...]:
        """The open memories."""
        return tuple(self._by_project.values())

    def sessions(self, memory: ProjectMemory) -> set[str]:
        """The sessions that use a memory."""
        return {session for place in self._holds.get(memory, ()) for session in place.sessions}

    async def leave(self, session: str, before: Callable[[ProjectMemory], Awaitable[None]]) -> None:
        """A session uses memories no longer; one that no other uses is closed, after `before` was awaited for it.

        A cancel ends the wait, not the closing.
        """
        for place in self._places.values():
            place.sessions.discard(session)
        left = {key: place for key, place in self._places.items() if not place.sessions}
        releases = [asyncio.create_task(self._release(place, before)) for place in left.values()]
        for key, release in zip(left, releases, strict=True):
            del self._places[key]
            self._releases.add(release)
            release.add_done_callback(self._releases.discard)
        for release in releases:
            await asyncio.shield(release)

    async def close(self) -> None:
        """Close every memory."""
        places, self._places = self._places, {}
        openings = [place.opening for place in places.values() if place.opening is not None]
        await asyncio.gather(*openings, *self._releases, return_exceptions=True)
        memories, self._by_project = self.open, {}
        self._holds.clear()
        for memory in memories:
            await memory.close()

    async def _opened(self, directory: str, place: _Place) -> ProjectMemory:
        """A memory of one project is opened once, also when two directories of it are used."""
        writer = ThreadPoolExecutor(1, thread_name_prefix="memory-write")
        loop = asyncio.get_running_loop()
        try:
            memory = await loop.run_in_executor(writer, self._open_memory, directory)
        except BaseException:
            writer.shutdown(wait=False)
            raise
        held = self._by_project.get(memory.project.id)
        if held is None:
            held = self._by_project[memory.project.id] = ProjectMemory(memory, writer)
            self._holds[held] = {place}
            return held
        self._holds[held].add(place)
        await loop.run_in_executor(writer, memory.close)
        writer.shutdown(wait=False)
        return held

    async def _release(self, place: _Place, before: Callable[[ProjectMemory], Awaitable[None]]) -> None:
        """Ends a place's hold; the last one closes the memory."""
        if place.opening is not None:
            await asyncio.wait({place.opening})
        if place.opening is None or place.failed:
            return
        memory = place.opening.result()
        holds = self._holds[memory]
        holds.remove(place)
        if holds:
            return
        del self._holds[memory], self._by_project[memory.project_id]
        try:
            await before(memory)
        finally:
            await memory.close()
