"""What each slash command does: its answer to the person, and what it changes. No model reads any of it."""

from __future__ import annotations

import sqlite3
import unicodedata
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acp_server.commands import COMMANDS, Typed, Unknown
from acp_server.compacting import Talk
from acp_server.compaction import Cause, fixed_tokens
from acp_server.conversation import Conversation
from acp_server.events import OptionChosen, TitleChanged, UsageChanged
from acp_server.markdown import escaped, one_line
from acp_server.memory_outline import outline
from acp_server.memory_switch import MEMORY_OPTION, OFF, ON
from acp_server.renewal import Reason
from acp_server.seams import SessionState
from acp_server.sentences import commands as say
from acp_server.sentences import compaction as say_compaction
from acp_server.sentences import memory_outline as say_memory
from acp_server.session_files.records import ClearedRecord
from memory_core.exceptions import MemoryFault

if TYPE_CHECKING:
    from acp_server.household import Household

MAX_TITLE_CHARS = 200
SESSIONS_SHOWN = 20
REBUILD = "rebuild"
UNSEEN = "CMZ"
"""Kinds of characters of which alone nothing would be seen: controls, marks, white space."""
LASTING = frozenset({"compact", "clear", "rename", "sessions"})
"""Commands that change or list what is kept."""
SWITCH = {ON: True, OFF: False}
LASTING_WORDS = frozenset({*SWITCH, REBUILD})
"""Words with which `/memory` does so, too."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Where a command was typed: the session, and its conversation as a model would be asked now."""

    household: Household
    session: SessionState
    talk: Talk
    words: str = ""

    @property
    def conversation(self) -> Conversation:
        """What the session carries from turn to turn."""
        return self.talk.conversation


class NotDone(Exception):
    """Nothing was done; the text says why, and what would be right."""


async def answer(typed: Typed | Unknown, scene: Scene) -> str:
    """Do what was typed; what the person is told, as Markdown, "" where all was said. Raises NotDone."""
    if isinstance(typed, Unknown):
        raise NotDone(typed.sentence)
    if typed.refusal:
        raise NotDone(typed.refusal)
    if scene.household.sessions is None and (typed.command.name in LASTING or typed.words in LASTING_WORDS):
        raise NotDone(say.NOT_KEPT)
    return await HANDLERS[typed.command.name](scene)


Handler = Callable[[Scene], Awaitable[str]]
"""Does it; the answer as Markdown, "" where all was said. Raises NotDone."""


async def _compact(scene: Scene) -> str:
    if not await scene.household.compactor.shorten(scene.talk, Cause.ASKED, scene.words):
        return say_compaction.NOTHING_TO_SHORTEN
    _want(scene.conversation, Reason.COMPACTED)
    return ""


async def _clear(scene: Scene) -> str:
    conversation = scene.conversation
    if not conversation.items:
        return say.NOTHING_TO_CLEAR
    conversation.items = []
    conversation.summarized, conversation.measured, conversation.owed = False, None, ""
    conversation.recorder.add(ClearedRecord(at=scene.talk.now()))
    _want(conversation, Reason.HISTORY_CLEARED)
    if (usage := conversation.usage) is not None:
        conversation.usage = UsageChanged(fixed_tokens(scene.talk.request), usage.size, usage.cost)
        await scene.talk.emit(conversation.usage)
    return say.CLEARED


async def _memory(scene: Scene) -> str:
    if scene.words in SWITCH:
        return await _switch(scene, SWITCH[scene.words])
    if scene.words not in ("", REBUILD):
        raise NotDone(say_memory.unknown_word(scene.words))
    if scene.words and scene.session.memory:
        _want(scene.conversation, Reason.ASKED)
    try:
        return await outline(scene.household, scene.session, scene.conversation)
    except MemoryFault as fault:
        raise NotDone(str(fault)) from fault


async def _switch(scene: Scene, on: bool) -> str:
    """Turn the memory on or off for the session, for those whose editor shows no options."""
    if on == scene.session.memory:
        return say_memory.ON_ALREADY if on else say_memory.OFF
    await scene.talk.emit(OptionChosen(MEMORY_OPTION, ON if on else OFF))
    return say_memory.TURNED_ON if on else say_memory.TURNED_OFF


async def _sessions(scene: Scene) -> str:
    sessions = scene.household.sessions
    assert sessions is not None
    try:
        page = await sessions.page(scene.session.cwd, None)
    except (OSError, sqlite3.Error) as error:
        raise NotDone(say.sessions_unreadable(str(error))) from error
    rows = page.rows[:SESSIONS_SHOWN]
    if not rows:
        return say.NO_SESSIONS
    lines = []
    for row in rows:
        title = escaped(row.title) if row.title else say.UNTITLED
        here = f" ({say.THIS_ONE})" if row.id == scene.session.session_id else ""
        lines.append(f"- {title}{here}, {row.updated[:16].replace('T', ' ')} UTC, `{row.id}`")
    more = [say.more_sessions(len(rows))] if len(page.rows) > len(rows) or page.next_cursor else []
    return "\n\n".join([say.SESSIONS_HEAD, "\n".join(lines), *more, say.OPEN_ANOTHER])


async def _rename(scene: Scene) -> str:
    title = one_line(scene.words)[:MAX_TITLE_CHARS].strip()
    if all(unicodedata.category(character)[0] in UNSEEN for character in scene.words):
        raise NotDone(say.TITLE_EMPTY)
    scene.conversation.titled = scene.conversation.title_chosen = True
    await scene.talk.emit(TitleChanged(title, chosen=True))
    return say.renamed(escaped(title))


async def _help(_: Scene) -> str:
    rows = (f"- `{command.usage}`: {command.description}." for command in COMMANDS)
    return "\n\n".join([say.HELP_HEAD, "\n".join(rows)])


HANDLERS: Mapping[str, Handler] = {
    "compact": _compact,
    "clear": _clear,
    "memory": _memory,
    "sessions": _sessions,
    "rename": _rename,
    "help": _help,
}
"""One for each of `commands.COMMANDS`."""


def _want(conversation: Conversation, reason: Reason) -> None:
    """Have the view taken anew with the next message; another directory does so anyway."""
    if conversation.system is not None and conversation.wanted is not Reason.DIRECTORY:
        conversation.wanted = reason
