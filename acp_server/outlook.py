"""What a session sees of the memory: looked at when a turn starts, frozen into the prefix, told on in
reminders.

At the start of each turn the files are looked at (outside edits become entries); what looks between turns had to
say is said too. The first time, the view
is frozen into the system prompt. Later, entries that others appended come as a reminder before the person's
words, and so do notes that were forgotten. A memory that was cleared, or that could be opened at last, makes
the prefix anew, and the person is told. A session that comes from its file with a view older than a forget
gets a new one.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from acp_server.conversation import Conversation
from acp_server.imported_secrets import secrets_of
from acp_server.memory_threads import Memories, ProjectMemory
from acp_server.prefix import system_prompt
from acp_server.sentences import turn as say
from memory_core.exceptions import MemoryFault
from memory_core.reminder import reminder
from memory_core.results import Mark, Reconciled, Row

if TYPE_CHECKING:
    from memory_core.memory import Memory


@dataclass(frozen=True, slots=True)
class Outlook:
    """The memory as this turn has it: None with the `fault` that the tool gives (short where the notices say
    why), `notices` for the person, `reminder` for the model.
    """

    memory: ProjectMemory | None
    fault: str = ""
    notices: tuple[str, ...] = ()
    reminder: str = ""


async def look(memories: Memories, directory: str, conversation: Conversation) -> Outlook:
    """Prepare the memory for a turn; freezes the prefix where there is none that holds."""
    notices: list[str] = []
    try:
        memory = await memories.get(directory, conversation.session_id)
        found = await memory.write(lambda door: door.reconcile())
        notices += (*conversation.take_news(), *notices_of(found))
        notices += await memory.read(lambda door: secrets_of(door, found))
        if conversation.system is None:
            await _freeze(memory, conversation)
            notices += await memory.write(_offer)
        elif conversation.mark is None or not _continues(conversation.mark, await _mark(memory)):
            notices.append(say.view_taken_anew() if conversation.mark and not conversation.fault else say.memory_back())
            await _freeze(memory, conversation)
        else:
            notices += (say.memory_back(),) if conversation.fault else ()
            if conversation.loaded:
                await _freeze_after_forget(memory, conversation, conversation.mark)
        conversation.loaded = False
        conversation.fault = ""
        text = await _reminder(memory, conversation)
    except MemoryFault as fault:
        sentence = say.memory_unavailable(str(fault))
        if conversation.system is None:
            conversation.system = system_prompt(None, sentence)
        if conversation.fault != sentence:
            conversation.fault = sentence
            conversation.told.discard(say.memory_back())
            return Outlook(None, say.NO_MEMORY, (*conversation.untold(tuple(notices)), sentence))
        return Outlook(None, str(fault), conversation.untold(tuple(notices)))
    return Outlook(memory, "", conversation.untold(tuple(notices)), text)


def notices_of(found: Reconciled) -> tuple[str, ...]:
    """What a look has to say to the person."""
    return (*((say.imported(found.imported),) if found.imported else ()), *found.notices)


def _offer(door: Memory) -> tuple[str, ...]:
    """A checkout without notes is told, once, of the memory that its repository had elsewhere."""
    offer = door.offer()
    return () if offer is None else (offer,)


def _continues(mark: Mark, now: Mark) -> bool:
    """Whether the journal is the one that the mark is of."""
    return now.generation == mark.generation and now.entries >= mark.entries


async def _mark(memory: ProjectMemory) -> Mark:
    return await memory.read(lambda door: door.mark())


async def _freeze(memory: ProjectMemory, conversation: Conversation) -> None:
    view = await memory.read(lambda door: door.view())
    conversation.system = system_prompt(view.text)
    conversation.mark = view.mark
    conversation.known.clear()


async def _freeze_after_forget(memory: ProjectMemory, conversation: Conversation, mark: Mark) -> None:
    """Take the view anew where it may hold what was forgotten since; the reminder still names the notes."""
    if (await _mark(memory)).forgets == mark.forgets:
        return
    await _freeze(memory, conversation)
    if conversation.mark is not None:
        conversation.mark = replace(conversation.mark, forgets=mark.forgets)


async def _reminder(memory: ProjectMemory, conversation: Conversation) -> str:
    """Rows for what others appended since the mark, which moves on: nothing is told twice."""
    mark = conversation.mark
    if mark is None:
        return ""
    rows, conversation.mark = await memory.read(lambda door: _rows_since(door, mark, conversation.session_id))
    return reminder(rows)


def _rows_since(door: Memory, mark: Mark, session_id: str) -> tuple[list[Row], Mark]:
    now = door.mark()
    if now == mark:
        return [], mark
    rows = door.since(mark, exclude_session=session_id)
    return list(itertools.takewhile(lambda row: row.seq < now.entries, rows)), now
