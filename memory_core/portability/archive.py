"""The format of an exported memory: JSON Lines, one object a line, UTF-8. Pure.

1. `memory.archive`: the format's version, the project (id, path, names), the journal's generation, how many entries.
2. `entry`, by number: everything that the journal holds of it. A text that isn't UTF-8 stands in base64; `sha256` is
   that of its bytes.
3. `line`: each line of the tree that a model wrote, by size, then place. Lines word for word follow from the entries.
4. `view`: which lines the view consists of, as [start, n], oldest first, in pieces.
5. `end`: how many lines came before, and the SHA-256 over their bytes. A file without it was cut.

A reader of a newer format refuses nothing that this one writes; this one refuses a newer format.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass

from memory_core.entry import MAX_LINE_BYTES, frame_line, is_text
from memory_core.exceptions import BadName
from memory_core.names import note_name
from memory_core.results import EntryKind, Origin, OriginKind
from memory_core.sentences import portability as sentences

KIND = "memory.archive"
VERSION = 1
MAX_TEXT_BYTES = 16 * 1024 * 1024
MAX_ROW_BYTES = 6 * MAX_TEXT_BYTES + 65536
"""A text of control characters alone takes six times its size as JSON."""
MAX_HEADER_BYTES = 1024 * 1024
"""The first line is short, so that little is read of a large file that is no archive."""
MAX_MS = 253_402_300_799_999
MIN_MS = -62_135_596_800_000
"""The years that a date can be written in: 1 to 9999."""

Object = dict[str, object]


class WrongLine(Exception):
    """What is wrong with a line, as half a sentence."""


@dataclass(frozen=True, slots=True)
class Header:
    """The first line: whose memory it is, and how many entries follow."""

    generation: int
    entries: int
    project: str
    path: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EntryRow:
    """An entry with all that the journal holds of it; `raw` is None for a delete or a forgotten note."""

    seq: int
    kind: EntryKind
    name: str
    raw: bytes | None
    origin: Origin
    created_ms: int
    hides: bool


@dataclass(frozen=True, slots=True)
class LineRow:
    """A line that a model wrote; `stale` where it is to be written anew."""

    start: int
    n: int
    text: str
    model: str
    cut: bool
    stale: bool


@dataclass(frozen=True, slots=True)
class ViewRow:
    """A piece of the view, as (start, n)."""

    lines: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class End:
    """The last line."""

    rows: int
    sha256: str


Record = Header | EntryRow | LineRow | ViewRow | End


def dump(value: Object) -> bytes:
    """One line of an archive."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"


def header_object(header: Header) -> Object:
    """The header as it is written."""
    project = {"id": header.project, "path": header.path, "names": list(header.names)}
    return {
        "type": KIND,
        "version": VERSION,
        "project": project,
        "generation": header.generation,
        "entries": header.entries,
    }


def entry_object(row: EntryRow) -> Object:
    """An entry as it is written."""
    made: Object = {"type": "entry", "seq": row.seq, "kind": row.kind.value, "name": row.name}
    made |= {"created_ms": row.created_ms, "origin": row.origin.kind.value}
    made |= {"session": row.origin.session, "client": row.origin.client}
    if row.raw is None:
        return made
    made |= {"hides": row.hides, "sha256": hashlib.sha256(row.raw).hexdigest()}
    try:
        return {**made, "text": row.raw.decode("utf-8")}
    except UnicodeDecodeError:
        return {**made, "base64": base64.b64encode(row.raw).decode("ascii")}


def line_object(row: LineRow) -> Object:
    """A written line as it is written."""
    made: Object = {"type": "line", "start": row.start, "n": row.n, "model": row.model, "cut": row.cut}
    return {**made, "stale": row.stale, "text": row.text}


def parse(raw: bytes) -> Record:
    """The record of a line; raises WrongLine."""
    try:
        value: object = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise WrongLine(sentences.NOT_JSON) from error
    if not isinstance(value, dict):
        raise WrongLine(sentences.NOT_JSON)
    make = _PARSERS.get(str(value.get("type")))
    if make is None:
        raise WrongLine(sentences.NOT_EXPECTED)
    return make(value)


def _number(value: Object, name: str, least: int = 0, most: int = 2**53) -> int:
    found = value.get(name)
    if type(found) is not int or not least <= found <= most:
        raise WrongLine(sentences.wrong_field(name))
    return found


def _text(value: Object, name: str) -> str:
    found = value.get(name)
    if not isinstance(found, str) or not is_text(found):
        raise WrongLine(sentences.wrong_field(name))
    return found


def _maybe(value: Object, name: str) -> str | None:
    return None if value.get(name) is None else _text(value, name)


def _session(value: Object) -> str | None:
    """A session's id stands in rows that a model reads, so it is one word."""
    found = _maybe(value, "session")
    if found is not None and (found != frame_line(found) or len(found.split()) != 1):
        raise WrongLine(sentences.wrong_field("session"))
    return found


def _flag(value: Object, name: str) -> bool:
    found = value.get(name, False)
    if not isinstance(found, bool):
        raise WrongLine(sentences.wrong_field(name))
    return found


def _header(value: Object) -> Header:
    _number(value, "version", VERSION, VERSION)
    project = value.get("project")
    if not isinstance(project, dict):
        raise WrongLine(sentences.wrong_field("project"))
    named = project.get("names")
    names = tuple(map(str, named)) if isinstance(named, list) else ()
    where = (str(project.get("id", "")), str(project.get("path", "")))
    return Header(_number(value, "generation"), _number(value, "entries"), *where, names)


def _entry(value: Object) -> EntryRow:
    name = _text(value, "name")
    try:
        if note_name(name) != name:
            raise WrongLine(sentences.wrong_field("name"))
    except BadName as error:
        raise WrongLine(sentences.wrong_name(error.message)) from error
    kind = _text(value, "kind")
    origin = _text(value, "origin")
    for value_given, field, known in ((kind, "kind", _KINDS), (origin, "origin", _ORIGINS)):
        if value_given not in known:
            raise WrongLine(sentences.wrong_field(field))
    return EntryRow(
        seq=_number(value, "seq"),
        kind=EntryKind(kind),
        name=name,
        raw=_raw(value) if kind == EntryKind.NOTE else None,
        origin=Origin(OriginKind(origin), _session(value), _maybe(value, "client")),
        created_ms=_number(value, "created_ms", MIN_MS, MAX_MS),
        hides=_flag(value, "hides"),
    )


def _raw(value: Object) -> bytes:
    try:
        raw = base64.b64decode(_text(value, "base64"), validate=True) if "base64" in value else None
    except binascii.Error as error:
        raise WrongLine(sentences.wrong_field("base64")) from error
    raw = _text(value, "text").encode() if raw is None else raw
    if len(raw) > MAX_TEXT_BYTES:
        raise WrongLine(sentences.TEXT_TOO_LONG)
    if hashlib.sha256(raw).hexdigest() != value.get("sha256"):
        raise WrongLine(sentences.WRONG_HASH)
    return raw


def _line(value: Object) -> LineRow:
    start, n, text = _number(value, "start"), _number(value, "n", 1), _text(value, "text")
    if n & (n - 1) or start % n:
        raise WrongLine(sentences.wrong_place(f"{start}+{n}"))
    if not text.strip() or len(text.encode()) > MAX_LINE_BYTES:
        raise WrongLine(sentences.wrong_field("text"))
    return LineRow(start, n, text, _text(value, "model"), _flag(value, "cut"), _flag(value, "stale"))


def _view(value: Object) -> ViewRow:
    pairs = value.get("lines")
    if not isinstance(pairs, list):
        raise WrongLine(sentences.wrong_field("lines"))
    return ViewRow(tuple(_pair(pair) for pair in pairs))


def _pair(pair: object) -> tuple[int, int]:
    if not isinstance(pair, list) or len(pair) != 2 or not all(type(each) is int for each in pair):
        raise WrongLine(sentences.wrong_field("lines"))
    return pair[0], pair[1]


def _end(value: Object) -> End:
    return End(_number(value, "rows"), _text(value, "sha256"))


_KINDS = frozenset(kind.value for kind in EntryKind)
_ORIGINS = frozenset(kind.value for kind in OriginKind)
_PARSERS: dict[str, Callable[[Object], Record]] = {
    KIND: _header,
    "entry": _entry,
    "line": _line,
    "view": _view,
    "end": _end,
}
