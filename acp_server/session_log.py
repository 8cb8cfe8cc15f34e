"""A turn as its session's file will tell it: taken at the turn's start, told as it goes, on disk at its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from acp_server.conversation import Conversation
from acp_server.events import TurnEnded, TurnEvent
from acp_server.holding import NotKept, hold
from acp_server.outlook import mark_object
from acp_server.providers.interface import Item, JsonObject
from acp_server.seams import Asker, Emit
from acp_server.session_files.files import Contents
from acp_server.session_files.keeping import Kept
from acp_server.session_files.records import CommandRecord, EndRecord, TurnRecord


class SessionLog:
    """What a turn tells the file of its session. Where there is no file, nothing is told; a fault is a sentence for the
    person and stops nothing.
    """

    def __init__(self, conversation: Conversation, kept: Kept | None, emit: Emit, now: Callable[[], str]) -> None:
        """`emit` shows events to the person; `now` is ISO 8601 in UTC."""
        self.conversation = conversation
        self._kept = kept
        self._show = emit
        self._now = now

    async def take(self, asker: Asker, ids: Callable[[], str]) -> tuple[Contents | None, str]:
        """Take the session for this process: what its file holds where it had to be read, and a sentence where it can't
        be kept. Raises holding.LeftThere.
        """
        if self._kept is None:
            return None, ""
        try:
            if self._kept.still_taken():
                return None, ""
            return await hold(self._kept, self.conversation.session_id, ids, self._show, asker), ""
        except NotKept as fault:
            return None, str(fault)

    async def show(self, event: TurnEvent) -> None:
        """Show an event that is no part of the session."""
        await self._show(event)

    async def emit(self, event: TurnEvent) -> None:
        """Show an event and remember it."""
        self.conversation.recorder.event(event)
        await self._show(event)

    def began(self, message_id: str, prompt: Sequence[JsonObject], text: str, reminder: str) -> None:
        """The person's words came into the history."""
        blocks = tuple(prompt) or ({"type": "text", "text": text},)
        mark = mark_object(self.conversation.mark)
        turn = TurnRecord(message_id=message_id, prompt=blocks, text=text, reminder=reminder, mark=mark, at=self._now())
        self.conversation.keep_place()
        self.conversation.recorder.add(turn)
        self._flush()

    def commanded(self, message_id: str, prompt: Sequence[JsonObject], text: str) -> None:
        """The person typed a command: shown as what they said, and no part of the history."""
        blocks = tuple(prompt) or ({"type": "text", "text": text},)
        self.conversation.keep_place()
        self.conversation.recorder.add(CommandRecord(message_id=message_id, prompt=blocks, at=self._now()))
        self._flush()

    def add(self, item: Item) -> None:
        """An answer or a result came into the history."""
        self.conversation.add(item, self._now())
        self._flush()

    async def ended(self, ended: TurnEnded, *, left_out: bool) -> str | None:
        """The turn is over, and no part of the history where `left_out`: wait until it is on disk. A sentence where it
        can't be.
        """
        end = EndRecord(stop_reason=ended.stop_reason, error=ended.error, left_out=left_out, at=self._now())
        self.conversation.recorder.add(end)
        if self._kept is not None:
            return await self._kept.sync()
        self.conversation.recorder.take()
        return None

    def _flush(self) -> None:
        if self._kept is not None:
            self._kept.flush()
