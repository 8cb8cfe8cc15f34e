"""What an editor does at the start, against the clock: spawn an agent, ask, wait for the answer, ask on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import Any

Message = dict[str, Any]


class Spawned:
    """An agent's process. `elapsed_ms` is reckoned from the moment before it was spawned."""

    def __init__(self, command: list[str], environ: Mapping[str, str]) -> None:
        self._began = perf_counter()
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environ, bufsize=0
        )
        self._buffer = b""
        self._next_id = 0
        self.cpu_ms = 0.0
        """CPU time of the whole process; known once the `with` block ended."""

    def __enter__(self) -> Spawned:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Kill it at once, so that its CPU time is that of what was waited for."""
        os.kill(self._process.pid, signal.SIGKILL)
        self.cpu_ms = reaped_cpu_ms(self._process)
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()

    @property
    def elapsed_ms(self) -> float:
        """Milliseconds since the moment before it was spawned."""
        return (perf_counter() - self._began) * 1000

    def initialize(self) -> None:
        """Ask and wait for the answer."""
        self._answer(self._ask("initialize", {"protocolVersion": 1, "clientCapabilities": {}}))

    def new_session(self, cwd: str) -> str:
        """Ask and wait for the answer; gives the session's id."""
        answer = self._answer(self._ask("session/new", {"cwd": cwd, "mcpServers": []}))
        return str(answer["result"]["sessionId"])

    def request(self, method: str, params: Message) -> Message:
        """Ask anything and wait for the answer."""
        return self._answer(self._ask(method, params))

    def first_update(self, method: str, params: Message) -> None:
        """Ask anything and wait for the first update of a session."""
        self._ask(method, params)
        while _update(self._read()) is None:
            pass

    def prompt(self, session: str, text: str) -> Callable[[], None]:
        """Ask and wait for the first chunk; gives what waits for the end of the turn."""
        content = [{"type": "text", "text": text}]
        asked = self._ask("session/prompt", {"sessionId": session, "prompt": content})
        while _update(self._read()) != "agent_message_chunk":
            pass
        return lambda: self._end_of(asked)

    def peak_resident_mb(self) -> float:
        """The most memory that the agent has had resident so far, in MB."""
        return self._status_mb("VmHWM:")

    def resident_mb(self) -> float:
        """The memory that the agent has resident now, in MB."""
        return self._status_mb("VmRSS:")

    def _status_mb(self, name: str) -> float:
        status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii", errors="replace")
        (kilobytes,) = (line.split()[1] for line in status.splitlines() if line.startswith(name))
        return int(kilobytes) / 1024

    def _ask(self, method: str, params: Message) -> int:
        self._next_id += 1
        message = {"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        return self._next_id

    def _answer(self, asked: int) -> Message:
        while (message := self._read()).get("id") != asked or "method" in message:
            pass
        assert "result" in message, message
        return message

    def _end_of(self, asked: int) -> None:
        self._answer(asked)

    def _read(self) -> Message:
        assert self._process.stdout is not None
        while b"\n" not in self._buffer:
            data = os.read(self._process.stdout.fileno(), 1 << 20)
            assert data, "the agent ended"
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        message = json.loads(line)
        assert isinstance(message, dict)
        return message


def reaped_cpu_ms(process: subprocess.Popen[bytes]) -> float:
    """Wait for a child's end; its CPU time in milliseconds."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return (usage.ru_utime + usage.ru_stime) * 1000


def _update(message: Message) -> object:
    return message.get("params", {}).get("update", {}).get("sessionUpdate")
