"""The ring around the network: a request out, the bytes of its answer in, every failure a `WireFault`.

1. Each server gets one transport, made at its first request (certificates take long to load), over HTTP/1.1. There is
   no client above it: nothing keeps cookies, follows redirects, or adds credentials of its own.
2. Proxies and certificates come from the environment; a server on this machine is always spoken to directly.
3. A key goes to the host that it was meant for, and no other.
4. Nothing here is logged, and no fault holds a header, a path or a query.
5. Closing the iterator, as a cancel does, closes the connection at once.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import os
import re
import socket
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from functools import cache
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from acp_server import __version__
from acp_server.providers.faults import OF_A_LOST_CONNECTION, FaultKind, WireFault
from acp_server.providers.watch import OF_THE_SYSTEM, USUAL, Clocks, Timeouts, Watch
from acp_server.sentences import providers as say

MAX_ERROR_BODY_BYTES = 64 * 1024
IDLE_SECONDS = 30.0
"""A connection that rested longer, by the clock on the wall, is not used again: it may be dead without a sign."""

USER_AGENT = f"caudra-acp/{__version__}"

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_NUMBER = re.compile(r"[0-9][0-9a-fx.]*", re.IGNORECASE)
_HEADER_VALUE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?|")


class Refused(Exception):
    """An answer that is no success: its status, its headers in lower case, and the beginning of its body."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        super().__init__(status)
        self.status = status
        self.headers = headers
        self.body = body


@dataclass(slots=True)
class _Line:
    """The transport to one server: how many requests are on their way, and when the last ended."""

    transport: httpx.AsyncHTTPTransport
    proxied: bool
    busy: int = 0
    used_at: float = 0.0


class Http:
    """Posts requests. One object serves all models of a process, in one event loop."""

    def __init__(self, timeouts: Timeouts = USUAL, clocks: Clocks = OF_THE_SYSTEM) -> None:
        for name in ("httpx", "httpcore"):
            logging.getLogger(name).setLevel(logging.WARNING)
        self.timeouts = timeouts
        self.clocks = clocks
        self._lines: dict[str, _Line] = {}

    def post(self, url: str, headers: Mapping[str, str], body: bytes) -> AsyncGenerator[bytes, None]:
        """The bytes of a successful answer as they come. Raises Refused for any other, and WireFault."""
        return self._answered("POST", url, headers, body)

    async def get(self, url: str, headers: Mapping[str, str], limit_bytes: int) -> bytes:
        """The whole of a short answer. Raises Refused, and WireFault also where it is longer than `limit_bytes`."""
        body = bytearray()
        async with aclosing(self._answered("GET", url, headers, b"")) as chunks:
            async for chunk in chunks:
                body += chunk
                if len(body) > limit_bytes:
                    raise WireFault(FaultKind.TOO_LARGE)
        return bytes(body)

    async def _answered(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> AsyncGenerator[bytes, None]:
        _check(headers)
        line = await self._line(_split(url))
        watch = Watch(self.clocks, self.timeouts)
        with self._taken(line), watch, _sleep_noticed(watch):
            response = await self._sent(line, watch, method, url, headers, body)
            try:
                if not response.is_success:
                    raise Refused(response.status_code, dict(response.headers), await self._error_body(response))
                chunks = response.aiter_bytes()
                while (chunk := await self._next(line, watch, chunks)) is not None:
                    yield chunk
            finally:
                await response.aclose()

    async def aclose(self) -> None:
        """Close every connection."""
        lines, self._lines = list(self._lines.values()), {}
        for line in lines:
            await line.transport.aclose()

    @contextmanager
    def _taken(self, line: _Line) -> Iterator[None]:
        line.busy += 1
        try:
            yield
        finally:
            line.busy -= 1
            line.used_at = self.clocks.wall()

    async def _sent(
        self, line: _Line, watch: Watch, method: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> httpx.Response:
        """The head of the answer."""
        try:
            waits = {"connect": self.timeouts.connect}
            head = {"user-agent": USER_AGENT, "accept-encoding": "identity", **headers}
            request = httpx.Request(method, url, headers=head, content=body or None, extensions={"timeout": waits})
            return await watch.within(self.timeouts.first_byte, line.transport.handle_async_request(request))
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise WireFault(*_kind_of(error, line.proxied)) from error
        except TimeoutError as error:
            raise WireFault(FaultKind.NO_FIRST_BYTE) from error

    async def _next(self, line: _Line, watch: Watch, chunks: AsyncIterator[bytes]) -> bytes | None:
        """The next bytes, None at the end."""
        try:
            return await watch.within(self.timeouts.silence, anext(chunks))
        except StopAsyncIteration:
            return None
        except httpx.HTTPError as error:
            raise WireFault(*_kind_of(error, line.proxied)) from error
        except TimeoutError as error:
            raise WireFault(FaultKind.SILENT) from error

    async def _error_body(self, response: httpx.Response) -> bytes:
        """As much of the body as comes in time: an error without its words is still an error."""
        body = bytearray()
        try:
            async with asyncio.timeout(self.timeouts.error_body):
                async for chunk in response.aiter_bytes():
                    body += chunk
                    if len(body) >= MAX_ERROR_BODY_BYTES:
                        break
        except (httpx.HTTPError, TimeoutError):
            pass
        return bytes(body[:MAX_ERROR_BODY_BYTES])

    async def _line(self, url: SplitResult) -> _Line:
        origin = f"{url.scheme}://{url.netloc}"
        line = self._lines.get(origin)
        if line and not line.busy and abs(self.clocks.wall() - line.used_at) > IDLE_SECONDS:
            del self._lines[origin]
            await line.transport.aclose()
            line = None
        if line is None:
            line = self._lines[origin] = self._new_line(url)
        return line

    def _new_line(self, url: SplitResult) -> _Line:
        proxy = proxy_of(url)
        safe = url.scheme == "https" or (proxy or "").startswith("https:")
        try:
            transport = httpx.AsyncHTTPTransport(
                verify=_certificates() if safe else False,
                proxy=proxy,
                trust_env=False,
                limits=httpx.Limits(max_connections=None, keepalive_expiry=IDLE_SECONDS),
            )
        except (
            ValueError,
            ImportError,
            httpx.InvalidURL,
        ) as error:  # the proxy's address
            raise WireFault(FaultKind.PROXY_FAILED) from error
        return _Line(transport, proxy is not None, used_at=self.clocks.wall())


@contextmanager
def _sleep_noticed(watch: Watch) -> Iterator[None]:
    """A connection that was lost in a sleep of the machine is a kind of its own."""
    try:
        yield
    except WireFault as fault:
        if watch.slept and fault.kind in OF_A_LOST_CONNECTION:
            raise WireFault(FaultKind.SLEPT) from fault
        raise


def proxy_of(url: SplitResult) -> str | None:
    """The proxy of the environment for this address, None where it is spoken to directly."""
    host = url.hostname or ""
    if is_local(host):
        return None
    proxies = getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(host):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def is_local(host: str) -> bool:
    """Whether a host is this machine by its name or number, in any form that the system takes (`127.1`)."""
    name = host.lower().removesuffix(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    address = _address(name)
    return address is not None and (address.is_loopback or address.is_unspecified)


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address that a number means, None for a name."""
    try:
        found = ipaddress.ip_address(name)
    except ValueError:
        return _short_address(name)
    return getattr(found, "ipv4_mapped", None) or found


def _short_address(name: str) -> ipaddress.IPv4Address | None:
    """The same of a number with fewer parts than four, or with hexadecimal ones."""
    if not _NUMBER.fullmatch(name):
        return None
    try:
        return ipaddress.IPv4Address(socket.inet_aton(name))
    except OSError:
        return None


def host_of(url: str) -> str:
    """Host and port of an address, all that a person is told of it."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "?"
    host = parts.hostname or "?"
    return f"[{host}]{port}" if ":" in host else f"{host}{port}"


@cache
def _certificates() -> ssl.SSLContext:
    """What this system trusts, or what SSL_CERT_FILE and SSL_CERT_DIR name (OpenSSL reads them itself, and passes over
    what it can't read). Raises WireFault.
    """
    context = ssl.create_default_context()
    _check_named(context)
    if not any(ssl.get_default_verify_paths()[:2]):
        import certifi

        context.load_verify_locations(certifi.where())
    return context


def _check_named(context: ssl.SSLContext) -> None:
    """Read the file that the environment names as trusted once more, since OpenSSL says nothing where it can't."""
    file, folders = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    try:
        if file:
            context.load_verify_locations(cafile=file)
        elif folders:
            for folder in folders.split(os.pathsep):
                os.scandir(folder).close()
    except ssl.SSLError as error:  # an OSError too, without words for a person
        raise WireFault(FaultKind.NO_CERTIFICATES, say.no_certificate_in(file or "")) from error
    except OSError as error:
        raise WireFault(FaultKind.NO_CERTIFICATES, f"{file or folders}: {error.strerror}") from error


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        known = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port)
    except ValueError as error:
        raise WireFault(FaultKind.BAD_URL) from error
    if not known or re.search(r"[\s\x00-\x1f]", url):
        raise WireFault(FaultKind.BAD_URL)
    return parts


def _check(headers: Mapping[str, str]) -> None:
    """Refuse what the HTTP library would refuse with the value, which may be a key, in its words."""
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            raise WireFault(FaultKind.KEY_MALFORMED)


def _kind_of(error: httpx.HTTPError | httpx.InvalidURL, proxied: bool) -> tuple[FaultKind, str]:
    """The kind of a library's error, and its words where they help and hold nothing secret."""
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, ssl.SSLError):
            words = getattr(cause, "verify_message", "") or (cause.reason or "").replace("_", " ").lower()
            return FaultKind.TLS_FAILED, words
    match error:
        case httpx.ProxyError():
            return FaultKind.PROXY_FAILED, str(error)
        case httpx.InvalidURL() | httpx.UnsupportedProtocol():
            return FaultKind.BAD_URL, ""
        case httpx.ConnectError() | httpx.ConnectTimeout() if proxied:
            return FaultKind.PROXY_FAILED, ""
        case httpx.ConnectError():
            return _unconnected(causes), ""
        case httpx.TimeoutException():
            return FaultKind.UNREACHABLE, ""
        case httpx.DecodingError():
            return FaultKind.BROKEN_EVENT, ""
        case httpx.LocalProtocolError():
            return FaultKind.BAD_REQUEST, ""
        case _:
            return FaultKind.CONNECTION_LOST, ""


def _unconnected(causes: list[BaseException]) -> FaultKind:
    kinds = {ConnectionRefusedError: FaultKind.REFUSED_CONNECTION, socket.gaierror: FaultKind.NO_SUCH_HOST}
    found = [kind for cause in causes for known, kind in kinds.items() if isinstance(cause, known)]
    return found[0] if found else FaultKind.UNREACHABLE


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error with all that led to it, groups opened."""
    waiting, seen = [error], set[int]()
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        waiting += [cause for cause in (each.__cause__, each.__context__) if cause is not None]
        if isinstance(each, BaseExceptionGroup):
            waiting += each.exceptions
