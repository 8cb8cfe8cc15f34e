"""What sounds like a request to keep something and isn't one. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection

PRONOUNS = frozenset(
    re.split(
        r"\|",
        "this|that|it|these|those|something|everything|anything|me|us|the following|all|myself|yourself|ourselves|"
        "later|somewhere|again|now|tomorrow|soon",
    )
)
"""What isn't yet anything to keep or to delete."""
_ASKING_AFTER = re.compile(
    r"(?:remember|recall|note)\s+(?:where|what|who|whom|whose|how|when|why|which|if|whether|anything|"
    r"something(?!\s+for\b))\b",
    re.IGNORECASE,
)
_IN_GENERAL = re.compile(
    r"(?:remember|recall|memori[sz]e|note|keep|save|store|record)\s+(?:me\b|(?:such\s+|any\s+|all\s+|new\s+|old\s+)?"
    r"(?:things|stuff|facts|notes|everything|conversations|information|data)\b)(?!\s+(?:is|are)\b)",
    re.IGNORECASE,
)
_NOTHING = re.compile(r"nothing(?:\s+(?:to|in|into|about|of|at|more|else|new|for|yet)\b.*)?[.!]*", re.IGNORECASE)
_PROJECT_FILES = frozenset(
    re.split(
        r"\|",
        "readme.md|changelog.md|contributing.md|licence.md|license.md|security.md|code_of_conduct.md|agents.md|claude.md",
    )
)
_KEEPING = re.compile(r"\b(?:remember|notes?|memory|memories|mind)\b", re.IGNORECASE)


def denies(words: list[str]) -> bool:
    """Whether the words say not to keep something (`don't forget` asks to keep it)."""
    return bool({"don't", "never"} & set(words)) and "forget" not in words


def is_recollection(text: str) -> bool:
    """`remember where we keep the keys` asks, `remember things for weeks` is of abilities; `remember how to deploy:
    make deploy` tells.
    """
    if re.match(r"remember[ -]me\b", text, re.IGNORECASE):
        return True
    asks = _ASKING_AFTER.match(text) or _IN_GENERAL.match(text)
    return asks is not None and not re.search(r":\s|\n", text)


def holds_nothing(text: str) -> bool:
    """Whether there is no word to keep, or `nothing` is said to be kept."""
    return not re.search(r"\w", text) or _NOTHING.fullmatch(text) is not None


def for_the_project(name: str, asked: str, known: Collection[str]) -> bool:
    """Whether a file of the project (`README.md`) is meant: no such note exists, and no word speaks of notes."""
    return name.strip("`\"'").lower() in _PROJECT_FILES and name not in known and not _KEEPING.search(asked)
