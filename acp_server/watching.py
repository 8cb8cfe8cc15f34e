"""Looks between turns: where notes changed outside while nobody asked, they become entries soon.

Each project that had a turn is watched (`memory_core.watch`) until its memory is let go. A hint wakes the project's
task here; once no turn of the project runs, it looks at the files on the project's thread. What the look came to is
handed on, so that each session tells its person. A look in the background takes in and never clears: that a notes
directory is gone, the next turn finds. A look that fails is the next turn's to tell; here it is one line in the log.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol

from acp_server.memory_threads import ProjectMemory
from acp_server.sentences import log
from memory_core.exceptions import MemoryFault
from memory_core.results import Reconciled
from memory_core.watch import Tell, Watch

REST = 10
"""After a look comes a rest so many times as long: with 100,000 notes a writer elsewhere must not keep us busy."""

_log = logging.getLogger(__name__)

Found = Callable[[ProjectMemory, Reconciled], None]


class Watcher(Protocol):
    """What gives hints; `memory_core.watch.Watch` does."""

    def add(self, folder: str) -> None:
        """Give hints of this folder; once more where it was added before."""
        ...

    def remove(self, folder: str) -> None:
        """Give no more hints of this folder."""
        ...

    def close(self) -> None:
        """Give no more hints at all."""
        ...


NewWatcher = Callable[[Tell, Tell], Watcher]


class _Project:
    """A watched project: whether a hint waits, whether no turn runs, and the task that looks."""

    def __init__(self, memory: ProjectMemory) -> None:
        self.memory = memory
        self.hinted = asyncio.Event()
        self.quiet = asyncio.Event()
        self.quiet.set()
        self.turns = 0
        self.task: asyncio.Task[None] | None = None
        self.fault = ""


class Watching:
    """The projects of this process that are watched."""

    def __init__(self, found: Found, new_watcher: NewWatcher = Watch) -> None:
        """`found` is told what a look came to, before any turn can begin to look for itself."""
        self._found = found
        self._new_watcher = new_watcher
        self._watcher: Watcher | None = None
        self._projects: dict[ProjectMemory, _Project] = {}

    def turn_began(self, memory: ProjectMemory) -> None:
        """A turn of this project has looked at the files; until it ends nobody else does."""
        project = self._projects.setdefault(memory, _Project(memory))
        project.turns += 1
        project.quiet.clear()

    def turn_ended(self, memory: ProjectMemory) -> None:
        """A turn ended: the project is watched from now on."""
        project = self._projects.get(memory)
        if project is None:
            return
        project.turns -= 1
        if not project.turns:
            project.quiet.set()
        if project.task is None:
            project.task = asyncio.create_task(self._look_when_hinted(project))
            project.task.add_done_callback(_log_bug)
        if self._watcher is None:
            self._watcher = self._begin()
        self._watcher.add(memory.folder)

    async def stop(self, memory: ProjectMemory) -> None:
        """Watch a project no longer: its memory is about to be closed."""
        project = self._projects.pop(memory, None)
        if project is None:
            return
        if self._watcher is not None and all(other.memory.folder != memory.folder for other in self._projects.values()):
            self._watcher.remove(memory.folder)
        if project.task is not None:
            project.task.cancel()
            await asyncio.wait({project.task})

    async def close(self) -> None:
        """Watch nothing any more."""
        if self._watcher is not None:
            self._watcher.close()
        for memory in list(self._projects):
            await self.stop(memory)

    def _begin(self) -> Watcher:
        """Hints come on another thread, whose words the loop takes over. None comes after `close`."""
        loop = asyncio.get_running_loop()

        def hint(folder: str) -> None:
            loop.call_soon_threadsafe(self._hint, folder)

        def trouble(reason: str) -> None:
            _log.warning(log.NOT_WATCHED, reason)

        return self._new_watcher(hint, trouble)

    def _hint(self, folder: str) -> None:
        for project in self._projects.values():
            if project.memory.folder == folder:
                project.hinted.set()

    async def _look_when_hinted(self, project: _Project) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            await project.hinted.wait()
            await project.quiet.wait()
            project.hinted.clear()
            began = clock()
            await self._look(project)
            await asyncio.sleep(REST * (clock() - began))

    async def _look(self, project: _Project) -> None:
        try:
            found = await project.memory.write(lambda door: door.reconcile(clears=False))
        except MemoryFault as fault:
            if str(fault) != project.fault:
                project.fault = str(fault)
                _log.warning(log.LOOK_FAILED, fault)
            return
        project.fault = ""
        self._found(project.memory, found)


def _log_bug(task: asyncio.Task[None]) -> None:
    """Nobody awaits a project's task until it is let go, so a bug in it is told here."""
    if not task.cancelled():
        _log.error(log.LOOK_BROKE, exc_info=task.exception())
