"""The agent as a real process, driven over its pipes: what an editor does, with a deadline on every read.

    with AgentProcess(tmp_path) as agent:
        agent.initialize()
        session = agent.new_session()
        answer = agent.prompt(session, "stream 5")

Nothing here interprets what comes back: messages are plain dictionaries in the order in which they came.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

ROOT = Path(__file__).parent.parent
DOORS = ROOT / "tests" / "doors"
DEADLINE_SECONDS = 20.0

Message = dict[str, Any]


class AgentGone(AssertionError):
    """The agent's output ended where a message was expected."""


def process_environment(state: Path, extra: Mapping[str, str | None] | None = None) -> dict[str, str]:
    """A small, fixed environment: doors open, time and ids exact, a model bound (so that none is missed aloud); None in
    `extra` takes one out.
    """
    environ: dict[str, str | None] = {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(state / "home"),
        "PYTHONPATH": str(ROOT),
        "PYTHONWARNINGS": "error",
        "CAUDRA_STATE_DIR": str(state),
        "CAUDRA_CONFIG_DIR": str(state / "config"),
        "CAUDRA_MODEL": "embedded/librarian",
        "CAUDRA_TEST": "1",
        "CAUDRA_TEST_CLOCK": "1700000000000000000,1000000",
        "CAUDRA_TEST_IDS": "seq",
        **(extra or {}),
    }
    return {key: value for key, value in environ.items() if value is not None}


class AgentProcess:
    """One agent. `folder` gets `state/` and `project/`; `doors` names a file of `tests/doors`, or is None."""

    def __init__(
        self,
        folder: Path,
        *,
        doors: str | None = "wire_runner.py",
        env: Mapping[str, str | None] | None = None,
        cwd: str | Path = "/",
        arguments: tuple[str, ...] = ("-m", "acp_server"),
    ) -> None:
        self.state = folder / "state"
        self.project = folder / "project"
        for needed in (self.state / "home", self.project):
            needed.mkdir(parents=True, exist_ok=True)
        door: dict[str, str | None] = {"CAUDRA_TEST_DOORS": str(DOORS / doors)} if doors else {}
        self.errors = folder / f"stderr-{time.monotonic_ns()}.txt"
        with self.errors.open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=process_environment(self.state, {**door, **(env or {})}),
                cwd=cwd,
                bufsize=0,
            )
        assert self.process.stdin is not None and self.process.stdout is not None
        self._input, self._output = self.process.stdin, self.process.stdout
        self._buffer = b""
        self._next_id = 0
        self.seen: list[Message] = []
        """Every message read so far."""

    def __enter__(self) -> AgentProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    # Sending

    def write(self, data: bytes) -> None:
        """Raw bytes, all of them."""
        rest = memoryview(data)
        while rest:
            rest = rest[self._input.write(rest) :]

    def send(self, message: object) -> None:
        """One message a line."""
        self.write(json.dumps(message).encode() + b"\n")

    def request(self, method: str, params: object = None, **more: object) -> int:
        """Send a request; its id."""
        self._next_id += 1
        self.send({"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params, **more})
        return self._next_id

    def notify(self, method: str, params: object = None) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    # Reading

    def read_line(self, seconds: float = DEADLINE_SECONDS) -> bytes:
        """The next line, as it came. Raises AgentGone at its end, AssertionError at the deadline."""
        deadline = time.monotonic() + seconds
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([self._output], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"nothing came; read so far: {self.seen[-3:]}; {self.log()[-500:]}"
            data = os.read(self._output.fileno(), 1 << 20)
            if not data:
                raise AgentGone(f"the agent ended; {self.log()[-500:]}")
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def read(self) -> Message:
        """The next message."""
        message = json.loads(self.read_line())
        assert isinstance(message, dict)
        self.seen.append(message)
        return message

    def until(self, wanted: Callable[[Message], bool]) -> Message:
        """Read on to the first message that is wanted."""
        while not wanted(message := self.read()):
            pass
        return message

    def answer(self, request_id: object) -> Message:
        """Read on to the answer of a request."""
        return self.until(lambda message: message.get("id", "none") == request_id and "method" not in message)

    def asked(self, method: str) -> Message:
        """Read on to a request of the agent."""
        return self.until(lambda message: message.get("method") == method and "id" in message)

    def text_until(self, text: str) -> str:
        """Read on until the agent's message holds `text`; the message's whole text so far."""
        start = len(self.seen)
        self.until(lambda _: text in texts(self.seen[start:]))
        return texts(self.seen[start:])

    def rest(self, seconds: float = DEADLINE_SECONDS) -> list[Message]:
        """All messages until the output ends."""
        messages = []
        while True:
            try:
                messages.append(json.loads(self.read_line(seconds)))
            except AgentGone:
                return messages

    # The usual steps

    def initialize(self, **params: object) -> Message:
        """The answer to `initialize`."""
        return self.answer(self.request("initialize", {"protocolVersion": 1, "clientCapabilities": {}, **params}))

    def new_session(self, cwd: str | Path | None = None) -> str:
        """A new session's id, its commands read too."""
        params = {"cwd": str(cwd or self.project), "mcpServers": []}
        session = str(self.answer(self.request("session/new", params))["result"]["sessionId"])
        self.until(lambda message: update_of(message).get("sessionUpdate") == "available_commands_update")
        return session

    def start_prompt(self, session: str, text: str) -> int:
        """Send a prompt; its id."""
        return self.request("session/prompt", {"sessionId": session, "prompt": [{"type": "text", "text": text}]})

    def prompt(self, session: str, text: str) -> Message:
        """Send a prompt and read on to its answer."""
        return self.answer(self.start_prompt(session, text))

    def cancel(self, session: str) -> None:
        """`session/cancel`."""
        self.notify("session/cancel", {"sessionId": session})

    # Ending

    def close_input(self) -> None:
        """End the agent's input."""
        self._input.close()

    def close_output(self) -> None:
        """Stop listening."""
        self._output.close()

    def signal(self, number: int) -> None:
        """Send a signal."""
        os.kill(self.process.pid, number)

    def wait(self, seconds: float = DEADLINE_SECONDS) -> int:
        """The exit code; a deadline missed is an error."""
        return self.process.wait(seconds)

    def kill(self) -> None:
        """End it whatever it does, and free the pipes."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        for pipe in (self._input, self._output):
            pipe.close()

    def log(self) -> str:
        """What it wrote to standard error."""
        return self.errors.read_text("utf-8", "replace")


def update_of(message: Message) -> Message:
    """The update that a `session/update` carries; empty for any other message."""
    params = message.get("params")
    return params.get("update", {}) if isinstance(params, dict) else {}


def texts(messages: list[Message]) -> str:
    """The agent's words in these messages."""
    chunks = (update_of(message) for message in messages)
    return "".join(
        update["content"]["text"] for update in chunks if update.get("sessionUpdate") == "agent_message_chunk"
    )


def gone(pid: int) -> bool:
    """Whether no process has this id any more; one that waits for its parent counts as gone."""
    try:
        status = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return True
    return status.rpartition(b")")[2].split()[0] in (b"Z", b"X")


def wait_gone(pid: int, seconds: float = DEADLINE_SECONDS) -> bool:
    """Wait on the kernel's own word (a pidfd) until a process is gone."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        ready, _, _ = select.select([descriptor], [], [], seconds)
    finally:
        os.close(descriptor)
    return bool(ready)
