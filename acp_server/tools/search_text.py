"""The tool `search_text`: lines of the project's files, found by a process of its own that a deadline or a cancel
ends.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

import acp_server
from acp_server.aside import aside
from acp_server.card_blocks import location, text_block
from acp_server.children import Children
from acp_server.events import Card
from acp_server.links import file_uri
from acp_server.markdown import escaped, link, marked, plain_title, shown
from acp_server.providers.interface import JsonObject, ToolSpec
from acp_server.sentences import workspace as say
from acp_server.tools.eyes import PATIENCE_S, Look, look_of, told
from acp_server.tools.file_arguments import Arguments, shown_text
from acp_server.tools.registry import Outcome, ToolContext
from acp_server.workspace.faults import WorkspaceFault
from acp_server.workspace.places import Place, leave, open_file, open_folder
from acp_server.workspace.searching import Figures, Hit, Job

MAX_LINES = 200
MAX_CARD_LINES = 50

SPEC = ToolSpec(
    name="search_text",
    description=say.SEARCH_DESCRIPTION,
    schema={
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": say.SEARCH_ARGUMENTS["query"]},
            "path": {"type": "string", "description": say.SEARCH_ARGUMENTS["path"]},
            "glob": {"type": "string", "description": say.SEARCH_ARGUMENTS["glob"]},
            "regex": {"type": "boolean", "description": say.SEARCH_ARGUMENTS["regex"]},
            "ignore_case": {"type": "boolean", "description": say.SEARCH_ARGUMENTS["ignore_case"]},
        },
        "required": ["query"],
        "additionalProperties": False,
    },
)


@dataclass(slots=True)
class Found:
    """What a search found so far: `figures` are None until it is through."""

    hits: list[Hit] = field(default_factory=list)
    figures: Figures | None = None
    out_of_time: bool = False


class SearchText:
    """The tool."""

    spec: ToolSpec = SPEC
    opening = Card(title=say.SEARCH_TITLE, kind="search")

    def __init__(self, children: Children, closed: tuple[str, ...] = (), seconds: float = 10.0) -> None:
        """`children` are all processes of tools, `closed` the agent's own places; a search takes `seconds` at most."""
        self._children = children
        self._closed = closed
        self._seconds = seconds

    def describe(self, arguments: JsonObject) -> Card:
        """Title and kind."""
        query = shown_text(arguments, "query")
        return Card(title=plain_title(say.search_title(query)), kind="search") if query else self.opening

    async def run(self, arguments: JsonObject, context: ToolContext) -> Outcome:
        """Search; every fault is a failed outcome."""
        return await told(shown_text(arguments, "path", "."), partial(self._run, arguments, context))

    async def _run(self, arguments: JsonObject, context: ToolContext) -> Outcome:
        given = Arguments("search_text", arguments, tuple(say.SEARCH_ARGUMENTS))
        query, path = given.text("query"), given.text("path", ".") or "."
        look = look_of(context, self._closed)
        place = await aside(lambda _: _start(look, path), PATIENCE_S)
        closed = tuple(map(os.path.realpath, self._closed))
        regex, ignore_case, glob = given.flag("regex"), given.flag("ignore_case"), given.text("glob", "")
        job = Job(place.root, place.parts, closed, query, regex, ignore_case, glob, MAX_LINES)
        found = await self._found(job)
        if found.figures is None and not found.out_of_time:
            raise WorkspaceFault(say.SEARCH_BROKE)
        if found.figures is not None and found.figures.error:
            raise WorkspaceFault(*say.bad_regex(found.figures.error))
        return outcome(look, place, query, found, self._seconds)

    async def _found(self, job: Job) -> Found:
        found = Found()
        command = (
            sys.executable,
            "-P",
            "-W",
            "ignore",
            "-m",
            "acp_server.workspace.searching",
            json.dumps(asdict(job)),
        )
        child = await self._children.start(command, cwd=os.sep, environ=_environment())
        try:
            async with asyncio.timeout(self._seconds):
                assert child.process.stdout is not None
                while line := await child.process.stdout.readline():
                    _take(line, found)
        except TimeoutError:
            found.out_of_time = True
        finally:
            await self._children.end(child)
        return found


def _start(look: Look, path: str) -> Place:
    """Where a search begins, which must be there. Raises WorkspaceFault."""
    place = look.place(path)
    try:
        leave(open_folder(place) if os.path.isdir(place.real) else open_file(place))
    except WorkspaceFault as fault:
        raise look.or_a_note(path, fault) from None
    return place


def _environment() -> dict[str, str]:
    """What the search needs of this process, and none of its keys."""
    needed = ("SYSTEMROOT", "TEMP", "TMP")
    kept = {name: os.environ[name] for name in needed if name in os.environ}
    return {**kept, "PYTHONPATH": str(Path(acp_server.__file__).parent.parent), "PYTHONUTF8": "1"}


def _take(line: bytes, found: Found) -> None:
    """A line of the search's output; what is none of its own (a warning of the system) is left out."""
    try:
        value = json.loads(line)
    except ValueError:
        return
    if not isinstance(value, dict):
        return
    if "figures" in value:
        found.figures = Figures(**value["figures"])
    else:
        marks = tuple((start, end) for start, end in value["marks"])
        found.hits.append(Hit(tuple(value["parts"]), value["line"], value["text"], marks))


def outcome(look: Look, place: Place, query: str, found: Found, seconds: float) -> Outcome:
    """What was found, for the model and on the card."""
    figures = found.figures or Figures()
    where = place.name if place.parts else place.path
    notes = [
        *([say.TOO_MANY] if figures.more else []),
        *([say.out_of_time(seconds)] if found.out_of_time else []),
        *filter(None, [say.left_out(figures.binary, figures.secret, figures.unreadable, figures.large, figures.deep)]),
    ]
    places = [_named(look, place, hit.parts) for hit in found.hits]
    head = say.found(len(found.hits), len(set(places))) if found.hits else say.no_lines(shown(query), where)
    rows = [f"{name}:{hit.line}: {hit.text}" for (name, _), hit in zip(places, found.hits, strict=True)]
    first = [location(places[0][1], found.hits[0].line)] if found.hits else []
    links = [say.links(file_uri(look.workspace.cwd))] if found.hits else []
    return Outcome(
        "\n".join([head, *links, *rows, *notes]),
        card=Card(
            title=plain_title(say.found_title(len(found.hits), query, figures.more or found.out_of_time)),
            content=(text_block(_markdown(head, places, found.hits, notes)),),
            locations=tuple(first) or None,
            raw_output={
                "type": "file.search",
                "version": 1,
                "lines": len(found.hits),
                "files": len(set(places)),
                "complete": not figures.more and not found.out_of_time,
            },
        ),
    )


def _named(look: Look, place: Place, parts: tuple[str, ...]) -> tuple[str, str]:
    """A file as it is shown, and its path."""
    top = place.path
    for _ in place.parts:
        top = os.path.dirname(top)
    path = os.path.join(top, *parts)
    return (os.path.join(*parts) if top == os.path.normpath(look.workspace.cwd) else path), path


def _markdown(head: str, places: Sequence[tuple[str, str]], hits: Sequence[Hit], notes: Sequence[str]) -> str:
    rows = [
        f"{number}. {link(f'{name}:{hit.line}', file_uri(path, hit.line))}\n   > {marked(hit.text, hit.marks)}"
        for number, ((name, path), hit) in enumerate(zip(places, hits, strict=True), start=1)
        if number <= MAX_CARD_LINES
    ]
    more = [escaped(say.and_more(len(hits) - MAX_CARD_LINES, True))] if len(hits) > MAX_CARD_LINES else []
    return "\n\n".join([f"### {escaped(head)}", *rows, *more, *map(escaped, notes)])
