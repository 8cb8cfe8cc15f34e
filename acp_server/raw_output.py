"""The `rawOutput` objects as models: what a program may rely on. Their schema is kept in `fixtures/`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from acp_server.providers.interface import JsonObject


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LineObject(_Strict):
    """A line of the tree; `text` is what stands after the bar."""

    address: str
    id: int
    n: int
    state: Literal["written", "verbatim", "pending", "writing"]
    model: str | None
    cut: bool
    text: str


class ViewObject(_Strict):
    """The live view; `bytes` counts all its lines, `hidden` the oldest entries that are not shown."""

    type: Literal["memory.view"]
    version: Literal[1]
    entries: int
    generation: int
    hidden: int
    bytes: int
    budget: int
    lines: list[LineObject]
    next_merges: list[str]


class ZoomObject(_Strict):
    """A line opened into its two halves."""

    type: Literal["memory.zoom"]
    version: Literal[1]
    address: str
    lines: Annotated[list[LineObject], Field(min_length=2, max_length=2)]


class EntryObject(_Strict):
    """An entry whole; `created` is ISO 8601 in UTC."""

    type: Literal["memory.entry"]
    version: Literal[1]
    address: str
    seq: int
    kind: Literal["note", "delete", "forgotten"]
    name: str
    heading: str
    text: str
    status: Literal["current", "rewritten", "deleted", "forgotten"]
    replaced_by: int | None
    origin: Literal["session", "outside", "import", "cli"]
    session: str | None
    client: str | None
    created: str


class HitObject(_Strict):
    """A note that matched; `marks` are [start, end) in characters of `line`, `line_number` is 1-based."""

    seq: int
    address: str
    name: str
    path: str
    heading: str
    created: str
    line: str
    line_number: Annotated[int, Field(ge=1)]
    marks: list[Annotated[list[int], Field(min_length=2, max_length=2)]]
    score: float


class SearchObject(_Strict):
    """What a search found, best first; `complete` is whether the word index is."""

    type: Literal["memory.search"]
    version: Literal[1]
    query: str
    words: list[str]
    complete: bool
    hits: list[HitObject]
    left_out: list[str]


class NoteObject(_Strict):
    """A note's current text."""

    type: Literal["memory.note"]
    version: Literal[1]
    name: str
    path: str
    seq: int
    text: str


class ReceiptObject(_Strict):
    """What a change did: the entry it appended, and the entry that was newest before."""

    type: Literal["memory.receipt"]
    version: Literal[1]
    action: Literal["write", "delete", "restore"]
    name: str
    path: str
    entry: int
    replaced: int | None
    new_name: bool
    notices: list[str]
    similar: list[str]


class ErrorObject(_Strict):
    """A call that failed or was refused."""

    type: Literal["memory.error"]
    version: Literal[1]
    command: str
    message: str
    hint: str


RawOutput = Annotated[
    ViewObject | ZoomObject | EntryObject | SearchObject | NoteObject | ReceiptObject | ErrorObject,
    Field(discriminator="type"),
]


def schema() -> JsonObject:
    """The JSON schema of every `rawOutput` of the memory tool."""
    return TypeAdapter(RawOutput).json_schema()
