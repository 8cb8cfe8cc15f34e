"""A model's server that answers at once: as many chunks as the prompt's last line says, over Chat Completions.

Run as a process of its own, it writes its port, then for each counted answer the moment (`perf_counter`, which all
processes of a machine share) before the first byte was sent.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from itertools import takewhile
from time import perf_counter, sleep

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
PAUSE_SECONDS = 0.02
"""After a single chunk, so that its end doesn't come along with it."""


def event(data: str) -> bytes:
    """One event as one piece of the body."""
    raw = f"data: {data}\n\n".encode()
    return b"%x\r\n%b\r\n" % (len(raw), raw)


def delta(fields: dict[str, str], reason: str | None = None) -> bytes:
    """One chunk of an answer."""
    choice = {"index": 0, "delta": fields, "finish_reason": reason}
    return event(json.dumps({"id": "x", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}))


def requests(connection: socket.socket) -> Iterator[bytes]:
    """The bodies of the requests of one connection; one without a body is told that nothing is there."""
    with connection.makefile("rb") as reader:
        while head := list(takewhile(str.strip, map(bytes.decode, reader))):
            if head[0].startswith("GET"):
                connection.sendall(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")
                continue
            length = next(int(line[15:]) for line in head if line.lower().startswith("content-length:"))
            yield reader.read(length)


def counted(body: bytes) -> int:
    """How many chunks are wanted; 0 where the last line is no number."""
    content = json.loads(body)["messages"][-1]["content"]
    text = content if isinstance(content, str) else content[-1]["text"]
    last = text.strip().splitlines()[-1]
    return int(last) if last.isdecimal() else 0


def serve(connection: socket.socket) -> None:
    """Answer the requests of one connection."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with connection, suppress(ConnectionError):  # an agent was killed in the middle of an answer
        for body in requests(connection):
            count = counted(body)
            began = perf_counter()
            connection.sendall(HEAD + delta({"role": "assistant", "content": "word 0 "}))
            for number in range(1, count):
                connection.sendall(delta({"content": f"word {number} "}))
            if count == 1:
                sleep(PAUSE_SECONDS)
            connection.sendall(delta({}, "stop") + event("[DONE]") + b"0\r\n\r\n")
            if count:
                print(began, flush=True)


class ModelServer:
    """A server in a process of its own."""

    def __init__(self) -> None:
        self._process = subprocess.Popen([sys.executable, __file__], stdout=subprocess.PIPE, text=True)
        self.url = f"http://127.0.0.1:{self.said()}/v1"

    def said(self) -> str:
        """The next line that it writes."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def environ(self) -> dict[str, str]:
        """What binds an agent's sessions to its model."""
        return {"CAUDRA_MODEL": "openai/bench", "OPENAI_BASE_URL": self.url, "OPENAI_API_KEY": "none"}

    def kill(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()


def main() -> None:
    """Serve until killed."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(listener.getsockname()[1], flush=True)
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=(connection,), daemon=True).start()


if __name__ == "__main__":
    main()
