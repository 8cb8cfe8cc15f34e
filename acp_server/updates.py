"""Turn events as ACP's `session/update` objects: plain dictionaries, in the protocol's own words. Pure."""

from __future__ import annotations

from typing import assert_never

from acp_server.events import (
    Card,
    CardChanged,
    CardOpened,
    Compacting,
    Notice,
    OptionChosen,
    TextChunk,
    ThoughtChunk,
    TitleChanged,
    TurnEnded,
    TurnEvent,
    UsageChanged,
    Wait,
)
from acp_server.providers.interface import JsonObject

MESSAGE, THOUGHT = "agent_message_chunk", "agent_thought_chunk"
CHUNKS = {TextChunk: MESSAGE, Notice: MESSAGE, ThoughtChunk: THOUGHT, Wait: THOUGHT}


def update_of(event: TurnEvent) -> JsonObject | None:
    """The update that shows an event; None for the end of a turn, which is the prompt's answer, for an option, of which
    `emitter.py` tells with all others, and for usage of a window whose size nobody knows: the protocol wants one, and
    clients divide by it.
    """
    match event:
        case TextChunk() | ThoughtChunk():
            return chunk(CHUNKS[type(event)], event.message_id, event.text)
        case CardOpened():
            return {
                "sessionUpdate": "tool_call",
                "toolCallId": event.call_id,
                "title": event.title,
                "kind": event.kind,
                "status": "pending",
            }
        case CardChanged():
            status: JsonObject = {} if event.status is None else {"status": event.status}
            head: JsonObject = {"sessionUpdate": "tool_call_update", "toolCallId": event.call_id}
            return head | status | fields_of(event.card)
        case TitleChanged():
            return {"sessionUpdate": "session_info_update", "title": event.title}
        case UsageChanged():
            return _usage_update(event)
        case Compacting():
            return _compaction_update(event)
        case OptionChosen() | TurnEnded():
            return None
        case _:
            assert_never(event)


def chunk(kind: str, message_id: str, text: str) -> JsonObject:
    """A piece of a message; `kind` is MESSAGE or THOUGHT."""
    return {"sessionUpdate": kind, "messageId": message_id, "content": {"type": "text", "text": text}}


def _usage_update(event: UsageChanged) -> JsonObject | None:
    if not event.size:
        return None
    update: JsonObject = {"sessionUpdate": "usage_update", "used": event.used, "size": event.size}
    if event.cost is not None:
        update["cost"] = {"amount": event.cost, "currency": "USD"}
    return update


def _compaction_update(event: Compacting) -> JsonObject:
    """Unstable; only for clients that declared `session.compaction`."""
    update: JsonObject = {
        "sessionUpdate": "compaction_update",
        "compactionId": event.compaction_id,
        "status": event.status,
    }
    if event.summary:
        update["summary"] = [{"type": "text", "text": event.summary}]
    return update


def fields_of(card: Card) -> JsonObject:
    """What a card changes, under the protocol's names."""
    fields: JsonObject = {
        "title": card.title,
        "kind": card.kind,
        "content": None if card.content is None else list(card.content),
        "locations": None if card.locations is None else list(card.locations),
        "rawInput": card.raw_input,
        "rawOutput": card.raw_output,
    }
    return {key: value for key, value in fields.items() if value is not None}


def card_failed(call_id: str) -> JsonObject:
    """The end of a card whose turn ended without one."""
    return {"sessionUpdate": "tool_call_update", "toolCallId": call_id, "status": "failed"}
