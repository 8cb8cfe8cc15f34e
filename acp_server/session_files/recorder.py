"""From what a turn does to the records of it: events as they are shown, items as the history takes them. Pure.

Chunks of one message become one record, written once something else follows. A card is recorded when it appears, so
that the order is kept, and once more as it stands at its end.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, cast

from acp_server.events import (
    Card,
    CardChanged,
    CardOpened,
    TextChunk,
    ThoughtChunk,
    TitleChanged,
    TurnEvent,
    UsageChanged,
)
from acp_server.providers.interface import AssistantItem, Item, ToolItem
from acp_server.session_files.records import (
    AnswerRecord,
    CallObject,
    CardEndRecord,
    CardRecord,
    MessageRecord,
    NativeObject,
    Record,
    ResultRecord,
    TitleRecord,
    UsageRecord,
)

FINAL = frozenset({"completed", "failed"})

Kind = Literal["text", "thought"]


class Recorder:
    """Gathers the records of one session until they are taken."""

    def __init__(self) -> None:
        self._ready: list[Record] = []
        self._run: tuple[Kind, str, list[str]] | None = None
        self._cards: dict[str, Card] = {}

    def add(self, record: Record) -> None:
        """A record as it is, behind all that came before it."""
        self._end_run()
        self._ready.append(record)

    def event(self, event: TurnEvent) -> None:
        """What is shown to the person."""
        match event:
            case TextChunk(message_id, text):
                self._chunk("text", message_id, text)
            case ThoughtChunk(message_id, text):
                self._chunk("thought", message_id, text)
            case CardOpened(call_id, title, kind):
                self._cards[call_id] = Card(title=title, kind=kind)
                self.add(CardRecord(call_id=call_id, title=title, kind=kind))
            case CardChanged(call_id, status, card):
                self._card(call_id, status, card)
            case TitleChanged(title, chosen):
                self.add(TitleRecord(title=title, chosen=chosen))
            case UsageChanged(used, size, cost):
                self.add(UsageRecord(used=used, size=size, cost=cost))
            case _:
                pass

    def item(self, item: Item, at: str) -> None:
        """What the history takes in, `at` a moment (ISO 8601 in UTC); a person's words are a `TurnRecord`."""
        match item:
            case AssistantItem(text, calls, native):
                blocks = None
                if native is not None:
                    blocks = NativeObject(wire=native.wire, model=native.model, blocks=native.blocks)
                objects = tuple(CallObject(id=call.id, name=call.name, arguments=call.arguments) for call in calls)
                self.add(AnswerRecord(text=text, calls=objects, native=blocks, at=at))
            case ToolItem(call_id, name, text, failed):
                self.add(ResultRecord(call_id=call_id, name=name, text=text, failed=failed))
            case _:
                pass

    def take(self) -> list[Record]:
        """All records so far, once."""
        self._end_run()
        ready, self._ready = self._ready, []
        return ready

    def _chunk(self, kind: Kind, message_id: str, text: str) -> None:
        if self._run is None or self._run[:2] != (kind, message_id):
            self._end_run()
            self._run = (kind, message_id, [])
        self._run[2].append(text)

    def _end_run(self) -> None:
        if self._run is not None:
            kind, message_id, texts = self._run
            self._run = None
            self._ready.append(MessageRecord(kind=kind, message_id=message_id, text="".join(texts)))

    def _card(self, call_id: str, status: str | None, change: Card) -> None:
        card = self._cards[call_id] = changed(self._cards.get(call_id, Card()), change)
        if status not in FINAL:
            return
        del self._cards[call_id]
        self.add(
            CardEndRecord(
                call_id=call_id,
                status=cast('Literal["completed", "failed"]', status),
                title=card.title or "",
                kind=card.kind or "other",
                content=card.content,
                locations=card.locations,
                raw_input=card.raw_input,
                raw_output=card.raw_output,
            )
        )


def changed(card: Card, change: Card) -> Card:
    """A card after a change: what the change doesn't name stays."""
    return replace(
        card,
        title=change.title if change.title is not None else card.title,
        kind=change.kind if change.kind is not None else card.kind,
        content=change.content if change.content is not None else card.content,
        locations=change.locations if change.locations is not None else card.locations,
        raw_input=change.raw_input if change.raw_input is not None else card.raw_input,
        raw_output=change.raw_output if change.raw_output is not None else card.raw_output,
    )
