"""What can go wrong between the agent and a model's server: every kind of fault, and what follows from it. Pure.

A wire's parser and the ring around the network raise `WireFault`. `RULES` says how often each kind is tried again, and
whether what the server said is shown; the sentences stand in `sentences.providers`. Two rules hold for all kinds:

1. Only a request of which nothing was passed on yet is tried again, so no retry doubles a text or a tool's effect.
2. From the first fault on, a request ends within `PATIENCE_SECONDS`, and every wait is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from acp_server.sentences import providers as say

PATIENCE_SECONDS = 45.0
"""No new attempt begins later than this after the first fault: with one more answer it ends within a minute."""


class FaultKind(StrEnum):
    """One row each of the fault table."""

    BAD_REQUEST = "bad_request"
    """400, 422 and any other 4xx that has no row of its own."""
    KEY_REFUSED = "key_refused"
    """401: the key is wrong or has expired."""
    KEY_MISSING = "key_missing"
    """There is no key where one is needed; nothing was sent."""
    KEY_LOCKED = "key_locked"
    """The keyring that has the key didn't give it; nothing was sent."""
    KEY_MALFORMED = "key_malformed"
    """The key holds characters that no header may hold; nothing was sent."""
    FORBIDDEN = "forbidden"
    """403: the key may not use this model, or not from here."""
    NOT_FOUND = "not_found"
    """404: no such model, or no such path at this base URL."""
    REQUEST_TIMEOUT = "request_timeout"
    """408."""
    TOO_LARGE = "too_large"
    """413: more bytes than the server takes."""
    RATE_LIMITED = "rate_limited"
    """429."""
    NO_CREDIT = "no_credit"
    """402, or 429 because the quota or the credit is used up: waiting doesn't help."""
    SERVER_ERROR = "server_error"
    """5xx, and an error event of the same meaning."""
    OVERLOADED = "overloaded"
    """503, 529, and an error event of the same meaning."""
    CONTEXT_OVERFLOW = "context_overflow"
    """The request is longer than the model's context window."""
    CONTENT_FILTER = "content_filter"
    """A filter of the provider refused the request."""
    REFUSED_CONNECTION = "refused_connection"
    """Nobody listens at the address."""
    UNREACHABLE = "unreachable"
    """No route, a network that is down, a connection that isn't made in time."""
    NO_SUCH_HOST = "no_such_host"
    """DNS doesn't know the name."""
    TLS_FAILED = "tls_failed"
    """The certificate isn't trusted, or there is no TLS at all."""
    NO_CERTIFICATES = "no_certificates"
    """What the environment names as trusted certificates can't be read; nothing was sent."""
    PROXY_FAILED = "proxy_failed"
    """The proxy of the environment refuses or can't be reached."""
    BAD_URL = "bad_url"
    """The base URL is none."""
    NO_FIRST_BYTE = "no_first_byte"
    """The request was sent and no answer began in time."""
    SILENT = "silent"
    """The answer began and then nothing came for too long."""
    CONNECTION_LOST = "connection_lost"
    """The connection broke before the answer was whole."""
    SLEPT = "slept"
    """The machine was asleep while the answer came, and the connection didn't outlive it."""
    CUT_OFF = "cut_off"
    """The stream ended without the event that closes it."""
    BROKEN_EVENT = "broken_event"
    """An event isn't the JSON that it should be, or is longer than any event."""
    NOT_A_STREAM = "not_a_stream"
    """HTML or something else where a stream of events should be."""
    REDIRECTED = "redirected"
    """3xx: the base URL leads elsewhere."""
    STREAM_ERROR = "stream_error"
    """An error event of no kind that has a row of its own."""


class WireFault(Exception):
    """A request that failed, before anybody decided what follows.

    `detail` is what the server or the library said, "" for nothing; it is redacted and cut before anybody reads it.
    `wait_seconds` is how long the server asks to wait; `final` says that the server itself advises against a retry.
    """

    def __init__(
        self, kind: FaultKind, detail: str = "", *, wait_seconds: float | None = None, final: bool = False
    ) -> None:
        super().__init__(kind.value, detail)
        self.kind = kind
        self.detail = detail
        self.wait_seconds = wait_seconds
        self.final = final


@dataclass(frozen=True, slots=True)
class Rule:
    """What follows from a kind of fault: how often it is tried again at most, and whether the detail is shown."""

    retries: int = 0
    detail: bool = False


_SHOWN = Rule(detail=True)

RULES: Mapping[FaultKind, Rule] = {
    FaultKind.BAD_REQUEST: _SHOWN,
    FaultKind.KEY_REFUSED: Rule(),
    FaultKind.KEY_MISSING: Rule(),
    FaultKind.KEY_LOCKED: _SHOWN,
    FaultKind.KEY_MALFORMED: Rule(),
    FaultKind.FORBIDDEN: _SHOWN,
    FaultKind.NOT_FOUND: _SHOWN,
    FaultKind.REQUEST_TIMEOUT: Rule(2),
    FaultKind.TOO_LARGE: _SHOWN,
    FaultKind.RATE_LIMITED: Rule(5, detail=True),
    FaultKind.NO_CREDIT: _SHOWN,
    FaultKind.SERVER_ERROR: Rule(4, detail=True),
    FaultKind.OVERLOADED: Rule(5, detail=True),
    FaultKind.CONTEXT_OVERFLOW: Rule(),
    FaultKind.CONTENT_FILTER: _SHOWN,
    FaultKind.REFUSED_CONNECTION: Rule(2),
    FaultKind.UNREACHABLE: Rule(2),
    FaultKind.NO_SUCH_HOST: Rule(3),
    FaultKind.TLS_FAILED: _SHOWN,
    FaultKind.NO_CERTIFICATES: _SHOWN,
    FaultKind.PROXY_FAILED: Rule(1, detail=True),
    FaultKind.BAD_URL: Rule(),
    FaultKind.NO_FIRST_BYTE: Rule(),
    FaultKind.SILENT: Rule(),
    FaultKind.CONNECTION_LOST: Rule(3),
    FaultKind.SLEPT: Rule(3),
    FaultKind.CUT_OFF: Rule(2),
    FaultKind.BROKEN_EVENT: Rule(1),
    FaultKind.NOT_A_STREAM: Rule(),
    FaultKind.REDIRECTED: _SHOWN,
    FaultKind.STREAM_ERROR: _SHOWN,
}
"""Every kind has its row. A host unknown to the DNS gets a try more: a network comes back later than the machine."""

STATUSES: Mapping[int, FaultKind] = {
    401: FaultKind.KEY_REFUSED,
    402: FaultKind.NO_CREDIT,
    403: FaultKind.FORBIDDEN,
    404: FaultKind.NOT_FOUND,
    407: FaultKind.PROXY_FAILED,
    408: FaultKind.REQUEST_TIMEOUT,
    413: FaultKind.TOO_LARGE,
    429: FaultKind.RATE_LIMITED,
    503: FaultKind.OVERLOADED,
    529: FaultKind.OVERLOADED,
}
"""Statuses with a row of their own; the others go by their hundreds."""

OF_A_LOST_CONNECTION = frozenset(
    {
        FaultKind.UNREACHABLE,
        FaultKind.NO_FIRST_BYTE,
        FaultKind.SILENT,
        FaultKind.CONNECTION_LOST,
        FaultKind.CUT_OFF,
    }
)
"""What becomes `SLEPT` where the machine slept since the request was sent."""


@dataclass(frozen=True, slots=True)
class Place:
    """What a sentence may name of a model and its server: no key, no path, no credentials.

    `key_name` is the environment variable that a person would put the key into, "" where there is none.
    """

    provider: str
    model: str
    host: str
    key_name: str = ""


def kind_of_status(status: int) -> FaultKind:
    """The kind of an answer that is no success, by its status alone."""
    if status in STATUSES:
        return STATUSES[status]
    if status < 400:
        return FaultKind.REDIRECTED
    return FaultKind.SERVER_ERROR if status >= 500 else FaultKind.BAD_REQUEST


def sentence_of(fault: WireFault, place: Place, detail: str) -> str:
    """The one sentence that a person reads of a request that failed for good; `detail` is redacted already."""
    if fault.kind is FaultKind.RATE_LIMITED and fault.wait_seconds:
        told = say.asks_to_wait(place.provider, fault.wait_seconds)
    else:
        told = _filled(say.FAULTS[fault.kind][1], place)
    return say.with_detail(told, detail) if detail and RULES[fault.kind].detail else told


def waiting_sentence(kind: FaultKind, place: Place, seconds: float) -> str:
    """What a person reads while the next attempt is waited for."""
    return say.trying_again(_filled(say.WAITS[kind], place), seconds)


def retried(kinds: Iterable[FaultKind] = FaultKind) -> tuple[FaultKind, ...]:
    """The kinds that are tried again."""
    return tuple(kind for kind in kinds if RULES[kind].retries)


def _filled(template: str, place: Place) -> str:
    key = place.key_name or say.ITS_KEY
    return template.format(provider=place.provider, model=place.model, host=place.host, key=key)
