"""What a request tells beside the person's words: which notes are known, where they lie, what was done. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote, unquote

from acp_server.links import file_uri
from acp_server.providers.interface import AssistantItem, Item, JsonObject, Request, ToolItem, UserItem
from acp_server.providers.librarian import results
from acp_server.sentences.tools import notes_lie_in
from memory_core.reminder import without_reminder
from memory_core.segments import read as read_segments

TOOL = "memory"
WIDEST_TOLD = 16
"""A line over more entries may have lost names, so the view is no list of all notes any more."""

SYSTEMS_KEPT = 8
"""A session's system prompt stays byte for byte, and reading its view takes 4 ms: as many as are talked in at once."""

_VIEW = re.compile(r"<memory>\n?(.*?)</memory>", re.DOTALL)
_ROW = re.compile(r"(\d+)\+(\d+)\|(?:\([^)]*\) )?(.*)")
_NOTE = re.compile(r"\b(note|delete|forgotten) ([^\s:]+\.md)\b")
_REMINDED = re.compile(r"^- (?:\d+\+1 )?(note|delete|forgotten) (\S.*?\.md)(?::|$)", re.MULTILINE)
_TOLD_FOLDER = re.compile(
    "^" + re.escape(notes_lie_in("\0")).replace(re.escape("\0"), r"(/[^\n]*)") + "$", re.MULTILINE
)
_LINK = re.compile(r"file:///\S+?(?=#|\s|$)")


@dataclass(frozen=True, slots=True)
class Step:
    """One call of this turn with its result."""

    arguments: JsonObject
    text: str

    @property
    def command(self) -> str:
        """The memory command that was called."""
        return str(self.arguments.get("command", ""))


@dataclass(frozen=True, slots=True)
class Surroundings:
    """`known`: names of notes that exist; `complete`: there are surely no others; `folder`: their URI, or ""."""

    known: frozenset[str] = frozenset()
    complete: bool = False
    folder: str = ""

    def link(self, name: str) -> str:
        """The URI of a note's file, or "" where nothing tells where the notes lie."""
        return f"{self.folder}{quote(name)}" if self.folder else ""


def last_message(items: Sequence[Item]) -> tuple[str, tuple[Step, ...]]:
    """The person's newest message, and the calls made for it so far."""
    at = max((index for index, item in enumerate(items) if isinstance(item, UserItem)), default=-1)
    if at < 0:
        return "", ()
    message = items[at]
    return (message.text if isinstance(message, UserItem) else ""), steps(items[at + 1 :])


def steps(items: Sequence[Item]) -> tuple[Step, ...]:
    """The calls among the items that have their results."""
    texts = {item.call_id: item.text for item in items if isinstance(item, ToolItem)}
    calls = [call for item in items if isinstance(item, AssistantItem) for call in item.calls]
    return tuple(Step(_arguments(call.arguments), texts[call.id]) for call in calls if call.id in texts)


def _arguments(raw: str) -> JsonObject:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def surroundings(request: Request) -> Surroundings:
    """What the request's view, reminders and results tell."""
    in_view, complete = _from_view(request.system)
    known = set(in_view)
    for item in request.items:
        if isinstance(item, UserItem):
            _take(known, _REMINDED.findall(_reminder(item.text)))
        elif isinstance(item, ToolItem) and (done := results.done(item.text)):
            _take(known, [("note" if done.action == "write" else "delete", done.name)])
    return Surroundings(frozenset(known), complete, _folder(request.items))


def _reminder(text: str) -> str:
    return text[: len(text) - len(without_reminder(text))]


@lru_cache(maxsize=SYSTEMS_KEPT)
def _from_view(system: str) -> tuple[frozenset[str], bool]:
    known: set[str] = set()
    views = _VIEW.findall(system)
    if not views:
        return frozenset(), False
    complete = True
    for row in views[-1].splitlines():
        found = _ROW.fullmatch(row)
        if found is None:
            complete = complete and not row.strip()
            continue
        complete = complete and int(found[2]) <= WIDEST_TOLD
        told = _NOTE.findall(found[3])
        _take(known, told or [("note", f"{segment.name}.md") for segment in read_segments([found[3]]).segments])
    return frozenset(known), complete


def _take(known: set[str], told: Sequence[tuple[str, str]]) -> None:
    """Goes through what was told, oldest first."""
    for kind, name in told:
        if kind == "note":
            known.add(name)
        else:
            known.discard(name)


def _folder(items: Sequence[Item]) -> str:
    """The URI of the notes' folder, from the newest result that tells it or links to a note that it names."""
    for item in reversed(items):
        if not isinstance(item, ToolItem):
            continue
        if results.done(item.text) and (told := _TOLD_FOLDER.search(item.text)):
            return f"{file_uri(told[1])}/"
        read = results.note(item.text)
        pairs = [(read.name, read.link)] if read else [(hit.name, hit.link) for hit in results.hits(item.text)]
        for name, link in pairs:
            file = _LINK.match(link)
            if file and unquote(file[0]).endswith("/" + name):
                return file[0][: len(file[0]) - len(quote(name))]
    return ""
