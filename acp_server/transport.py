"""The hardened stdio transport that `acp.run_agent` is given, from the hand-over on.

Theory of operation. The reader thread brings lines, the writer thread takes bytes; all else runs on the
loop. `receive` reads each line by the rules of `wire.py`: refusals and the desk's answers go out at once,
responses to our own requests and `$/cancel_request` are handled here, and only requests and notifications
that the agent handles reach the protocol's library, with serial numbers for ids. `send` puts the ids back
and strips what no client should see.

Rules
1. Nothing that a client sends ends the agent, and every request gets exactly one answer.
2. At most 512 requests are unanswered; one more is refused at once, never by blocking: cancels must pass.
3. `send` waits while 256 KB are unread by the client; reading stops while 1 MB of them waits.
4. The end (of input, of the client, by a signal) comes once: turns are ended inside `receive` before it
   returns None, because the library closes the transport before it cancels handlers, and waits for them
   without limit. A watchdog ends the process 1.5 s later whatever hangs.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from itertools import islice
from typing import cast

from pydantic_core import to_json

from acp_server import jsonrpc, wire
from acp_server.calls import Calls
from acp_server.desk import Desk
from acp_server.handover import MAX_UNANSWERED, HandOver
from acp_server.inflight import InFlight
from acp_server.lines import Line
from acp_server.providers.interface import JsonObject, JsonValue
from acp_server.reader import End, Reader
from acp_server.sentences import wire as sentences
from acp_server.sentences.log import NOT_JSON
from acp_server.writer import Writer

SEND_LIMIT_BYTES = 256 * 1024
READ_LIMIT_BYTES = 1024 * 1024
SEND_AT_ONCE = 32
WATCHDOG_SECONDS = 1.5
FLUSH_SECONDS = 1.0

log = logging.getLogger(__name__)


class StdioTransport:
    """What `run_agent` calls: `receive`, `send`, `close`. `wind_down` is awaited once, at the end."""

    def __init__(self, handed: HandOver, wind_down: Callable[[], Awaitable[None]]) -> None:
        self._loop = asyncio.get_running_loop()
        self._desk: Desk = handed.desk
        self._wind_down = wind_down
        self._lines: deque[Line] = deque(handed.held)
        self._end: End | None = None
        self._arrived = asyncio.Event()
        self._drained = asyncio.Event()
        self._closed = False
        self._after: dict[int, Sequence[JsonObject]] = {}
        self.inflight = InFlight()
        self.calls = Calls(self.send)
        self._writer = Writer(handed.stdio.output, lambda: self._from_thread(self._drained.set))
        self._reader = Reader(
            handed.reader,
            handed.stdio.output,
            lambda lines: self._from_thread(self._on_lines, lines),
            self.end_from_outside,
        )
        self._reader.start()
        if handed.reader.ended:
            self.end(End.INPUT_ENDED)

    async def receive(self) -> JsonObject | None:
        """The next message for the agent, or None at the end."""
        while True:
            await asyncio.sleep(0)  # the task of the last message runs first: order, and room for more
            if self._end is End.CLIENT_GONE or (self._end and not self._lines):
                await self._wind_down()
                return None
            if self._writer.waiting_bytes > READ_LIMIT_BYTES:
                await self._wait_for_client()
            elif not self._lines:
                await self._wait_for_lines()
            elif (message := self._take(self._lines.popleft())) is not None:
                return message

    async def send(self, message: JsonObject) -> None:
        """Put a message out; waits while the client is behind. Replies come here with serial numbers for
        ids.
        """
        serial = message.get("id") if "method" not in message else None
        if isinstance(serial, int):
            self._put(self._reply(serial, message))
            for update in self._after.pop(serial, ()):
                self._put(update)
            self.inflight.finish(serial)
        else:
            self._put(message)
        while self._writer.waiting_bytes > SEND_LIMIT_BYTES:
            await self._wait_for_client()

    async def send_all(self, messages: Iterable[JsonObject]) -> None:
        """Put many messages out; others run, and the client is waited for, every now and then."""
        remaining = iter(messages)
        while at_once := b"".join(map(encoded, islice(remaining, SEND_AT_ONCE))):
            self._put_bytes(at_once)
            await asyncio.sleep(0)
            while self._writer.waiting_bytes > READ_LIMIT_BYTES:
                await self._wait_for_client()
                for _ in range(2):  # `receive` waited too: it comes first, so that a cancel isn't kept out for long
                    await asyncio.sleep(0)

    def after(self, serial: int, messages: Sequence[JsonObject]) -> None:
        """Send messages right behind the answer to a request."""
        self._after[serial] = messages

    async def close(self) -> None:
        """Wait a little for the last bytes to go out; what comes later is dropped."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._wait_for_client(), FLUSH_SECONDS)
        self._closed = True

    def end(self, end: End) -> None:
        """Nothing more comes: `receive` ends the turns and then returns None; the watchdog is set."""
        if end is End.CLIENT_GONE:
            self._writer.abandon()
        if self._end is None:
            _set_watchdog()
        if self._end is not End.CLIENT_GONE:  # that one is final
            self._end = end
        self._arrived.set()

    def end_from_outside(self, end: End) -> None:
        """The same from another thread or a signal's handler; the watchdog runs though the loop may be busy."""
        _set_watchdog()
        self._from_thread(self.end, end)

    def _take(self, line: Line) -> JsonObject | None:
        """Handle one line; what the agent must see comes back in the library's form."""
        match wire.read(line):
            case wire.Refusal(reply=reply):
                self._put(reply)
            case wire.Request(method=method) as request if method in wire.LOCAL_REQUESTS:
                self._writer.put(self._desk.answer(request))
            case wire.Request() as request:
                return self._begin(request)
            case wire.Notification(method="$/cancel_request", params=params):
                self._cancel(params.get("requestId"))
            case wire.Notification(method=method, params=params):
                return {"jsonrpc": "2.0", "method": method, "params": _with_meta_apart(params)}
            case wire.Response() as response:
                self.calls.take(response)
            case None:
                pass
        return None

    def _begin(self, request: wire.Request) -> JsonObject | None:
        if len(self.inflight) >= MAX_UNANSWERED:
            data = jsonrpc.shown(sentences.TOO_MANY_REQUESTS)
            self._put(jsonrpc.error_reply(request.id, jsonrpc.INVALID_REQUEST, data))
            return None
        serial = self.inflight.begin(request.id)
        params = _with_meta_apart(request.params)
        method = f"_{request.method}" if request.method in wire.UNROUTED else request.method
        return {"jsonrpc": "2.0", "id": serial, "method": method, "params": params}

    def _cancel(self, request_id: JsonValue) -> None:
        if wire.is_request_id(request_id):
            self.inflight.cancel(cast("jsonrpc.RequestId", request_id))

    def _reply(self, serial: int, message: JsonObject) -> JsonObject:
        """A reply of the library with the client's id, and without what our own code didn't write for a
        person.
        """
        request_id, error = self.inflight.id_of(serial), message.get("error")
        if not isinstance(error, dict):
            return jsonrpc.result_reply(request_id, message.get("result"))
        code, data = cast("int", error["code"]), error.get("data")
        if isinstance(data, jsonrpc.Shown):
            return jsonrpc.error_reply(request_id, code, data, message=str(error["message"]))
        bug = jsonrpc.shown(sentences.BUG) if code == jsonrpc.INTERNAL_ERROR else None
        return jsonrpc.error_reply(request_id, code, bug)

    def _put(self, message: JsonObject) -> None:
        self._put_bytes(encoded(message))

    def _put_bytes(self, data: bytes) -> None:
        if not self._closed:
            self._writer.put(data)

    async def _wait_for_lines(self) -> None:
        self._reader.go_on()
        self._arrived.clear()
        if not self._lines and self._end is None:
            await self._arrived.wait()

    async def _wait_for_client(self) -> None:
        """Wait until the client has taken all that waits, or is gone."""
        self._drained.clear()
        if self._writer.waiting_bytes:
            await self._drained.wait()

    def _on_lines(self, lines: list[Line]) -> None:
        self._lines.extend(lines)
        self._arrived.set()

    def _from_thread(self, call: Callable[..., None], *arguments: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: the agent is ending
            self._loop.call_soon_threadsafe(call, *arguments)


def encoded(message: JsonObject) -> bytes:
    """A message as its line: null stands for what JSON can't say, a lone surrogate is kept as its escape."""
    try:
        return to_json(message, inf_nan_mode="null") + b"\n"
    except ValueError:
        return _encoded_slowly(message)


def _encoded_slowly(message: JsonObject) -> bytes:
    try:
        return jsonrpc.encode(message)
    except (TypeError, ValueError):
        log.exception(NOT_JSON)
        return jsonrpc.encode(cast("JsonObject", jsonrpc.repaired(message)))


def _with_meta_apart(params: JsonObject) -> JsonObject:
    """Params whose `_meta` comes to a handler as one argument `meta`: its keys can't pose as params."""
    meta = params.get("_meta")
    rest = {key: value for key, value in params.items() if key != "_meta"}
    return {**rest, "_meta": {"meta": meta}} if isinstance(meta, dict) else rest


def _set_watchdog() -> None:
    watchdog = threading.Timer(WATCHDOG_SECONDS, os._exit, (0,))
    watchdog.daemon = True
    watchdog.start()
