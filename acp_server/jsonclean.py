"""JSON from a model as JSON that can be sent on: no lone surrogates, no NaN. Pure."""

from __future__ import annotations

import math

from acp_server.providers.interface import JsonValue


def clean(value: JsonValue) -> JsonValue:
    """The value with lone surrogates as U+FFFD and numbers that JSON can't hold as null."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [clean(each) for each in value]
    if isinstance(value, dict):
        return {_text(key): clean(each) for key, each in value.items()}
    return value


def _text(text: str) -> str:
    return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)
