"""Our own requests to the client: ids out, answers in. A question that is withdrawn is cancelled at the
client.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from acp_server import jsonrpc
from acp_server.providers.interface import JsonObject, JsonValue
from acp_server.wire import Response

Send = Callable[[JsonObject], Awaitable[None]]


class CallFailed(Exception):
    """The client answered with an error, or it is gone."""


class Calls:
    """Requests of the agent to its client."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._open: dict[int, asyncio.Future[JsonValue]] = {}
        self._last = -1

    async def call(self, method: str, params: JsonObject) -> JsonValue:
        """The client's result. Raises CallFailed. A cancel withdraws the request and tells the client."""
        self._last += 1
        call_id = self._last
        answer: asyncio.Future[JsonValue] = asyncio.get_running_loop().create_future()
        self._open[call_id] = answer
        try:
            await self._send({"jsonrpc": "2.0", "id": call_id, "method": method, "params": params})
            return await answer
        except asyncio.CancelledError:
            await self._send(jsonrpc.notification("$/cancel_request", {"requestId": call_id}))
            raise
        finally:
            del self._open[call_id]

    def take(self, response: Response) -> None:
        """A response came; one that nobody waits for (late, doubled, foreign) is dropped."""
        answer = self._open.get(response.id)
        if answer is None or answer.done():
            return
        if response.error is None:
            answer.set_result(response.result)
        else:
            answer.set_exception(CallFailed(str(response.error.get("code"))))
