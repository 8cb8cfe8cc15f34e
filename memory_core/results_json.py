"""A result as the JSON object that a program reads: `type`, `version` and the fields of its table, nothing
else.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import singledispatch

from memory_core.results import Entry, Hit, Line, Note, Receipt, SearchResult, View, Zoom

VERSION = 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

JsonObject = dict[str, object]
Result = View | Zoom | Entry | SearchResult | Note | Receipt


def as_json(result: Result) -> JsonObject:
    """The object of a result; times are ISO 8601 in UTC, ranges are [start, end) lists."""
    return {"type": f"memory.{_TYPES[type(result)]}", "version": VERSION, **_fields(result)}


def iso_utc(created_ms: int) -> str:
    """Milliseconds since the epoch as `2026-12-02T06:28:00.000Z`."""
    moment = _EPOCH + timedelta(milliseconds=created_ms)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


_TYPES: dict[type, str] = {
    View: "view",
    Zoom: "zoom",
    Entry: "entry",
    SearchResult: "search",
    Note: "note",
    Receipt: "receipt",
}


@singledispatch
def _fields(result: object) -> JsonObject:
    raise TypeError(type(result).__name__)


@_fields.register
def _view(view: View) -> JsonObject:
    return {
        "entries": view.entries,
        "generation": view.generation,
        "hidden": view.hidden,
        "bytes": view.bytes,
        "budget": view.budget,
        "lines": [_line(line) for line in view.lines],
        "next_merges": list(view.next_merges),
    }


@_fields.register
def _zoom(zoom: Zoom) -> JsonObject:
    return {"address": zoom.address, "lines": [_line(line) for line in zoom.lines]}


@_fields.register
def _entry(entry: Entry) -> JsonObject:
    return {
        "address": entry.address,
        "seq": entry.seq,
        "kind": entry.kind.value,
        "name": entry.name,
        "heading": entry.heading,
        "text": entry.text,
        "status": entry.status.value,
        "replaced_by": entry.replaced_by,
        "origin": entry.origin.kind.value,
        "session": entry.origin.session,
        "client": entry.origin.client,
        "created": iso_utc(entry.created_ms),
    }


@_fields.register
def _search(result: SearchResult) -> JsonObject:
    return {
        "query": result.query,
        "words": list(result.words),
        "complete": result.complete,
        "hits": [_hit(hit) for hit in result.hits],
        "left_out": list(result.left_out),
    }


@_fields.register
def _note(note: Note) -> JsonObject:
    return {"name": note.name, "path": note.path, "seq": note.seq, "text": note.text}


@_fields.register
def _receipt(receipt: Receipt) -> JsonObject:
    return {
        "action": receipt.action,
        "name": receipt.name,
        "path": receipt.path,
        "entry": receipt.entry,
        "replaced": receipt.replaced,
        "new_name": receipt.new_name,
        "notices": list(receipt.notices),
        "similar": list(receipt.similar),
    }


def _line(line: Line) -> JsonObject:
    return {
        "address": line.address,
        "id": line.id,
        "n": line.n,
        "state": line.state.value,
        "model": line.model,
        "cut": line.cut,
        "text": line.text,
    }


def _hit(hit: Hit) -> JsonObject:
    return {
        "seq": hit.seq,
        "address": hit.address,
        "name": hit.name,
        "path": hit.path,
        "heading": hit.heading,
        "created": iso_utc(hit.created_ms),
        "line": hit.line,
        "line_number": hit.line_number,
        "marks": [list(mark) for mark in hit.marks],
        "score": float(f"{hit.score:.6g}"),
    }
