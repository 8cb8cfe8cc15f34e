"""Memory results as cards: content blocks, locations and `rawOutput` for an editor. Pure.

What the model reads is made elsewhere (`tools/memory_text.py`) from the same results. A card's texts are
Markdown in which the text of a note is data (`markdown.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch
from typing import cast

from acp_server.card_blocks import file_block, location, text_block
from acp_server.events import Card
from acp_server.links import file_uri
from acp_server.markdown import escaped, fenced, link, marked, note_markdown, plain_title, shown
from acp_server.providers.interface import JsonObject, JsonValue
from acp_server.sentences import cards as say
from acp_server.tools.memory_text import Change, day
from memory_core.exceptions import MemoryFault
from memory_core.results import Entry, EntryKind, Hit, Line, Note, Proposal, SearchResult, View, Zoom
from memory_core.results_json import VERSION, Result, as_json

MAX_NOTE_CHARACTERS = 64 * 1024
"""A longer note is cut in a card: editors lay out its Markdown on their main thread."""


@singledispatch
def result_card(result: object) -> Card:
    """The card of a finished call (View, Zoom, Entry, SearchResult, Note)."""
    raise TypeError(type(result).__name__)


@result_card.register
def _view(view: View) -> Card:
    first = [shown(view.left_out)] if view.left_out else []
    lines = "\n".join([*first, *_gutter(view.lines)])
    return Card(
        title=say.view_title(len(view.lines), view.entries),
        content=(text_block(fenced(lines) if lines else say.VIEW_EMPTY),),
        raw_output=_raw(view),
    )


@result_card.register
def _zoom(zoom: Zoom) -> Card:
    return Card(content=(text_block(fenced("\n".join(_gutter(zoom.lines)))),), raw_output=_raw(zoom))


@result_card.register
def _entry(entry: Entry) -> Card:
    head = "\n\n".join([_status(entry), *map(escaped, entry.notices)])
    blocks = [text_block(f"{head}\n\n{_note_text(entry.text)}".strip())]
    if entry.path:
        blocks.append(file_block(entry.name, entry.heading, entry.path))
    return Card(
        title=plain_title(say.entry_title(entry.name, entry.seq, entry.status)),
        content=tuple(blocks),
        locations=(location(entry.path),) if entry.path else None,
        raw_output=_raw(entry),
    )


def _status(entry: Entry) -> str:
    when, origin = day(entry.created_ms), entry.origin.kind
    if entry.kind is EntryKind.DELETE:
        return say.deletion_line(entry.replaced_by, when, origin)
    return say.status_line(entry.status, entry.replaced_by, when, origin)


@result_card.register
def _search(result: SearchResult) -> Card:
    title = plain_title(say.found_title(len(result.hits), result.query))
    parts = [f"### {escaped(title)}"]
    if not result.complete:
        parts.append(say.INDEX_INCOMPLETE)
    parts += [_hit(number, hit) for number, hit in enumerate(result.hits, start=1)]
    best = result.hits[0] if result.hits else None
    return Card(
        title=title,
        content=(text_block("\n\n".join(parts)),),
        locations=(location(best.path, best.line_number),) if best else None,
        raw_output=_raw(result),
    )


@result_card.register
def _note(note: Note) -> Card:
    head = "\n\n".join(map(escaped, note.notices))
    return Card(
        title=plain_title(say.read_title(note.name)),
        content=(
            text_block(f"{head}\n\n{_note_text(note.text)}".strip()),
            file_block(note.name, note.name, note.path),
        ),
        locations=(location(note.path),),
        raw_output=_raw(note),
    )


def change_card(change: Change, proposal: Proposal) -> Card:
    """The card of a write or delete that was done: its diff, then the receipt."""
    receipt = change.receipt
    lines = [change.headline, *change.remarks]
    if receipt.similar:
        lines.append(say.similar_names(", ".join(receipt.similar)))
    return Card(
        content=(diff_block(proposal), text_block("\n\n".join(map(escaped, lines)))),
        locations=(location(receipt.path),) if receipt.action == "write" else None,
        raw_output=_raw(receipt),
    )


def proposal_card(proposal: Proposal, remarks: Iterable[str]) -> Card:
    """What a person is asked to approve: the diff, then what there is to say about it."""
    notes = [*proposal.notices, *remarks]
    texts = [text_block("\n\n".join(map(escaped, notes)))] if notes else []
    return Card(content=(diff_block(proposal), *texts))


def error_card(command: str, fault: MemoryFault) -> Card:
    """A failed call in one line: what was wrong and what would be right."""
    return Card(
        content=(text_block(escaped(str(fault))),),
        raw_output={
            "type": "memory.error",
            "version": VERSION,
            "command": shown(command),
            "message": shown(fault.message),
            "hint": shown(fault.hint),
        },
    )


def diff_block(proposal: Proposal) -> JsonObject:
    """The change of a note's file; `oldText` is always there."""
    return {
        "type": "diff",
        "path": proposal.path,
        "oldText": shown(proposal.old_text),
        "newText": shown(proposal.new_text),
    }


def _raw(result: Result) -> JsonValue:
    return cast(JsonValue, as_json(result))


def _gutter(lines: Iterable[Line]) -> list[str]:
    rows = [(line.address, shown(line.text).replace("\n", " ")) for line in lines]
    width = max((len(address) for address, _ in rows), default=0)
    return [f"{address:>{width}} │ {text}" for address, text in rows]


def _hit(number: int, hit: Hit) -> str:
    name = link(hit.name, file_uri(hit.path, hit.line_number))
    heading = f" {escaped(hit.heading)}" if hit.heading else ""
    return f"{number}. {name}{heading}\n   > {marked(hit.line, hit.marks)}".rstrip()


def _note_text(text: str) -> str:
    if len(text) <= MAX_NOTE_CHARACTERS:
        return note_markdown(text)
    cut = note_markdown(text[:MAX_NOTE_CHARACTERS])
    return f"{cut}\n\n{say.card_cut(MAX_NOTE_CHARACTERS, len(text))}"
