"""From the records of a session to the updates that draw it again: all of them, in order. Pure.

A card is sent once, as it stood at its end; one that has none (the process died in mid-call) is shown as failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from acp_server.card_blocks import sentence_card
from acp_server.events import Card, TitleChanged
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
from acp_server.updates import MESSAGE, THOUGHT, chunk, fields_of, update_of


class Replay:
    """The `session/update` bodies of one session, in the order in which things were first shown; the title comes last.

    Records come in any portions. What stands behind a card waits until the card's end is known, or until the turn ends
    without one.
    """

    def __init__(self) -> None:
        self._open: set[str] = set()
        self._ends: dict[str, CardEndRecord] = {}
        self._waiting: list[CardRecord | MessageRecord] = []
        self._title: TitleRecord | None = None

    def draw(self, records: Iterable[Record]) -> Iterator[JsonObject]:
        """What can be drawn now that these came."""
        for record in records:
            match record.type:
                case "message" if not self._open:
                    yield _message(record)
                case "message":
                    self._waiting.append(record)
                case "card":
                    self._open.add(record.call_id)
                    self._waiting.append(record)
                case "cardEnd" if record.call_id in self._open:
                    self._ends[record.call_id] = record
                    self._open.discard(record.call_id)
                    if not self._open:
                        yield from self._waited()
                case "turn" | "command":
                    yield from self._waited()
                    yield from _person(record)
                case "title" if record.replaces(self._title):
                    self._title = record
                case _:
                    pass

    def end(self) -> Iterator[JsonObject]:
        """What is left when there are no more records."""
        yield from self._waited()
        if self._title is not None and (update := update_of(TitleChanged(self._title.title))) is not None:
            yield update

    def _waited(self) -> Iterator[JsonObject]:
        waiting, self._waiting = self._waiting, []
        self._open.clear()
        for record in waiting:
            yield _card(record, self._ends.pop(record.call_id, None)) if record.type == "card" else _message(record)


def replay(records: Iterable[Record]) -> Iterator[JsonObject]:
    """The same for records that are all there."""
    drawn = Replay()
    yield from drawn.draw(records)
    yield from drawn.end()


def _message(record: MessageRecord) -> JsonObject:
    return chunk(THOUGHT if record.kind == "thought" else MESSAGE, record.message_id, record.text)


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
