"""The history a model is sent: plain items, every call followed by its result. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from acp_server.providers.interface import AssistantItem, Item, ToolCall, ToolItem


def unanswered(items: Sequence[Item]) -> tuple[ToolCall, ...]:
    """Calls of the newest answer that have no result yet, in order."""
    answered: set[str] = set()
    for item in reversed(items):
        if isinstance(item, AssistantItem):
            return tuple(call for call in item.calls if call.id not in answered)
        if isinstance(item, ToolItem):
            answered.add(item.call_id)
    return ()


def closed(items: Sequence[Item], text: str) -> list[ToolItem]:
    """Results that close the calls left open, all saying `text`; providers refuse a call without its
    result.
    """
    return [ToolItem(call.id, call.name, text, failed=True) for call in unanswered(items)]


def limited(text: str, limit_bytes: int, last_line: str) -> str:
    """The text cut at a character to `limit_bytes` of UTF-8, then `last_line`."""
    head = text.encode("utf-8", "replace")[:limit_bytes].decode("utf-8", "ignore")
    return f"{head.rstrip()}\n{last_line}"
