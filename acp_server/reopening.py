"""A conversation made again from what its session's file told. Pure but for the pages of the prompt."""

from __future__ import annotations

from datetime import datetime

from acp_server.conversation import Conversation
from acp_server.events import UsageChanged
from acp_server.prefix import system_prompt
from acp_server.renewal import Reason
from acp_server.sentences.memory_outline import OFF_FOR_THE_MODEL
from acp_server.session_files.restoring import Restored, mark_of


def conversation_of(restored: Restored, *, moved: bool = False, other_roots: bool = False) -> Conversation:
    """The conversation as it goes on: its prefix as it was kept, until its first turn decides whether that holds.

    `moved` to another directory and `other_roots` want the view taken anew.
    """
    conversation = Conversation(restored.session_id, items=list(restored.items))
    prefix = restored.prefix
    if prefix is not None:
        conversation.system = system_prompt(prefix.view, prefix.trouble)
        conversation.digest = prefix.digest
        conversation.off = prefix.view is None and prefix.trouble == OFF_FOR_THE_MODEL
        conversation.mark = restored.mark if prefix.view is not None else None
        conversation.frozen = mark_of(prefix.mark)
    conversation.known.update(restored.known)
    conversation.cards.update(restored.cards)
    conversation.first_words = restored.first_words
    conversation.titled = restored.title is not None
    conversation.title_chosen = restored.title is not None and restored.title.chosen
    conversation.owed = restored.owed
    if (usage := restored.usage) is not None:
        conversation.usage = UsageChanged(usage.used, usage.size, usage.cost)
    conversation.heard_ms = milliseconds(restored.last_heard)
    conversation.loaded = True
    conversation.summarized, conversation.measured = restored.summarized, restored.measured
    conversation.wanted = _wanted(restored, moved, other_roots)
    return conversation


def _wanted(restored: Restored, moved: bool, other_roots: bool) -> Reason | None:
    """Why the view is taken anew whatever the time; a directory that changed counts most."""
    if moved:
        return Reason.DIRECTORY
    if other_roots:
        return Reason.ROOTS
    return Reason.COMPACTED if restored.shortened else None


def milliseconds(moment: str) -> int | None:
    """A moment (ISO 8601 in UTC) in milliseconds since the epoch; None for none, or for what isn't one."""
    try:
        return round(datetime.fromisoformat(moment).timestamp() * 1000)
    except ValueError:
        return None
