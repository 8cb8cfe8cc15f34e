"""The records of a session file: one JSON object a line, each with its `type` and the `version` of that type.

Theory of operation
1. A file tells two things in one order: what the person saw (`turn`, `command`, `message`, `card`, `cardEnd`, `title`,
   `end`) and what the model is sent (`turn`, `answer`, `result`, `compaction`, `cleared`, and the `prefix` before
   them).
2. Nothing is changed once it is written. What is true now follows from reading forward: the newest `prefix`, `options`,
   `title` and `directory` hold, and a `compaction` or a `cleared` says which of the history before it still counts.
3. A type or a version that isn't listed here was written by a newer build: such a session is refused, never half read.

Pure. The schema is kept in `fixtures/session-records.schema.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, ClassVar, Literal, cast, get_args

from pydantic import ConfigDict, Field, JsonValue, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from acp_server.providers.interface import JsonObject
from acp_server.raw_output import RawOutput

Json = dict[str, JsonValue]


class Newer(Exception):
    """A record that a newer build wrote: its type and version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Record:
    """Plain dataclasses that pydantic fills: a long session has tens of thousands, and its models take twice the time
    and several times the memory.
    """

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True)

    version: Literal[1] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRecord(_Record):
    """Opens the file. `created` is ISO 8601 in UTC; `forked_from` names the session this one was branched off."""

    type: Literal["session"] = "session"
    session_id: str
    cwd: str
    additional_directories: tuple[str, ...] = ()
    model: str
    client: str | None = None
    created: str
    forked_from: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkObject(_Record):
    """A place in the journal, as `memory_core.results.Mark`."""

    generation: int
    entries: int
    forgets: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixRecord(_Record):
    """The frozen prefix was made: the view's text with the journal's place at which it was taken, or the `trouble` that
    stood in its place.

    `digest` is the SHA-256 (hex) of the system prompt and the tools as they were sent: where the same parts make other
    bytes, the format has changed since.
    """

    type: Literal["prefix"] = "prefix"
    view: str | None
    trouble: str = ""
    mark: MarkObject | None
    digest: str
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRecord(_Record):
    """A turn began. `prompt` holds the person's own content blocks as the client sent them, `text` what the model
    reads of them, `reminder` what the agent put before it; `mark` is how far the model knows the journal from here on.
    """

    type: Literal["turn"] = "turn"
    message_id: str
    prompt: tuple[Json, ...]
    text: str
    reminder: str = ""
    mark: MarkObject | None = None
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRecord(_Record):
    """A turn began in which the person typed a command: shown as what they said, and never sent to the model."""

    type: Literal["command"] = "command"
    message_id: str
    prompt: tuple[Json, ...]
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRecord(_Record):
    """Text that was shown, one record for each run of chunks: the agent's message or its thinking."""

    type: Literal["message"] = "message"
    kind: Literal["text", "thought"]
    message_id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRecord(_Record):
    """A card appeared."""

    type: Literal["card"] = "card"
    call_id: str
    title: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CardEndRecord(_Record):
    """A card as it stood at its end; what it never had is null. `raw_output` is a typed object of `raw_output.py` where
    the call was one of the memory.
    """

    type: Literal["cardEnd"] = "cardEnd"
    call_id: str
    status: Literal["completed", "failed"]
    title: str
    kind: str
    content: tuple[Json, ...] | None = None
    locations: tuple[Json, ...] | None = None
    raw_input: JsonValue = None
    raw_output: JsonValue = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallObject(_Record):
    """A call of an answer; `arguments` is the model's own text."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NativeObject(_Record):
    """An answer's blocks as its own provider wants them back."""

    wire: str
    model: str
    blocks: tuple[Json, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRecord(_Record):
    """What the model answered to one request, whole or as far as it came. `at` is when the provider was last heard."""

    type: Literal["answer"] = "answer"
    text: str
    calls: tuple[CallObject, ...] = ()
    native: NativeObject | None = None
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRecord(_Record):
    """The result of a call as the model reads it."""

    type: Literal["result"] = "result"
    call_id: str
    name: str
    text: str
    failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageRecord(_Record):
    """Tokens in the window after a request, the window's size, and the session's cost so far in US dollars (null where
    unknown).
    """

    type: Literal["usage"] = "usage"
    used: int
    size: int | None
    cost: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionsRecord(_Record):
    """Options of the session that were changed, by id."""

    type: Literal["options"] = "options"
    values: dict[str, str | bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleRecord(_Record):
    """The session's title, and whether the person chose it (then no later one replaces it)."""

    type: Literal["title"] = "title"
    title: str
    chosen: bool = False

    def replaces(self, earlier: TitleRecord | None) -> bool:
        """Whether it holds from here on, and not the earlier one."""
        return self.chosen or earlier is None or not earlier.chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectoryRecord(_Record):
    """The session goes on in another directory."""

    type: Literal["directory"] = "directory"
    cwd: str
    additional_directories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionRecord(_Record):
    """The history was made shorter: the model is sent `summary` and then the last `keep` items of what came before, of
    which the results at the places `emptied` say only that they were left out. An empty summary was none.
    """

    type: Literal["compaction"] = "compaction"
    summary: str
    keep: Annotated[int, Field(ge=0)]
    emptied: tuple[int, ...] = ()
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearedRecord(_Record):
    """The history was cleared: the model is sent nothing of what came before."""

    type: Literal["cleared"] = "cleared"
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EndRecord(_Record):
    """A turn ended: the protocol's stop reason, and the sentence where it failed. One that was refused, or that no
    model could read, is `left_out` of the history.
    """

    type: Literal["end"] = "end"
    stop_reason: str
    error: str | None = None
    left_out: bool = False
    at: str


Record = (
    SessionRecord
    | PrefixRecord
    | TurnRecord
    | CommandRecord
    | MessageRecord
    | CardRecord
    | CardEndRecord
    | AnswerRecord
    | ResultRecord
    | UsageRecord
    | OptionsRecord
    | TitleRecord
    | DirectoryRecord
    | CompactionRecord
    | ClearedRecord
    | EndRecord
)

RESULT: TypeAdapter[RawOutput] = TypeAdapter(RawOutput)
MEMORY_RESULTS = "memory."

_ADAPTER: TypeAdapter[Record] = TypeAdapter(Annotated[Record, Field(discriminator="type")])

KNOWN = frozenset(field.default for kind in get_args(Record) for field in fields(kind) if field.name == "type")
"""The types that this build reads, each in version 1."""


def is_newer(value: object) -> bool:
    """Whether a line's object is of a type or a version that this build doesn't know."""
    if not isinstance(value, dict) or not isinstance(kind := value.get("type"), str):
        return False
    return kind not in KNOWN or value.get("version") != 1


def _check_result(value: JsonValue) -> None:
    """A result of the memory is one that this build can draw. Raises Newer, ValueError."""
    if not isinstance(value, dict) or not str(value.get("type")).startswith(MEMORY_RESULTS):
        return
    try:
        RESULT.validate_python(value)
    except ValidationError as error:
        if any(each["type"] in ("union_tag_invalid", "literal_error") for each in error.errors()):
            raise Newer(value.get("type"), value.get("version")) from error
        raise


def parse(line: bytes) -> Record:
    """One line as a record. Raises Newer, and ValueError for what is no record at all."""
    try:
        record = _ADAPTER.validate_json(line)
    except ValidationError:
        record = _parse_slowly(line)
    if isinstance(record, CardEndRecord):
        _check_result(record.raw_output)
    return record


def parse_all(lines: Iterable[bytes]) -> list[Record]:
    """Many lines as records, in less time than one by one. Raises as `parse`."""
    try:
        found = list(map(_ADAPTER.validator.validate_json, lines))
    except ValidationError:
        return list(map(parse, lines))
    for record in found:
        if type(record) is CardEndRecord:
            _check_result(record.raw_output)
    return found


def opening_of(found: Sequence[Record]) -> SessionRecord:
    """The session's own record, with which the records of its file begin."""
    opening = found[0]
    assert isinstance(opening, SessionRecord)
    return opening


def _parse_slowly(line: bytes) -> Record:
    """The same for what the fast parser refuses: lone surrogates are kept, and what is wrong is told apart."""
    try:
        value = json.loads(line)
    except RecursionError as error:
        raise ValueError(str(error)) from error
    if is_newer(value):
        raise Newer(value.get("type"), value.get("version"))
    return _ADAPTER.validate_python(value)


def line_of(record: Record) -> bytes:
    """A record as its line, with the newline; ASCII, so that a lone surrogate is kept as its escape."""
    return json.dumps(_ADAPTER.dump_python(record, by_alias=True), separators=(",", ":")).encode("ascii") + b"\n"


def schema() -> JsonObject:
    """The JSON schema of a line."""
    return cast("JsonObject", _ADAPTER.json_schema(by_alias=True))
