"""Addresses of lines: `id+n` is the line over the n entries from entry id on.

n is always a power of two and id a multiple of it. So a line's halves, parent and sibling follow from the two
numbers alone, and no table is asked.
"""

from __future__ import annotations

import re

from memory_core import sentences
from memory_core.exceptions import BadAddress

Pair = tuple[int, int]

_FORM = re.compile(r"\s*([0-9]{1,18})\s*\+\s*([0-9]{1,18})\s*")


def parse(text: str) -> Pair:
    """The id and n of an address such as `368+8`; raises BadAddress where the form is another."""
    found = _FORM.fullmatch(text)
    if found is None:
        raise BadAddress(*sentences.address_unreadable(text[:40]))
    return int(found[1]), int(found[2])


def check(id: int, n: int, entries: int) -> None:
    """Raises BadAddress, saying what would be right, unless `id+n` is a line over at most `entries` entries."""
    if n < 1 or n & (n - 1):
        raise BadAddress(*sentences.address_size(n))
    if id < 0:
        raise BadAddress(*sentences.address_negative(id))
    if id % n:
        raise BadAddress(*sentences.address_start(id, n))
    if id + n > entries:
        raise BadAddress(*sentences.address_past_end(id, n, entries))


def halves(id: int, n: int) -> tuple[Pair, Pair]:
    """The two lines that `id+n` (n > 1) is made from."""
    half = n // 2
    return (id, half), (id + half, half)


def parent(id: int, n: int) -> Pair:
    """The line that `id+n` and its sibling are merged into."""
    return id & ~n, n * 2


def sibling(id: int, n: int) -> Pair:
    """The other half of the parent of `id+n`."""
    return id ^ n, n


def text(id: int, n: int) -> str:
    """The address as it is written."""
    return f"{id}+{n}"
