"""A model's server of this machine that answers by what it is asked: chat, title, summary line or shorter history.

    with ModelServer(chat=[says("Hello.")]) as server:
        ...  # server.config(price), server.bodies("chat")

It speaks Chat Completions over real sockets. Requests for titles, lines and summaries of a conversation come beside
those of the chat, so each kind has answers of its own.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

Body = dict[str, Any]
Send = Callable[[Any], None]

USAGE = {"prompt_tokens": 1000, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 600}}


@dataclass(frozen=True)
class Reply:
    """Pieces of text or calls, then usage; `status` is another than 200 for a fault; `gate` opens before the end."""

    deltas: tuple[Body, ...] = ()
    stop: str = "stop"
    usage: Body | None = field(default_factory=lambda: USAGE)
    status: int = 200
    gate: bool = False


def says(*pieces: str, **more: Any) -> Reply:
    """An answer in words."""
    return Reply(tuple({"content": piece} for piece in pieces), **more)


def calls(*arguments: Body, name: str = "memory") -> Reply:
    """An answer that asks for tools."""
    made = [
        {"index": at, "id": f"call-{at}", "type": "function", "function": {"name": name, "arguments": json.dumps(each)}}
        for at, each in enumerate(arguments)
    ]
    return Reply(({"tool_calls": made},), "tool_calls")


def writes(path: str, content: str = "# Kept\n\nIt is kept.\n") -> Reply:
    """A call that writes a note."""
    return calls({"command": "write", "path": path, "content": content})


KINDS = {
    "You give a conversation its title": "title",
    "You write one line of a project": "memory",
    "You make the record of a conversation shorter": "compaction",
}


def kind_of(body: Body) -> str:
    """What a request is for, by its first message."""
    first = str(body["messages"][0]["content"])
    return next((kind for start, kind in KINDS.items() if start in first), "chat")


class ModelServer:
    """Each kind of request gets its answers in order, the last one for ever."""

    def __init__(
        self,
        chat: list[Reply],
        title: Reply | None = None,
        memory: Reply | None = None,
        compaction: list[Reply] | None = None,
    ) -> None:
        self.answers = {
            "chat": chat,
            "title": [title or says("A title")],
            "memory": [memory or says("a line")],
            "compaction": compaction or [says("Everything so far.")],
        }
        self.requests: list[Body] = []
        self.gate, self.reached = threading.Event(), threading.Event()
        self._arrived = threading.Condition()

    def __enter__(self) -> ModelServer:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.gate.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def bodies(self, kind: str) -> list[Body]:
        """The requests of one kind."""
        return [body for body in self.requests if kind_of(body) == kind]

    def wait_for(self, kind: str, count: int = 1) -> None:
        """Wait until so many requests of a kind came."""
        with self._arrived:
            assert self._arrived.wait_for(lambda: len(self.bodies(kind)) >= count, 20)

    def config(self, more: str = "", prices: str = "", window: int | None = 100_000) -> str:
        """A configuration with one model on this server, `lab/large`."""
        size = f"context_window = {window}\n" if window else ""
        return (
            f'[models.large]\nprovider = "lab"\nmodel = "large"\nbase_url = "http://127.0.0.1:'
            f'{self._server.server_port}/v1"\n{size}{prices}\n{more}'
        )

    def take(self, body: Body) -> Reply:
        """The answer to a request."""
        with self._arrived:
            self.requests.append(body)
            self._arrived.notify_all()
            answers = self.answers[kind_of(body)]
            return answers.pop(0) if len(answers) > 1 else answers[0]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_error(404)

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                server.answer(self, server.take(body))

            def log_message(self, format: str, *args: Any) -> None:
                pass

        return Handler

    def answer(self, to: BaseHTTPRequestHandler, reply: Reply) -> None:
        """Stream an answer, or refuse."""
        if reply.status != 200:
            body = b'{"error": {"message": "scripted"}}'
            to.send_response(reply.status)
            to.send_header("content-length", str(len(body)))
            to.end_headers()
            to.wfile.write(body)
            return
        to.send_response(200)
        to.send_header("content-type", "text/event-stream")
        to.send_header("connection", "close")
        to.end_headers()
        for delta in reply.deltas:
            _event(to, {"choices": [{"index": 0, "delta": delta}]})
        if reply.gate:
            self.reached.set()
            self.gate.wait(20)
        _event(to, {"choices": [{"index": 0, "delta": {}, "finish_reason": reply.stop}]})
        if reply.usage is not None:
            _event(to, {"choices": [], "usage": reply.usage})
        to.wfile.write(b"data: [DONE]\n\n")


def _event(to: BaseHTTPRequestHandler, value: Body) -> None:
    try:
        to.wfile.write(b"data: " + json.dumps(value).encode() + b"\n\n")
        to.wfile.flush()
    except ConnectionError:
        return
