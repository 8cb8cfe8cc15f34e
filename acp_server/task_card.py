"""What a person sees of a task: a line for each of its calls on the task's card, and a card of its own for a call that
asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from acp_server.card_blocks import text_block
from acp_server.child_ids import child_card, client_session
from acp_server.events import Card, CardChanged, CardOpened, TurnEvent
from acp_server.markdown import escaped, plain_title
from acp_server.providers.interface import JsonObject, JsonValue
from acp_server.seams import PermissionOption
from acp_server.sentences import tasks as say
from acp_server.tools.registry import ToolContext

MAX_TITLE = 160
"""Characters; holds the longest title of a call and the longest name of a task."""

MAX_LINES = 20
"""Lines of calls that a card shows: the card is sent again whenever one changes."""

PENDING = "pending"


@dataclass(slots=True)
class _Call:
    title: str
    kind: str
    status: str = PENDING
    raw_input: JsonValue = None
    card_id: str = ""
    """Its own card among those of the session, "" while it has none."""


class TaskCard:
    """Both `seams.Emit` and `seams.Asker` of a task: what it does, as its session's person sees it."""

    def __init__(self, label: str, number: int, context: ToolContext) -> None:
        """`context` is that of the call which gave the task."""
        self._label = label
        self._number = number
        self._context = context
        self._calls: dict[str, _Call] = {}

    @property
    def calls(self) -> int:
        """How many calls there were."""
        return len(self._calls)

    @property
    def lines(self) -> str:
        """The newest of the calls that were begun, a line each, in Markdown."""
        begun = [call for call in self._calls.values() if call.status != PENDING]
        before = len(begun) - MAX_LINES
        rows = [f"- {_row(call)}" for call in begun[-MAX_LINES:]]
        return "\n".join([f"- {say.calls_before(before)}", *rows] if before > 0 else rows)

    async def emit(self, event: TurnEvent) -> None:
        """Something happened in the task; its words and its thinking are not shown."""
        match event:
            case CardOpened(call_id, title, kind):
                self._calls[call_id] = _Call(title, kind)
            case CardChanged(call_id):
                await self._changed(self._calls[call_id], event)
            case _:
                pass

    async def ask(self, session_id: str, tool_call: JsonObject, options: Sequence[PermissionOption]) -> str | None:
        """Ask the person in the name of the task: the call gets a card of its own, which says who asks."""
        call_id = str(tool_call["toolCallId"])
        call = self._calls[call_id]
        if not call.card_id:
            call.card_id = self._context.conversation.card_id(child_card(self._number, call_id))
            await self._context.emit(CardOpened(call.card_id, self._titled(call.title), call.kind))
            await self._context.emit(CardChanged(call.card_id, "in_progress", Card(raw_input=call.raw_input)))
        title = self._titled(str(tool_call.get("title") or call.title))
        asked = tool_call | {"toolCallId": call.card_id, "title": title}
        buttons = [replace(option, name=say.button(option.name, option.kind, self._number)) for option in options]
        return await self._context.asker.ask(client_session(session_id), asked, buttons)

    async def _changed(self, call: _Call, event: CardChanged) -> None:
        card = event.card
        call.title = card.title or call.title
        call.kind = card.kind or call.kind
        call.raw_input = card.raw_input if card.raw_input is not None else call.raw_input
        if call.card_id:
            shown = card if card.title is None else replace(card, title=self._titled(card.title))
            await self._context.emit(CardChanged(call.card_id, event.status, shown))
        if event.status is not None:
            call.status = event.status
            await self._context.change(Card(content=(text_block(self.lines),)))

    def _titled(self, title: str) -> str:
        return plain_title(say.asked_by(title, self._label), limit=MAX_TITLE)


def _row(call: _Call) -> str:
    mark = {"completed": "", "failed": f" ({say.FAILED})"}.get(call.status, f" {say.RUNNING}")
    return f"{escaped(call.title)}{mark}"
