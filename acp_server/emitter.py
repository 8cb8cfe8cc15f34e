"""What a turn emits goes through here to the client, in order, until its prompt is answered."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from acp_server import jsonrpc, updates
from acp_server.events import CardChanged, CardOpened, Compacting, OptionChosen, TitleChanged, TurnEvent
from acp_server.providers.interface import JsonObject, JsonValue
from acp_server.sentences import log as sentences

log = logging.getLogger(__name__)

Send = Callable[[JsonObject], Awaitable[None]]
Choose = Callable[[str, str], Awaitable[list[JsonValue]]]

FINAL = frozenset({"completed", "failed"})


class Emitter:
    """`seams.Emit` of one turn. It remembers which cards are open, so that none stays so, and the newest title."""

    def __init__(self, session_id: str, send: Send, choose: Choose, *, draws_compaction: bool = False) -> None:
        """`choose` takes an option and its value and gives the complete options; `draws_compaction`: the client
        declared that it takes updates of compactions.
        """
        self._choose = choose
        self._draws_compaction = draws_compaction
        self._session_id = session_id
        self._send = send
        self._open_cards: dict[str, None] = {}
        self._ended = False
        self.title: str | None = None

    async def __call__(self, event: TurnEvent) -> None:
        """Show an event; waits while the client is behind."""
        if self._ended:
            log.warning(sentences.EVENT_AFTER_THE_END, type(event).__name__)
            return
        match event:
            case CardOpened(call_id=call_id):
                self._open_cards[call_id] = None
            case CardChanged(call_id=call_id, status=status) if status in FINAL:
                self._open_cards.pop(call_id, None)
            case TitleChanged(title=title):
                self.title = title
            case Compacting() if not self._draws_compaction:
                return
            case OptionChosen(option, value):
                await self._send(jsonrpc.options_update(self._session_id, await self._choose(option, value)))
            case _:
                pass
        update = updates.update_of(event)
        if update is not None:
            await self._send(jsonrpc.session_update(self._session_id, update))

    async def end(self) -> None:
        """End the cards that the turn left open; nothing is shown from now on."""
        self._ended = True
        for call_id in self._open_cards:
            await self._send(jsonrpc.session_update(self._session_id, updates.card_failed(call_id)))
