"""Titles by the Fast job, beside the turn: nobody waits for one, and a request that fails is no matter.

A title is asked for once a session, when its first turn begins. The turn takes what is there at its end, else the next
one does; until then the person's first words are the title. Every request has this room as its owner.
"""

from __future__ import annotations

import asyncio
import logging

from acp_server.conversation import Conversation
from acp_server.hands import Hand, Hands
from acp_server.metering import Meter
from acp_server.models.settings import OWN_PROVIDERS
from acp_server.models.values import Job
from acp_server.one_answer import one_answer
from acp_server.providers.interface import ProviderFault, StopReason
from acp_server.seams import SessionState
from acp_server.sentences import log
from acp_server.title_request import request_of, title_in, words_of

MAX_SECONDS = 60.0

_log = logging.getLogger(__name__)


class Titler:
    """Titles for the sessions of a process."""

    def __init__(self, hands: Hands, meter: Meter) -> None:
        """`hands` finds the model of the Fast job."""
        self._hands = hands
        self._meter = meter
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._titles: dict[str, str] = {}

    def begin(self, session: SessionState, conversation: Conversation, project: str) -> None:
        """Ask for a title, where the session has none and none was asked for.

        A session on the embedded model asks no server for anything, whatever the Fast job is bound to.
        """
        if conversation.titled or session.session_id in self._tasks:
            return
        words = words_of(conversation.first_words)
        own = session.model.partition("/")[0] in OWN_PROVIDERS
        hand = None if own or not words else self._hands(Job.FAST, session.model)
        if isinstance(hand, Hand):
            work = self._ask(hand, words, session.session_id, project)
            self._tasks[session.session_id] = asyncio.create_task(work)

    def take(self, session_id: str) -> str:
        """The title that came since the last time, "" for none."""
        return self._titles.pop(session_id, "")

    async def forget_session(self, session_id: str) -> None:
        """The session was closed: nobody wants its title any more."""
        await self._end([self._tasks.pop(session_id, None)])
        self._titles.pop(session_id, None)

    async def close(self) -> None:
        """End what is still asked."""
        await self._end(list(self._tasks.values()))

    async def _ask(self, hand: Hand, words: str, session_id: str, project: str) -> None:
        request = request_of(words, hand.model.value, session_id)
        try:
            async with asyncio.timeout(MAX_SECONDS):
                answer = await one_answer(hand.provider, request, self._meter, project)
        except (ProviderFault, TimeoutError) as fault:
            _log.info(log.NO_TITLE, fault)
            return
        if answer.reason is not StopReason.REFUSAL and (title := title_in(answer.text)):
            self._titles[session_id] = title

    @staticmethod
    async def _end(tasks: list[asyncio.Task[None] | None]) -> None:
        running = [task for task in tasks if task is not None]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
