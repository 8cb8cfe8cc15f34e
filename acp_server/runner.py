"""Runs the turns of all sessions: `seams.Runner`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from acp_server.cancelling import CancelScope
from acp_server.events import TurnEnded
from acp_server.household import Household
from acp_server.providers.interface import JsonObject
from acp_server.seams import Asker, Emit, SessionState
from acp_server.turn import Prompt, Turn


class TurnRunner(Household):
    """A household whose sessions have turns."""

    async def run(
        self,
        session: SessionState,
        prompt_text: str,
        emit: Emit,
        asker: Asker,
        blocks: Sequence[JsonObject] = (),
    ) -> TurnEnded:
        """One turn, as `seams.py` says."""
        scope = CancelScope()
        turn = Turn(self, session, Prompt(prompt_text, tuple(blocks)), emit, asker, scope)
        self.running.add(session.session_id)
        try:
            if self.summarizer is None:
                return await scope.run(turn.run())
            with self.summarizer.held():
                return await scope.run(turn.run())
        except asyncio.CancelledError:
            return TurnEnded("cancelled")
        finally:
            self.running.discard(session.session_id)
            self._turn_over(turn, session)

    def _turn_over(self, turn: Turn, session: SessionState) -> None:
        memory = turn.outlook.memory
        if memory is None:
            return
        if self.watching is not None:
            self.watching.turn_ended(memory)
        if self.summarizer is not None and session.memory:
            self.summarizer.wake(memory, session)
