"""Holds the agent's messages against the protocol's official JSON schema, and refuses keys it doesn't name.

The official schema lets unknown keys pass, so that clients can read newer agents. An agent must not send them
(`_meta` is the place for its own), so here each place where a value stands is closed: `unevaluatedProperties`
is set wherever the schema names properties at all. Free JSON, such as `rawInput`, stays free.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

SCHEMA = Path(__file__).resolve().parent.parent / "fixtures" / "acp-schema" / "schema.json"

Json = Any
Schema = dict[str, Any]
_ENVELOPES = (
    frozenset({"jsonrpc", "method", "params"}),
    frozenset({"jsonrpc", "id", "method", "params"}),
    frozenset({"jsonrpc", "id", "result"}),
    frozenset({"jsonrpc", "id", "error"}),
)
_COMBINERS = ("allOf", "anyOf", "oneOf")


@cache
def _definitions() -> Schema:
    definitions: Schema = json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"]
    return definitions


def _names_properties(schema: Schema, seen: frozenset[str] = frozenset()) -> bool:
    """Whether a schema says anywhere which keys an object has."""
    if "properties" in schema or "additionalProperties" in schema:
        return True
    name = schema.get("$ref", "").rpartition("/")[2]
    if name and name not in seen and _names_properties(_definitions()[name], seen | {name}):
        return True
    return any(_names_properties(part, seen) for key in _COMBINERS for part in schema.get(key, ()))


def _closed(schema: Json, *, value: bool) -> Json:
    """A copy of a schema in which every value's place is closed; `value` tells whether this is one."""
    if not isinstance(schema, dict):
        return schema
    copy: Schema = dict(schema)
    if "properties" in copy:
        copy["properties"] = {key: _closed(part, value=True) for key, part in copy["properties"].items()}
    for key in ("items", "additionalProperties"):
        if key in copy:
            copy[key] = _closed(copy[key], value=True)
    for key in _COMBINERS:
        if key in copy:
            copy[key] = [_closed(part, value=False) for part in copy[key]]
    if value and _names_properties(schema):
        copy.setdefault("unevaluatedProperties", False)
    return copy


@cache
def _validator(name: str) -> Draft202012Validator:
    definitions = {key: _closed(schema, value=False) for key, schema in _definitions().items()}
    return Draft202012Validator({"$defs": definitions, "$ref": f"#/$defs/{name}", "unevaluatedProperties": False})


@cache
def _names(side: str) -> Mapping[tuple[str, str], str]:
    """(method, Request, Response or Notification) -> the definition's name, for what `side` answers."""
    return {
        (schema["x-method"], ending): name
        for name, schema in _definitions().items()
        for ending in ("Request", "Response", "Notification")
        if schema.get("x-side") in (side, "protocol") and name.endswith(ending)
    }


def _mistakes(name: str, body: Json) -> Iterator[str]:
    for error in _validator(name).iter_errors(body):
        best = min(error.context, key=lambda inner: -len(inner.path)) if error.context else error
        yield f"{name} at {best.json_path}: {best.message[:300]}"


class Checker:
    """Checks one connection: tell it what the client sent, ask it about what the agent sent."""

    def __init__(self) -> None:
        self._asked: dict[Json, str] = {}

    def sent(self, message: Json) -> None:
        """The client sent this; its requests say what the answers must be."""
        if isinstance(message, dict) and "method" in message and _hashable(message.get("id")):
            self._asked[message.get("id")] = str(message["method"])

    def problems(self, message: Json) -> list[str]:
        """What is wrong with a message of the agent; empty where nothing is."""
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return ["not a JSON-RPC 2.0 object"]
        if frozenset(message) not in _ENVELOPES:
            return [f"keys {sorted(message)} are no message's"]
        if "method" in message:
            return self._call(message)
        return list(self._answer(message))

    def _call(self, message: Schema) -> list[str]:
        method = str(message["method"])
        if method.startswith("_"):
            return []
        name = _names("client").get((method, "Request" if "id" in message else "Notification"))
        return [f"the client has no method {method}"] if name is None else list(_mistakes(name, message["params"]))

    def _answer(self, message: Schema) -> Iterator[str]:
        if "error" in message:
            yield from _mistakes("Error", message["error"])
            return
        if not _hashable(message["id"]) or message["id"] not in self._asked:
            yield f"an answer to {message['id']!r}, which was not asked"
            return
        method = self._asked[message["id"]]
        name = _names("agent").get((method, "Response"))
        if name is not None:
            yield from _mistakes(name, message["result"])
        elif not method.startswith("_"):
            yield f"a result for {method}, which the protocol doesn't have"


def _hashable(value: Json) -> bool:
    return value is None or isinstance(value, str | int | float)


def check(messages: Iterable[tuple[str, Json]]) -> list[str]:
    """Problems of a conversation of (`c2a` or `a2c`, message), each with its 1-based number."""
    checker, found = Checker(), []
    for number, (direction, message) in enumerate(messages, start=1):
        if direction == "c2a":
            checker.sent(message)
        else:
            found += [f"message {number}: {problem}" for problem in checker.problems(message)]
    return found


def check_file(path: Path) -> list[str]:
    """Problems of a transcript: JSON Lines of `{"dir", "msg"}`."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    return check((row["dir"], row["msg"]) for row in rows)
