"""A model behind the network: requests built by its wire, sent, parsed, and tried again where nothing was shown yet."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from urllib.parse import urlencode

from acp_server.models.values import Model
from acp_server.providers.faults import FaultKind, Place, WireFault, kind_of_status, sentence_of, waiting_sentence
from acp_server.providers.http import MAX_ERROR_BODY_BYTES, Http, Refused, host_of
from acp_server.providers.interface import (
    CallReady,
    CallStarted,
    ModelInfo,
    Provider,
    ProviderEvent,
    ProviderFault,
    Purpose,
    Request,
    Stopped,
    TextDelta,
    ThoughtDelta,
    Waiting,
)
from acp_server.providers.keys import key_of
from acp_server.providers.redacting import detail_of
from acp_server.providers.retry_after import asked_wait
from acp_server.providers.retrying import Retries
from acp_server.providers.wires import WIRES
from acp_server.providers.wires.bodies import encoded
from acp_server.providers.wires.sse import EventStream

Sleep = Callable[[float], Awaitable[object]]

WAITED_FOR = frozenset({Purpose.CHAT, Purpose.COMPACTION})
"""What a person waits for is tried again here. The background has its own pace, and adds nothing to a limit."""

_UNSENDABLE = re.compile(r"[^\x21-\x7e]")
_BEFORE_THE_FIRST_BYTE = b"\xef\xbb\xbf \t\r\n"


class RemoteProvider(Provider):
    """Answers for one model. `sleep` and `chance` (0 to 1) come in, so that tests wait for nothing."""

    def __init__(
        self, model: Model, http: Http, *, sleep: Sleep = asyncio.sleep, chance: Callable[[], float] = random.random
    ) -> None:
        self._model = model
        self._http = http
        self._sleep = sleep
        self._chance = chance
        self._wire = WIRES[model.endpoint.wire]
        endpoint = model.endpoint
        self._place = Place(endpoint.provider, model.id, host_of(endpoint.base_url), endpoint.key_name)

    def models(self) -> tuple[ModelInfo, ...]:
        """The one model."""
        model = self._model
        return (ModelInfo(model.value, model.name or model.value, model.description, model.context_window),)

    async def stream(self, request: Request) -> AsyncGenerator[ProviderEvent, None]:
        """The events of an answer. Raises ProviderFault with the sentence of its kind, free of secrets."""
        retries = Retries(self._chance)
        began, waited = self._http.clocks.monotonic(), 0.0
        key: str | None = None
        while True:
            shown = False
            try:
                key = await self._key()
                async with aclosing(self._attempt(request, key)) as events:
                    async for event in events:
                        shown = shown or _shows(event)
                        yield event
                return
            except WireFault as fault:
                passed = self._http.clocks.monotonic() - began + waited
                wait = None if shown or request.purpose not in WAITED_FOR else retries.after(fault, passed)
                if wait is None:
                    raise self._given_up(fault, key) from None
                kind = fault.kind
            yield Waiting(waiting_sentence(kind, self._place, wait), wait)
            slept_from = self._http.clocks.monotonic()
            await self._sleep(wait)
            waited += max(0.0, wait - (self._http.clocks.monotonic() - slept_from))

    async def _attempt(self, request: Request, key: str | None) -> AsyncGenerator[ProviderEvent, None]:
        """One request and its answer. Raises WireFault."""
        body = encoded(self._wire.build(self._model, request))
        headers = self._wire.headers(self._model, key)
        try:
            async with (
                aclosing(self._http.post(self._url(), headers, body)) as chunks,
                aclosing(self._answer(chunks)) as events,
            ):
                async for event in events:
                    yield event
        except Refused as refused:
            raise self._fault_of(refused) from None

    async def _answer(self, chunks: AsyncGenerator[bytes, None]) -> AsyncGenerator[ProviderEvent, None]:
        stream, parser = EventStream(), self._wire.Parser(self._model)
        begun = False
        async for chunk in chunks:
            if not begun and (first := chunk.lstrip(_BEFORE_THE_FIRST_BYTE)):
                begun = True
                if first[:1] in b"<{[":
                    raise await self._no_stream(first, chunks)
            for event, data in stream.feed(chunk):
                for parsed in parser.feed(event, data):
                    yield parsed
                    if isinstance(parsed, Stopped):
                        await self._drain(chunks)
                        return
        for event, data in stream.end():
            for parsed in parser.feed(event, data):
                yield parsed
        for parsed in parser.end():
            yield parsed

    async def _drain(self, chunks: AsyncGenerator[bytes, None]) -> None:
        """Read what follows the end, so that the connection can be used again; no fault of it matters any more."""
        try:
            async with asyncio.timeout(self._http.timeouts.drain):
                async for _ in chunks:
                    pass
        except (TimeoutError, WireFault):
            return

    async def _no_stream(self, first: bytes, chunks: AsyncGenerator[bytes, None]) -> WireFault:
        """What an answer says that is no stream: a page, or an error that calls itself a success."""
        body = bytearray(first)
        if not first.startswith(b"<"):
            async for chunk in chunks:
                body += chunk
                if len(body) >= MAX_ERROR_BODY_BYTES:
                    break
        kind, detail = self._wire.error_of(200, bytes(body))
        return WireFault(kind or FaultKind.NOT_A_STREAM, detail)

    def _fault_of(self, refused: Refused) -> WireFault:
        own, detail = self._wire.error_of(refused.status, refused.body)
        kind = kind_of_status(refused.status)
        if kind is FaultKind.REDIRECTED:
            return WireFault(kind, host_of(refused.headers.get("location", "")))
        return WireFault(
            own or kind,
            detail,
            wait_seconds=asked_wait(refused.headers, self._http.clocks.wall()),
            final=refused.headers.get("x-should-retry", "").strip().lower() == "false",
        )

    def _given_up(self, fault: WireFault, key: str | None) -> ProviderFault:
        detail = detail_of(fault.detail, [key] if key else [])
        return ProviderFault(sentence_of(fault, self._place, detail), fault.kind)

    async def _key(self) -> str | None:
        """The key as it is sent. Raises WireFault where it can't be."""
        endpoint = self._model.endpoint
        key = (await key_of(endpoint) or "").strip()
        if not key and endpoint.needs_key:
            raise WireFault(FaultKind.KEY_MISSING)
        if _UNSENDABLE.search(key):
            raise WireFault(FaultKind.KEY_MALFORMED)
        return key or None

    def _url(self) -> str:
        endpoint = self._model.endpoint
        query = f"?{urlencode(endpoint.query)}" if endpoint.query else ""
        return f"{endpoint.base_url}{self._wire.path(self._model)}{query}"


def _shows(event: ProviderEvent) -> bool:
    """Whether a person or a tool may have seen something of the answer by this event."""
    match event:
        case TextDelta(text) | ThoughtDelta(text):
            return bool(text)
        case CallStarted() | CallReady():
            return True
        case _:
            return False
