"""What is said of a model's server that fails: when it happens, what the person reads, what is said while waiting."""

from __future__ import annotations

from collections.abc import Mapping

ITS_KEY = "its place in the environment"

FAULTS: Mapping[str, tuple[str, str]] = {
    "bad_request": (
        "400, 422, any other 4xx",
        "{provider} did not accept the request for {model}; choose another model, or begin a new session.",
    ),
    "key_refused": (
        "401: a wrong or expired key",
        "{provider} refused the key; put a valid one into {key}, or run `caudra-acp setup`.",
    ),
    "key_missing": (
        "no key where one is needed",
        "{provider} needs a key and there is none; put it into {key}, or run `caudra-acp setup`.",
    ),
    "key_locked": (
        "a keyring that is locked, refuses or does not answer",
        "The system's keyring has the key for {provider} and did not give it; unlock the keyring and ask again, or put "
        "the key into {key}.",
    ),
    "key_malformed": (
        "a key or header with a line break, a space or another character that none may have",
        "The key for {provider} or a header of its settings holds a line break or another character that cannot be "
        "sent; put the key into {key} again, without it.",
    ),
    "forbidden": (
        "403",
        "{provider} does not let this key use {model}; choose another model, or a key that may use it.",
    ),
    "not_found": (
        "404: no such model or path",
        "{provider} has no {model} at {host}; choose another model, or check the base URL.",
    ),
    "request_timeout": (
        "408",
        "{provider} gave up waiting for the request; check the network and ask again.",
    ),
    "too_large": (
        "413",
        "The conversation is larger than {provider} takes; begin a new session.",
    ),
    "rate_limited": (
        "429, with or without a time to wait",
        "{provider} limits how often it is asked; ask again in a minute, or choose another model.",
    ),
    "no_credit": (
        "402, or 429 for a quota that is used up",
        "The account at {provider} has no credit or quota left; add some, or choose another model.",
    ),
    "server_error": (
        "500, 502, 504 and other 5xx",
        "{provider} failed on its own side; ask again later, or choose another model.",
    ),
    "overloaded": (
        "503, 529",
        "{provider} is overloaded; ask again in a few minutes, or choose another model.",
    ),
    "context_overflow": (
        "the conversation is longer than the model's context window",
        "The conversation is longer than {model} can read; begin a new session, or choose a model with a larger "
        "context window.",
    ),
    "content_filter": (
        "a filter refuses the request",
        "A filter of {provider} refused the conversation; put it in other words, or begin a new session.",
    ),
    "refused_connection": (
        "connection refused",
        "Nobody answers at {host}; start the server there, or check the base URL of {provider}.",
    ),
    "unreachable": (
        "no route, or no connection within 10 seconds",
        "{host} cannot be reached; check the network and ask again.",
    ),
    "no_such_host": (
        "the DNS does not know the host",
        "No host {host} was found; check the network, and the base URL of {provider}.",
    ),
    "tls_failed": (
        "a certificate that is not trusted, or no TLS",
        "The connection to {host} cannot be trusted; if your network signs it with a certificate of its own, name that "
        "file in SSL_CERT_FILE.",
    ),
    "no_certificates": (
        "SSL_CERT_FILE or SSL_CERT_DIR names what is not there or holds no certificate",
        "The connection to {host} was not begun, since the certificates that SSL_CERT_FILE or SSL_CERT_DIR names "
        "cannot be read; name those that are there, or unset it.",
    ),
    "proxy_failed": (
        "the proxy refuses (407 too), or is not there",
        "The proxy on the way to {host} let nothing through; check HTTPS_PROXY and NO_PROXY.",
    ),
    "bad_url": (
        "a base URL that is none",
        "The base URL of {provider} is not one; write it like https://host/v1.",
    ),
    "no_first_byte": (
        "nothing comes for 5 minutes after the request",
        "{model} did not begin to answer within the time it has; ask again, or choose another model.",
    ),
    "silent": (
        "nothing comes for 5 minutes in mid-answer",
        "{provider} fell silent in the middle of the answer; ask again, or choose another model.",
    ),
    "connection_lost": (
        "the connection is reset or broken",
        "The connection to {host} broke before the answer was whole; ask again.",
    ),
    "slept": (
        "the computer slept in mid-answer",
        "The connection to {host} did not outlive the computer's sleep; ask again.",
    ),
    "cut_off": (
        "the stream ends without its closing event",
        "The answer of {provider} broke off before its end; ask again.",
    ),
    "broken_event": (
        "an event with broken JSON",
        "A part of the answer of {provider} could not be read, so it was ended there; ask again.",
    ),
    "not_a_stream": (
        "HTML, or JSON instead of a stream",
        "{host} answered with something else than a model's answer; check the base URL of {provider}, or whether the "
        "network wants a sign-in.",
    ),
    "redirected": (
        "3xx",
        "{host} sends requests elsewhere, and no key follows there; put the right address into the base URL of "
        "{provider}.",
    ),
    "stream_error": (
        "an error event in mid-answer",
        "{provider} ended the answer with an error; ask again, or choose another model.",
    ),
}
"""For each kind of fault: when it happens, and what the person reads."""

WAITS: Mapping[str, str] = {
    "request_timeout": "{provider} gave up waiting for the request",
    "rate_limited": "{provider} limits how often it is asked",
    "server_error": "{provider} failed on its own side",
    "overloaded": "{provider} is overloaded",
    "refused_connection": "Nobody answers at {host}",
    "unreachable": "{host} cannot be reached",
    "no_such_host": "No host {host} was found",
    "proxy_failed": "The proxy on the way to {host} let nothing through",
    "connection_lost": "The connection to {host} broke",
    "slept": "The connection to {host} did not outlive the computer's sleep",
    "cut_off": "The answer of {provider} broke off before it began",
    "broken_event": "The beginning of the answer of {provider} could not be read",
}
"""For each kind that is tried again: why, in the words before "trying again"."""


def trying_again(reason: str, seconds: float) -> str:
    """Said as a thought while the next attempt is waited for."""
    return f"{reason}; trying again in {duration(max(1, round(seconds)))}."


def asks_to_wait(provider: str, seconds: float) -> str:
    """The server names a time that is longer than a turn waits, or named it until the end."""
    return f"{provider} asks to wait {duration(max(1, round(seconds)))}; ask again then, or choose another model."


def no_certificate_in(path: str) -> str:
    """A file without a certificate, where there should be some."""
    return f"{path}: no certificate"


def with_detail(sentence: str, detail: str) -> str:
    """The sentence with the server's own words."""
    return f"{sentence.removesuffix('.')} (it said: {detail})."


def duration(seconds: int) -> str:
    """A time in the unit that a person would use."""
    for size, unit in ((3600, "hour"), (60, "minute")):
        if seconds >= 2 * size:
            return f"{round(seconds / size)} {unit}s"
    return f"{seconds} second{'' if seconds == 1 else 's'}"
