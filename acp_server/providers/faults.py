"""What can go wrong between the agent and a model's server: every kind of fault by its name. Pure.

A wire's parser and the ring around the network raise `WireFault`; whoever asked decides by its kind what follows.
"""

from __future__ import annotations

from enum import StrEnum


class FaultKind(StrEnum):
    """One row each of the fault table."""

    BAD_REQUEST = "bad_request"
    """400, 422 and any other 4xx that has no row of its own."""
    KEY_REFUSED = "key_refused"
    """401: the key is wrong or has expired."""
    KEY_MISSING = "key_missing"
    """There is no key where one is needed; nothing was sent."""
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

    `detail` is what the server or the library said, for the person's eyes once it is redacted and cut; "" for nothing.
    """

    def __init__(self, kind: FaultKind, detail: str = "") -> None:
        super().__init__(kind.value, detail)
        self.kind = kind
        self.detail = detail
