"""What a line means: a request, a notification, a response, or a refusal. Pure and light to import.

Rules (all loose input that is taken, and all that isn't)
1. `jsonrpc` may be missing. A BOM, blank lines and CRLF are passed over.
2. Not JSON, not UTF-8, NaN, numbers past Python's digit limit, nesting past its depth: -32700 with id null.
3. JSON but no request or response, or an id that is a float, a boolean, a list or an object: -32600.
4. A method that this agent doesn't have: -32601; as a notification: dropped.
5. `params` missing or null are `{}`; a list or a scalar: -32602. Each method's own rules are in `params.py`.
6. A response must have an integer id and exactly one well-formed result or error, else it is dropped.
"""

from __future__ import annotations

import json

from acp_server import jsonrpc
from acp_server.depth import MAX_DEPTH, is_deep
from acp_server.lines import MAX_LINE_BYTES
from acp_server.params import CHECKS
from acp_server.sentences import wire as sentences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from acp_server.jsonrpc import RequestId
    from acp_server.lines import Line
    from acp_server.providers.interface import JsonObject, JsonValue

LOCAL_REQUESTS = frozenset({"initialize", "authenticate", "session/new"})
"""Answered by the desk, before and after the hand-over, so that their bytes don't depend on when it falls."""

UNROUTED = frozenset({"session/delete"})
"""Requests that the library doesn't route: it gets them as extensions of the same name."""

AGENT_REQUESTS = UNROUTED | {
    "session/prompt",
    "session/close",
    "session/set_config_option",
    "session/load",
    "session/resume",
    "session/list",
    "session/fork",
}
AGENT_NOTIFICATIONS = frozenset({"session/cancel"})
TRANSPORT_NOTIFICATIONS = frozenset({"$/cancel_request"})

REQUESTS = LOCAL_REQUESTS | AGENT_REQUESTS
NOTIFICATIONS = AGENT_NOTIFICATIONS | TRANSPORT_NOTIFICATIONS

MAX_ECHO_CHARS = 100
_BLANK = b" \t\r"
_BOM = b"\xef\xbb\xbf"
_NULL_ID: RequestId = None


class Request:
    """A request for a method that exists, with params that pass its checks."""

    __slots__ = ("id", "method", "params")

    def __init__(self, request_id: RequestId, method: str, params: JsonObject) -> None:
        self.id = request_id
        self.method = method
        self.params = params


class Notification:
    """A notification that exists."""

    __slots__ = ("method", "params")

    def __init__(self, method: str, params: JsonObject) -> None:
        self.method = method
        self.params = params


class Response:
    """A client's answer to a request of ours; `error` is None where it answered with `result`."""

    __slots__ = ("error", "id", "result")

    def __init__(self, request_id: int, result: JsonValue, error: JsonObject | None) -> None:
        self.id = request_id
        self.result = result
        self.error = error


class Refusal:
    """A line that is answered with an error and nothing else."""

    __slots__ = ("reply",)

    def __init__(self, reply: JsonObject) -> None:
        self.reply = reply


Message = Request | Notification | Response | Refusal


def read(line: Line) -> Message | None:
    """What a line means, or None where it is to be passed over."""
    if line is None:
        return _refuse(_NULL_ID, jsonrpc.INVALID_REQUEST, sentences.line_too_long(MAX_LINE_BYTES))
    line = line.removeprefix(_BOM).strip(_BLANK)
    if not line:
        return None
    try:
        value = json.loads(line.decode("utf-8"), parse_constant=_no_constant)
    except ValueError:
        return _refuse(_NULL_ID, jsonrpc.PARSE_ERROR, sentences.NOT_JSON)
    except RecursionError:
        return _refuse(_NULL_ID, jsonrpc.PARSE_ERROR, sentences.too_deep(MAX_DEPTH))
    return _of_value(value)


def is_request_id(value: object) -> bool:
    """Whether a value can be the id of a request."""
    return value is None or (isinstance(value, str | int) and not isinstance(value, bool))


def _of_value(value: JsonValue) -> Message | None:
    if not isinstance(value, dict):
        return _refuse(_NULL_ID, jsonrpc.INVALID_REQUEST, sentences.NOT_A_REQUEST)
    if "method" not in value:
        return _response(value)
    if not is_request_id(value.get("id")):
        return _refuse(_NULL_ID, jsonrpc.INVALID_REQUEST, sentences.BAD_ID)
    return _request(value) if "id" in value else _notification(value)


def _request(value: JsonObject) -> Message:
    request_id, method, params = _id_of(value), value["method"], _params_of(value)
    if is_deep(value):
        return _refuse(request_id, jsonrpc.INVALID_REQUEST, sentences.too_deep(MAX_DEPTH))
    if not isinstance(method, str):
        return _refuse(request_id, jsonrpc.INVALID_REQUEST, sentences.BAD_METHOD)
    if method not in REQUESTS:
        data = jsonrpc.Shown(method=method[:MAX_ECHO_CHARS])
        return Refusal(jsonrpc.error_reply(request_id, jsonrpc.METHOD_NOT_FOUND, data))
    if params is None:
        return _refuse(request_id, jsonrpc.INVALID_PARAMS, sentences.PARAMS_NOT_AN_OBJECT)
    if wrong := CHECKS[method](params):
        return _refuse(request_id, jsonrpc.INVALID_PARAMS, wrong)
    return Request(request_id, method, params)


def _notification(value: JsonObject) -> Notification | None:
    method, params = value["method"], _params_of(value)
    if not isinstance(method, str) or method not in NOTIFICATIONS or params is None or is_deep(params):
        return None
    return None if CHECKS[method](params) else Notification(method, params)


def _response(value: JsonObject) -> Message | None:
    if "result" not in value and "error" not in value:
        known = _id_of(value) if is_request_id(value.get("id")) else _NULL_ID
        return _refuse(known, jsonrpc.INVALID_REQUEST, sentences.NOT_A_REQUEST)
    response_id, error = value.get("id"), value.get("error")
    if not isinstance(response_id, int) or isinstance(response_id, bool) or ("result" in value) == ("error" in value):
        return None
    if "result" in value:
        return Response(response_id, value["result"], None)
    if not isinstance(error, dict) or not isinstance(error.get("code"), int):
        return None
    return Response(response_id, None, error)


def _id_of(value: JsonObject) -> RequestId:
    request_id = value.get("id")
    return request_id if isinstance(request_id, str | int) else None


def _params_of(value: JsonObject) -> JsonObject | None:
    """The params as an object, or None where they are something else."""
    params = value.get("params")
    if params is None:
        return {}
    return params if isinstance(params, dict) else None


def _refuse(request_id: RequestId, code: int, sentence: str) -> Refusal:
    return Refusal(jsonrpc.error_reply(request_id, code, jsonrpc.shown(sentence)))


def _no_constant(name: str) -> JsonValue:
    """`NaN` and `Infinity` are Python's idea, not JSON's."""
    raise ValueError(name)
