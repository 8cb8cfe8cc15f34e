"""One turn: prepare the memory, ask the model, run its tools, ask again, until it ends.

Theory of operation
1. `TurnRunner.run` is `seams.Runner.run`. It keeps each session's conversation by session id.
2. The work of a turn runs in a `CancelScope`: a cancel reaches it once, never inside an approved write, and
   the work then ends its open cards and returns `cancelled`.
3. A turn starts with a look at the memory (`outlook.py`): notices to the person, a reminder to the model,
   the prefix frozen where it is the first.
4. A round is one request (`rounds.py`) and the calls it asked for (`tool_calls.py`), in order. A round
   without calls ends the turn; so does the limit on rounds.
5. Whatever ends the turn, the history stays one that a provider accepts: each call is followed by a result.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from acp_server.cancelling import CancelScope
from acp_server.conversation import Conversation
from acp_server.events import TextChunk, TitleChanged, TurnEnded
from acp_server.history import closed, sent
from acp_server.markdown import note_markdown
from acp_server.memory_threads import Memories, ProjectMemory
from acp_server.outlook import Outlook, look, notices_of
from acp_server.providers.interface import ProviderFault, Request, StopReason, UserItem
from acp_server.providers.registry import Providers
from acp_server.rounds import Round, ask_model
from acp_server.seams import Asker, Emit, SessionState
from acp_server.sentences import tools as say
from acp_server.summarizing import Summarizer
from acp_server.titles import own_words, title_of
from acp_server.tool_calls import Calls
from acp_server.tools.registry import Tools
from acp_server.watching import NewWatcher, Watching
from memory_core.exceptions import MemoryFault
from memory_core.results import Reconciled

CLOSING_SECONDS = 2.0
"""How long the end of open cards may take after a cancel: a client that reads nothing must not hold the
turn.
"""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one turn: requests to the model, and bytes of a tool's result that it reads."""

    max_turn_requests: int = 50
    max_tool_output_bytes: int = 64 * 1024


class TurnRunner:
    """Runs the turns of all sessions of a process; `notices` are told once in each session's first turn."""

    def __init__(
        self,
        providers: Providers,
        tools: Tools,
        memories: Memories,
        ids: Callable[[], str],
        *,
        limits: Limits = Limits(),
        summarizer: Summarizer | None = None,
        notices: tuple[str, ...] = (),
        new_watcher: NewWatcher | None = None,
    ) -> None:
        """`ids` names messages; without a `summarizer` no lines are written in the background, without `new_watcher`
        nobody looks at notes between turns.
        """
        self.providers = providers
        self.tools = tools
        self.memories = memories
        self.ids = ids
        self.limits = limits
        self.summarizer = summarizer
        self.notices = notices
        self.watching = None if new_watcher is None else Watching(self._found, new_watcher)
        self._conversations: dict[str, Conversation] = {}

    async def prepare(self, session: SessionState) -> None:
        """Open the project's memory beside whatever else goes on; a fault is told in the first turn."""
        try:
            await self.memories.get(session.cwd, session.session_id)
        except MemoryFault:
            return

    async def run(self, session: SessionState, prompt_text: str, emit: Emit, asker: Asker) -> TurnEnded:
        """One turn, as `seams.py` says."""
        scope = CancelScope()
        turn = _Turn(self, session, self._conversation(session.session_id), prompt_text, emit, asker, scope)
        try:
            if self.summarizer is None:
                return await scope.run(turn.run())
            with self.summarizer.held():
                return await scope.run(turn.run())
        except asyncio.CancelledError:
            return TurnEnded("cancelled")
        finally:
            self._turn_over(turn)

    async def forget_session(self, session_id: str) -> None:
        """Let a session's conversation and rules go, and with the last session of a project its memory."""
        self._conversations.pop(session_id, None)
        await self.memories.leave(session_id, self._stop)

    async def close(self) -> None:
        """Stop background work, then close every memory."""
        if self.watching is not None:
            await self.watching.close()
        if self.summarizer is not None:
            await self.summarizer.close()
        await self.memories.close()
        await self.providers.close()

    def _conversation(self, session_id: str) -> Conversation:
        return self._conversations.setdefault(session_id, Conversation(session_id))

    def _turn_over(self, turn: _Turn) -> None:
        memory = turn.outlook.memory
        if memory is None:
            return
        if self.watching is not None:
            self.watching.turn_ended(memory)
        if self.summarizer is not None:
            self.summarizer.wake(memory)

    def _found(self, memory: ProjectMemory, found: Reconciled) -> None:
        """What a look between turns came to: each session of the project tells its person in its next turn."""
        for session_id in self.memories.sessions(memory):
            self._conversation(session_id).news += notices_of(found)
        if self.summarizer is not None and found.appended:
            self.summarizer.wake(memory)

    async def _stop(self, memory: ProjectMemory) -> None:
        """End all background work with a memory that is about to be closed."""
        if self.watching is not None:
            await self.watching.stop(memory)
        if self.summarizer is not None:
            await self.summarizer.stop(memory)


class _Turn:
    """One turn's work."""

    def __init__(
        self,
        runner: TurnRunner,
        session: SessionState,
        conversation: Conversation,
        prompt_text: str,
        emit: Emit,
        asker: Asker,
        scope: CancelScope,
    ) -> None:
        self.runner = runner
        self.session = session
        self.conversation = conversation
        self.prompt_text = prompt_text
        self.emit = emit
        self.asker = asker
        self.scope = scope
        self.outlook = Outlook(None)
        self.calls: Calls | None = None

    async def run(self) -> TurnEnded:
        """The turn; a cancel and a provider's fault are ways to end it."""
        try:
            await self._begin()
            ended = await self._rounds()
        except asyncio.CancelledError:
            await self._close(say.CARD_CANCELLED, say.RESULT_CANCELLED)
            return TurnEnded("cancelled")
        except ProviderFault as fault:
            await self._close(say.CARD_CUT_CALL, say.RESULT_NOT_RUN)
            return TurnEnded("end_turn", error=fault.sentence)
        except Exception:
            await self._close(say.CARD_CUT_CALL, say.RESULT_NOT_RUN)
            raise
        await self._title()
        return ended

    async def _begin(self) -> None:
        """Look at the memory, tell the person what there is to tell, take the person's words into the
        history.
        """
        conversation = self.conversation
        if not conversation.first_words.strip():
            conversation.first_words = self.prompt_text
        self.outlook = await look(self.runner.memories, self.session.cwd, conversation)
        if self.runner.watching is not None and self.outlook.memory is not None:
            self.runner.watching.turn_began(self.outlook.memory)
        conversation.items.append(UserItem(self.prompt_text, self.outlook.reminder))
        notices = (*conversation.untold(self.runner.notices), *self.outlook.notices)
        if notices:
            text = "\n\n".join(map(note_markdown, notices))  # a notice may hold the name of a file
            await self.emit(TextChunk(self.runner.ids(), f"{text}\n\n"))

    async def _rounds(self) -> TurnEnded:
        provider = self.runner.providers.find(self.session.model)
        for _ in range(self.runner.limits.max_turn_requests):
            calls = self.calls = self._new_calls()
            answer = Round(self.runner.ids())
            try:
                await ask_model(provider, self._request(), answer, calls, self.emit)
            finally:
                if (item := answer.item) is not None:
                    self.conversation.items.append(item)
            await calls.close_cards(say.CARD_CUT_CALL, but=answer.calls)
            for call in answer.calls:
                self.conversation.items.append(await calls.run(call))
                self.scope.checkpoint()
            if not answer.calls:
                return TurnEnded(_stop_reason(answer.reason))
        return TurnEnded("max_turn_requests")

    def _new_calls(self) -> Calls:
        return Calls(
            tools=self.runner.tools,
            session=self.session,
            conversation=self.conversation,
            outlook=self.outlook,
            emit=self.emit,
            asker=self.asker,
            scope=self.scope,
            max_output_bytes=self.runner.limits.max_tool_output_bytes,
        )

    def _request(self) -> Request:
        conversation = self.conversation
        return Request(
            model=self.session.model,
            system=conversation.system or "",
            tools=self.runner.tools.specs,
            items=sent(conversation.items),
            session=conversation.session_id,
        )

    async def _close(self, card: str, result: str) -> None:
        """End what is open, in the history first; the client gets at most `CLOSING_SECONDS` to take its
        part.
        """
        self.conversation.items += closed(self.conversation.items, result)
        if self.calls is None or not self.calls.open_cards:
            return
        try:
            async with asyncio.timeout(CLOSING_SECONDS):
                await self.calls.close_cards(card)
        except TimeoutError:
            return

    async def _title(self) -> None:
        conversation = self.conversation
        if conversation.titled:
            return
        title = title_of(own_words(conversation.first_words))
        if title:
            conversation.titled = True
            await self.emit(TitleChanged(title))


def _stop_reason(reason: StopReason) -> str:
    return StopReason.END_TURN.value if reason is StopReason.TOOL_USE else reason.value
