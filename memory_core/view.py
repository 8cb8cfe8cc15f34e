"""The pure rules of the view: how a line is rendered and which lines are shown under the budget."""

from __future__ import annotations

from collections.abc import Iterable

from memory_core import sentences
from memory_core.entry import frame_line, rendered_bytes

BUDGET_BYTES = 32768


def pending_text(name: str, heading: str) -> str:
    """What a leaf shows while it has no line, framed."""
    return frame_line(sentences.pending_leaf(name, heading))


def left_out_bytes(count: int) -> int:
    """The size of the row that says how many entries are left out, with its newline."""
    return len(sentences.left_out(count)) + 1


def shown(newest_first: Iterable[tuple[int, int]], view_bytes: int, budget: int) -> int:
    """How many of the newest lines are shown, given (start, bytes) of each from the newest on.

    All of them where the view fits. Else as many as fit together with the row that counts what is left out:
    the number of entries before a line is its start.
    """
    best = 0
    size = 0
    for lines, (start, line_bytes) in enumerate(newest_first, start=1):
        size += line_bytes
        if size > budget:
            break
        if start == 0 and size == view_bytes:
            return lines
        if size + left_out_bytes(start) <= budget:
            best = lines
    return best


def line_bytes(id: int, n: int, text: str) -> int:
    """The size of a line in the view, of a text that isn't framed yet, with its newline."""
    return rendered_bytes(id, n, frame_line(text))
