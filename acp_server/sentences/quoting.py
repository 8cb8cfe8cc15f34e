"""Words of others within a sentence of ours. Light to import."""

from __future__ import annotations

MAX_QUOTED_CHARS = 40


def short(words: str) -> str:
    """The words in quotes, on one line, controls escaped; cut where they are long."""
    cut = words if len(words) <= MAX_QUOTED_CHARS else words[: MAX_QUOTED_CHARS - 1] + "…"
    return repr(cut)
