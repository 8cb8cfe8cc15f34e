"""From the records of a session to the updates that draw it again: all of them, in order. Pure.

A card is sent once, as it stood at its end; one that has none (the process died in mid-call) is shown as failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from acp_server.cards import sentence_card
from acp_server.events import Card, TextChunk, ThoughtChunk, TitleChanged
from acp_server.providers.interface import JsonObject
from acp_server.sentences.sessions import CARD_CUT_OFF
from acp_server.session_files.records import (
    CardEndRecord,
    CardRecord,
    CommandRecord,
    MessageRecord,
    Record,
    TitleRecord,
    TurnRecord,
)
from acp_server.updates import fields_of, update_of


def replay(records: Sequence[Record]) -> Iterator[JsonObject]:
    """The `session/update` bodies, in the order in which things were first shown; the title comes last."""
    ends = {record.call_id: record for record in records if isinstance(record, CardEndRecord)}
    for record in records:
        match record:
            case TurnRecord() | CommandRecord():
                yield from _person(record)
            case MessageRecord(kind=kind, message_id=message_id, text=text):
                yield from _update(ThoughtChunk(message_id, text) if kind == "thought" else TextChunk(message_id, text))
            case CardRecord():
                yield _card(record, ends.get(record.call_id))
            case _:
                pass
    if (title := newest_title(records)) is not None:
        yield from _update(TitleChanged(title))


def newest_title(records: Iterable[Record]) -> str | None:
    """The title that holds: the newest, or the newest that the person chose."""
    title: TitleRecord | None = None
    for record in records:
        if isinstance(record, TitleRecord) and (record.chosen or title is None or not title.chosen):
            title = record
    return None if title is None else title.title


def _person(record: TurnRecord | CommandRecord) -> Iterator[JsonObject]:
    for block in record.prompt:
        yield {
            "sessionUpdate": "user_message_chunk",
            "messageId": record.message_id,
            "content": block,
        }


def _update(event: TextChunk | ThoughtChunk | TitleChanged) -> Iterator[JsonObject]:
    if (update := update_of(event)) is not None:
        yield update


def _card(opened: CardRecord, end: CardEndRecord | None) -> JsonObject:
    head: JsonObject = {"sessionUpdate": "tool_call", "toolCallId": opened.call_id}
    if end is None:
        card = sentence_card(CARD_CUT_OFF)
        return head | {"title": opened.title, "kind": opened.kind, "status": "failed"} | fields_of(card)
    card = Card(
        title=end.title,
        kind=end.kind,
        content=end.content,
        locations=end.locations,
        raw_input=end.raw_input,
        raw_output=end.raw_output,
    )
    return head | {"status": end.status} | fields_of(card)
