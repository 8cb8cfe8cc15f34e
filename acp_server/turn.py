"""One turn: prepare the memory, ask the model, run its tools, ask again, until it ends.

Theory of operation
1. `runner.py` begins a turn; `household.py` keeps what a session carries from one to the next.
2. The work of a turn runs in a `CancelScope`: a cancel reaches it once, never inside an approved write, and
   the work then ends its open cards and returns `cancelled`.
3. A turn starts with a look at the memory (`outlook.py`): notices to the person, a reminder to the model,
   the prefix frozen where it is the first.
4. The model is asked and its calls are run until it has done (`loop.py`). An end that is no plain one (`endings.py`) is
   told in the chat.
5. A slash command is a turn in which no model is asked (`commands.py`, `command_handlers.py`).
6. Whatever ends the turn, the history stays one that a provider accepts: each call is followed by a result.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from acp_server.cancelling import CancelScope
from acp_server.command_handlers import NotDone, Scene, answer
from acp_server.commands import Typed, Unknown, typed
from acp_server.compacting import Talk
from acp_server.compaction import TOO_LONG, Measured, result_bytes
from acp_server.endings import ENDINGS, Ending
from acp_server.events import Notice, OptionChosen, TextChunk, TitleChanged, TurnEnded
from acp_server.history import moved, sent
from acp_server.holding import LeftThere
from acp_server.household import Household
from acp_server.loop import Finished, Loop, Surroundings
from acp_server.markdown import note_markdown
from acp_server.memory_switch import MEMORY_OPTION, OFF, ON
from acp_server.outlook import Moment, Outlook, look, look_away, renew
from acp_server.providers.interface import Item, JsonObject, ProviderFault, Request, StopReason, Usage, UserItem
from acp_server.seams import Asker, Emit, SessionState, session_now
from acp_server.sentences import tools as say
from acp_server.session_files.restoring import Restored
from acp_server.session_log import SessionLog
from acp_server.titles import own_words, title_of
from acp_server.tool_calls import Calls
from acp_server.turn_room import TurnRoom
from acp_server.world import iso_utc
from memory_core.paths import project_id, project_identity


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the person said: the text that the model reads, and the blocks as the client sent them."""

    text: str
    blocks: tuple[JsonObject, ...] = ()


class Turn:
    """One turn's work."""

    def __init__(
        self,
        household: Household,
        session: SessionState,
        prompt: Prompt,
        emit: Emit,
        asker: Asker,
        scope: CancelScope,
    ) -> None:
        self.household = household
        self.session = session_now(session)
        self.conversation = conversation = household.conversation(session.session_id)
        self.prompt = prompt
        self.log = SessionLog(conversation, household.kept(self.session), emit, self._now)
        self.emit: Emit = self.log.emit
        self.asker = asker
        self.scope = scope
        self.outlook = Outlook(None)
        self.loop: Loop | None = None
        self.began_at = len(conversation.items)
        self.reminder = ""
        self.unkept: tuple[str, ...] = ()
        self.left_out = False

    async def run(self) -> TurnEnded:
        """The turn; once it has ended, what it took is in the ledger, or the ledger can't be written."""
        try:
            if (elsewhere := await self._take()) is not None:
                return elsewhere
            ended = await self._to_its_end()
            if (unkept := await self.log.ended(ended, left_out=self.left_out)) is not None:
                await self._tell(self.conversation.untold((unkept,)), after_words=True)
            return ended
        finally:
            if self.household.meter is not None:
                await self.household.meter.settled()

    async def _to_its_end(self) -> TurnEnded:
        """A cancel and a provider's fault are ways to end a turn."""
        try:
            command = typed(self.prompt.text, self.prompt.blocks)
            if isinstance(command, Typed) or (command is not None and command.slip):
                return await self._command(command)
            await self._begin(() if command is None else (command.sentence,))
            ended = await self._rounds()
        except asyncio.CancelledError:
            await self._close(say.CARD_CANCELLED, say.RESULT_CANCELLED)
            return TurnEnded("cancelled")
        except ProviderFault as fault:
            await self._close(say.CARD_CUT_CALL, say.RESULT_NOT_RUN)
            if fault.kind in TOO_LONG and len(self.items) == self.began_at + 1:
                self._leave_out()
            return TurnEnded("end_turn", error=fault.sentence)
        except Exception:
            await self._close(say.CARD_CUT_CALL, say.RESULT_NOT_RUN)
            raise
        await self._title()
        return ended

    async def _take(self) -> TurnEnded | None:
        """Have the session's file for this turn; the end of the turn where another window keeps it."""
        try:
            contents, unkept = await self.log.take(self.asker, self.household.ids)
        except LeftThere as elsewhere:
            await self.log.show(Notice(self.household.ids(), str(elsewhere)))
            return TurnEnded(StopReason.END_TURN.value, begun=False)
        except asyncio.CancelledError:
            return TurnEnded("cancelled", begun=False)
        if contents is not None:
            self.conversation, restored = self.household.reopened(self.session, contents)
            self.log.conversation = self.conversation
            self.began_at = len(self.conversation.items)
            await self._follow(restored)
        self.unkept = (unkept,) if unkept else ()
        return None

    async def _follow(self, restored: Restored) -> None:
        """The title, and whether the memory is used, are as the other window left them; the client here shows them."""
        if restored.title is not None:
            await self.log.show(TitleChanged(restored.title.title, restored.title.chosen))
        switch = restored.options.get(MEMORY_OPTION)
        if switch in (ON, OFF) and switch != (ON if self.session.memory else OFF):
            self.session = replace(self.session, memory=switch == ON)
            await self.log.show(OptionChosen(MEMORY_OPTION, str(switch)))

    def _now(self) -> str:
        return iso_utc(self.household.clock())

    async def _tell(self, notices: Sequence[str], *, after_words: bool = False) -> None:
        """Tell the person something, on lines of their own, also where a client joins all that is said."""
        if notices:
            text = "\n\n".join(map(note_markdown, notices))  # a notice may hold the name of a file
            await self.emit(Notice(self.household.ids(), f"\n\n{text}" if after_words else f"{text}\n\n"))

    async def _command(self, command: Typed | Unknown) -> TurnEnded:
        """The person typed a command: it is done, and no model hears of it."""
        self.log.commanded(self.household.ids(), self.prompt.blocks, self.prompt.text)
        await self._tell(self.unkept)
        scene = Scene(self.household, self.session, self._talk(), command.words if isinstance(command, Typed) else "")
        try:
            if text := await answer(command, scene):
                await self.emit(TextChunk(self.household.ids(), text))
        except NotDone as refused:
            await self.emit(Notice(self.household.ids(), note_markdown(str(refused))))
        return TurnEnded(StopReason.END_TURN.value)

    async def _begin(self, notices: Sequence[str]) -> None:
        """Look at the memory, tell the person what there is to tell, with `notices`, take the person's words into the
        history.
        """
        conversation = self.conversation
        text = self.prompt.text
        if not conversation.first_words.strip():
            conversation.first_words = text
        await self._look()
        if self.household.watching is not None and self.outlook.memory is not None:
            self.household.watching.turn_began(self.outlook.memory)
        self.began_at = len(conversation.items)
        self.reminder, conversation.owed = conversation.owed + self.outlook.reminder, ""
        conversation.items.append(UserItem(text, self.reminder))
        self.log.began(self.household.ids(), self.prompt.blocks, text, self.reminder)
        known = (*conversation.untold((*self.household.notices, *self.unkept)), *self.outlook.notices)
        await self._tell((*known, *await self._spend_notices(), *notices))
        if self.household.titler is not None:
            self.household.titler.begin(self.session, conversation, self._project)

    async def _look(self) -> None:
        """See what there is of the memory, where the session uses it."""
        household, session = self.household, self.session
        if session.memory:
            self.outlook = await look(household.memories, session.cwd, self.conversation, self._moment())
        else:
            self.outlook = look_away(self.conversation, self._moment())
            await household.leave_memory(session)

    def _moment(self) -> Moment:
        return Moment(self.household.tools_of(self.session).specs, self.household.clock())

    async def _spend_notices(self) -> tuple[str, ...]:
        """What the person should know of spend before the turn goes on."""
        meter, estimates = self.household.meter, self.household.estimates
        told = () if meter is None else meter.take_notices()
        if estimates is None or self.outlook.memory is None:
            return told
        return (*told, *self.conversation.untold(await estimates.of(self.outlook.memory, self.session)))

    @property
    def _project(self) -> str:
        """The project's id, known without a memory too."""
        memory = self.outlook.memory
        return project_id(project_identity(self.session.cwd)) if memory is None else memory.project_id

    async def _rounds(self) -> TurnEnded:
        household = self.household
        provider, most = household.providers.find(self.session.model), household.limits.max_turn_requests
        room = TurnRoom(household.compactor, self._talk, self._shortened)
        around = Surroundings(
            provider, self.emit, household.ids, household.meter, self._project, self.scope, most, room
        )
        self.loop = Loop(self, around)
        return await self._end(await self.loop.run())

    def _talk(self) -> Talk:
        """The conversation as its model would be asked now."""
        return Talk(
            conversation=self.conversation,
            request=self.request(),
            window=self.household.window(self.session),
            current=self.began_at,
            project=self._project,
            emit=self.emit,
            ids=self.household.ids,
            now=self._now,
        )

    async def _shortened(self, before: int) -> None:
        """The history of `before` items was made shorter: the view is taken anew with it."""
        conversation = self.conversation
        after, summarized = len(conversation.items), conversation.summarized
        self.began_at = moved(self.began_at, before, after, summarized=summarized)
        await renew(self.outlook, conversation, self._moment())
        if conversation.wanted is None:
            self.reminder = ""

    async def _end(self, finished: Finished) -> TurnEnded:
        """The end of the turn; one that is no plain one is told in the chat."""
        await self._close(say.CARD_CUT_CALL, say.RESULT_NOT_RUN)
        ending = finished.ending
        if ending is None:
            return TurnEnded(StopReason.END_TURN.value)
        if ending is Ending.REFUSAL:
            self._leave_out()
        told = ENDINGS[ending]
        await self.emit(Notice(self.household.ids(), "\n\n" * bool(finished.text) + told.sentence))
        return TurnEnded(told.stop_reason)

    def _leave_out(self) -> None:
        """A refused question and all that came of it are no part of the next request (so the protocol wants it), nor is
        a message that no model could read; a reminder that stood before it is still owed.
        """
        self.left_out = True
        del self.conversation.items[self.began_at :]
        self.conversation.owed = self.reminder

    @property
    def items(self) -> Sequence[Item]:
        """The history so far."""
        return self.conversation.items

    def new_calls(self) -> Calls:
        """Where the calls of the next answer run."""
        most = self.household.limits.max_tool_output_bytes
        return Calls(
            tools=self.household.tools_of(self.session),
            session=self.session,
            conversation=self.conversation,
            outlook=self.outlook,
            emit=self.emit,
            asker=self.asker,
            scope=self.scope,
            max_output_bytes=result_bytes(self.household.window(self.session), most),
        )

    def request(self) -> Request:
        """What is asked next."""
        conversation = self.conversation
        return Request(
            model=self.session.model,
            system=conversation.system or "",
            tools=self.household.tools_of(self.session).specs,
            items=sent(conversation.items),
            session=conversation.session_id,
        )

    def add(self, item: Item) -> None:
        """Take an answer or a result into the history."""
        self.log.add(item)

    async def answered(self, request: Request, usage: Usage) -> None:
        """Show what the request took."""
        meter = self.household.meter
        if meter is not None and (changed := meter.changed(request, usage)):
            self.conversation.usage = changed
            self.conversation.measured = Measured(changed.used, len(self.conversation.items))
            await self.emit(changed)

    async def _close(self, card: str, result: str) -> None:
        """End what is open."""
        if self.loop is not None:
            await self.loop.close(card, result)

    async def _title(self) -> None:
        """The title that a model made, once it is there, until then the person's first words; never over one that the
        person chose.
        """
        conversation, titler = self.conversation, self.household.titler
        if conversation.title_chosen:
            return
        title = "" if titler is None else titler.take(conversation.session_id)
        if not title and not conversation.titled:
            title = title_of(own_words(conversation.first_words))
        if title:
            conversation.titled = True
            await self.emit(TitleChanged(title))
