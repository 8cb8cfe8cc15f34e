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


def estimate(leaves: Iterable[tuple[int, bool]]) -> Estimate:
    """The estimate for a journal of such leaves, in order: the bytes of each entry's text, and whether it waits for its
    line. Lines over leaves that have theirs are taken as written.
    """
    overhead = len(rules().encode()) + len(RULER)
    lines = input_bytes = before = 0
    stack: list[_Line] = []
    for size, pending in leaves:
        line = _Line(1, size, fresh=pending)
        while True:
            if line.fresh and line.material > MAX_LINE_BYTES:
                lines += 1
                input_bytes += overhead + min(line.material, MATERIAL_BYTES) + min(CONTEXT_BYTES, before)
            if not stack or stack[-1].n != line.n:
                break
            left = stack.pop()
            line = _Line(2 * line.n, left.bytes + 1 + line.bytes, left.fresh or line.fresh)
        stack.append(line)
        before += _Line(1, size, pending).bytes
    return Estimate(lines, input_bytes // BYTES_PER_TOKEN, lines * LINE_BYTES // BYTES_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line over n entries: what it is made of in bytes, and whether something below it is still to be written."""

    n: int
    material: int
    fresh: bool

    @property
    def bytes(self) -> int:
        """What the line itself comes to."""
        return self.material if self.material <= MAX_LINE_BYTES else LINE_BYTES
