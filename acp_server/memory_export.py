"""JSON of what isn't a memory call of the model: the log, a check, the export. Streamed, never held whole."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from acp_server.harmless import json_text
from acp_server.terminal import Output
from memory_core.results import Exported, Origin, Row, Verified
from memory_core.results_json import JsonObject, iso_utc

if TYPE_CHECKING:
    from memory_core.memory import Memory
    from memory_core.stats import Listing
    from memory_core.versions import Changed

T = TypeVar("T")


def first(rows: Iterator[T], limit: int | None) -> Iterator[T]:
    """The first `limit` rows, or all."""
    return rows if limit is None else islice(rows, limit)


def _origin(origin: Origin) -> JsonObject:
    return {"origin": origin.kind.value, "session": origin.session, "client": origin.client}


def _row(row: Row) -> JsonObject:
    return {
        "seq": row.seq,
        "address": f"{row.seq}+1",
        "kind": row.kind.value,
        "name": row.name,
        "heading": row.heading,
        "bytes": row.bytes,
        "created": iso_utc(row.created_ms),
        **_origin(row.origin),
    }


def _listing(row: Listing) -> JsonObject:
    return {
        "name": row.name,
        "seq": row.seq,
        "address": f"{row.seq}+1",
        "heading": row.heading,
        "bytes": row.bytes,
        "created": iso_utc(row.created_ms),
        **_origin(row.origin),
        "opened": row.opened,
        "last_opened": None if row.opened_ms is None else iso_utc(row.opened_ms),
    }


def _changed(found: Changed) -> JsonObject:
    """An entry with what it changed against the one before it of its name; counts are of lines."""
    return {**_row(found.row), "previous": found.previous, "added": found.added, "removed": found.removed}


def _text(raw: bytes | None) -> JsonObject:
    """A note's text; its bytes in base64 beside it where they aren't UTF-8."""
    if raw is None:
        return {"text": None}
    try:
        return {"text": raw.decode("utf-8")}
    except UnicodeDecodeError:
        return {"text": raw.decode("utf-8", "replace"), "bytes": base64.b64encode(raw).decode("ascii")}


def exported(entry: Exported) -> JsonObject:
    """One entry of an export: everything that the journal holds of it."""
    return {
        "seq": entry.seq,
        "kind": entry.kind.value,
        "name": entry.name,
        "heading": entry.heading,
        **_text(entry.raw),
        "created": iso_utc(entry.created_ms),
        **_origin(entry.origin),
    }


def _stream(head: JsonObject, key: str, items: Iterable[JsonObject], out: Output) -> None:
    """One JSON object on several lines: `head`, then the list `key` with an item a line. A fault that keeps the first
    item away comes before anything is sent.
    """
    rest = iter(items)
    first_item = next(rest, None)
    out.send(json_text(head)[:-1] + f', "{key}": [')
    if first_item is not None:
        out.send("\n" + json_text(first_item))
    for item in rest:
        out.send(",\n" + json_text(item))
    out.send("\n]}\n")


def export(memory: Memory, out: Output) -> None:
    """The project and each of its entries, oldest first, as one JSON object."""
    project = memory.project
    head: JsonObject = {
        "type": "memory.export",
        "version": 1,
        "project": {"id": project.id, "root": project.root, "memories": project.memories},
    }
    _stream(head, "entries", (exported(entry) for entry in memory.export()), out)


def log(rows: Iterable[Changed], out: Output) -> None:
    """The journal's entries, newest first, as one JSON object."""
    _stream({"type": "memory.log", "version": 1}, "entries", (_changed(row) for row in rows), out)


def listed(rows: Iterable[Listing], out: Output) -> None:
    """The current notes, newest first, as one JSON object."""
    _stream({"type": "memory.list", "version": 1}, "notes", (_listing(row) for row in rows), out)


def verified(result: Verified, out: Output) -> None:
    """What a check found, as one JSON object."""
    out.json(
        {
            "type": "memory.verify",
            "version": 1,
            "ok": result.ok,
            "entries": result.entries,
            "notes": result.notes,
            "lines": result.lines,
            "problems": list(result.problems),
        }
    )
