"""What stays and what goes when a history is made shorter. Pure.

Theory of operation
1. Sizes are tokens: what a provider told of its last request, and a careful guess by bytes for all that came since.
2. Huge results of tools are emptied first, the oldest first; where that is enough, nothing else changes.
3. Else a summary stands for the oldest turns. The current turn is kept whole, and the turns before it while they fit a
   share of the window. A turn is never cut, so no call is parted from its result.
4. Where even that is too long, every result is emptied; then the current turn keeps its newest rounds alone, and what
   was asked in it stands at the end of the summary.
5. What can't be made short enough, such as one message longer than the window, is left as it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from acp_server.history import emptied_result
from acp_server.providers.faults import FaultKind
from acp_server.providers.interface import AssistantItem, Item, Request, ToolItem, UserItem

TOO_LONG = frozenset({FaultKind.CONTEXT_OVERFLOW, FaultKind.TOO_LARGE})
"""What a shorter history may mend."""
BYTES_PER_TOKEN = 3
"""A careful guess: English has about four, code and other languages fewer."""
ASSUMED_WINDOW = 128_000
"""Tokens of a window that nobody states; a server that takes less says so, and then the history is made shorter."""
COMPACT_AT = 0.8
"""The share of the window that may be filled before a history is made shorter, where nobody says another."""
TARGET = 0.6
"""The share of what the prefix leaves, up to there, that a shortened history fills."""
HARD_TARGET = 0.3
LIMIT = 0.82
"""The share of the window that a history must stay under, or there was no use in making it shorter: some servers want
room for the longest answer too.
"""
RESULT_SHARE = 4
"""A result of a tool takes at most one part in so many of the window."""
WORTHWHILE = 0.95
"""A history that shrinks to no less than this of its size isn't worth a rewritten cache."""
SUMMARY_SHARE = 8
"""The summary takes at most one part in so many of what the history may take."""
MAX_SUMMARY_TOKENS = 4_000
HUGE_SHARE = 32
MIN_HUGE_TOKENS = 200
"""A huge result takes more than one part in `HUGE_SHARE` of what the history may take, and more than this."""
SMALL_TOKENS = 50
"""Results below this are never emptied: the sentence in their place is as long."""


class Cause(Enum):
    """Why a history is made shorter."""

    NEAR = auto()
    """It nears the end of the window."""
    ASKED = auto()
    """The person asked."""
    OVERFLOW = auto()
    """A provider refused it as too long."""
    OVERFLOW_AGAIN = auto()
    """A provider refused it again after it was made shorter."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a provider told: the tokens of a prefix and the history's first `items` items."""

    tokens: int
    items: int


@dataclass(frozen=True, slots=True)
class Aim:
    """How short a history is to be, in tokens without the prefix: it should take `room`, of that `recent` for turns
    before the current one, and must stay under `limit`. `scale` corrects the guess of an item's tokens.
    """

    room: int
    recent: int
    limit: int
    scale: float = 1.0
    hard: bool = False
    asked: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """The last `keep` items stay, of which the results at the places `emptied` are emptied; tokens before and after,
    the latter without a summary.
    """

    keep: int
    emptied: tuple[int, ...]
    before: int
    after: int


def result_bytes(window: int | None, most: int) -> int:
    """How much of a tool's result a model with such a window reads, in bytes, where `most` is the limit of any."""
    return most if window is None else min(most, window * BYTES_PER_TOKEN // RESULT_SHARE)


def window_of(stated: int | None) -> int:
    """The window of a server's model to stay within, where it is stated or not."""
    return stated or ASSUMED_WINDOW


def size(item: Item) -> int:
    """An item's bytes."""
    match item:
        case UserItem(text, reminder):
            return _bytes(text) + _bytes(reminder)
        case ToolItem(text=text):
            return _bytes(text)
        case AssistantItem(text, calls, native):
            said = _bytes(text) + sum(_bytes(call.name) + _bytes(call.arguments) for call in calls)
            return said if native is None else max(said, len(json.dumps(native.blocks)))


def fixed_tokens(request: Request) -> int:
    """About the tokens of all that stands before the history."""
    tools = sum(_bytes(tool.name) + _bytes(tool.description) + len(json.dumps(tool.schema)) for tool in request.tools)
    return tokens(_bytes(request.system) + tools)


def tokens(size_bytes: int) -> int:
    """About so many tokens."""
    return -(-size_bytes // BYTES_PER_TOKEN)


def estimate(request: Request, measured: Measured | None) -> int:
    """About the tokens of a request."""
    fits = measured is not None and measured.items <= len(request.items)
    known, counted = (measured.tokens, measured.items) if measured and fits else (fixed_tokens(request), 0)
    return known + sum(tokens(size(item)) for item in request.items[counted:])


def is_due(request: Request, measured: Measured | None, window: int | None, share: float) -> bool:
    """Whether a request has passed the share of its window."""
    return window is not None and estimate(request, measured) >= window * share


def aim_of(
    request: Request, measured: Measured | None, window: int | None, cause: Cause, share: float = COMPACT_AT
) -> Aim:
    """What to aim at for a request that is too long, or is asked to be shorter; `share` of the window may be filled."""
    total, fixed = estimate(request, measured), fixed_tokens(request)
    guess = fixed + sum(tokens(size(item)) for item in request.items)
    scale = min(3.0, max(0.5, total / guess)) if guess else 1.0
    ceiling = window or ASSUMED_WINDOW
    if cause in (Cause.OVERFLOW, Cause.OVERFLOW_AGAIN):
        ceiling = min(ceiling, total)
    hard = cause is Cause.OVERFLOW_AGAIN
    before = int(fixed * scale)
    room = int(max(0.0, ceiling * share - before) * (HARD_TARGET if hard else TARGET))
    limit = int(ceiling * max(LIMIT, share)) - before
    return Aim(room, room // 2, limit, scale, hard=hard, asked=cause is Cause.ASKED)


def plan(items: Sequence[Item], current: int, aim: Aim, *, summarized: bool) -> Plan | None:
    """How to shorten a history whose current turn begins at `current` (its length where no turn runs) and whose first
    item is a summary where `summarized`; None where nothing would come of it.
    """
    sizes = [int(tokens(size(item)) * aim.scale) for item in items]
    history = _History(items, sizes, current, int(summarized))
    if aim.asked:
        return _asked(history, aim)
    for hard in (True,) if aim.hard else (False, True):
        found = (_hard if hard else _soft)(history, aim)
        if found.after + summary_tokens(aim) * (found.keep < len(items)) <= aim.limit:
            return found if found.after < found.before * WORTHWHILE else None
    return None


def summary_limit(found: Plan, aim: Aim) -> int:
    """How long the summary of a plan may be: never longer than half of what it stands for."""
    return min(summary_tokens(aim), max(1, (found.before - found.after) // 2))


def summary_tokens(aim: Aim) -> int:
    """How long a summary may be at most."""
    return min(MAX_SUMMARY_TOKENS, max(MIN_HUGE_TOKENS, aim.room // SUMMARY_SHARE))


def asked_in(items: Sequence[Item], current: int, keep: int) -> str:
    """What the person asked in the current turn, where its beginning goes; "" where it stays."""
    first = items[current] if current < len(items) - keep else None
    return first.text if isinstance(first, UserItem) else ""


@dataclass(frozen=True, slots=True)
class _History:
    items: Sequence[Item]
    sizes: Sequence[int]
    current: int
    head: int

    @property
    def total(self) -> int:
        return sum(self.sizes)

    @property
    def open_from(self) -> int:
        """Where the newest round of the current turn begins: its results are what the model works on."""
        return next((at for at in self.rounds_backwards()), len(self.items))

    def rounds_backwards(self) -> Iterator[int]:
        """Where the rounds of the current turn begin, the newest first."""
        return (at for at in range(len(self.items) - 1, self.current, -1) if isinstance(self.items[at], AssistantItem))

    def turns(self) -> list[int]:
        """Where turns begin, the current one and the summary apart."""
        return [at for at in range(self.head, self.current) if isinstance(self.items[at], UserItem)]

    def kept(self, begin: int, emptied: Sequence[int]) -> Plan:
        saved = sum(self.saved(at) for at in emptied)
        places = tuple(at - begin for at in emptied)
        return Plan(len(self.items) - begin, places, self.total, sum(self.sizes[begin:]) - saved)

    def saved(self, at: int) -> int:
        item = self.items[at]
        return max(0, self.sizes[at] - tokens(size(emptied_result(item)))) if isinstance(item, ToolItem) else 0


def _soft(history: _History, aim: Aim) -> Plan:
    """Huge results first, then the oldest turns."""
    huge = max(MIN_HUGE_TOKENS, aim.room // HUGE_SHARE)
    closed = range(history.head, history.open_from)
    emptied = _emptied(history, closed, huge, history.total - aim.room)
    whole = history.kept(0, emptied)
    begin = _recent(history, aim.recent)
    if whole.after <= aim.room or begin <= history.head:
        return whole
    over = sum(history.sizes[begin:]) + summary_tokens(aim) - aim.room
    return history.kept(begin, _emptied(history, range(begin, history.open_from), huge, over))


def _hard(history: _History, aim: Aim) -> Plan:
    """The current turn alone, without its results; of one that is still too long its newest rounds."""
    begin = min(history.current, len(history.items))
    room = aim.room - summary_tokens(aim)
    emptied = _emptied(history, range(begin, len(history.items)), SMALL_TOKENS, sum(history.sizes[begin:]) - room)
    found = history.kept(begin, emptied)
    if found.after <= room or not any(history.rounds_backwards()):
        return found if begin > history.head else history.kept(0, emptied)
    best = begin
    for at in history.rounds_backwards():
        if best > begin and _after(history, at, emptied) > room:
            break
        best = at
    return history.kept(best, [at for at in emptied if at >= best])


def _after(history: _History, begin: int, emptied: Sequence[int]) -> int:
    return sum(history.sizes[begin:]) - sum(history.saved(at) for at in emptied if at >= begin)


def _asked(history: _History, aim: Aim) -> Plan | None:
    """A summary for all but the newest turn; for that too where it is large, or the only one."""
    turns = history.turns()
    if not turns or history.total < MIN_HUGE_TOKENS:
        return None
    last = turns[-1]
    keeps_last = len(turns) > 1 and sum(history.sizes[last:]) <= aim.recent
    return history.kept(last if keeps_last else len(history.items), ())


def _recent(history: _History, share: int) -> int:
    """Where the oldest turn begins that is kept: whole turns before the current one, while they fit a share."""
    begin, left = history.current, share
    for at in reversed(history.turns()):
        left -= sum(history.sizes[at:begin])
        if left < 0:
            break
        begin = at
    return begin


def _emptied(history: _History, places: range, at_least: int, over: int) -> list[int]:
    """Results to empty, the oldest first, until `over` tokens are saved."""
    chosen: list[int] = []
    for at in places:
        if over <= 0:
            break
        item = history.items[at]
        if isinstance(item, ToolItem) and history.sizes[at] >= at_least and history.saved(at):
            chosen.append(at)
            over -= history.saved(at)
    return chosen


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
