"""How deep JSON from outside may be nested: what is kept is read again by parsers with limits. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from acp_server.providers.interface import JsonValue

MAX_DEPTH = 100
"""Levels of objects and lists in each other."""


def is_deep(value: JsonValue, levels: int = MAX_DEPTH) -> bool:
    """Whether objects and lists are nested in more than so many levels."""
    if not isinstance(value, dict | list):
        return False
    if not levels:
        return True
    inner = value.values() if isinstance(value, dict) else value
    return any(is_deep(each, levels - 1) for each in inner)
