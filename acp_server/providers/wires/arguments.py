"""The arguments of a call as they go back to a model: always an object, whatever the model wrote. Pure."""

from __future__ import annotations

import json
import re

from acp_server.jsonclean import clean
from acp_server.providers.interface import JsonObject

UNREADABLE = "unreadable_arguments"
"""The one field of an object that stands for arguments that were none; its value is what the model wrote."""

_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


def as_object(raw: str) -> JsonObject:
    """The arguments as an object that JSON can hold; no arguments are an empty one."""
    if not raw.strip():
        return {}
    parsed = _parsed(raw)
    cleaned = clean({UNREADABLE: raw} if parsed is None else parsed)
    return cleaned if isinstance(cleaned, dict) else {}


def as_text(raw: str) -> str:
    """The arguments as JSON text of an object: the model's own text wherever that is one."""
    if _parsed(raw) is not None and not _SURROGATE_ESCAPE.search(raw):
        return raw
    return json.dumps(as_object(raw), ensure_ascii=False, separators=(",", ":"))


def written(value: JsonObject) -> str:
    """An object that came as one, as the text that a call carries."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _parsed(raw: str) -> JsonObject | None:
    try:
        value = json.loads(raw, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _refuse(constant: str) -> None:
    raise ValueError(constant)
