"""The tool `read_file`: part of a text file, through the client where it has the file open, else from the disk."""

from __future__ import annotations

import os
import stat
from functools import partial

from acp_server.aside import aside
from acp_server.card_blocks import file_block, location, sentence_card, text_block
from acp_server.client_files import ClientFiles
from acp_server.events import Card
from acp_server.links import file_uri
from acp_server.markdown import fenced, plain_title
from acp_server.permissions import Question, Verdict
from acp_server.providers.interface import JsonObject, ToolSpec
from acp_server.sentences import workspace as say
from acp_server.tools.eyes import PATIENCE_S, Look, failed, look_of, told
from acp_server.tools.file_arguments import Arguments, shown_text
from acp_server.tools.registry import Outcome, ToolContext
from acp_server.workspace.faults import WorkspaceFault
from acp_server.workspace.guarded import may_hold_secrets
from acp_server.workspace.places import Place, open_file
from acp_server.workspace.text import MAX_LINES, Window, window_of_file, window_of_text

MAX_CLIENT_BYTES = 2 * 1024 * 1024
"""A larger file is read from the disk: the client would send it whole."""
CARD_LINES = 200
MAX_LANGUAGE_CHARACTERS = 10

SECRET = Question("file.read", say.READ_SECRET, say.READ_SECRET_ALWAYS, say.READ_SECRET_NOT)

SPEC = ToolSpec(
    name="read_file",
    description=say.READ_DESCRIPTION,
    schema={
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": say.READ_ARGUMENTS["path"]},
            "line": {"type": "integer", "minimum": 1, "description": say.READ_ARGUMENTS["line"]},
            "limit": {"type": "integer", "minimum": 1, "description": say.READ_ARGUMENTS["limit"]},
        },
        "required": ["path"],
        "additionalProperties": False,
    },
)


class ReadFile:
    """The tool."""

    spec: ToolSpec = SPEC
    opening = Card(title=say.READ_TITLE, kind="read")

    def __init__(self, files: ClientFiles, closed: tuple[str, ...] = ()) -> None:
        """`files` is the way to the client's, `closed` are the agent's own places."""
        self._files = files
        self._closed = closed

    def describe(self, arguments: JsonObject) -> Card:
        """Title and kind."""
        path = shown_text(arguments, "path")
        first, limit = arguments.get("line"), arguments.get("limit")
        if not path:
            return self.opening
        if not isinstance(first, int):
            return Card(title=plain_title(say.read_title(path)), kind="read")
        last = first + limit - 1 if isinstance(limit, int) else None
        return Card(title=plain_title(say.read_title(path, first, last)), kind="read")

    async def run(self, arguments: JsonObject, context: ToolContext) -> Outcome:
        """Read; every fault is a failed outcome."""
        return await told(shown_text(arguments, "path"), partial(self._run, arguments, context))

    async def _run(self, arguments: JsonObject, context: ToolContext) -> Outcome:
        given = Arguments("read_file", arguments, tuple(say.READ_ARGUMENTS))
        path, first, limit = given.text("path"), given.number("line", 1), given.number("limit", MAX_LINES)
        look = look_of(context, self._closed)
        place = await aside(lambda _: look.place(path), PATIENCE_S)
        if may_hold_secrets(place.parts) and not await _allowed(place, context):
            return failed(say.refused(place.name))
        window = await self._window(place, path, first, limit, look, context)
        if window is None:
            size = await aside(lambda _: os.stat(place.real).st_size, PATIENCE_S)
            return failed(say.binary(place.name, size))
        return outcome(place, window)

    async def _window(
        self, place: Place, given: str, first: int, limit: int, look: Look, context: ToolContext
    ) -> Window | None:
        if await aside(lambda _: _small(place), PATIENCE_S):
            text = await self._files.read(context.session.session_id, place.path)
            if text is not None:
                return window_of_text(text, first, limit, _Never())
        try:
            return await aside(lambda stop: window_of_file(open_file(place), first, limit, stop), PATIENCE_S)
        except WorkspaceFault as found:
            fault = found
        raise await aside(lambda _: look.or_a_note(given, fault), PATIENCE_S)


class _Never:
    def is_set(self) -> bool:
        return False


async def _allowed(place: Place, context: ToolContext) -> bool:
    question = sentence_card(say.may_hold_secrets(place.name))
    return await context.permit(SECRET, question, True) is not Verdict.REFUSED


def _small(place: Place) -> bool:
    """Whether the client may be asked: for a file of moderate size, or one that is not on the disk yet."""
    try:
        status = os.lstat(place.real)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size <= MAX_CLIENT_BYTES


def outcome(place: Place, window: Window) -> Outcome:
    """What was read, for the model and on the card."""
    if not window.lines and window.first > 1:
        return failed(say.past_the_end(place.name, window.first, window.total or 0))
    if not window.lines:
        return Outcome(say.empty_file(place.name), card=_card(place, window, say.empty_file(place.name)))
    head = say.window(place.name, window.first, window.last, window.total, window.size)
    remarks = _remarks(window)
    numbered = [f"{number}\t{line}" for number, line in enumerate(window.lines, start=window.first)]
    end = [say.go_on(window.last + 1)] if window.more else []
    text = "\n".join([", ".join([head, *remarks]), f"link {file_uri(place.path)}", "", *numbered, *end])
    return Outcome(text, card=_card(place, window, fenced("\n".join(window.lines[:CARD_LINES]), _language(place))))


def _remarks(window: Window) -> list[str]:
    return [
        *(
            [say.in_encoding(window.encoding.upper().removesuffix("-LE").removesuffix("-BE"))]
            if window.encoding
            else []
        ),
        *([say.BOM] if window.bom else []),
        *([say.CRLF] if window.crlf else []),
        *([say.ODD_BYTES] if window.odd else []),
        *([say.CUT_LINES] if window.cut else []),
    ]


def _card(place: Place, window: Window, text: str) -> Card:
    cut = [text_block(say.card_cut(CARD_LINES))] if len(window.lines) > CARD_LINES else []
    whole = window.first == 1 and not window.more
    name = os.path.basename(place.path)
    return Card(
        title=plain_title(say.read_title(place.name, *(() if whole else (window.first, window.last)))),
        content=(text_block(text), *cut, file_block(name, place.name, place.path, kind="text/plain")),
        locations=(location(place.path, window.first),),
        raw_output={
            "type": "file.read",
            "version": 1,
            "path": place.path,
            "line": window.first,
            "lines": len(window.lines),
            "total": window.total,
            "more": window.more,
        },
    )


def _language(place: Place) -> str:
    """The end of the file's name, which Markdown takes for a language."""
    end = os.path.splitext(place.path)[1][1:]
    return end if end.isalnum() and end.isascii() and len(end) <= MAX_LANGUAGE_CHARACTERS else ""
