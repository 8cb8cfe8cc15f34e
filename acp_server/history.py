"""The history a model is sent: plain items, every call followed by its result. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from acp_server.providers.interface import AssistantItem, Item, ToolCall, ToolItem, UserItem
from acp_server.sentences.turn import RESULT_LEFT_OUT, compacted_history


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


def sent(items: Iterable[Item]) -> tuple[Item, ...]:
    """The items as a request carries them: reminders stand before the person's words."""
    return tuple(
        UserItem(item.reminder + item.text) if isinstance(item, UserItem) and item.reminder else item for item in items
    )


def without_reminders(items: Iterable[Item]) -> list[Item]:
    """The items after a rebuild of the view, which has what the reminders told."""
    return [UserItem(item.text) if isinstance(item, UserItem) else item for item in items]


def compacted(items: Sequence[Item], summary: str, keep: int, emptied: Collection[str]) -> list[Item]:
    """The history after a compaction: the summary, then the last `keep` items, of which the results of the calls
    `emptied` say only that they were left out.
    """
    head: list[Item] = [UserItem(compacted_history(summary))] if summary else []
    return head + [
        replace(item, text=RESULT_LEFT_OUT) if isinstance(item, ToolItem) and item.call_id in emptied else item
        for item in items[len(items) - min(keep, len(items)) :]
    ]
