"""Folding: the one spelling behind all spellings of a word.

Compatibility forms (NFKC: full width, ligatures), case, then the marks after letters of five scripts; what is
left is composed (NFC). Folding may change a word's length, so who needs places takes them before.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from memory_core.scripts import PLAIN_WITHOUT_MARKS, within

KEPT = 32_768
"""Words whose folded form is kept at hand."""


@lru_cache(maxsize=KEPT)
def fold(word: str) -> str:
    """Return `word` without case, compatibility forms and, in five scripts, without marks; no white space."""
    if word.isascii():
        return word.lower()
    text = unicodedata.normalize("NFKC", word).casefold()
    # An upper-case I has lost which of the two Turkish letters it was, so the dotless one follows it.
    text = text.replace("ı", "i").replace("’", "'")
    return unicodedata.normalize("NFC", "".join(_unmarked(unicodedata.normalize("NFD", text))))


def _unmarked(text: str) -> Iterator[str]:
    """Yield the characters of a decomposed text that count."""
    bare = False
    for character in text:
        kind = unicodedata.category(character)[0]
        if kind == "M":
            if not bare:
                yield character
        elif kind not in "CZ":
            bare = within(PLAIN_WITHOUT_MARKS, ord(character))
            yield character
