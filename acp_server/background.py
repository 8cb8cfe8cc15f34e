"""What work in the background may do with a memory: write lines of the tree, and what waits for an idle moment.

It gets this door and no other. Notes are written and deleted by a call that a person can see and refuse, or by the
person; nothing here leads to a note.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from acp_server.memory_threads import ProjectMemory

if TYPE_CHECKING:
    from memory_core.memory import Memory

T = TypeVar("T")


class LineDoor:
    """A memory's lines, and nothing of its notes."""

    def __init__(self, memory: Memory) -> None:
        """Takes what it needs of the whole door."""
        self.claim_lines = memory.claim_lines
        self.renew_lines = memory.renew_lines
        self.release_lines = memory.release_lines
        self.store_claimed = memory.store_claimed
        self.pending_lines = memory.pending_lines
        self.line_context = memory.line_context
        self.idle_step = memory.idle_step
        self.purge_pending = memory.purge_pending


class BackgroundMemory:
    """A project's memory on its threads, seen through the narrow door."""

    def __init__(self, memory: ProjectMemory) -> None:
        """`memory` is the session's."""
        self.project_id = memory.project_id
        self._read = memory.read
        self._write = memory.write

    async def read(self, ask: Callable[[LineDoor], T]) -> T:
        """Run a reading function on the reader thread. Raises what it raises."""
        return await self._read(partial(_through, ask))

    async def write(self, change: Callable[[LineDoor], T]) -> T:
        """Run a changing function on the writer thread. Raises what it raises."""
        return await self._write(partial(_through, change))


def _through(ask: Callable[[LineDoor], T], memory: Memory) -> T:
    return ask(LineDoor(memory))
