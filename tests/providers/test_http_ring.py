"""The ring around the network: each way a connection can fail, over real sockets."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from providers.server import CERTIFICATE, CLOSE, END, GATE, HANG, RESET, Do, Reply, Server, answer, chunk, head, stream

from acp_server.providers import http as ring
from acp_server.providers.faults import FaultKind, WireFault
from acp_server.providers.http import Http, Refused, host_of, is_local, proxy_of
from acp_server.providers.watch import Clocks, Timeouts

PATIENT = Timeouts(pulse=0.02)
SOON = 0.2


class Sleepy:
    """A clock on the wall that a test moves on."""

    def __init__(self) -> None:
        self.slept = 0.0

    def wall(self) -> float:
        return self.slept


@pytest.fixture
async def http() -> AsyncIterator[Http]:
    """With the time that people have."""
    made = Http(PATIENT)
    yield made
    await made.aclose()


@asynccontextmanager
async def impatient(waiting: str) -> AsyncIterator[Http]:
    """With next to no time for one thing; a busy machine is slow in all of them."""
    made = Http(replace(PATIENT, **{waiting: SOON}))
    yield made
    await made.aclose()


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


async def read(http: Http, url: str, headers: dict[str, str] | None = None) -> bytes:
    async with aclosing(http.post(f"{url}/v1/x?api_key=hidden", headers or {}, b"{}")) as chunks:
        return b"".join([piece async for piece in chunks])


async def fault_of(http: Http, url: str, headers: dict[str, str] | None = None) -> FaultKind:
    with pytest.raises(WireFault) as caught:
        await read(http, url, headers)
    assert "hidden" not in repr(caught.value)
    return caught.value.kind


async def kind_of(http: Http, reply: Reply) -> FaultKind:
    with Server([reply]) as server:
        return await fault_of(http, server.url)


async def test_an_answer_comes_as_it_is_and_its_connection_is_used_again(http: Http) -> None:
    with Server([stream([b"one ", b"two"])]) as server:
        assert await read(http, server.url, {"x-key": "k"}) == b"one two"
        assert await read(http, server.url) == b"one two"
        assert server.connections == 1
        assert server.requests[0].headers["x-key"] == "k"
        assert server.requests[0].line == "POST /v1/x?api_key=hidden HTTP/1.1"


async def test_a_connection_that_rested_too_long_is_not_used_again() -> None:
    clock = Sleepy()
    http = Http(PATIENT, replace(Clocks(), wall=clock.wall))
    with Server([stream([b"one"])]) as server:
        await read(http, server.url)
        clock.slept = 3600.0
        await read(http, server.url)
        assert server.connections == 2
        await http.aclose()


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ([RESET], FaultKind.CONNECTION_LOST),
        ([CLOSE], FaultKind.CONNECTION_LOST),
        (stream([b"one", RESET]), FaultKind.CONNECTION_LOST),
        (stream([b"one", CLOSE]), FaultKind.CONNECTION_LOST),
        ([head(content_length="100") + b"short", CLOSE], FaultKind.CONNECTION_LOST),
        ([b"220 smtp.example ready\r\n", CLOSE], FaultKind.CONNECTION_LOST),
        ([head(content_encoding="gzip", content_length="5") + b"plain"], FaultKind.BROKEN_EVENT),
    ],
)
async def test_a_connection_that_breaks_is_told_as_that(http: Http, reply: Reply, kind: FaultKind) -> None:
    assert await kind_of(http, reply) is kind


async def test_no_answer_in_time_and_silence_in_mid_answer_are_two_kinds() -> None:
    async with impatient("first_byte") as http:
        assert await kind_of(http, [HANG]) is FaultKind.NO_FIRST_BYTE
        assert await kind_of(http, [b"HTTP/1.1 200", HANG]) is FaultKind.NO_FIRST_BYTE
    async with impatient("silence") as http:
        assert await kind_of(http, stream([b"one", HANG])) is FaultKind.SILENT


async def test_a_slow_reader_is_no_silent_server() -> None:
    with Server([stream([b"one", b"two"])]) as server:
        async with impatient("silence") as http, aclosing(http.post(server.url, {}, b"")) as chunks:
            first = await anext(chunks)
            await asyncio.sleep(2 * SOON)
            rest = b"".join([piece async for piece in chunks])
    assert first + rest == b"onetwo"


@pytest.mark.parametrize(
    ("script", "kind"),
    [(stream([b"one", HANG]), FaultKind.SLEPT), (stream([b"one", GATE, RESET]), FaultKind.SLEPT)],
)
async def test_a_connection_that_did_not_outlive_a_sleep_is_told_as_that_and_soon(
    script: Reply, kind: FaultKind
) -> None:
    clock = Sleepy()
    http = Http(replace(PATIENT, pulse=0.02, after_sleep=0.05), Clocks(wall=clock.wall, monotonic=lambda: 0.0))
    with Server([script]) as server, pytest.raises(WireFault) as caught:
        async with aclosing(http.post(server.url, {}, b"")) as chunks:
            await anext(chunks)
            clock.slept = 3600.0
            server.gate.set()
            await anext(chunks)
    assert caught.value.kind is kind
    await http.aclose()


async def test_a_refusal_is_raised_with_status_headers_and_the_beginning_of_its_body(http: Http) -> None:
    with Server([answer(429, b"x" * (1 << 20), Retry_After="7")]) as server, pytest.raises(Refused) as caught:
        await read(http, server.url)
    assert (caught.value.status, caught.value.headers["retry-after"]) == (429, "7")
    assert caught.value.body == b"x" * ring.MAX_ERROR_BODY_BYTES


@pytest.mark.parametrize("step", [HANG, RESET, CLOSE])
async def test_a_refusal_whose_body_never_ends_is_one_all_the_same(step: Do) -> None:
    reply: Reply = [head(500, content_length="100") + b"half", step]
    async with impatient("error_body") as http:
        with Server([reply]) as server, pytest.raises(Refused) as caught:
            await read(http, server.url)
    assert caught.value.status == 500


async def test_a_redirect_is_not_followed(http: Http) -> None:
    with Server([stream([b"stolen"])]) as elsewhere, Server([answer(307, location=elsewhere.url)]) as server:
        with pytest.raises(Refused) as caught:
            await read(http, server.url, {"authorization": "Bearer k"})
        assert (caught.value.status, elsewhere.requests) == (307, [])


async def test_nobody_listens(http: Http) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    assert await fault_of(http, f"http://127.0.0.1:{port}") is FaultKind.REFUSED_CONNECTION


async def test_a_host_that_the_dns_does_not_know(http: Http) -> None:
    assert await fault_of(http, "http://nothing.invalid") is FaultKind.NO_SUCH_HOST


@contextmanager
def full_house() -> Iterator[int]:
    """A port whose queue of connections is full: one more is neither taken nor refused."""
    with socket.socket() as listener, socket.socket() as first, socket.socket() as second:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for guest in (first, second):
            guest.setblocking(False)
            guest.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]


async def test_a_connection_that_is_not_made_in_time() -> None:
    async with impatient("connect") as http:
        with full_house() as port:
            assert await fault_of(http, f"http://127.0.0.1:{port}") is FaultKind.UNREACHABLE


async def test_a_certificate_must_be_trusted_and_the_environment_may_name_it(
    http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Server([stream([b"safe"])], tls=True) as server:
        ring._certificates.cache_clear()
        with pytest.raises(WireFault) as caught:
            await read(http, server.url)
        assert caught.value.kind is FaultKind.TLS_FAILED
        assert "self-signed" in caught.value.detail
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
        ring._certificates.cache_clear()
        trusting = Http(PATIENT)
        assert await read(trusting, server.url) == b"safe"
        await trusting.aclose()
    ring._certificates.cache_clear()


@pytest.mark.parametrize(
    ("variable", "named", "says"),
    [
        ("SSL_CERT_FILE", "missing.pem", "missing.pem: No such file or directory"),
        ("SSL_CERT_FILE", "empty.pem", "empty.pem: no certificate"),
        ("SSL_CERT_FILE", "rubbish.pem", "rubbish.pem: no certificate"),
        ("SSL_CERT_DIR", "missing", "missing: No such file or directory"),
    ],
)
async def test_certificates_that_the_environment_names_and_are_none_are_named(
    http: Http, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, named: str, says: str
) -> None:
    (tmp_path / "empty.pem").touch()
    (tmp_path / "rubbish.pem").write_bytes(b"rubbish")
    for other in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(other, raising=False)
    monkeypatch.setenv(variable, str(tmp_path / named))
    ring._certificates.cache_clear()
    with Server([stream([b"x"])], tls=True) as server:
        with pytest.raises(WireFault) as caught:
            await read(http, server.url)
        assert (caught.value.kind, caught.value.detail) == (FaultKind.NO_CERTIFICATES, f"{tmp_path}/{says}")
        assert server.requests == []
    ring._certificates.cache_clear()


async def test_a_server_without_tls_is_told_as_that(http: Http) -> None:
    with Server([stream([b"x"])]) as server:
        assert await fault_of(http, server.url.replace("http:", "https:")) is FaultKind.TLS_FAILED


@pytest.mark.parametrize(
    "url", ["", "host", "ftp://host", "http://", "http://[::1", "http://host:99999", "http://host:x", "http://ho st"]
)
async def test_an_address_that_is_none(http: Http, url: str) -> None:
    assert await fault_of(http, url) is FaultKind.BAD_URL


@pytest.mark.parametrize("value", ["a\nb", "a\r\nx: y", "a\x00", "schlüssel", "\u201ckey\u201d", " a", "a ", "a\x7f"])
async def test_a_header_that_cannot_be_sent_is_refused_without_its_value(http: Http, value: str) -> None:
    with Server([stream([b"x"])]) as server, pytest.raises(WireFault) as caught:
        await read(http, server.url, {"authorization": value})
    assert (caught.value.kind, caught.value.detail, server.requests) == (FaultKind.KEY_MALFORMED, "", [])


async def test_a_server_elsewhere_is_reached_through_the_proxy_of_the_environment(
    http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Server([stream([b"by proxy"])]) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.replace("://", "://user:word@"))
        assert await read(http, "http://model.example") == b"by proxy"
        assert proxy.requests[0].line.startswith("POST http://model.example/v1/x")
        assert proxy.requests[0].headers["proxy-authorization"].startswith("Basic ")


async def test_a_proxy_that_refuses_is_gone_or_is_none(http: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    with Server([answer(403)]) as proxy:
        monkeypatch.setenv("https_proxy", proxy.url)
        assert await fault_of(http, "https://model.example") is FaultKind.PROXY_FAILED
    assert await fault_of(http, "https://model.example:444") is FaultKind.PROXY_FAILED
    for name in ("socks5://127.0.0.1:1", "strange://127.0.0.1:1", "http://[", "http://127.0.0.1:x"):
        monkeypatch.setenv("https_proxy", name)
        assert await fault_of(http, "https://other.example") is FaultKind.PROXY_FAILED


async def test_this_machine_is_spoken_to_directly(http: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    with Server([stream([b"direct"])]) as server, Server([answer(500)]) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.setenv("all_proxy", proxy.url)
        assert await read(http, server.url) == b"direct"
        for host in ("localhost", "127.1", "0.0.0.0"):
            assert await read(http, f"http://{host}:{server.port}") == b"direct"
        assert proxy.requests == []


def test_which_proxy_stands_for_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    assert proxy_of(urlsplit("https://model.example")) is None
    monkeypatch.setenv("all_proxy", "http://all:1")
    monkeypatch.setenv("https_proxy", "safe:2")
    monkeypatch.setenv("no_proxy", "model.example,.inner")
    assert proxy_of(urlsplit("https://a.example")) == "http://safe:2"
    assert proxy_of(urlsplit("http://a.example")) == "http://all:1"
    assert proxy_of(urlsplit("https://model.example")) is None
    assert proxy_of(urlsplit("https://a.inner")) is None


def test_which_hosts_are_this_machine() -> None:
    names = ("localhost", "LOCALHOST", "localhost.", "a.localhost", "a.localhost.")
    numbers = ("127.0.0.1", "127.9.9.9", "127.1", "127.0.1", "0x7f.1", "2130706433", "0.0.0.0", "0", "127.0.0.1.")
    assert all(map(is_local, (*names, *numbers, "::1", "::", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1")))
    others = ("localhost.example", "10.0.0.1", "10.1", "", ".", "::2", "127.0.0.1.example", "127.1.x", "1e100.net")
    assert not any(map(is_local, (*others, "face", "128.1")))


def test_of_an_address_only_host_and_port_are_told() -> None:
    assert host_of("https://user:word@model.example:8443/v1?key=k") == "model.example:8443"
    assert host_of("https://model.example/v1") == "model.example"
    assert host_of("http://[::1]:8000/v1") == "[::1]:8000"
    assert (host_of(""), host_of("http://[")) == ("?", "?")


@pytest.mark.parametrize("reply", [[HANG], stream([b"one", HANG])])
async def test_a_cancel_closes_the_connection_at_once(http: Http, reply: Reply) -> None:
    with Server([reply]) as server:
        task = asyncio.ensure_future(read(http, server.url))
        assert await asyncio.to_thread(server.reached.wait, 20)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(server.hung_up.wait, 20)


async def test_closing_the_iterator_closes_the_connection(http: Http) -> None:
    with Server([stream([b"one", HANG])]) as server:
        async with aclosing(http.post(server.url, {}, b"")) as chunks:
            assert await anext(chunks) == b"one"
        assert await asyncio.to_thread(server.hung_up.wait, 20)


async def test_nothing_is_logged_of_a_request(http: Http, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.NOTSET)
    with Server([[head(transfer_encoding="chunked") + chunk(b"one") + END]]) as server:
        await read(http, server.url)
    assert [record for record in caplog.records if record.name.startswith("http")] == []
