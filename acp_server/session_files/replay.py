"""From the records of a session to the updates that draw it again: all of them, in order. Pure.

A card is sent once, as it stood at its end; one that has none (the process died in mid-call) is shown as failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from acp_server.card_blocks import sentence_card
from acp_server.events import Card, TitleChanged
from acp_server.providers.interface import JsonObject
from acp_server.sentences.sessions import CARD_CUT_OFF
from acp_server.session_files.records import (
    CardEndRecord,
    CardRecord,
    CommandRecord,
    Record,
    TitleRecord,
    TurnRecord,
)
from acp_server.updates import MESSAGE, THOUGHT, chunk, fields_of, update_of


def replay(records: Sequence[Record]) -> Iterator[JsonObject]:
    """The `session/update` bodies, in the order in which things were first shown; the title comes last."""
    ends = {record.call_id: record for record in records if record.type == "cardEnd"}
    for record in records:
        match record.type:
            case "turn" | "command":
                yield from _person(record)
            case "message":
                yield chunk(THOUGHT if record.kind == "thought" else MESSAGE, record.message_id, record.text)
            case "card":
                yield _card(record, ends.get(record.call_id))
            case _:
                pass
    if (title := newest_title(records)) is not None and (update := update_of(TitleChanged(title))) is not None:
        yield update


def newest_title(records: Iterable[Record]) -> str | None:
    """The title that holds: the newest, or the newest that the person chose."""
    title: TitleRecord | None = None
    for record in records:
        if record.type == "title" and (record.chosen or title is None or not title.chosen):
            title = record
    return None if title is None else title.title


def _person(record: TurnRecord | CommandRecord) -> Iterator[JsonObject]:
    for block in record.prompt:
        yield {
            "sessionUpdate": "user_message_chunk",
            "messageId": record.message_id,
            "content": block,
        }


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
