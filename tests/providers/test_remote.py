"""A model behind the network, over real sockets: what is tried again, what is told, and that nothing comes twice."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace

import pytest
from providers.server import CLOSE, HANG, RESET, Reply, Server, answer, error, stream
from providers.words import SPEECH, asked, event, said

from acp_server.models.values import Endpoint, Model, Wire
from acp_server.providers.faults import PATIENCE_SECONDS, FaultKind
from acp_server.providers.http import Http
from acp_server.providers.interface import (
    CallReady,
    Native,
    ProviderEvent,
    ProviderFault,
    Purpose,
    Request,
    Stopped,
    StopReason,
    TextDelta,
    ToolCall,
    ToolSpec,
    UserItem,
    Waiting,
)
from acp_server.providers.remote import RemoteProvider
from acp_server.providers.watch import Clocks, Timeouts

KEY = "sk-test-abcdefgh12345678"
PATIENT = Timeouts(pulse=0.02, drain=0.05)
IMPATIENT = {
    FaultKind.NO_FIRST_BYTE: replace(PATIENT, first_byte=0.2),
    FaultKind.SILENT: replace(PATIENT, silence=0.5),
}
"""What gives up soon, so that a fault comes: one thing at a time, since a busy machine is slow in all of them."""
TOOL = ToolSpec("memory", "The memory.", {"type": "object", "properties": {}})
ASK = Request("p/m", "You help.", (TOOL,), (UserItem("hello"),), session="s1")
WORDS = ["one ", "two ", "three"]


@dataclass
class Scene:
    """A provider of one wire; its waits take no time and are kept."""

    wire: Wire
    http: Http
    waits: list[float] = field(default_factory=list)

    def provider(
        self, url: str, sleep: Callable[[float], Awaitable[object]] | None = None, **more: object
    ) -> RemoteProvider:
        endpoint = Endpoint("tester", self.wire, f"{url}/v1", lambda: KEY, "TESTER_API_KEY")
        model = Model("p/m", "the-model", replace(endpoint, **more))  # type: ignore[arg-type]
        return RemoteProvider(model, self.http, sleep=sleep or self.sleep, chance=lambda: 0.5)

    async def awaits(self, kind: FaultKind) -> None:
        """A fault of this kind is to come, where one comes of waiting."""
        await self.http.aclose()
        self.http = Http(IMPATIENT.get(kind, PATIENT))

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        await asyncio.sleep(0)


@pytest.fixture(params=list(Wire))
async def scene(request: pytest.FixtureRequest) -> AsyncIterator[Scene]:
    """Each wire in its turn."""
    made = Scene(request.param, Http(PATIENT))
    yield made
    await made.http.aclose()


@pytest.fixture
async def one() -> AsyncIterator[Scene]:
    """One wire, for what doesn't depend on it."""
    made = Scene(Wire.CHAT_COMPLETIONS, Http(PATIENT))
    yield made
    await made.http.aclose()


@dataclass
class Heard:
    """What came of a request."""

    events: list[ProviderEvent]
    fault: ProviderFault | None

    @property
    def text(self) -> str:
        return "".join(each.text for each in self.events if isinstance(each, TextDelta))

    @property
    def waits(self) -> list[Waiting]:
        return [each for each in self.events if isinstance(each, Waiting)]

    @property
    def kind(self) -> str:
        assert self.fault is not None
        return self.fault.kind


async def hear(provider: RemoteProvider, request: Request = ASK) -> Heard:
    heard = Heard([], None)
    try:
        async with aclosing(provider.stream(request)) as events:
            async for each in events:
                heard.events.append(each)
    except ProviderFault as fault:
        heard.fault = fault
    return heard


async def heard_of(scene: Scene, *script: Reply) -> Heard:
    with Server(list(script)) as server:
        heard = await hear(scene.provider(server.url))
        assert heard.fault is None or KEY[8:] not in heard.fault.sentence
        return heard


def told(scene: Scene) -> Reply:
    return stream(said(scene.wire, WORDS))


async def test_words_come_in_their_order_and_then_the_end(scene: Scene) -> None:
    heard = await heard_of(scene, told(scene))
    assert (heard.text, heard.fault, heard.waits) == ("one two three", None, [])
    assert heard.events[-1] == Stopped(StopReason.END_TURN)


async def test_a_call_comes_whole(scene: Scene) -> None:
    heard = await heard_of(scene, stream(asked(scene.wire, '{"command": "view"}')))
    assert [each.call for each in heard.events if isinstance(each, CallReady)] == [
        ToolCall("call000001", "memory", '{"command": "view"}')
    ]
    assert heard.events[-1] == Stopped(StopReason.TOOL_USE)


async def test_the_key_goes_into_a_header_and_the_same_request_is_the_same_bytes(scene: Scene) -> None:
    with Server([told(scene)]) as server:
        provider = scene.provider(server.url, query={"api-version": "1 2"}, headers={"x-title": "Caudra"})
        await hear(provider)
        await hear(provider)
        first, second = server.requests
        assert server.connections == 1
    assert first.body == second.body
    assert KEY.encode() not in first.body
    assert any(KEY in value for value in first.headers.values())
    assert first.headers["x-title"] == "Caudra"
    assert "?api-version=1+2 " in first.line


# What is tried again

PASSING: list[tuple[Reply, FaultKind]] = [
    (error(408, "slow"), FaultKind.REQUEST_TIMEOUT),
    (error(429, "too fast", "rate_limit_error"), FaultKind.RATE_LIMITED),
    (error(500, "oops", "api_error"), FaultKind.SERVER_ERROR),
    (answer(502, "<html>bad gateway</html>"), FaultKind.SERVER_ERROR),
    (answer(503, ""), FaultKind.OVERLOADED),
    (error(529, "overloaded", "overloaded_error"), FaultKind.OVERLOADED),
    ([RESET], FaultKind.CONNECTION_LOST),
    ([CLOSE], FaultKind.CONNECTION_LOST),
    (stream([RESET]), FaultKind.CONNECTION_LOST),
    (stream([]), FaultKind.CUT_OFF),
    (stream([event('{"choices": [{"del')]), FaultKind.BROKEN_EVENT),
]


@pytest.mark.parametrize(("reply", "kind"), PASSING)
async def test_a_fault_that_passes_is_waited_out_and_said(scene: Scene, reply: Reply, kind: FaultKind) -> None:
    heard = await heard_of(scene, reply, told(scene))
    assert (heard.text, heard.fault) == ("one two three", None)
    assert isinstance(heard.events[0], Waiting)
    assert [each.seconds for each in heard.waits] == scene.waits == [1.0]


@pytest.mark.parametrize(("reply", "kind"), PASSING)
async def test_a_fault_that_stays_ends_within_a_minute_with_a_sentence(
    scene: Scene, reply: Reply, kind: FaultKind
) -> None:
    heard = await heard_of(scene, reply)
    assert (heard.kind, heard.text) == (kind, "")
    assert heard.waits and sum(scene.waits) <= PATIENCE_SECONDS


async def test_a_server_that_is_not_there_is_asked_again_for_a_moment_only(one: Scene) -> None:
    with Server([[RESET]]) as server:
        url = server.url
    heard = await hear(one.provider(url))
    assert (heard.kind, one.waits) == (FaultKind.REFUSED_CONNECTION, [1.0, 2.0])
    assert "127.0.0.1" in heard.fault.sentence  # type: ignore[union-attr]


async def test_a_server_that_comes_up_meanwhile_is_found(one: Scene) -> None:
    with Server([[RESET]]) as server:
        url, port = server.url, server.port
    late: list[Server] = []

    async def sleep(_: float) -> None:
        late.append(Server([told(one)], port=port).__enter__())

    heard = await hear(one.provider(url, sleep))
    late[0].__exit__(None, None, None)
    assert heard.text == "one two three"


async def test_a_time_that_the_server_names_is_waited(one: Scene) -> None:
    await heard_of(one, error(429, "too fast", Retry_After="7"), told(one))
    assert one.waits == [7.25]


async def test_a_time_that_is_too_long_ends_at_once_and_is_told(one: Scene) -> None:
    heard = await heard_of(one, error(429, "too fast", Retry_After="600"))
    assert (heard.kind, one.waits) == (FaultKind.RATE_LIMITED, [])
    assert "10 minutes" in heard.fault.sentence  # type: ignore[union-attr]


async def test_a_server_that_advises_against_a_retry_is_heard(one: Scene) -> None:
    heard = await heard_of(one, error(500, "for good", x_should_retry="false"))
    assert (heard.kind, one.waits) == (FaultKind.SERVER_ERROR, [])


@pytest.mark.parametrize("purpose", [Purpose.MEMORY, Purpose.TITLE, Purpose.RELEVANCE])
async def test_what_nobody_waits_for_is_not_tried_again_here(one: Scene, purpose: Purpose) -> None:
    with Server([error(429, "too fast"), told(one)]) as server:
        heard = await hear(one.provider(server.url), replace(ASK, purpose=purpose))
        assert (heard.kind, len(server.requests)) == (FaultKind.RATE_LIMITED, 1)


@pytest.mark.parametrize(("said_before", "text"), [([], "one two three"), (["half "], "half ")])
async def test_a_connection_that_was_lost_in_a_sleep_is_made_anew_where_nothing_was_shown(
    said_before: list[str], text: str
) -> None:
    slept = 0.0
    clocks = Clocks(monotonic=lambda: 0.0, wall=lambda: slept)
    scene = Scene(Wire.ANTHROPIC, Http(replace(Timeouts(), pulse=0.02, after_sleep=0.05), clocks))
    speech = SPEECH[scene.wire]
    with Server([stream([*speech.begin(), *speech.text(said_before), HANG]), told(scene)]) as server:
        hearing = asyncio.ensure_future(hear(scene.provider(server.url)))
        assert await asyncio.to_thread(server.reached.wait, 20)
        slept = 3600.0
        heard = await hearing
    assert heard.text == text
    assert (heard.fault is None) == (not said_before)
    assert "sleep" in (heard.fault.sentence if heard.fault else heard.waits[0].sentence)
    await scene.http.aclose()


# What is not tried again

FOR_GOOD: list[tuple[Reply, FaultKind]] = [
    (error(400, "no such field", "invalid_request_error"), FaultKind.BAD_REQUEST),
    (error(401, f"Incorrect API key provided: {KEY}", "authentication_error"), FaultKind.KEY_REFUSED),
    (error(402, "pay"), FaultKind.NO_CREDIT),
    (error(403, "not yours", "permission_error"), FaultKind.FORBIDDEN),
    (error(404, "no such model", "not_found_error"), FaultKind.NOT_FOUND),
    (answer(404, "404 page not found"), FaultKind.NOT_FOUND),
    (error(413, "too large", "request_too_large"), FaultKind.TOO_LARGE),
    (error(422, "what?"), FaultKind.BAD_REQUEST),
    (error(429, "You exceeded your current quota", "insufficient_quota"), FaultKind.NO_CREDIT),
    (error(400, "Your credit balance is too low", "invalid_request_error"), FaultKind.NO_CREDIT),
    (error(400, "too long", "context_length_exceeded"), FaultKind.CONTEXT_OVERFLOW),
    (error(400, "prompt is too long: 9 tokens > 8 maximum", "invalid_request_error"), FaultKind.CONTEXT_OVERFLOW),
    (error(400, "filtered", "content_filter"), FaultKind.CONTENT_FILTER),
    (answer(301, location="https://elsewhere.example/v1?key=hidden"), FaultKind.REDIRECTED),
    (answer(200, "<!doctype html><p>Sign in</p>", content_type="text/html"), FaultKind.NOT_A_STREAM),
    (stream([b"\n  <html>"], content_type="text/html"), FaultKind.NOT_A_STREAM),
    (answer(200, '{"ok": true}', content_type="application/json"), FaultKind.NOT_A_STREAM),
    (answer(200, '{"error": {"message": "no", "code": "model_not_found"}}'), FaultKind.NOT_FOUND),
    ([HANG], FaultKind.NO_FIRST_BYTE),
    (stream([HANG]), FaultKind.SILENT),
]


@pytest.mark.parametrize(("reply", "kind"), FOR_GOOD)
async def test_a_fault_that_stays_as_it_is_is_told_at_once(scene: Scene, reply: Reply, kind: FaultKind) -> None:
    await scene.awaits(kind)
    with Server([reply]) as server:
        heard = await hear(scene.provider(server.url))
        assert len(server.requests) == 1
    assert (heard.kind, heard.events) == (kind, [])
    assert KEY[8:] not in heard.fault.sentence and "hidden" not in heard.fault.sentence  # type: ignore[union-attr]


async def test_a_redirect_is_told_with_the_host_alone(one: Scene) -> None:
    heard = await heard_of(one, answer(307, location="https://user:word@elsewhere.example/v1?key=hidden"))
    assert "(it said: elsewhere.example)" in heard.fault.sentence  # type: ignore[union-attr]


@pytest.mark.parametrize("key", [None, "", "  \n"])
async def test_without_a_key_nothing_is_sent(one: Scene, key: str | None) -> None:
    with Server([told(one)]) as server:
        heard = await hear(one.provider(server.url, key=lambda: key))
        assert server.requests == []
        assert heard.kind is FaultKind.KEY_MISSING
        assert "TESTER_API_KEY" in heard.fault.sentence  # type: ignore[union-attr]
        assert (await hear(one.provider(server.url, key=lambda: key, needs_key=False))).text == "one two three"


@pytest.mark.parametrize("key", ["sk-1\nsk-2", "sk 12345678", "sk-ключ", "“sk-12345678”", "sk-\x001234"])
async def test_a_key_that_cannot_be_sent_is_told_without_it(one: Scene, key: str) -> None:
    with Server([told(one)]) as server:
        heard = await hear(one.provider(server.url, key=lambda: key))
        assert server.requests == []
    assert heard.kind is FaultKind.KEY_MALFORMED
    assert "sk" not in heard.fault.sentence.replace("ask", "")  # type: ignore[union-attr]


async def test_a_line_break_after_the_key_is_no_part_of_it(one: Scene) -> None:
    with Server([told(one)]) as server:
        assert (await hear(one.provider(server.url, key=lambda: f"{KEY}\n"))).fault is None
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


async def test_a_base_url_that_is_none(one: Scene) -> None:
    assert (await hear(one.provider("nonsense"))).kind is FaultKind.BAD_URL


# What was shown stays, once

BROKEN_OFF: list[tuple[list[object], FaultKind]] = [
    ([RESET], FaultKind.CONNECTION_LOST),
    ([CLOSE], FaultKind.CONNECTION_LOST),
    ([], FaultKind.CUT_OFF),
    ([event("{broken")], FaultKind.BROKEN_EVENT),
    ([HANG], FaultKind.SILENT),
    (
        [event({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}, "error")],
        FaultKind.OVERLOADED,
    ),
]


@pytest.mark.parametrize(("rest", "kind"), BROKEN_OFF)
async def test_an_answer_that_breaks_off_is_a_fault_and_its_words_come_once(
    scene: Scene, rest: list[bytes], kind: FaultKind
) -> None:
    await scene.awaits(kind)
    speech = SPEECH[scene.wire]
    broken = stream([*speech.begin(), *speech.text(WORDS[:2]), *rest])
    with Server([broken, told(scene)]) as server:
        heard = await hear(scene.provider(server.url))
        assert len(server.requests) == 1
    assert (heard.text, heard.kind, heard.waits) == ("one two ", kind, [])


@pytest.mark.parametrize("rest", [[RESET], [CLOSE], []])
async def test_a_call_that_was_begun_is_never_asked_for_twice(scene: Scene, rest: list[bytes]) -> None:
    speech = SPEECH[scene.wire]
    begun, *more = speech.call("call000001", "memory", '{"command": ')
    broken = stream([*speech.begin(), begun, *more[:-1], *rest])
    with Server([broken, told(scene)]) as server:
        heard = await hear(scene.provider(server.url))
        assert len(server.requests) == 1
    assert heard.fault is not None
    assert not any(isinstance(each, CallReady | Native) for each in heard.events)


async def test_what_breaks_before_the_first_word_is_tried_again(scene: Scene) -> None:
    heard = await heard_of(scene, stream([*SPEECH[scene.wire].begin(), RESET]), told(scene))
    assert (heard.text, heard.fault) == ("one two three", None)
    assert len(heard.waits) == 1


@pytest.mark.parametrize("after", [RESET, CLOSE, HANG])
async def test_what_happens_after_the_end_is_no_fault(scene: Scene, after: bytes) -> None:
    heard = await heard_of(scene, stream([*said(scene.wire, WORDS), after]))
    assert (heard.text, heard.fault) == ("one two three", None)


async def test_events_cut_anywhere_are_the_same_answer(scene: Scene) -> None:
    raw = b"".join(said(scene.wire, ["né ", "日本 ", "😀"]))
    heard = await heard_of(scene, stream([raw[at : at + 1] for at in range(len(raw))]))
    assert (heard.text, heard.fault) == ("né 日本 😀", None)


# A cancel


@pytest.mark.parametrize("phase", ["headers", "stream", "error body", "back-off"])
async def test_a_cancel_ends_every_wait_at_once(phase: str) -> None:
    scene = Scene(Wire.ANTHROPIC, Http())
    speech = SPEECH[scene.wire]
    script: dict[str, Reply] = {
        "headers": [HANG],
        "stream": stream([*speech.begin(), *speech.text(["one"]), HANG]),
        "error body": [answer(500, "x" * 10)[0][:-5], HANG],  # type: ignore[index]
        "back-off": answer(500),
    }
    waits = asyncio.Event()

    async def sleep(_: float) -> None:
        waits.set()
        await asyncio.Event().wait()

    with Server([script[phase]]) as server:
        task = asyncio.ensure_future(hear(scene.provider(server.url, sleep)))
        await (waits.wait() if phase == "back-off" else asyncio.to_thread(server.reached.wait, 20))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert phase == "back-off" or await asyncio.to_thread(server.hung_up.wait, 20)
    await scene.http.aclose()


async def test_a_key_that_is_waited_for_holds_up_no_cancel(one: Scene) -> None:
    loop, asked, asks, answered = asyncio.get_running_loop(), asyncio.Event(), threading.Event(), threading.Event()

    def key() -> str:
        loop.call_soon_threadsafe(asked.set)
        asks.wait(20)
        answered.set()
        return KEY

    with Server([told(one)]) as server:
        task = asyncio.ensure_future(hear(one.provider(server.url, key=key)))
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not answered.is_set() and server.requests == []
        asks.set()
        assert await asyncio.to_thread(answered.wait, 20)
