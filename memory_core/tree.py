"""The pure rules of the tree: what fits word for word, what is due, and what merges next.

Two rules hold everything together:

- a line exists word for word as soon as both halves exist and fit together in 512 bytes; any other parent is
  written by a model;
- while the view is over its budget, its *most due* pair of siblings merges, and nothing overtakes that pair: where
  its parent has no text yet, the view waits.

A pair of lines of n entries each that ends before entry `end` is due `(entries + 1 - end) / n`. Of equals the oldest
comes first. Within one size the oldest pair is the most due, so one pair a size decides.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping

from memory_core.entry import MAX_LINE_BYTES

MAX_NEXT_MERGES = 128
_SCALE = 1 << 62


def joined(left: str, right: str) -> str | None:
    """The parent's line word for word, or None where it doesn't fit."""
    if len(left) + len(right) + 1 > MAX_LINE_BYTES:
        return None
    text = f"{left}\n{right}"
    return text if len(text.encode()) <= MAX_LINE_BYTES else None


def due(start: int, n: int, entries: int) -> tuple[int, int]:
    """A sort key of the pair of n-entry lines from `start` on: the larger, the more due; exact, as n divides 2^62."""
    return (entries + 1 - (start + 2 * n)) * (_SCALE // n), -start


def most_due(pairs: Mapping[int, int], entries: int) -> tuple[int, int] | None:
    """The start and n of the most due pair, given the oldest pair of each size; None where there is none."""
    if not pairs:
        return None
    if len(pairs) == 1:  # as all through an import
        ((n, start),) = pairs.items()
        return start, n
    n = max(pairs, key=lambda size: due(pairs[size], size, entries))
    return pairs[n], n


def by_due(levels: Mapping[int, Iterable[int]], entries: int) -> Iterator[tuple[int, int]]:
    """The pairs as (start, n), most due first; `levels` gives per size the starts of its pairs, oldest first."""

    def level(n: int, starts: Iterable[int]) -> Iterator[tuple[int, int, int, int]]:
        for start in starts:
            amount, age = due(start, n, entries)
            yield -amount, -age, start, n

    for _, _, start, n in heapq.merge(*(level(n, starts) for n, starts in levels.items())):
        yield start, n
