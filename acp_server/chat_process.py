"""The chat's agent: our own server as a child process, spoken to in lines of JSON.

Rules
1. One thread reads the agent's output and puts each message into a queue; everything else happens on the main
   thread, which takes from the queue. Nothing is shared but the queue.
2. Ctrl-C puts `Interrupted` into the same queue, so it can't tear a message apart. The agent has a process
   session of its own: the terminal's Ctrl-C reaches the chat alone, which asks the agent to cancel.
3. The end of the agent's output is `Ended`, the last thing in the queue.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from types import FrameType, MappingProxyType, TracebackType
from typing import IO

from acp_server.providers.interface import JsonObject

CLOSE_SECONDS = 5.0
"""How long the agent may take to end once its input is closed, before it is ended."""

LAST_WORDS_BYTES = 4096
"""How much of the end of the agent's standard error is looked at for its last line."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message of the agent."""

    body: JsonObject


@dataclass(frozen=True, slots=True)
class Garbage:
    """A line of the agent that is no JSON object."""


@dataclass(frozen=True, slots=True)
class Interrupted:
    """The person pressed Ctrl-C."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The agent closed its output."""


Heard = Message | Garbage | Interrupted | Ended


class AgentGone(Exception):
    """The agent ended: `code` is its exit code (negative: a signal), `last_words` its last complaint."""

    def __init__(self, code: int | None, last_words: str) -> None:
        super().__init__(code, last_words)
        self.code = code
        self.last_words = last_words


def agent_command() -> tuple[str, ...]:
    """How our own server is started: in UTF-8, and never from the current directory, the project's."""
    return (sys.executable, "-P", "-X", "utf8", "-m", "acp_server")


def agent_environment() -> dict[str, str]:
    """The environment of the agent: a checkout that was started in place finds itself again."""
    environment = dict(os.environ)
    root = str(Path(__file__).resolve().parents[1])
    if root == sys.path[0]:
        paths = [root, environment.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    return environment


def _parse(line: bytes) -> Heard:
    try:
        body = json.loads(line)
    except (ValueError, RecursionError):
        return Garbage()
    return Message(body) if isinstance(body, dict) else Garbage()


def _start(command: Sequence[str], environment: Mapping[str, str], complaints: IO[bytes]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=complaints,
        env={**agent_environment(), **environment},
        start_new_session=True,
    )


class AgentProcess:
    """A running agent; use as a context manager. Raises OSError where it can't be started."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] = MappingProxyType({})) -> None:
        """`environment` is added to our own."""
        with contextlib.ExitStack() as undo:
            self._complaints = undo.enter_context(tempfile.TemporaryFile())
            self._child = _start(command, environment, self._complaints)
            undo.pop_all()
        self._heard: SimpleQueue[Heard] = SimpleQueue()
        self._reader = threading.Thread(target=self._listen, name="agent-output", daemon=True)
        self._reader.start()

    def __enter__(self) -> AgentProcess:
        """Take Ctrl-C over until the exit."""
        self._before = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give Ctrl-C back and see the agent off."""
        signal.signal(signal.SIGINT, self._before)
        self.close()

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        self._heard.put(Interrupted())

    def _listen(self) -> None:
        assert self._child.stdout is not None
        for line in self._child.stdout:
            if line.strip():
                self._heard.put(_parse(line))
        self._heard.put(Ended())

    def hear(self) -> Heard:
        """The next thing that happens; waits for it."""
        return self._heard.get()

    def send(self, message: JsonObject) -> None:
        """Send one message; raises AgentGone where nobody reads any more."""
        assert self._child.stdin is not None
        line = json.dumps(message, ensure_ascii=True, separators=(",", ":")) + "\n"
        try:
            self._child.stdin.write(line.encode("ascii"))
            self._child.stdin.flush()
        except (BrokenPipeError, ConnectionError) as error:
            raise self.gone() from error

    def gone(self) -> AgentGone:
        """Why the agent is gone, once it has ended."""
        try:
            code = self._child.wait(CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            code = None
        return AgentGone(code, self._last_words())

    def _last_words(self) -> str:
        size = self._complaints.seek(0, os.SEEK_END)
        self._complaints.seek(max(0, size - LAST_WORDS_BYTES))
        lines = self._complaints.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1].strip().rstrip(".") if lines else ""

    def kill(self) -> None:
        """End the agent at once."""
        self._child.kill()

    def close(self) -> None:
        """Close the agent's input, wait for its end, and end it where it doesn't."""
        assert self._child.stdin is not None
        with contextlib.suppress(BrokenPipeError, ConnectionError):
            self._child.stdin.close()
        try:
            self._child.wait(CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._reader.join(CLOSE_SECONDS)
        if self._child.stdout is not None and not self._reader.is_alive():
            self._child.stdout.close()
        self._complaints.close()
