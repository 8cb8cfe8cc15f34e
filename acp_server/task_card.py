"""What a person sees of a task: a line for each of its calls on the task's card, and a card of its own for a call that
asks.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from acp_server.cards import text_block
from acp_server.child_ids import client_session
from acp_server.events import Card, CardChanged, CardOpened, TurnEvent
from acp_server.markdown import escaped, plain_title
from acp_server.providers.interface import JsonObject, JsonValue
from acp_server.seams import Asker, Emit, PermissionOption
from acp_server.sentences import tasks as say

FINAL = frozenset({"completed", "failed"})
MAX_TITLE = 120


@dataclass(slots=True)
class _Call:
    title: str
    kind: str
    status: str = "pending"
    raw_input: JsonValue = None
    shown: bool = False
    """Whether it has a card of its own."""


class TaskCard:
    """Both `seams.Emit` and `seams.Asker` of a task: what it does, as its session's person sees it."""

    def __init__(
        self, label: str, number: int, change: Callable[[Card], Awaitable[None]], emit: Emit, asker: Asker
    ) -> None:
        """`change` lets the task's card grow; `emit` and `asker` are the session's."""
        self._label = label
        self._number = number
        self._change = change
        self._emit = emit
        self._asker = asker
        self._calls: dict[str, _Call] = {}

    @property
    def calls(self) -> int:
        """How many calls there were."""
        return len(self._calls)

    @property
    def lines(self) -> str:
        """The calls that were begun, a line each, in Markdown."""
        return "\n".join(_line(call) for call in self._calls.values() if call.status != "pending")

    async def emit(self, event: TurnEvent) -> None:
        """Something happened in the task; its words and its thinking are not shown."""
        match event:
            case CardOpened(call_id, title, kind):
                self._calls[call_id] = _Call(title, kind)
            case CardChanged(call_id, status, card):
                await self._changed(self._calls[call_id], event, status, card)
            case _:
                pass

    async def ask(self, session_id: str, tool_call: JsonObject, options: Sequence[PermissionOption]) -> str | None:
        """Ask the person in the name of the task: the call gets a card of its own, which says who asks."""
        card_id = str(tool_call["toolCallId"])
        call = self._calls[card_id]
        if not call.shown:
            call.shown = True
            await self._emit(CardOpened(card_id, self._titled(call.title), call.kind))
            await self._emit(CardChanged(card_id, "in_progress", Card(raw_input=call.raw_input)))
        asked = tool_call | {"title": self._titled(str(tool_call.get("title") or call.title))}
        buttons = [replace(option, name=say.button(option.name, self._number)) for option in options]
        return await self._asker.ask(client_session(session_id), asked, buttons)

    async def _changed(self, call: _Call, event: CardChanged, status: str | None, card: Card) -> None:
        call.title = card.title or call.title
        call.kind = card.kind or call.kind
        call.raw_input = card.raw_input if card.raw_input is not None else call.raw_input
        if call.shown:
            title = None if card.title is None else self._titled(card.title)
            await self._emit(replace(event, card=replace(card, title=title)))
        if status is not None:
            call.status = status
            await self._change(Card(content=(text_block(self.lines),)))

    def _titled(self, title: str) -> str:
        return plain_title(say.asked_by(title, self._label), limit=MAX_TITLE)


def _line(call: _Call) -> str:
    mark = "" if call.status == "completed" else f" {say.RUNNING}"
    return f"- {escaped(call.title)}{f' ({say.FAILED})' if call.status == 'failed' else mark}"
