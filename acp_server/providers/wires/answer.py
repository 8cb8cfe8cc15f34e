"""What every parser keeps of an answer while it streams, and how an answer ends. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable

from acp_server.depth import is_deep
from acp_server.providers.interface import (
    CallReady,
    JsonObject,
    Native,
    ProviderEvent,
    Stopped,
    StopReason,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
)
from acp_server.providers.wires.bodies import Joined, encoded


class Answer:
    """Text and thinking as pieces arrive, the ids of calls, and whether the answer has ended."""

    def __init__(self) -> None:
        self.ended = False
        self._pieces: list[str] = []
        self._words = Joined()
        self._thoughts = Joined()
        self._ids: set[str] = set()
        self._apart = False

    def paragraph(self) -> None:
        """What is said next stands apart from what was said before."""
        self._apart = True

    def say(self, piece: str) -> list[ProviderEvent]:
        """A piece of the text."""
        if not piece:
            return []
        last = self._pieces[-1] if self._pieces else "\n"
        gap = "\n\n" if self._apart and not last.endswith("\n") else ""
        self._apart = False
        shown = self._words.add(gap + piece)
        if not shown:
            return []
        self._pieces.append(shown)
        return [TextDelta(shown)]

    def think(self, piece: str) -> list[ProviderEvent]:
        """A piece of the thinking."""
        shown = self._thoughts.add(piece) if piece else ""
        return [ThoughtDelta(shown)] if shown else []

    def new_id(self, given: str) -> str:
        """An id for a call that no other call of the answer has: the given one wherever that is possible."""
        wanted = given or f"call-{len(self._ids) + 1}"
        chosen, number = wanted, 1
        while chosen in self._ids:
            number += 1
            chosen = f"{wanted}-{number}"
        self._ids.add(chosen)
        return chosen

    @property
    def said(self) -> str:
        """The text so far."""
        return "".join(self._pieces)

    def end(
        self, reason: StopReason, calls: Iterable[ToolCall], usage: Usage | None, native: Native | None
    ) -> list[ProviderEvent]:
        """The last events, in their order: nothing counts after them."""
        self.ended = True
        return [
            *map(TextDelta, filter(None, [self._words.rest()])),
            *map(ThoughtDelta, filter(None, [self._thoughts.rest()])),
            *map(CallReady, calls),
            *([usage] if usage else []),
            *([native] if native else []),
            Stopped(reason),
        ]


def settled(reason: StopReason, *, refused: bool, called: bool) -> StopReason:
    """Why a model really stopped: servers say `stop` where they call tools, and the other way round."""
    if refused:
        return StopReason.REFUSAL
    if reason in (StopReason.END_TURN, StopReason.TOOL_USE):
        return StopReason.TOOL_USE if called else StopReason.END_TURN
    return reason


def native(wire: str, model: str, blocks: Iterable[JsonObject]) -> Native | None:
    """Blocks that go back, None where there are none or where they are too deep to be kept; they are kept with what
    JSON and UTF-8 can hold.
    """
    kept: list[JsonObject] = json.loads(encoded([*blocks]))
    return None if not kept or any(map(is_deep, kept)) else Native(wire, model, tuple(kept))
