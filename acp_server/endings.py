"""How an answer ends that is no plain one: what the person reads in the chat, and the stop reason. Pure.

Faults of a request stand in `providers.faults`; these are answers that came whole, and turns that go round in circles.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from acp_server.providers.interface import StopReason
from acp_server.sentences import endings as say

MAX_FAILED_CALLS = 20
"""Calls of tools that fail in a row before the turn is stopped: no model that sends so many will mend by itself."""


class Ending(StrEnum):
    """One row each of the table of endings."""

    EMPTY = "empty"
    LENGTH = "length"
    REFUSAL = "refusal"
    REQUESTS = "requests"
    FAILED_CALLS = "failed_calls"


@dataclass(frozen=True, slots=True)
class Told:
    """The protocol's `stop_reason`, and the person's `sentence`."""

    stop_reason: str
    sentence: str


ENDINGS: Mapping[Ending, Told] = {
    Ending.EMPTY: Told("end_turn", say.EMPTY),
    Ending.LENGTH: Told("max_tokens", say.LENGTH),
    Ending.REFUSAL: Told("refusal", say.REFUSAL),
    Ending.REQUESTS: Told("max_turn_requests", say.REQUESTS),
    Ending.FAILED_CALLS: Told("max_turn_requests", say.FAILED_CALLS),
}


def ending_of(reason: StopReason, *, shown: bool) -> Ending | None:
    """How an answer without calls ends, None where it is a plain one; `shown` says whether the turn showed anything."""
    match reason:
        case StopReason.MAX_TOKENS:
            return Ending.LENGTH
        case StopReason.REFUSAL:
            return Ending.REFUSAL
        case _:
            return None if shown else Ending.EMPTY
