"""Memory results as the model reads them: compact plain text in a fixed format. Pure.

The embedded model parses these formats, so they are stable. Whatever comes from elsewhere is framed: names, origins and
remarks as rows where one line is one line, text of notes as a block where a note is shown whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch

from acp_server.links import file_uri
from acp_server.sentences import tools as say
from memory_core.entry import frame_block, frame_line
from memory_core.exceptions import MemoryFault
from memory_core.results import Entry, EntryKind, Hit, Note, Origin, Receipt, SearchResult, View, Zoom
from memory_core.results_json import iso_utc


@dataclass(frozen=True, slots=True)
class Change:
    """A receipt with what is said beside it: `restores` is the entry that holds the replaced text."""

    receipt: Receipt
    restores: int | None
    folder: str

    @property
    def remarks(self) -> tuple[str, ...]:
        """Where the notes lie (after a project's first write), how to undo, then the notices."""
        receipt = self.receipt
        where = (say.notes_lie_in(self.folder),) if receipt.first else ()
        if self.restores is not None:
            undo = say.undo_by_rewrite(receipt.name, self.restores)
        else:
            undo = say.undo_by_delete(receipt.name)
        return (*where, undo, *receipt.notices)

    @property
    def headline(self) -> str:
        """What was done, with the number of the entry."""
        said = say.deleted if self.receipt.action == "delete" else say.wrote
        return said(self.receipt.name, self.receipt.entry)


@singledispatch
def model_text(result: object) -> str:
    """The text of a result (View, Zoom, Entry, SearchResult, Note, Change) for the model."""
    raise TypeError(type(result).__name__)


@model_text.register
def _view(view: View) -> str:
    return f"VIEW: {view.entries} entries, {view.bytes} of {view.budget} bytes\n{view.text}".rstrip("\n")


@model_text.register
def _zoom(zoom: Zoom) -> str:
    return "\n".join(line.rendered for line in zoom.lines)


@model_text.register
def _entry(entry: Entry) -> str:
    by = f" by entry {entry.replaced_by}" if entry.replaced_by is not None else ""
    head = (
        f"entry {entry.seq} ({entry.status}{by}) {frame_line(entry.name)}, "
        f"{day(entry.created_ms)}, by {frame_line(_origin(entry.origin))}"
    )
    link = [f"link {file_uri(entry.path)}"] if entry.path else []
    deletes = [say.DELETES_THE_NOTE] if entry.kind is EntryKind.DELETE else []
    notices = map(frame_line, entry.notices)
    return "\n".join([head, *link, *deletes, *notices, "", frame_block(entry.text)]).rstrip("\n")


@model_text.register
def _search(result: SearchResult) -> str:
    query, count = frame_line(result.query), len(result.hits)
    head = f"{count} {'note matches' if count == 1 else 'notes match'} {query}" if count else f"No note matches {query}"
    incomplete = [] if result.complete else [say.INDEX_INCOMPLETE]
    hits = [row for number, hit in enumerate(result.hits, start=1) for row in _hit(number, hit)]
    return "\n".join([head, *incomplete, *hits])


@model_text.register
def _note(note: Note) -> str:
    head = f"{frame_line(note.name)} (entry {note.seq})"
    notices = map(frame_line, note.notices)
    return "\n".join([head, f"link {file_uri(note.path)}", *notices, "", frame_block(note.text)]).rstrip("\n")


@model_text.register
def _change(change: Change) -> str:
    similar = change.receipt.similar
    names = [f"similar: {', '.join(map(frame_line, similar))}"] if similar else []
    return "\n".join([*map(frame_line, (change.headline, *change.remarks)), *names])


def error_text(fault: MemoryFault) -> str:
    """A failed call, with what would be right."""
    return frame_line(f"error: {fault.message} {fault.hint}".rstrip())


def day(created_ms: int) -> str:
    """The UTC day of a moment, `2026-12-02`."""
    return iso_utc(created_ms)[:10]


def _hit(number: int, hit: Hit) -> tuple[str, str, str]:
    head = f"{number}. {frame_line(hit.name)} ({hit.address}, {day(hit.created_ms)}) {frame_line(hit.heading)}"
    return (
        head.rstrip(),
        f"   line {hit.line_number}: {frame_line(hit.line)}".rstrip(),
        f"   {file_uri(hit.path, hit.line_number)}",
    )


def _origin(origin: Origin) -> str:
    return f"{origin.kind} {origin.session}" if origin.session else str(origin.kind)
