"""The runner of turns, made when something needs it: a list or the drawing of a session waits for none of its parts.

Whatever comes while it is made waits in the order in which it came, and reaches it in that order.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from acp_server.events import TurnEnded, UsageChanged
from acp_server.providers.interface import JsonObject
from acp_server.seams import Asker, Emit, Runner, SessionState

if TYPE_CHECKING:
    from acp_server.session_files.keeping import Kept
    from acp_server.session_files.restoring import Restored


class LateRunner:
    """A `Runner` that makes the real one at its first use. What `load` or `create` raises reaches that use."""

    def __init__(self, load: Callable[[], None], create: Callable[[], Runner]) -> None:
        """`load` imports what `create` needs, on a thread; `create` runs on the loop."""
        self._load = load
        self._create = create
        self._made: Runner | None = None
        self._one_at_a_time = asyncio.Lock()

    async def prepare(self, session: SessionState) -> None:
        """See `Runner.prepare`."""
        await (await self._real()).prepare(session)

    async def run(
        self,
        session: SessionState,
        prompt_text: str,
        emit: Emit,
        asker: Asker,
        blocks: Sequence[JsonObject] = (),
    ) -> TurnEnded:
        """See `Runner.run`."""
        try:
            runner = await self._real()
        except asyncio.CancelledError:
            return TurnEnded("cancelled")
        return await runner.run(session, prompt_text, emit, asker, blocks)

    async def restore(self, session: SessionState, restored: Restored, kept: Kept) -> None:
        """See `Runner.restore`."""
        await (await self._real()).restore(session, restored, kept)

    def usage(self, session: SessionState) -> UsageChanged | None:
        """See `Runner.usage`; nothing was used before the runner was."""
        return None if self._made is None else self._made.usage(session)

    async def option_changed(self, session: SessionState, option: str, value: str | bool) -> None:
        """See `Runner.option_changed`."""
        await (await self._real()).option_changed(session, option, value)

    async def forget_session(self, session_id: str) -> None:
        """See `Runner.forget_session`; where nothing asked for the runner, it knows no session."""
        if self._made is not None or self._one_at_a_time.locked():
            await (await self._real()).forget_session(session_id)

    async def close(self) -> None:
        """See `Runner.close`."""
        async with self._one_at_a_time:
            if self._made is not None:
                await self._made.close()

    async def _real(self) -> Runner:
        async with self._one_at_a_time:
            if self._made is None:
                await asyncio.to_thread(self._load)
                self._made = self._create()
            return self._made
