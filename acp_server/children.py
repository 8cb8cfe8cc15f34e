"""Processes that tools start: none outlives its call, nor the agent, however the agent ends.

Theory of operation (POSIX). A call's processes form one process group. Its leader is a watcher, a shell
that reads a pipe whose other end only the agent holds: when the agent dies, even by SIGKILL, the read ends
and the watcher kills its group. At the end of a call the agent kills the group itself. What left the group
(`setsid`) becomes, on Linux, a child of the agent, which is a subreaper, and is killed when no call runs,
begins or ends any more.

On Windows there are no process groups: a call ends the process that it started.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from acp_server.caller import VARIABLE

WATCHER = "\n".join(('trap "" HUP INT TERM', "read -r _", "kill -KILL 0"))
EXIT_LOOK_SECONDS = 0.001
PR_SET_CHILD_SUBREAPER = 36
POSIX = os.name == "posix"


class Child:
    """One process that a tool started; `process` is asyncio's, with its pipes."""

    def __init__(
        self, process: asyncio.subprocess.Process, watcher: asyncio.subprocess.Process | None, pipe: int
    ) -> None:
        self.process = process
        self._watcher = watcher
        self._pipe = pipe

    async def end(self) -> None:
        """Kill the group, whatever of it is left, and wait until its first processes are gone."""
        if self._watcher is None:
            with suppress(ProcessLookupError):
                self.process.kill()
        else:
            with suppress(ProcessLookupError):
                os.killpg(self._watcher.pid, signal.SIGKILL)
            await self._watcher.wait()
            os.close(self._pipe)
        while self.process.returncode is None:
            # `wait` waits for the end of the output too, which a process that left the group may hold open
            await asyncio.sleep(EXIT_LOOK_SECONDS)


class Children:
    """All processes of the agent's tools."""

    def __init__(self) -> None:
        self._running: set[Child] = set()
        self._moving = 0
        """How many are just being started or ended."""
        self._adopts = False

    async def start(
        self,
        command: Sequence[str],
        *,
        cwd: str,
        environ: Mapping[str, str],
        stdin: int = asyncio.subprocess.DEVNULL,
    ) -> Child:
        """Start a command whose output (both streams as one) comes through `process.stdout`. Raises
        OSError.
        """
        self._adopt_orphans()
        with self._in_motion():
            child = await self._start(command, cwd, environ, stdin)
            self._running.add(child)
        return child

    async def end(self, child: Child) -> None:
        """The call is over: end all that it started."""
        self._running.discard(child)
        with self._in_motion():
            await child.end()
        if self._adopts and not self._running and not self._moving:
            _kill_children_of(os.getpid())

    async def end_all(self) -> None:
        """The agent ends."""
        for child in list(self._running):
            await self.end(child)

    async def _start(self, command: Sequence[str], cwd: str, environ: Mapping[str, str], stdin: int) -> Child:
        watcher, pipe = await _start_watcher() if POSIX else (None, -1)
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                cwd=cwd,
                env={**environ, VARIABLE: "1"},
                stdin=stdin,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                process_group=None if watcher is None else watcher.pid,
            )
        except BaseException:
            if watcher is not None:
                watcher.kill()
                os.close(pipe)
                await watcher.wait()
            raise
        return Child(process, watcher, pipe)

    @contextmanager
    def _in_motion(self) -> Iterator[None]:
        self._moving += 1
        try:
            yield
        finally:
            self._moving -= 1

    def _adopt_orphans(self) -> None:
        if sys.platform == "linux" and not self._adopts:
            library = ctypes.CDLL(None, use_errno=True)
            self._adopts = library.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


async def _start_watcher() -> tuple[asyncio.subprocess.Process, int]:
    """The watcher, leader of a new group, and the end of the pipe whose closing tells it."""
    watched, pipe = os.pipe()
    try:
        watcher = await asyncio.create_subprocess_exec(
            "/bin/sh",
            "-c",
            WATCHER,
            stdin=watched,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            process_group=0,
        )
    except BaseException:
        os.close(pipe)
        raise
    finally:
        os.close(watched)
    return watcher, pipe


def _kill_children_of(parent: int) -> None:
    """Kill and collect what became a child of `parent` when its own parent died, and what that started."""
    while pids := children_of(parent):
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)


def children_of(parent: int) -> list[int]:
    """The processes whose parent is `parent`, from `/proc`."""
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit() and _parent(entry) == parent]


def _parent(entry: Path) -> int:
    """The parent of a process of `/proc`; 0 where the process is gone. Its name may hold spaces and
    brackets.
    """
    try:
        status = (entry / "stat").read_bytes()
    except OSError:
        return 0
    return int(status.rpartition(b")")[2].split()[1])
