"""What the summaries of a large import will take, from the sizes of what is there. Pure.

Each leaf that doesn't fit word for word is a request, and so is each parent whose halves don't fit together. A request
reads the rules, the ruler and the view's lines before it; bytes are four to a token. It is an upper bound but for
models that think: what comes out of a provider's cache costs less.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from acp_server.models.values import Price
from acp_server.spend import MICRO
from acp_server.summary_request import CONTEXT_BYTES, MATERIAL_BYTES, RULER, rules
from memory_core.entry import MAX_LINE_BYTES

MANY_NOTES = 200
"""From more notes than these on, the person is told before their summaries are written."""
BYTES_PER_TOKEN = 4
LINE_BYTES = 400
"""What a written line comes to on average: the ruler makes models stay under it."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """How many lines a model will write, and the tokens of all its requests."""

    lines: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def tokens(self) -> int:
        """All of them."""
        return self.input_tokens + self.output_tokens

    def dollars(self, price: Price) -> float | None:
        """The money at full price, None where the price is unknown. No request is so long that it would cost more."""
        if price.input is None or price.output is None:
            return None
        return (self.input_tokens * price.input + self.output_tokens * price.output) / MICRO


def estimate(leaves: Iterable[tuple[int, bool]], parents: Iterable[tuple[int, int]] = ()) -> Estimate:
    """The estimate for a journal of such leaves, in order: the bytes of each entry's text, and whether it waits for its
    line. `parents` are those that have theirs, as (the entry after their last, n), ordered.
    """
    overhead = len(rules().encode()) + len(RULER)
    there = _Ordered(parents)
    lines = input_bytes = before = 0
    stack: list[_Line] = []
    for end, (size, pending) in enumerate(leaves, start=1):
        line = _Line(1, size)
        while True:
            written = line.material > MAX_LINE_BYTES
            if written and (pending if line.n == 1 else (end, line.n) not in there):
                lines += 1
                input_bytes += overhead + min(line.material, MATERIAL_BYTES) + min(CONTEXT_BYTES, before)
            if not stack or stack[-1].n != line.n:
                break
            line = _Line(2 * line.n, stack.pop().bytes + 1 + line.bytes)
        stack.append(line)
        before += _Line(1, size).bytes
    return Estimate(lines, input_bytes // BYTES_PER_TOKEN, lines * LINE_BYTES // BYTES_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line over n entries, and what it is made of in bytes."""

    n: int
    material: int

    @property
    def bytes(self) -> int:
        """What the line itself comes to."""
        return self.material if self.material <= MAX_LINE_BYTES else LINE_BYTES


class _Ordered:
    """Ordered pairs as they come, asked for in order."""

    def __init__(self, pairs: Iterable[tuple[int, int]]) -> None:
        self._pairs = iter(pairs)
        self._next = next(self._pairs, None)

    def __contains__(self, pair: tuple[int, int]) -> bool:
        """Whether the pair is among them; none that is smaller is asked for afterwards."""
        while self._next is not None and self._next < pair:
            self._next = next(self._pairs, None)
        return self._next == pair
