"""The memory as a person reads it in the chat: the live view, what this session froze, what came since."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from acp_server.cards import result_card
from acp_server.conversation import Conversation
from acp_server.markdown import fenced
from acp_server.outlook import notices_of
from acp_server.renewal import continues
from acp_server.seams import SessionState
from acp_server.sentences import memory_outline as say
from memory_core.reminder import reminder_row
from memory_core.results import EntryKind, LineState, Mark, Row, View

if TYPE_CHECKING:
    from acp_server.household import Household
    from acp_server.memory_threads import ProjectMemory
    from memory_core.memory import Memory

ROWS_SHOWN = 20


async def outline(household: Household, session: SessionState, conversation: Conversation) -> str:
    """What `/memory` answers, as Markdown. Raises MemoryFault."""
    if not session.memory:
        return say.OFF
    frozen = conversation.frozen
    project = await household.memories.get(session.cwd, session.session_id)
    found = await project.write(lambda door: door.reconcile())
    conversation.news += notices_of(found)  # told in the next turn, as after any look between turns
    view, rows = await project.read(lambda door: _look(door, frozen))
    parts = [
        say.header(view.entries, len(view.lines), view.bytes, view.budget),
        _lines(view),
        summaries(view, _pause(household, project)),
        *session_part(view, rows, session.session_id, conversation),
    ]
    return "\n\n".join(parts)


def summaries(view: View, pause: str | None) -> str:
    """How the summaries of the view's lines stand."""
    states = [line.state for line in view.lines]
    writing = states.count(LineState.WRITING)
    waiting = states.count(LineState.PENDING) + writing
    stands = say.waiting(waiting, writing) if waiting else say.SUMMARIES_DONE
    return stands if pause is None else f"{stands} {pause}"


def session_part(view: View, rows: Sequence[Row], session_id: str, conversation: Conversation) -> list[str]:
    """What this session froze, and the entries since: how each came, or will come, to the model."""
    frozen = conversation.frozen
    if conversation.system is None:
        return [say.NOT_FROZEN]
    if frozen is None:
        return [say.FROZEN_NONE]
    head = say.frozen(frozen.entries)
    goes_on = continues(frozen, view.mark)
    waits = [] if goes_on and conversation.wanted is None else [say.REBUILD_WAITS]
    if not rows:
        return [f"{head} {say.NOTHING_SINCE}" if goes_on else head, *waits]
    shown = [f"{reminder_row(row)[2:]} ({_how(row, session_id, conversation.mark)})" for row in rows[-ROWS_SHOWN:]]
    if len(rows) > len(shown):
        shown.insert(0, say.more(len(rows) - len(shown)))
    return [f"{head} {say.since(len(rows))}", fenced("\n".join(shown)), *waits]


def _how(row: Row, session_id: str, told: Mark | None) -> str:
    if row.kind is EntryKind.FORGOTTEN:
        return say.REMINDER
    if row.origin.session == session_id:
        return say.WRITTEN_HERE
    return say.REMINDER if told is not None and row.seq < told.entries else say.NOT_YET


def _look(door: Memory, frozen: Mark | None) -> tuple[View, list[Row]]:
    view = door.view()
    if frozen is None or not continues(frozen, view.mark):
        return view, []
    return view, list(door.since(frozen, exclude_session=None))


def _lines(view: View) -> str:
    """The view's lines as a card draws them."""
    blocks = result_card(view).content or ()
    texts = [block["content"] for block in blocks]
    return "\n\n".join(str(text["text"]) for text in texts if isinstance(text, dict))


def _pause(household: Household, memory: ProjectMemory) -> str | None:
    if household.summarizer is None:
        return household.no_summaries
    why = household.summarizer.why_waiting(memory)
    return None if why is None else say.pause(why)
