"""What is known of a model and of the server that runs it. Values only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from acp_server.providers.interface import JsonValue


class Wire(StrEnum):
    """The protocol a server speaks."""

    CHAT_COMPLETIONS = "chat-completions"
    RESPONSES = "responses"
    ANTHROPIC = "anthropic"


class Job(StrEnum):
    """What a model can be bound to (specification: "Summaries and spend")."""

    CHAT = "chat"
    FAST = "fast"
    COMPACTION = "compaction"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class Quirks:
    """Where a compatible server differs from the wire as its inventor speaks it."""

    max_tokens_field: str = "max_tokens"
    """The name of the bound on output (`max_completion_tokens` for newer ones)."""
    stream_usage: bool = True
    """Whether `stream_options.include_usage` is understood."""
    prompt_cache_key: bool = False
    """Whether `prompt_cache_key` is understood."""
    reasoning_fields: tuple[str, ...] = ("reasoning_content", "reasoning")
    """Where deltas hold thinking, the first that has text."""
    send_reasoning_back: str = ""
    """The field of an assistant message that takes the thinking of answers with tool calls back; "" for none."""
    thinking: Mapping[str, JsonValue] = field(default_factory=dict)
    """What the body of a request gets where the model is to think."""
    call_id_length: int | None = None
    """How many letters and digits a call's id must have, None where its form is free."""
    marked_models: str = ""
    """How ids of models begin that are cached only where a request says so at its top; "" for none."""
    key_header: str = ""
    """The header that takes the key, "" for the wire's own; in `Authorization` it is a bearer's token."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens; None where unknown.

    It holds for requests of at most `up_to_tokens` tokens of input, None for all: where a longer one costs more, its
    price is unknown here.
    """

    input: float | None = None
    output: float | None = None
    cached: float | None = None
    cache_write: float | None = None
    up_to_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server: `base_url` without a trailing slash and without credentials; `headers` hold no key.

    `key` reads the key at each request, None where there is none; `key_name` says where a person would put it (an
    environment variable). `needs_key` is False for servers that run without one.
    """

    provider: str
    wire: Wire
    base_url: str
    key: Callable[[], str | None]
    key_name: str = ""
    needs_key: bool = True
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    quirks: Quirks = Quirks()


@dataclass(frozen=True, slots=True)
class Model:
    """A model that can be asked: `value` is what a person chooses (`provider/model`), `id` what the server calls it.

    `context_window` and `max_output` are tokens. `thinks` says whether thinking is asked for.
    """

    value: str
    id: str
    endpoint: Endpoint
    name: str = ""
    description: str = ""
    context_window: int | None = None
    max_output: int | None = None
    price: Price = Price()
    thinks: bool = False
