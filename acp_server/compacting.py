"""A conversation is made shorter: planned, summed up by the Compaction job, then changed at once.

Until the summary is there nothing changes, so a cancel leaves the history as it was. Where no model can write one, what
the person said stands for it. The file keeps the old history, which is shown as before; only what the model is sent is
shorter from here on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from acp_server import compaction
from acp_server.compaction import Aim, Cause, Measured, Plan
from acp_server.compaction_request import Older, by_rule, request_of, summary_in, with_request
from acp_server.conversation import Conversation
from acp_server.events import Compacting, Notice, ThoughtChunk, UsageChanged
from acp_server.hands import Hand, Hands
from acp_server.history import compacted
from acp_server.metering import Meter
from acp_server.models.settings import OWN_PROVIDERS
from acp_server.models.values import Job
from acp_server.one_answer import one_answer
from acp_server.providers.interface import ProviderFault, Request, StopReason, UserItem
from acp_server.renewal import Reason
from acp_server.seams import Emit
from acp_server.sentences import compaction as say
from acp_server.session_files.records import CompactionRecord

MAX_SECONDS = 180.0
ATTEMPTS = 3
"""Requests for one summary: one that is too long is made again with half of the conversation."""
CLOSING_SECONDS = 2.0
"""How long a client may take to hear of a cancel."""


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation as it would be asked now: `current` is where its running turn begins (its length where none runs),
    `window` the model's in tokens; `now` is ISO 8601 in UTC, `ids` name messages.
    """

    conversation: Conversation
    request: Request
    window: int | None
    current: int
    project: str
    emit: Emit
    ids: Callable[[], str]
    now: Callable[[], str]


class Compactor:
    """Makes conversations shorter."""

    def __init__(
        self,
        hands: Hands | None = None,
        meter: Meter | None = None,
        share: float = compaction.COMPACT_AT,
        patience: float = MAX_SECONDS,
    ) -> None:
        """`hands` finds the model of the Compaction job; without it, or a `meter`, no model is asked. `share` of a
        window may be filled; a summary may take `patience` seconds.
        """
        self._patience = patience
        self._hands = hands
        self._meter = meter
        self._share = share

    def is_due(self, talk: Talk) -> bool:
        """Whether the next request would pass its share of the window."""
        return compaction.is_due(talk.request, talk.conversation.measured, talk.window, self._share)

    async def shorten(self, talk: Talk, cause: Cause, focus: str = "", *, again: bool = False) -> bool:
        """Make the history shorter and tell the person; False where that isn't possible. `focus` is what the person
        wants kept above all; where it was made shorter before in this turn (`again`), results alone that are left out
        aren't told once more. From then on the view is to be taken anew.
        """
        conversation = talk.conversation
        aim = compaction.aim_of(talk.request, conversation.measured, talk.window, cause, self._share)
        plan = compaction.plan(conversation.items, talk.current, aim, summarized=conversation.summarized)
        if plan is None:
            return False
        compaction_id = talk.ids()
        await talk.emit(Compacting(compaction_id, "in_progress"))
        try:
            summary, reason = await self._summary(talk, plan, aim, cause, focus)
        except asyncio.CancelledError:
            with suppress(TimeoutError):
                async with asyncio.timeout(CLOSING_SECONDS):
                    await talk.emit(Compacting(compaction_id, "cancelled"))
            raise
        told = self._told(talk, plan, summary, reason)
        self._apply(talk, plan, summary)
        await talk.emit(Compacting(compaction_id, "completed", summary))
        if summary or not again:
            await talk.emit(Notice(talk.ids(), f"{told}\n\n"))
        await self._show_usage(talk, aim)
        return True

    async def _summary(self, talk: Talk, plan: Plan, aim: Aim, cause: Cause, focus: str) -> tuple[str, str]:
        """The summary of what goes, "" where nothing does; and why no model wrote it, "" where one did."""
        items = talk.conversation.items
        older = Older(items[: len(items) - plan.keep], talk.conversation.summarized)
        if not older.items:
            return "", ""
        limit = compaction.summary_limit(plan, aim)
        hand = self._hand(talk.request.model)
        reason = hand if isinstance(hand, str) else ""
        summary = ""
        if isinstance(hand, Hand):
            meanwhile = say.SUMMING_UP if cause is Cause.ASKED else say.PREPARING
            await talk.emit(ThoughtChunk(talk.ids(), f"{meanwhile}\n\n"))
            try:
                async with asyncio.timeout(self._patience):
                    summary, reason = await self._ask(hand, talk, older, limit, focus)
            except TimeoutError:
                reason = say.too_slow(self._patience)
        asked = compaction.asked_in(items, talk.current, plan.keep)
        return with_request(summary or by_rule(older, limit), asked, limit), reason

    def _hand(self, model: str) -> Hand | str:
        """Who sums up, or why nobody does. A session on the embedded model asks no server for anything."""
        if self._hands is None or self._meter is None or model.partition("/")[0] in OWN_PROVIDERS:
            return say.NO_MODEL
        return self._hands(Job.COMPACTION, model) or say.NO_MODEL

    async def _ask(self, hand: Hand, talk: Talk, older: Older, limit: int, focus: str) -> tuple[str, str]:
        assert self._meter is not None
        most: int | None = None
        reason = ""
        for _ in range(ATTEMPTS):
            request = request_of(older, hand.model, talk.request.session, limit=limit, focus=focus, most=most)
            try:
                answer = await one_answer(hand.provider, request, self._meter, talk.project)
            except ProviderFault as fault:
                reason, most = fault.sentence, sum(map(compaction.size, request.items)) // 2
                if fault.kind in compaction.TOO_LONG:
                    continue
                break
            summary = "" if answer.reason is StopReason.REFUSAL else summary_in(answer.text, limit)
            return summary, "" if summary else say.MODEL_REFUSED
        return "", reason

    def _apply(self, talk: Talk, plan: Plan, summary: str) -> None:
        """Change the history, and say so in the file; nothing is awaited."""
        conversation = talk.conversation
        before = len(conversation.items)
        record = CompactionRecord(summary=summary, keep=plan.keep, emptied=plan.emptied, at=talk.now())
        conversation.recorder.add(record)
        conversation.items = compacted(conversation.items, summary, plan.keep, plan.emptied)
        conversation.summarized = bool(summary) or (conversation.summarized and plan.keep >= before)
        conversation.measured = None
        if conversation.system is not None and conversation.wanted is not Reason.DIRECTORY:
            conversation.wanted = Reason.COMPACTED

    def _told(self, talk: Talk, plan: Plan, summary: str, reason: str) -> str:
        items = talk.conversation.items
        gone = items[int(talk.conversation.summarized) : len(items) - plan.keep]
        turns = sum(isinstance(item, UserItem) for item in gone)
        after = plan.after + compaction.tokens(len(summary.encode("utf-8", "replace")))
        told = say.made_shorter(turns, len(plan.emptied), plan.before, after)
        return f"{told} {say.by_rule(reason)}" if reason and summary else told

    async def _show_usage(self, talk: Talk, aim: Aim) -> None:
        """The window is emptier now; by an estimate, until the next request tells."""
        conversation = talk.conversation
        request = replace(talk.request, items=tuple(conversation.items))
        used = int(compaction.estimate(request, None) * aim.scale)
        conversation.measured = Measured(used, len(conversation.items))
        if (usage := conversation.usage) is not None:
            cost = usage.cost if self._meter is None else self._meter.dollars(request)
            conversation.usage = UsageChanged(used, usage.size, cost)
            await talk.emit(conversation.usage)
