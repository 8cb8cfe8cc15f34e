"""What turns use: the parts that all sessions of a process share, and what each session carries from turn to turn."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from acp_server.compacting import Compactor
from acp_server.conversation import Conversation
from acp_server.estimates import Estimates
from acp_server.events import UsageChanged
from acp_server.memory_threads import Memories, ProjectMemory
from acp_server.metering import Meter
from acp_server.outlook import notices_of
from acp_server.providers.registry import Providers
from acp_server.reopening import conversation_of
from acp_server.seams import SessionState
from acp_server.sentences.memory_outline import SUMMARIES_OFF
from acp_server.session_files.all_sessions import AllSessions
from acp_server.session_files.directories import same_directories, same_directory
from acp_server.session_files.files import Contents
from acp_server.session_files.keeping import Keeper, Kept
from acp_server.session_files.records import DirectoryRecord, OptionsRecord
from acp_server.session_files.restoring import Restored, restore
from acp_server.summarizing import Summarizer
from acp_server.titling import Titler
from acp_server.tools.memory_arguments import SPEC as MEMORY
from acp_server.tools.registry import Tools
from acp_server.watching import NewWatcher, Watching
from memory_core.exceptions import MemoryFault
from memory_core.results import Reconciled


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one turn: requests to the model, and bytes of a tool's result that it reads."""

    max_turn_requests: int = 50
    max_tool_output_bytes: int = 64 * 1024


class Household:
    """The parts that the turns of all sessions of a process use, and what it keeps of each session; `notices` are told
    once in each session's first turn.
    """

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
        meter: Meter | None = None,
        titler: Titler | None = None,
        estimates: Estimates | None = None,
        clock: Callable[[], int] = time.time_ns,
        keeper: Keeper | None = None,
        compactor: Compactor | None = None,
        sessions: AllSessions | None = None,
        no_summaries: str = SUMMARIES_OFF,
    ) -> None:
        """`ids` names messages; without a `summarizer` no lines are written in the background, without `new_watcher`
        nobody looks at notes between turns, without a `meter` nothing is said or kept of tokens, without a `titler`
        the person's first words are the title, without `estimates` nobody says what an import's summaries will cost,
        without a `keeper` no session is kept on disk, without `sessions` none is listed. `no_summaries` says
        why there is no `summarizer`; `clock` is ns since the epoch.
        """
        self.providers = providers
        self.tools = tools
        self.memories = memories
        self.ids = ids
        self.limits = limits
        self.summarizer = summarizer
        self.notices = notices
        self.meter = meter
        self.titler = titler
        self.estimates = estimates
        self.clock = clock
        self.keeper = keeper
        self.compactor = compactor or Compactor()
        self.sessions = sessions
        self.no_summaries = no_summaries
        self._kept: dict[str, Kept] = {}
        self.watching = None if new_watcher is None else Watching(self._found, new_watcher)
        self._conversations: dict[str, Conversation] = {}
        self.running: set[str] = set()

    async def prepare(self, session: SessionState) -> None:
        """Open the project's memory beside whatever else goes on; a fault is told in the first turn. Where the session
        runs the project's summaries, its model may have been switched: they go on with the next one. A session that
        doesn't use the memory lets it go.
        """
        if not session.memory:
            if session.session_id not in self.running:
                await self.leave_memory(session)
            return
        try:
            memory = await self.memories.get(session.cwd, session.session_id)
        except MemoryFault:
            return
        if self.summarizer is not None:
            self.summarizer.switched(memory, session)

    async def restore(self, session: SessionState, restored: Restored, kept: Kept) -> None:
        """A session goes on from its file."""
        self._kept[session.session_id] = kept
        self._resumed(session, restored)
        if self.meter is not None and restored.usage is not None and restored.usage.cost is not None:
            self.meter.resume(session.session_id, restored.usage.cost)

    def tools_of(self, session: SessionState) -> Tools:
        """The tools of a session's model."""
        return self.tools if session.memory else self.tools.without(MEMORY.name)

    def window(self, session: SessionState) -> int | None:
        """The window of a session's model in tokens, None for one that has no server."""
        return None if self.meter is None else self.meter.window(session.model)

    async def leave_memory(self, session: SessionState) -> None:
        """A session uses its project's memory no longer; with the last one of a project the memory is closed."""
        await self.memories.leave(session.session_id, self._stop)

    def usage(self, session: SessionState) -> UsageChanged | None:
        """The session's usage as it was last told."""
        return self.conversation(session.session_id).usage

    async def option_changed(self, session: SessionState, option: str, value: str | bool) -> None:
        """Remember a choice in the session's file. Where another window has the session, or it can't be written, the
        choice waits for the next turn, which says what is wrong.
        """
        self.conversation(session.session_id).recorder.add(OptionsRecord(values={option: value}))
        kept = self.kept(session)
        if kept is not None and kept.still_taken():
            await kept.sync()
        elif kept is not None and kept.fresh:
            kept.begin()
            await kept.sync()

    def kept(self, session: SessionState) -> Kept | None:
        """The session's file as this process keeps it, None where it isn't kept."""
        if self.keeper is None or session.path is None:
            return None
        if session.session_id not in self._kept:
            recorder = self.conversation(session.session_id).recorder
            self._kept[session.session_id] = self.keeper.session(session.path, session.client, recorder)
        return self._kept[session.session_id]

    async def forget_session(self, session_id: str) -> None:
        """Let a session's conversation and rules go, and with the last session of a project its memory."""
        self._conversations.pop(session_id, None)
        if (kept := self._kept.pop(session_id, None)) is not None:
            await kept.release()
        if self.meter is not None:
            self.meter.forget_session(session_id)
        if self.titler is not None:
            await self.titler.forget_session(session_id)
        await self.memories.leave(session_id, self._stop)

    async def close(self) -> None:
        """Stop background work, then let every session go and close every memory."""
        kept, self._kept = self._kept, {}
        for each in kept.values():
            await each.release()
        if self.watching is not None:
            await self.watching.close()
        if self.summarizer is not None:
            await self.summarizer.close()
        if self.titler is not None:
            await self.titler.close()
        if self.meter is not None:
            await self.meter.close()
        await self.memories.close()
        await self.providers.close()

    def conversation(self, session_id: str) -> Conversation:
        """The session's conversation, begun where there is none."""
        return self._conversations.setdefault(session_id, Conversation(session_id))

    def reopened(self, session: SessionState, contents: Contents) -> tuple[Conversation, Restored]:
        """The session's conversation as its file has it now, after another window had it, and what else the file tells;
        choices made here stay.
        """
        recorded = self.conversation(session.session_id).recorder.take()
        chosen = [record for record in recorded if isinstance(record, OptionsRecord)]
        restored = restore(contents.records)
        conversation = self._resumed(session, restored)
        for record in chosen:
            conversation.recorder.add(record)
            restored.options.update(record.values)
        return conversation, restored

    def _resumed(self, session: SessionState, restored: Restored) -> Conversation:
        """The session's conversation from its file, in the directories where it goes on."""
        moved = not same_directory(session.cwd, restored.cwd)
        other_roots = not same_directories(session.additional_directories, restored.additional_directories)
        conversation = conversation_of(restored, moved=moved, other_roots=other_roots)
        self._conversations[session.session_id] = conversation
        if moved or other_roots:
            roots = tuple(session.additional_directories)
            conversation.moved_to = DirectoryRecord(cwd=session.cwd, additional_directories=roots)
        if (kept := self.kept(session)) is not None:
            kept.recorder = conversation.recorder
        return conversation

    def _found(self, memory: ProjectMemory, found: Reconciled) -> None:
        """What a look between turns came to: each session of the project tells its person in its next turn."""
        for session_id in self.memories.sessions(memory):
            self.conversation(session_id).news += notices_of(found)
        if self.summarizer is not None:
            self.summarizer.wake(memory)

    async def _stop(self, memory: ProjectMemory) -> None:
        """End all background work with a memory that is about to be closed."""
        if self.watching is not None:
            await self.watching.stop(memory)
        if self.summarizer is not None:
            await self.summarizer.stop(memory)
