"""JSON-RPC as ACP uses it: the error codes, replies as plain dictionaries, and their bytes. Pure and light
to import.

An error reply carries `data` only where our own code wrote it for a person: `Shown` marks that, and the
transport strips any other data. What a client shows of an error is `data.details`.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from acp_server.providers.interface import JsonObject, JsonValue

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
NOT_FOUND = -32002
AUTH_REQUIRED = -32000
CANCELLED = -32800

GENERIC_MESSAGES = {
    PARSE_ERROR: "Parse error",
    INVALID_REQUEST: "Invalid request",
    METHOD_NOT_FOUND: "Method not found",
    INVALID_PARAMS: "Invalid params",
    INTERNAL_ERROR: "Internal error",
    NOT_FOUND: "Resource not found",
    AUTH_REQUIRED: "Authentication required",
    CANCELLED: "Request cancelled",
}

RequestId = str | int | None


class Shown(dict[str, "JsonValue"]):
    """Error data that our own code wrote for a person; only this passes the transport."""


def shown(details: str, **more: JsonValue) -> Shown:
    """Error data with its sentence, and what else a program may read."""
    return Shown(more, details=details)


def error_reply(request_id: RequestId, code: int, data: Shown | None = None, message: str = "") -> JsonObject:
    """The reply that refuses a request; `message` defaults to the code's generic one."""
    error: JsonObject = {"code": code, "message": message or GENERIC_MESSAGES.get(code, "Error")}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


def result_reply(request_id: RequestId, result: JsonValue) -> JsonObject:
    """The reply that answers a request."""
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def notification(method: str, params: JsonObject) -> JsonObject:
    """A message that wants no answer."""
    return {"jsonrpc": "2.0", "method": method, "params": params}


def session_update(session_id: str, update: JsonObject) -> JsonObject:
    """The notification that carries one `session/update`."""
    return notification("session/update", {"sessionId": session_id, "update": update})


def options_update(session_id: str, options: list[JsonValue]) -> JsonObject:
    """The notification that tells the complete options of a session."""
    return session_update(session_id, {"sessionUpdate": "config_option_update", "configOptions": options})


def repaired(value: object) -> JsonValue:
    """A value with null for all that JSON can't say, so that a card's end is not lost to a NaN beside it."""
    match value:
        case dict():
            return {str(key): repaired(item) for key, item in value.items()}
        case list() | tuple():
            return [repaired(item) for item in value]
        case None | bool() | int() | str():
            return value
        case float() if value - value == 0:  # false for NaN and the infinities
            return value
        case _:
            return None


def encode(message: JsonObject) -> bytes:
    """One line of the wire. A lone surrogate stays valid JSON as its escape. Raises ValueError, TypeError."""
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "backslashreplace") + b"\n"
