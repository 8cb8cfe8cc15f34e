"""What a session sees of the memory: looked at when a turn starts, frozen into the prefix, told on in
reminders.

At the start of each turn the files are looked at (outside edits become entries); what looks between turns had to
say is said too. The view is frozen into the system prompt at the first turn, and taken anew for the reasons of
`renewal.py` and no other. In between, entries that others appended come as a reminder before the person's words, and so
do notes that were forgotten; the person is told in one line. A rebuild withdraws the reminders before it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from acp_server.conversation import Conversation
from acp_server.history import without_reminders
from acp_server.imported_secrets import secrets_of
from acp_server.memory_threads import Memories, ProjectMemory
from acp_server.prefix import digest, system_prompt
from acp_server.providers.interface import ToolSpec
from acp_server.renewal import Frozen, Reason, renewal
from acp_server.sentences import memory_outline as say_memory
from acp_server.sentences import turn as say
from acp_server.session_files.records import MarkObject, PrefixRecord
from acp_server.world import iso_utc
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


@dataclass(frozen=True, slots=True)
class Moment:
    """What a look takes from the turn: the tools that are sent beside the prompt, and the time (ns since the epoch)."""

    tools: Sequence[ToolSpec]
    now_ns: int


async def look(memories: Memories, directory: str, conversation: Conversation, moment: Moment) -> Outlook:
    """Prepare the memory for a turn; freezes the prefix where there is none that holds."""
    notices: list[str] = []
    if conversation.off:
        conversation.off, conversation.wanted = False, Reason.SWITCHED
    try:
        memory = await memories.get(directory, conversation.session_id)
        found = await memory.write(lambda door: door.reconcile())
        notices += (*conversation.take_news(), *notices_of(found))
        conversation.told.difference_update(found.notices if found.cleared else ())
        notices += await memory.read(lambda door: secrets_of(door, found))
        reason = renewal(_frozen(conversation, moment), await _mark(memory))
        notices += _told(reason, conversation)
        if reason is not None:
            await _freeze(memory, conversation, moment, reason)
        if reason is Reason.FIRST:
            notices += await memory.write(_offer)
        conversation.loaded, conversation.wanted, conversation.fault = False, None, ""
        rows = await _news(memory, conversation)
    except MemoryFault as fault:
        return _without_memory(conversation, moment, fault, notices)
    told = conversation.untold(tuple(notices))
    return Outlook(
        memory, "", (*told, say.changed_elsewhere([row.name for row in rows])) if rows else told, reminder(rows)
    )


def look_away(conversation: Conversation, moment: Moment) -> Outlook:
    """The outlook of a session that doesn't use the memory; its prefix says so and stays as it is from then on."""
    system = system_prompt(None, say_memory.OFF_FOR_THE_MODEL)
    changed = conversation.loaded and conversation.digest != digest(system, moment.tools)
    if conversation.system is None or not conversation.off or changed:
        conversation.mark, conversation.off = None, True
        conversation.known.clear()
        conversation.items = without_reminders(conversation.items)
        _keep_prefix(conversation, moment, None, say_memory.OFF_FOR_THE_MODEL)
    conversation.loaded, conversation.wanted, conversation.fault = False, None, ""
    conversation.take_news()
    return Outlook(None, say_memory.OFF_FOR_THE_TOOL)


async def renew(outlook: Outlook, conversation: Conversation, moment: Moment) -> None:
    """Take the view anew in the middle of a turn, since the history was made shorter. Where there is no memory now,
    that is left to the next turn that has one.
    """
    conversation.wanted = Reason.COMPACTED
    if outlook.memory is None:
        return
    try:
        await _freeze(outlook.memory, conversation, moment, Reason.COMPACTED)
    except MemoryFault:
        return
    conversation.wanted = None


def notices_of(found: Reconciled) -> tuple[str, ...]:
    """What a look has to say to the person."""
    return (*((say.imported(found.imported),) if found.imported else ()), *found.notices)


def _frozen(conversation: Conversation, moment: Moment) -> Frozen | None:
    if conversation.system is None:
        return None
    heard_ms = conversation.heard_ms
    return Frozen(
        conversation.mark,
        conversation.loaded,
        None if heard_ms is None else moment.now_ns / 1e9 - heard_ms / 1e3,
        conversation.digest,
        digest(conversation.system, moment.tools) if conversation.loaded else "",
        conversation.wanted,
    )


def _told(reason: Reason | None, conversation: Conversation) -> tuple[str, ...]:
    """What the person hears of a rebuild."""
    if reason is Reason.SWITCHED:
        return ()
    if reason is Reason.CLEARED and not conversation.fault:
        conversation.told.discard(say.view_taken_anew())
        return (say.view_taken_anew(),)
    if reason is Reason.MEMORY_BACK or (conversation.fault and reason is not Reason.FIRST):
        return (say.memory_back(),)
    return ()


def _without_memory(conversation: Conversation, moment: Moment, fault: MemoryFault, notices: Sequence[str]) -> Outlook:
    sentence = say.memory_unavailable(str(fault))
    if conversation.system is None or conversation.wanted is Reason.SWITCHED:
        _keep_prefix(conversation, moment, None, sentence)
        conversation.wanted = None
    if conversation.fault != sentence:
        conversation.fault = sentence
        conversation.told.discard(say.memory_back())
        return Outlook(None, say.NO_MEMORY, (*conversation.untold(tuple(notices)), sentence))
    return Outlook(None, str(fault), conversation.untold(tuple(notices)))


def _offer(door: Memory) -> tuple[str, ...]:
    """A checkout without notes is told, once, of the memory that its repository had elsewhere."""
    offer = door.offer()
    return () if offer is None else (offer,)


async def _mark(memory: ProjectMemory) -> Mark:
    return await memory.read(lambda door: door.mark())


async def _freeze(memory: ProjectMemory, conversation: Conversation, moment: Moment, reason: Reason) -> None:
    """Take the view; after a forget the reminder still names the notes, since the history may hold their words."""
    view = await memory.read(lambda door: door.view())
    before, conversation.mark = conversation.mark, view.mark
    if reason is Reason.FORGOTTEN and before is not None:
        conversation.mark = replace(view.mark, forgets=before.forgets)
    conversation.known.clear()
    conversation.items = without_reminders(conversation.items)
    _keep_prefix(conversation, moment, view.text, "")


def _keep_prefix(conversation: Conversation, moment: Moment, view: str | None, trouble: str) -> None:
    conversation.system = system_prompt(view, trouble)
    conversation.digest = digest(conversation.system, moment.tools)
    conversation.frozen = conversation.mark if view is not None else None
    mark = mark_object(conversation.mark) if view is not None else None
    at = iso_utc(moment.now_ns)
    conversation.recorder.add(PrefixRecord(view=view, trouble=trouble, mark=mark, digest=conversation.digest, at=at))


def mark_object(mark: Mark | None) -> MarkObject | None:
    """A mark as a session file keeps it."""
    if mark is None:
        return None
    return MarkObject(generation=mark.generation, entries=mark.entries, forgets=mark.forgets)


async def _news(memory: ProjectMemory, conversation: Conversation) -> list[Row]:
    """What others appended since the mark, which moves on: nothing is told twice."""
    mark = conversation.mark
    if mark is None:
        return []
    rows, conversation.mark = await memory.read(lambda door: _rows_since(door, mark, conversation.session_id))
    return rows


def _rows_since(door: Memory, mark: Mark, session_id: str) -> tuple[list[Row], Mark]:
    now = door.mark()
    if now == mark:
        return [], mark
    rows = door.since(mark, exclude_session=session_id)
    return list(itertools.takewhile(lambda row: row.seq < now.entries, rows)), now
