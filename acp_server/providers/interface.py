"""What a provider must do: take a request, stream events. Nothing here does I/O.

A request is plain values; a provider turns it into its own wire (or, embedded, into an answer) and yields events
in the order they come. A provider raises `ProviderFault` and nothing else; the turn maps it to one sentence.
Closing the iterator (a cancel) must free everything that the request holds.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]
JsonObject = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model sees it: `schema` is the JSON schema of its arguments object."""

    name: str
    description: str
    schema: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call a model asked for: `arguments` is the raw JSON text, which may be broken."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class UserItem:
    """What a person said, and the `reminder` that the agent put before it (`history.sent` joins them for a request)."""

    text: str
    reminder: str = ""


@dataclass(frozen=True, slots=True)
class Native:
    """An answer as its own provider wants it back: content blocks of its wire, reasoning with signatures included.

    `blocks` go back unchanged to the same `model` over the same `wire`; any other gets text and calls alone.
    """

    wire: str
    model: str
    blocks: tuple[JsonObject, ...]


@dataclass(frozen=True, slots=True)
class AssistantItem:
    """What the model said: text, then the calls it asked for, in order."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    native: Native | None = None


@dataclass(frozen=True, slots=True)
class ToolItem:
    """The result of one call, as the model reads it."""

    call_id: str
    name: str
    text: str
    failed: bool = False


Item = UserItem | AssistantItem | ToolItem


class Purpose(StrEnum):
    """What a request is for; the ledger groups by it."""

    CHAT = "chat"
    MEMORY = "memory"
    COMPACTION = "compaction"
    TITLE = "title"
    RELEVANCE = "relevance"


@dataclass(frozen=True, slots=True)
class Request:
    """One request: the frozen system prompt, the tools in fixed order, the history with the newest item last.

    `session` is the session's id (a key for the provider's cache); `max_output_tokens` bounds the answer where the
    purpose wants a short one.
    """

    model: str
    system: str
    tools: tuple[ToolSpec, ...]
    items: tuple[Item, ...]
    session: str = ""
    purpose: Purpose = Purpose.CHAT
    max_output_tokens: int | None = None


class StopReason(StrEnum):
    """Why a model stopped, in the protocol's own words, and `tool_use` where it waits for results."""

    END_TURN = "end_turn"
    MAX_TOKENS = "max_tokens"
    REFUSAL = "refusal"
    TOOL_USE = "tool_use"


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ThoughtDelta:
    """A piece of the model's thinking; shown, never sent back as text."""

    text: str


@dataclass(frozen=True, slots=True)
class CallStarted:
    """The model began to ask for a tool; its arguments are still coming."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class CallReady:
    """The arguments of a call are whole."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of the request: all input (cached counted once), of it read from and written to the cache; all output, of
    it reasoning.
    """

    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Waiting:
    """The request is tried again in `seconds`; `sentence` tells the person why. Comes before any other event of the
    answer, and never enters the history.
    """

    sentence: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Stopped:
    """The last event of a request that ended well."""

    reason: StopReason


ProviderEvent = TextDelta | ThoughtDelta | CallStarted | CallReady | Native | Usage | Waiting | Stopped


class ProviderFault(Exception):
    """A request that failed for good. `sentence` is what the person reads; it holds no secret.

    `kind` is a row of the fault table (`providers.faults`), "" where the fault is none of a remote provider's.
    """

    def __init__(self, sentence: str, kind: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.kind = kind


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model a person can choose: `value` is `provider/model`, `name` and `description` are shown."""

    value: str
    name: str
    description: str = ""
    context_window: int | None = None
    extra: Mapping[str, str] = field(default_factory=dict)


class Provider(Protocol):
    """Answers requests for its models."""

    def models(self) -> tuple[ModelInfo, ...]:
        """The models it offers now, the default first."""
        ...

    def stream(self, request: Request) -> AsyncIterator[ProviderEvent]:
        """The events of one request, ending with `Stopped`. Raises `ProviderFault`."""
        ...
