"""From the records of a session to what goes on from there: the history, the frozen prefix, what holds now. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from acp_server.compaction import Measured
from acp_server.history import closed, compacted, moved, without_reminders
from acp_server.providers.interface import (
    AssistantItem,
    Item,
    JsonValue,
    Native,
    ToolCall,
    ToolItem,
    UserItem,
)
from acp_server.sentences.sessions import RESULT_CUT_OFF
from acp_server.session_files.records import (
    AnswerRecord,
    CommandRecord,
    CompactionRecord,
    DirectoryRecord,
    EndRecord,
    MarkObject,
    OptionsRecord,
    PrefixRecord,
    Record,
    SessionRecord,
    TitleRecord,
    TurnRecord,
    UsageRecord,
    opening_of,
)
from memory_core.results import Mark

LEARNED = {"memory.entry": "seq", "memory.note": "seq", "memory.receipt": "entry"}
"""Results after which the session knows a note's newest entry, and under which key it stands."""


@dataclass(slots=True)
class Restored:
    """A session as its file tells it. `last_heard` is when its provider was last heard (ISO 8601 in UTC, or ""), `mark`
    how far the model knows the journal, `cards` every card id that was used. `owed` is a reminder that the model hasn't
    read, since the turn that it stood in was refused and left out of the history; `began_at` is where the newest turn
    begins. `summarized` says that the first item is a summary, `shortened` that the view was not taken since the
    history was made shorter, `measured` what the newest usage counted.
    """

    session_id: str
    cwd: str
    additional_directories: tuple[str, ...]
    options: dict[str, str | bool]
    items: list[Item] = field(default_factory=list)
    prefix: PrefixRecord | None = None
    mark: Mark | None = None
    known: dict[str, int] = field(default_factory=dict)
    cards: set[str] = field(default_factory=set)
    title: TitleRecord | None = None
    first_words: str = ""
    turns: int = 0
    usage: UsageRecord | None = None
    last_heard: str = ""
    updated: str = ""
    owed: str = ""
    began_at: int = 0
    summarized: bool = False
    shortened: bool = False
    measured: Measured | None = None


def restore(records: Sequence[Record]) -> Restored:
    """The session after its last record. A call that a crash left without a result gets one that says so."""
    session = begun(opening_of(records))
    follow(session, records)
    return ended(session)


def begun(opening: SessionRecord) -> Restored:
    """The same in portions: the session before its first turn."""
    return Restored(
        opening.session_id,
        opening.cwd,
        opening.additional_directories,
        {"model": opening.model},
        updated=opening.created,
    )


def follow(session: Restored, records: Iterable[Record]) -> None:
    """Go on with what comes next in its file."""
    for record in records:
        _take(session, record)


def ended(session: Restored) -> Restored:
    """The session after its last record."""
    session.items += closed(session.items, RESULT_CUT_OFF)
    return session


def _take(session: Restored, record: Record) -> None:
    match record.type:
        case "message" | "session":
            pass
        case "turn":
            _begin(session, record)
        case "answer":
            session.items.append(_answer(record))
            session.last_heard = session.updated = record.at
        case "result":
            session.items.append(ToolItem(record.call_id, record.name, record.text, record.failed))
        case "end":
            _end(session, record)
        case "card":
            session.cards.add(record.call_id)
        case "cardEnd":
            _learn(session.known, record.raw_output)
        case "usage":
            session.usage, session.measured = record, Measured(record.used, len(session.items))
        case "prefix":
            _freeze(session, record)
        case "compaction":
            _compact(session, record)
        case "cleared":
            session.items, session.summarized, session.shortened, session.measured = [], False, True, None
        case _:
            _settle(session, record)


def _settle(session: Restored, record: TitleRecord | OptionsRecord | DirectoryRecord | CommandRecord) -> None:
    """What concerns the session and not its history."""
    match record.type:
        case "title":
            if record.replaces(session.title):
                session.title = record
        case "options":
            session.options.update(record.values)
        case "directory":
            session.cwd, session.additional_directories = record.cwd, record.additional_directories
        case "command":
            session.updated = record.at


def _begin(session: Restored, record: TurnRecord) -> None:
    session.items += closed(session.items, RESULT_CUT_OFF)
    session.began_at, session.owed = len(session.items), ""
    session.items.append(UserItem(record.text, record.reminder))
    session.mark = mark_of(record.mark) or session.mark
    session.first_words = session.first_words or record.text
    session.turns += 1
    session.updated = record.at


def _freeze(session: Restored, record: PrefixRecord) -> None:
    session.items = without_reminders(session.items)
    session.prefix, session.mark = record, mark_of(record.mark)
    session.shortened = False
    session.known.clear()


def _compact(session: Restored, record: CompactionRecord) -> None:
    before = len(session.items)
    session.summarized = bool(record.summary) or (session.summarized and record.keep >= before)
    session.items = compacted(session.items, record.summary, record.keep, record.emptied)
    session.began_at = moved(session.began_at, before, len(session.items), summarized=session.summarized)
    session.shortened, session.measured = True, None


def _end(session: Restored, record: EndRecord) -> None:
    """A turn's end; one that was left out is no part of the history."""
    session.updated = record.at
    if record.left_out and session.began_at < len(session.items):
        asked = session.items[session.began_at]
        session.owed = asked.reminder if isinstance(asked, UserItem) else ""
        session.measured = None
        del session.items[session.began_at :]


def _answer(record: AnswerRecord) -> AssistantItem:
    native = None
    if record.native is not None:
        native = Native(record.native.wire, record.native.model, record.native.blocks)
    calls = tuple(ToolCall(call.id, call.name, call.arguments) for call in record.calls)
    return AssistantItem(record.text, calls, native)


def mark_of(mark: MarkObject | None) -> Mark | None:
    """A mark that a file kept."""
    return None if mark is None else Mark(mark.generation, mark.entries, mark.forgets)


def _learn(known: dict[str, int], output: JsonValue) -> None:
    if not isinstance(output, dict):
        return
    name, entry = output.get("name"), output.get(LEARNED.get(str(output.get("type")), ""))
    if isinstance(name, str) and isinstance(entry, int):
        known[name] = max(entry, known.get(name, -1))
