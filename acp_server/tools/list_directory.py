"""The tool `list_directory`: what a folder of the project holds."""

from __future__ import annotations

from functools import partial

from acp_server.aside import aside
from acp_server.card_blocks import location, text_block
from acp_server.events import Card
from acp_server.links import file_uri
from acp_server.markdown import fenced, one_line, plain_title, shown
from acp_server.providers.interface import JsonObject, ToolSpec
from acp_server.sentences import workspace as say
from acp_server.tools.eyes import PATIENCE_S, look_of, told
from acp_server.tools.file_arguments import Arguments, shown_text
from acp_server.tools.registry import Outcome, ToolContext
from acp_server.workspace.listing import Entry, Listing, listing
from acp_server.workspace.places import Place, open_folder

SPEC = ToolSpec(
    name="list_directory",
    description=say.LIST_DESCRIPTION,
    schema={
        "type": "object",
        "properties": {"path": {"type": "string", "description": say.LIST_ARGUMENTS["path"]}},
        "additionalProperties": False,
    },
)


class ListDirectory:
    """The tool."""

    spec: ToolSpec = SPEC
    opening = Card(title=say.LIST_TITLE, kind="read")

    def __init__(self, closed: tuple[str, ...] = ()) -> None:
        """`closed` are the agent's own places."""
        self._closed = closed

    def describe(self, arguments: JsonObject) -> Card:
        """Title and kind."""
        return Card(title=plain_title(say.list_title(shown_text(arguments, "path", "."))), kind="read")

    async def run(self, arguments: JsonObject, context: ToolContext) -> Outcome:
        """List; every fault is a failed outcome."""
        return await told(shown_text(arguments, "path", "."), partial(self._run, arguments, context))

    async def _run(self, arguments: JsonObject, context: ToolContext) -> Outcome:
        path = Arguments("list_directory", arguments, tuple(say.LIST_ARGUMENTS)).text("path", ".") or "."
        look = look_of(context, self._closed)
        place = await aside(lambda _: look.place(path), PATIENCE_S)
        return outcome(place, await aside(lambda stop: listing(open_folder(place), stop), PATIENCE_S))


def outcome(place: Place, found: Listing) -> Outcome:
    """What was found, for the model and on the card."""
    head = say.listed(place.name if place.parts else place.path, found.folders, found.files)
    more = [say.and_more(found.hidden, found.complete)] if found.hidden else []
    rows = [*map(_row, found.entries), *more]
    return Outcome(
        "\n".join([head, f"link {file_uri(place.path)}", *rows]),
        card=Card(
            title=plain_title(say.list_title(place.name if place.parts else ".")),
            content=(text_block(fenced("\n".join(rows)) if rows else head),),
            locations=(location(place.path),),
            raw_output={"type": "file.list", "version": 1, "path": place.path, **_figures(found)},
        ),
    )


def _figures(found: Listing) -> JsonObject:
    return {"folders": found.folders, "files": found.files, "complete": found.complete and not found.hidden}


def _row(entry: Entry) -> str:
    name = shown(entry.name).replace("\n", "␊")
    if entry.target is not None:
        return f"{name} -> {one_line(entry.target)}"
    if entry.kind == say.FOLDER:
        return f"{name}/"
    return f"{name}\t{entry.kind if entry.size is None else f'{entry.size:,}'}"
