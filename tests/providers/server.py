"""A server that does what its script says, over real sockets of this machine.

    with Server([stream(event("one"), RESET), answer(500)]) as server:
        ...  # server.url, server.requests

Each request gets the next reply, and the last one for ever. A reply is a list of steps: bytes to send, or what happens
to the connection. It runs on a thread of its own, so that tests of processes and of a loop use it alike.
"""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import struct
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import TracebackType

CERTIFICATE = Path(__file__).parent / "tls" / "server.pem"
KEY = CERTIFICATE.with_suffix(".key")
DEADLINE_SECONDS = 20.0
TLS_RECORD = b"\x16"
"""The first byte of whoever wants TLS."""


class Do(Enum):
    """What may happen to a connection."""

    RESET = "reset"
    """It is torn down: the other side reads an error."""
    CLOSE = "close"
    """It ends in good order, wherever the answer is."""
    HANG = "hang"
    """Nothing more comes, until the other side hangs up."""
    GATE = "gate"
    """The rest comes once the test opens the gate."""


RESET, CLOSE, HANG, GATE = Do.RESET, Do.CLOSE, Do.HANG, Do.GATE

Step = bytes | Do | threading.Event
"""An event is waited for."""
Reply = Sequence[Step]


@dataclass(frozen=True, slots=True)
class Recorded:
    """One request as it came; names of headers in lower case."""

    line: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, object]:
        """The body's object."""
        value = json.loads(self.body)
        assert isinstance(value, dict)
        return value


@dataclass
class Server:
    """`reached` is set at each HANG and GATE, `hung_up` once the other side is gone during a HANG."""

    script: list[Reply]
    tls: bool = False
    port: int = 0
    requests: list[Recorded] = field(default_factory=list)
    connections: int = 0
    reached: threading.Event = field(default_factory=threading.Event)
    hung_up: threading.Event = field(default_factory=threading.Event)
    gate: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Server:
        self._socket = socket.create_server(("127.0.0.1", self.port))
        self.port = self._socket.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(),))
        self._ended = asyncio.Event()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.gate.set()
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join(DEADLINE_SECONDS)
        self._loop.close()

    @property
    def url(self) -> str:
        """Its address, without a path."""
        return f"http{'s' * self.tls}://127.0.0.1:{self.port}"

    def reply_to(self, request: Recorded) -> Reply:
        """The reply to a request: the next one, whatever is asked."""
        del request
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]

    async def _serve(self) -> None:
        context = None
        if self.tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(CERTIFICATE, KEY)
        talks: set[asyncio.Task[None]] = set()

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            talks.add(task)
            self.connections += 1
            try:
                while await self._exchange(reader, writer):
                    pass
            except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                pass
            finally:
                writer.close()
                talks.discard(task)

        server = await asyncio.start_server(talk, sock=self._socket, ssl=context)
        await self._ended.wait()
        server.close()
        for task in list(talks):
            task.cancel()
        if talks:
            await asyncio.wait(talks)

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request and its reply; whether the connection goes on."""
        begun = await reader.readexactly(1)
        if begun == TLS_RECORD:
            writer.write(head(400))
            return False
        line, *fields = (begun + await reader.readuntil(b"\r\n\r\n")).decode().splitlines()
        headers = {name.lower(): value.strip() for name, _, value in (each.partition(":") for each in fields if each)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        self.requests.append(Recorded(line, headers, body))
        for step in self.reply_to(self.requests[-1]):
            if isinstance(step, bytes):
                writer.write(step)
                await writer.drain()
            elif isinstance(step, threading.Event):
                await asyncio.to_thread(step.wait, DEADLINE_SECONDS)
            elif not await self._do(step, reader, writer):
                return False
        return True

    async def _do(self, step: Do, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        match step:
            case Do.RESET:
                plain: socket.socket = writer.get_extra_info("socket")
                plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()
                return False
            case Do.CLOSE:
                return False
            case Do.HANG:
                self.reached.set()
                while await reader.read(1 << 16):
                    pass
                self.hung_up.set()
                return False
            case Do.GATE:
                self.reached.set()
                await asyncio.to_thread(self.gate.wait, DEADLINE_SECONDS)
                return True


def head(status: int = 200, **headers: str) -> bytes:
    """The head of an answer; `_` in names of headers stands for `-`."""
    fields = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} Said So\r\n{fields}\r\n".encode()


def answer(status: int, body: bytes | str = b"", **headers: str) -> list[Step]:
    """A whole answer."""
    raw = body.encode() if isinstance(body, str) else body
    return [head(status, content_length=str(len(raw)), **headers) + raw]


def error(status: int, message: str, kind: str = "", **headers: str) -> list[Step]:
    """An error in the shape that both OpenAI and Anthropic use."""
    body = {"type": "error", "error": {"type": kind, "code": kind or None, "message": message}}
    return answer(status, json.dumps(body), content_type="application/json", **headers)


def chunk(data: bytes) -> bytes:
    """One piece of a body whose length nobody knows yet."""
    return b"%x\r\n%b\r\n" % (len(data), data) if data else b""


END = b"0\r\n\r\n"
"""The end of such a body."""


def stream(events: Iterable[Step], *, end: bool = True, content_type: str = "text/event-stream") -> list[Step]:
    """A stream of events, each in a piece of its own; it ends in good order where nothing else is said."""
    begun = head(content_type=content_type, transfer_encoding="chunked")
    steps = [chunk(step) if isinstance(step, bytes) else step for step in events]
    return [begun, *steps, *([END] if end else [])]
