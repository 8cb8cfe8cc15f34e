"""Reading JSON that a server sent: a field that is missing or of another type counts as empty. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping

from acp_server.providers.faults import FaultKind, WireFault
from acp_server.providers.interface import JsonObject, JsonValue

Fields = Mapping[str, JsonValue]

_DECODER = json.JSONDecoder(parse_constant=lambda _: None)


def read(data: str) -> JsonObject:
    """An event's data as the object that it must be; numbers that JSON doesn't have are null. Raises WireFault."""
    try:
        value = _DECODER.decode(data)
    except (ValueError, RecursionError) as error:
        raise WireFault(FaultKind.BROKEN_EVENT, getattr(error, "msg", "")) from error
    if not isinstance(value, dict):
        raise WireFault(FaultKind.BROKEN_EVENT)
    return value


def text(fields: Fields, name: str) -> str:
    """A string, "" for anything else."""
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def number(fields: Fields, name: str) -> int | None:
    """A whole number that isn't negative, None for anything else."""
    value = fields.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1 << 53:
        return None
    return int(value)


def table(fields: Fields, name: str) -> JsonObject:
    """An object, {} for anything else."""
    value = fields.get(name)
    return value if isinstance(value, dict) else {}


def rows(fields: Fields, name: str) -> list[JsonObject]:
    """The objects of a list, [] for anything else."""
    value = fields.get(name)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
