"""A session's title, made of the person's own words and nothing else. Pure."""

from __future__ import annotations

import re
import unicodedata

MAX_TITLE = 60

MAX_LOOKED_AT = 4096
"""Characters of a line that a title is made of: a paste of megabytes must not hold the agent up."""

_BOILERPLATE = re.compile(r"^[^\S\n]*user request:\s*", re.IGNORECASE | re.MULTILINE)
_JOINER = "\u200d"


def own_words(prompt: str) -> str:
    """The prompt without what some clients put before `User request:`."""
    found = _BOILERPLATE.search(prompt)
    rest = prompt[found.end() :] if found else prompt
    return rest if rest.strip() else prompt


def title_of(prompt: str) -> str:
    """The first line that says something, at most 60 characters, cut after a word and inside no character;
    "" for none.
    """
    for line in own_words(prompt).splitlines():
        words = " ".join(_visible(line[:MAX_LOOKED_AT]).split())
        if words:
            return _cut(words)
    return ""


def _visible(line: str) -> str:
    return "".join(" " if unicodedata.category(character) in ("Cc", "Cs") else character for character in line)


def _cut(words: str) -> str:
    if len(words) <= MAX_TITLE:
        return words
    end = MAX_TITLE - 1
    space = words.rfind(" ", 0, end + 1)
    if space >= MAX_TITLE // 2:
        end = space
    while end > 1 and _is_inside(words, end):
        end -= 1
    return words[:end].rstrip() + "…"


def _is_inside(words: str, at: int) -> bool:
    """Whether a cut before `at` would part what is seen as one character."""
    before, after = words[at - 1], words[at]
    if _JOINER in (before, after) or unicodedata.combining(after) or unicodedata.category(after) in ("Mn", "Me", "Mc"):
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff":
        return True
    return _is_flag(after) and _flags_before(words, at) % 2 == 1


def _is_flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flags_before(words: str, at: int) -> int:
    start = at
    while start and _is_flag(words[start - 1]):
        start -= 1
    return at - start
