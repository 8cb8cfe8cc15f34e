"""Names and ids of calls in the form that a wire takes, for conversations that began at another provider. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256

LegalId = Callable[[str], str]

UNNAMED = "unnamed"
"""The name of a call whose model gave none."""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NOT_NAME = re.compile(r"[^A-Za-z0-9_-]")


def short_id(call_id: str) -> str:
    """At most 40 characters that can be seen: Chat Completions."""
    return _kept(r"[!-~]{1,40}", call_id) or "call_" + _digest(call_id, 24)


def plain_id(call_id: str) -> str:
    """At most 64 letters, digits, `_` and `-`: Responses and Anthropic."""
    return _kept(r"[A-Za-z0-9_-]{1,64}", call_id) or "call_" + _digest(call_id, 24)


def id_of_length(length: int) -> LegalId:
    """Exactly so many letters and digits: Mistral."""
    return lambda call_id: _kept(rf"[A-Za-z0-9]{{{length}}}", call_id) or _digest(call_id, length)


def legal_name(name: str) -> str:
    """The name of a tool as every wire takes it: a model may have called one that can't exist."""
    return name if _NAME.fullmatch(name) else _NOT_NAME.sub("_", name)[:64] or UNNAMED


def _kept(pattern: str, call_id: str) -> str:
    return call_id if re.fullmatch(pattern, call_id) else ""


def _digest(call_id: str, length: int) -> str:
    return sha256(call_id.encode("utf-8", "surrogatepass")).hexdigest()[:length]
