"""What a server says went wrong, as a kind of fault: by its code, its type, its words, in this order. Pure.

The tables hold the codes of all three wires together: compatible servers borrow each other's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from acp_server.providers.faults import FaultKind, WireFault, kind_of_status
from acp_server.providers.interface import JsonObject, JsonValue
from acp_server.providers.wires.fields import table, text

CODES: Mapping[str, FaultKind] = {
    "api_error": FaultKind.SERVER_ERROR,
    "authentication_error": FaultKind.KEY_REFUSED,
    "billing_error": FaultKind.NO_CREDIT,
    "billing_hard_limit_reached": FaultKind.NO_CREDIT,
    "content_filter": FaultKind.CONTENT_FILTER,
    "content_policy_violation": FaultKind.CONTENT_FILTER,
    "context_length_exceeded": FaultKind.CONTEXT_OVERFLOW,
    "deadline_exceeded": FaultKind.SERVER_ERROR,
    "exceed_context_size_error": FaultKind.CONTEXT_OVERFLOW,
    "insufficient_quota": FaultKind.NO_CREDIT,
    "internal": FaultKind.SERVER_ERROR,
    "internal_error": FaultKind.SERVER_ERROR,
    "internal_server_error": FaultKind.SERVER_ERROR,
    "invalid_api_key": FaultKind.KEY_REFUSED,
    "invalid_prompt": FaultKind.CONTENT_FILTER,
    "model_not_found": FaultKind.NOT_FOUND,
    "not_found_error": FaultKind.NOT_FOUND,
    "overloaded": FaultKind.OVERLOADED,
    "overloaded_error": FaultKind.OVERLOADED,
    "permission_denied": FaultKind.FORBIDDEN,
    "permission_error": FaultKind.FORBIDDEN,
    "rate_limit_error": FaultKind.RATE_LIMITED,
    "rate_limit_exceeded": FaultKind.RATE_LIMITED,
    "request_too_large": FaultKind.TOO_LARGE,
    "resource_exhausted": FaultKind.RATE_LIMITED,
    "responsibleaipolicyviolation": FaultKind.CONTENT_FILTER,
    "server_error": FaultKind.SERVER_ERROR,
    "service_unavailable": FaultKind.OVERLOADED,
    "slow_down": FaultKind.OVERLOADED,
    "timeout_error": FaultKind.SERVER_ERROR,
    "too_many_requests": FaultKind.RATE_LIMITED,
    "unauthenticated": FaultKind.KEY_REFUSED,
    "unavailable": FaultKind.OVERLOADED,
}
"""Codes and types of errors, in small letters. Those that say no more than the status are left out."""

_WORDS: tuple[tuple[re.Pattern[str], FaultKind], ...] = (
    (
        re.compile(
            r"context (length|window|size|limit)|maximum context|(prompt|input|request) is too long"
            r"|too many (input )?tokens|(input|prompt) (token count|length).{0,80}exceed"
            r"|exceeds? the (model's )?maximum (input|number of tokens)",
            re.IGNORECASE,
        ),
        FaultKind.CONTEXT_OVERFLOW,
    ),
    (
        re.compile(
            r"credit balance is too low|insufficient (balance|credits?|funds)|exceeded your current quota"
            r"|(usage|spend(ing)?) limits?\b.{0,40}\breach|reached your.{0,40}(usage|spend(ing)?) limit",
            re.IGNORECASE,
        ),
        FaultKind.NO_CREDIT,
    ),
    (
        re.compile(r"content (management )?policy|responsible ai|content[ _]filter", re.IGNORECASE),
        FaultKind.CONTENT_FILTER,
    ),
)
"""What servers say in words alone; looked for where code and type don't tell."""

_SPEAKING = frozenset({None, FaultKind.BAD_REQUEST, FaultKind.TOO_LARGE, FaultKind.SERVER_ERROR})
"""Kinds by status that the words of an error may overrule; a rate limit that speaks of tokens stays one."""


def error_of(status: int, body: bytes) -> tuple[FaultKind | None, str]:
    """What the body of a failed request says: its kind, None where only the status tells; and its words."""
    said = body.decode("utf-8", "replace").strip()
    try:
        value = json.loads(said)
    except (ValueError, RecursionError):
        return None, "" if said.startswith("<") else said
    error = _error(value)
    return _by_name(error) or _by_words(_message(error), _of_status(status)), _message(error)


def fault_in_stream(value: JsonValue) -> WireFault:
    """The fault that an error event tells of: `value` is the event, or its `error`."""
    error = _error(value)
    status = _of_status(_status(error))
    kind = _by_name(error) or _by_words(_message(error), status) or status or FaultKind.STREAM_ERROR
    return WireFault(kind, _message(error))


def _error(value: JsonValue) -> JsonObject:
    """The object that describes the error, wherever a server puts it."""
    if isinstance(value, list):
        return _error(value[0]) if value else {}
    if isinstance(value, str):
        return {"message": value}
    if not isinstance(value, dict):
        return {}
    inner = value.get("error")
    return _error(inner) if isinstance(inner, dict | str) and inner else value


def _message(error: JsonObject) -> str:
    for name in ("message", "detail", "error_description", "title"):
        if said := text(error, name).strip():
            raw = text(table(error, "metadata"), "raw").strip()
            return f"{said}: {raw}" if raw and raw not in said else said
    detail = error.get("detail")
    return json.dumps(detail, ensure_ascii=False) if isinstance(detail, list | dict) else ""


def _by_name(error: JsonObject) -> FaultKind | None:
    inner = table(error, "innererror")
    for name in (text(inner, "code"), text(error, "code"), text(error, "type"), text(error, "status")):
        if kind := CODES.get(name.lower()):
            return kind
    return None


def _by_words(message: str, status: FaultKind | None) -> FaultKind | None:
    if status not in _SPEAKING:
        return None
    return next((kind for words, kind in _WORDS if words.search(message)), None)


def _status(error: JsonObject) -> int:
    """A status as the code of an error, as a number or in digits; 0 for none."""
    if text(error, "type") == "invalid_request_error":
        return 400
    code = error.get("code")
    return int(code) if isinstance(code, int | str) and re.fullmatch(r"[3-5]\d\d", str(code)) else 0


def _of_status(status: int) -> FaultKind | None:
    return kind_of_status(status) if status >= 400 else None
