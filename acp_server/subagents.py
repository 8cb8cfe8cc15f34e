"""Tasks: a child works for a session with a history and a budget of its own, and answers once.

1. A child asks the session's model in the same loop as a turn (`loop.py`), with a prompt that has no view of the
   memory. It has the tools that look and, where its session uses it, the memory; it can give no task.
2. Nothing of it enters the session's history but its report. What the person sees of it is `task_card.py`'s.
3. What it writes has its own id as origin (`<session>/task-1`): to its session those entries are somebody else's. An
   "always" holds for the one that it was given to: the session's covers no task, a task's covers that task.
4. A cancel of its caller reaches it at once, but never inside an approved write. Its requests count in its session.
5. Its history is never made shorter: one that outgrows the model's window has failed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from acp_server.cancelling import CancelScope
from acp_server.child_ids import child_card, child_id, next_number
from acp_server.conversation import Conversation
from acp_server.endings import Ending
from acp_server.loop import Finished, Loop, Surroundings
from acp_server.metering import Meter
from acp_server.outlook import Outlook
from acp_server.providers.faults import FaultKind
from acp_server.providers.interface import (
    Item,
    JsonObject,
    Provider,
    ProviderFault,
    Request,
    ToolItem,
    Usage,
    UserItem,
)
from acp_server.providers.registry import Providers
from acp_server.seams import PermissionOption, session_now
from acp_server.sentences import tasks as say
from acp_server.sentences import tools as say_tools
from acp_server.task_budget import USUAL, Account, Bounded, Budget, Spent
from acp_server.task_card import TaskCard
from acp_server.tool_calls import Calls
from acp_server.tools.memory_arguments import SPEC as MEMORY
from acp_server.tools.registry import ToolContext, Tools
from memory_core.paths import project_id, project_identity

NAME = "task"
"""The tool that gives tasks."""

OUTGROWN = frozenset({FaultKind.CONTEXT_OVERFLOW, FaultKind.TOO_LARGE})
"""Faults of a history that is too long."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a task came to: the text for the model that gave it."""

    text: str
    failed: bool = False


class Subagents:
    """Runs the tasks of all sessions."""

    def __init__(
        self,
        providers: Providers,
        tools: Tools,
        ids: Callable[[], str],
        meter: Meter | None = None,
        *,
        budget: Budget = USUAL,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`tools` are those of a child; `ids` names messages; `clock` is in seconds and only goes on."""
        self.providers = providers
        self.tools = {True: tools, False: tools.without(MEMORY.name)}
        self.ids = ids
        self.meter = meter
        self.budget = budget
        self.clock = clock

    async def run(self, label: str, prompt: str, context: ToolContext) -> tuple[Report, TaskCard]:
        """One task, to its report. A fault of its model is a failed report; a cancel is raised."""
        number = _number(context.conversation)
        card = TaskCard(label, number, context)
        scope = CancelScope()
        child = _Child(self, context, number, card, scope)
        return await scope.run(child.work(prompt)), card


class _Child:
    """One child (`loop.Side`)."""

    def __init__(self, parts: Subagents, context: ToolContext, number: int, card: TaskCard, scope: CancelScope) -> None:
        parent = context.session
        self._parts = parts
        self._card = card
        self._scope = scope
        self._parent_id = parent.session_id
        self._outlook = Outlook(context.memory, context.memory_fault)
        child = child_id(parent.session_id, number)
        self._session = replace(session_now(parent), session_id=child, path=None)
        self._tools = parts.tools[parent.memory]
        self._conversation = Conversation(self._session.session_id)
        self._account = Account(parts.budget, parts.clock)

    @property
    def items(self) -> Sequence[Item]:
        """The history so far."""
        return self._conversation.items

    async def work(self, prompt: str) -> Report:
        """Do the task. What is open at its end is closed, however it ends."""
        self.add(UserItem(prompt))
        try:
            provider = self._parts.providers.find(self._session.model)
        except ProviderFault as fault:
            return Report(say.provider_failed(fault.sentence), failed=True)
        loop = Loop(self, self._surroundings(provider))
        card, result = say_tools.CARD_CUT_CALL, say_tools.RESULT_NOT_RUN
        try:
            return self._report(await loop.run())
        except asyncio.CancelledError:
            card, result = say_tools.CARD_CANCELLED, say_tools.RESULT_CANCELLED
            raise
        except ProviderFault as fault:
            outgrown = fault.kind in OUTGROWN
            return Report(say.OUTGROWN if outgrown else say.provider_failed(fault.sentence), failed=True)
        except Spent as spent:
            return Report(str(spent), failed=True)
        finally:
            await loop.close(card, result)

    def _surroundings(self, provider: Provider) -> Surroundings:
        parts = self._parts
        return Surroundings(
            Bounded(provider, self._account),
            self._card.emit,
            parts.ids,
            parts.meter,
            self._project,
            self._scope,
            parts.budget.max_requests,
        )

    def request(self) -> Request:
        """What is asked next. Raises Spent."""
        self._account.check()
        return Request(
            model=self._session.model,
            system=_prompt(self._session.memory),
            tools=self._tools.specs,
            items=tuple(self.items),
            session=self._parent_id,
        )

    def new_calls(self) -> Calls:
        """Where the calls of the next answer run."""
        return Calls(
            tools=self._tools,
            session=self._session,
            conversation=self._conversation,
            outlook=self._outlook,
            emit=self._card.emit,
            asker=self,
            scope=self._scope,
            max_output_bytes=self._parts.budget.max_output_bytes,
        )

    async def ask(self, session_id: str, tool_call: JsonObject, options: Sequence[PermissionOption]) -> str | None:
        """Ask the person (`seams.Asker`); how long that takes is not the task's fault."""
        with self._account.stopped():
            return await self._card.ask(session_id, tool_call, options)

    def add(self, item: Item) -> None:
        """Take an answer or a result into the history."""
        self._conversation.items.append(item)

    async def answered(self, request: Request, usage: Usage) -> None:
        """Count what the request took."""
        del request
        self._account.take(usage)

    @property
    def _project(self) -> str:
        memory = self._outlook.memory
        return project_id(project_identity(self._session.cwd)) if memory is None else memory.project_id

    def _report(self, finished: Finished) -> Report:
        text = finished.text.strip()
        match finished.ending:
            case None:
                return Report(text or say.EMPTY, failed=not text)
            case Ending.LENGTH if text:
                return Report(f"{text}\n{say.CUT}")
            case Ending.REFUSAL:
                return Report(say.REFUSED, failed=True)
            case Ending.REQUESTS:
                return _stopped(say.out_of_requests(self._parts.budget.max_requests), text)
            case Ending.FAILED_CALLS:
                return _stopped(say.FAILED_CALLS, text)
            case _:
                return Report(say.EMPTY, failed=True)


def _stopped(sentence: str, last_words: str) -> Report:
    return Report(f"{sentence} {say.LAST_WORDS}\n\n{last_words}" if last_words else sentence, failed=True)


def _number(conversation: Conversation) -> int:
    """The number of a session's next task, which is then taken."""
    given = sum(isinstance(item, ToolItem) and item.name == NAME for item in conversation.items)
    number = next_number(conversation.cards, given)
    conversation.cards.add(child_card(number, ""))
    return number


@cache
def _prompt(memory: bool) -> str:
    pages = files("acp_server.prompts")
    names = ("subagent.md", "subagent_memory.md") if memory else ("subagent.md",)
    return "\n".join(pages.joinpath(name).read_text(encoding="utf-8") for name in names)
