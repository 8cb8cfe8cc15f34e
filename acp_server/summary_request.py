"""What a model reads when it writes a summary line, and what becomes of its answer. Pure.

The rules of the job are the system prompt. The message holds the view's newest lines before the line, the material
framed as data (no note can close the block that it stands in), and a ruler, since models can't count bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from acp_server.sentences import summaries as say
from memory_core.entry import MAX_LINE_BYTES, cut, frame_block, frame_line
from memory_core.words import clip

CONTEXT_BYTES = 32 * 1024
MATERIAL_BYTES = 128 * 1024
"""Most notes are far smaller; of a larger one its head and its end are read."""
OUTPUT_TOKENS = 2048
"""Room for a line that is far too long, and for a model that thinks first."""
BYTES_PER_TOKEN = 3
"""A careful guess, to stay within a small window."""

RULER = "".join(f"{mark:.>16}" for mark in range(16, MAX_LINE_BYTES + 1, 16))


@cache
def rules() -> str:
    """The rules of the job."""
    return files("acp_server.prompts").joinpath("summary.md").read_text(encoding="utf-8")


def message(halves: Sequence[str], context: Sequence[str], window: int | None) -> str:
    """The message for a line over `halves` (a note alone, or two lines), within a window of so many tokens."""
    room = CONTEXT_BYTES + MATERIAL_BYTES
    if window is not None:
        room = min(room, max(0, (window - OUTPUT_TOKENS) * BYTES_PER_TOKEN - len(rules().encode())))
    before = _newest(context, min(CONTEXT_BYTES, room // 3))
    left = min(MATERIAL_BYTES, room - room // 3) // max(1, len(halves))
    kind = "note" if len(halves) == 1 else "line"
    blocks = [f"<memory-{kind}>\n{frame_block(_middle_out(half, left))}\n</memory-{kind}>" for half in halves]
    lines = "\n".join(before) or say.NO_LINES_BEFORE
    return "\n\n".join([f"<memory-before>\n{lines}\n</memory-before>", *blocks, f"{RULER}\n{say.WRITE_IT}"])


def one_line(answer: str) -> str:
    """An answer as a line: what separates lines becomes a space."""
    return " ".join(frame_line(answer).split())


def size(line: str) -> int:
    """A line's bytes."""
    return len(line.encode("utf-8", "replace"))


def fits(line: str) -> bool:
    """Whether a line is short enough."""
    return size(line) <= MAX_LINE_BYTES


def shorter(line: str) -> str:
    """What the model is told of a line that is too long."""
    return say.too_long(size(line), MAX_LINE_BYTES, cut_to_fit(line))


def cut_to_fit(line: str) -> str:
    """The line's first whole words that fit; one endless word is cut inside."""
    return clip(line, MAX_LINE_BYTES) or cut(line, MAX_LINE_BYTES)


def _newest(context: Sequence[str], limit_bytes: int) -> list[str]:
    """The last lines that fit."""
    kept: list[str] = []
    for text in reversed(context):
        line = frame_line(text)
        limit_bytes -= size(line) + 1
        if limit_bytes < 0:
            break
        kept.append(line)
    return kept[::-1]


def _middle_out(text: str, limit_bytes: int) -> str:
    """The text, or three quarters of the limit from its head and one from its end."""
    raw = text.encode("utf-8", "replace")
    if len(raw) <= limit_bytes:
        return text
    tail_bytes = limit_bytes // 4
    head = raw[: limit_bytes - tail_bytes].decode("utf-8", "ignore")
    tail = raw[len(raw) - tail_bytes :].decode("utf-8", "ignore")
    return f"{head}\n{say.left_out(len(raw) - limit_bytes)}\n{tail}"
