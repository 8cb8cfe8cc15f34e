"""Room in the window for a running turn: `loop.Room` over a turn's own conversation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from acp_server import compaction
from acp_server.compacting import Compactor, Talk
from acp_server.compaction import TOO_LONG, Cause
from acp_server.providers.faults import FaultKind
from acp_server.providers.interface import ProviderFault, UserItem
from acp_server.sentences import compaction as say

ATTEMPTS = (Cause.OVERFLOW, Cause.OVERFLOW_AGAIN)
"""What is tried in a turn, one after another, when a provider finds a request too long."""


class TurnRoom:
    """Makes room in one turn."""

    def __init__(
        self, compactor: Compactor, talk: Callable[[], Talk], shortened: Callable[[int], Awaitable[None]]
    ) -> None:
        """`talk` gives the conversation as it is now; `shortened` is awaited after each change of the history, with the
        number of items before.
        """
        self._compactor = compactor
        self._talk = talk
        self._shortened = shortened
        self._left = list(ATTEMPTS)
        self._again = False

    async def make(self) -> None:
        """Make room where the history nears the end of the window."""
        if self._compactor.is_due(self._talk()):
            await self._shorten(Cause.NEAR)

    async def make_after(self, fault: ProviderFault) -> bool:
        """Make room where a request was refused as too long. Raises ProviderFault where it can't be made, and why."""
        while fault.kind in TOO_LONG and self._left:
            if await self._shorten(self._left.pop(0)):
                return True
        if fault.kind == FaultKind.CONTEXT_OVERFLOW:
            self._say_what_is_too_long()
        return False

    async def _shorten(self, cause: Cause) -> bool:
        talk = self._talk()
        before = len(talk.request.items)
        if not await self._compactor.shorten(talk, cause, again=self._again):
            return False
        self._again = True
        await self._shortened(before)
        return True

    def _say_what_is_too_long(self) -> None:
        """Say so where the prefix alone is about as long as the window, or the newest message of the person."""
        talk = self._talk()
        fixed = compaction.fixed_tokens(talk.request)
        if talk.window is not None and fixed >= talk.window * compaction.LIMIT:
            raise ProviderFault(say.prefix_too_long(fixed, talk.window), FaultKind.CONTEXT_OVERFLOW)
        last = next((item for item in reversed(talk.request.items) if isinstance(item, UserItem)), None)
        taken = 0 if last is None else compaction.tokens(compaction.size(last))
        if talk.window is not None and taken > talk.window - fixed:
            raise ProviderFault(say.message_too_long(taken, fixed, talk.window), FaultKind.CONTEXT_OVERFLOW)
