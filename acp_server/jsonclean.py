"""Text and JSON from outside as such that can be kept and sent on: no lone surrogates, no NaN. Pure."""

from __future__ import annotations

import math
import re

from acp_server.providers.interface import JsonValue

_SURROGATE = re.compile("[\ud800-\udfff]")


def mended(text: str) -> str:
    """The text as UTF-8 can hold it: pairs of surrogates joined, lone ones as U+FFFD."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def clean(value: JsonValue) -> JsonValue:
    """The value with lone surrogates as U+FFFD and numbers that JSON can't hold as null."""
    if isinstance(value, str):
        return mended(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [clean(each) for each in value]
    if isinstance(value, dict):
        return {mended(key): clean(each) for key, each in value.items()}
    return value
