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
        match item:
            case AssistantItem(calls=calls):
                return tuple(call for call in calls if call.id not in answered)
            case ToolItem(call_id=call_id):
                answered.add(call_id)
            case UserItem():  # what came before was closed when this was said
                break
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


def compacted(items: Sequence[Item], summary: str, keep: int, emptied: Collection[int]) -> list[Item]:
    """The history after a compaction: the summary, then the last `keep` items, of which the results at the places
    `emptied` say only that they were left out.
    """
    head: list[Item] = [UserItem(compacted_history(summary))] if summary else []
    kept = items[len(items) - min(keep, len(items)) :]
    return head + [emptied_result(item) if at in emptied else item for at, item in enumerate(kept)]


def summary_in_head(item: Item) -> str:
    """The summary that a shortened history's first item holds."""
    head, _, tail = compacted_history("\0").partition("\0")
    return item.text.removeprefix(head).removesuffix(tail)


def emptied_result(item: Item) -> Item:
    """A result of which only its place is left."""
    return replace(item, text=RESULT_LEFT_OUT) if isinstance(item, ToolItem) else item


def moved(at: int, before: int, after: int, *, summarized: bool) -> int:
    """Where an item is after a compaction from `before` to `after` items; one that went is the first behind the
    summary.
    """
    return max(at + after - before, int(summarized))
