"""The events of a turn: what happens, told once, for every surface to draw (design rule "events, not callbacks").

A turn is an async iterator of these. `updates.py` makes ACP updates of them, the chat and `--print` draw them.
"""

from __future__ import annotations

from dataclasses import dataclass

from acp_server.providers.interface import JsonObject, JsonValue


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A piece of the agent's message `message_id`."""

    message_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Notice(TextChunk):
    """What the agent itself says to the person beside the model's answer; an editor shows it as text."""


@dataclass(frozen=True, slots=True)
class ThoughtChunk:
    """A piece of thinking; never part of the history."""

    message_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Wait(ThoughtChunk):
    """What the agent waits for before it asks the model again; an editor shows it as a thought."""


@dataclass(frozen=True, slots=True)
class CardOpened:
    """The model asks for a tool: the card appears, pending."""

    call_id: str
    title: str
    kind: str


@dataclass(frozen=True, slots=True)
class Card:
    """What a card holds, in ACP's own content blocks; None means unchanged."""

    title: str | None = None
    kind: str | None = None
    content: tuple[JsonObject, ...] | None = None
    locations: tuple[JsonObject, ...] | None = None
    raw_input: JsonValue = None
    raw_output: JsonValue = None


@dataclass(frozen=True, slots=True)
class CardChanged:
    """A card goes on: status is pending, in_progress, completed or failed (None means unchanged)."""

    call_id: str
    status: str | None
    card: Card


@dataclass(frozen=True, slots=True)
class TitleChanged:
    """The session's title, made of the person's words; one that the person chose stays."""

    title: str
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class OptionChosen:
    """The person chose the value of a session's option by a command; the wire takes it as if it came from the menu."""

    option: str
    value: str


@dataclass(frozen=True, slots=True)
class UsageChanged:
    """After a request: tokens now in the window (cached ones counted once), the window's `size` in tokens, and the
    session's `cost` so far in US dollars; None where unknown.
    """

    used: int
    size: int | None
    cost: float | None


@dataclass(frozen=True, slots=True)
class Compacting:
    """The history is made shorter: status is in_progress, completed or cancelled; `summary` is what stands for the part
    that the model reads no longer. For clients that draw it; to all others a notice says what was done.
    """

    compaction_id: str
    status: str
    summary: str = ""


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The last event: `stop_reason` is ACP's; `error` is a sentence where the turn failed, else None; `begun` is False
    where there was no turn, since the session stays with another window.
    """

    stop_reason: str
    error: str | None = None
    begun: bool = True


TurnEvent = (
    TextChunk
    | ThoughtChunk
    | CardOpened
    | CardChanged
    | TitleChanged
    | OptionChosen
    | UsageChanged
    | Compacting
    | TurnEnded
)
