"""What kind of character a code point is, for the word search: tables, and two lookups over them.

A kind is one letter, so that a text's kinds are a string as long as the text and regular expressions can be
asked about it: `U` upper case, `l` any other letter, `d` digit, `m` a mark or joiner that belongs to the
character before it, `g` a character of a script written without spaces, `p` path separator, `.` dot, `-` what
joins words (`_`, `-`, apostrophes), and a space for all that separates.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right

Ranges = tuple[tuple[int, int], ...]

UNSPACED: Ranges = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1100, 0x11FF),  # Hangul, in pieces
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),  # ideographic iteration mark, closing mark and zero
    (0x3041, 0x30FF),  # Hiragana, Katakana
    (0x3100, 0x318F),  # Bopomofo, Hangul letters
    (0x31A0, 0x31BF),  # Bopomofo
    (0x31F0, 0x31FF),  # Katakana
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),  # Han
    (0xA960, 0xA97F),  # Hangul, in pieces
    (0xA9E0, 0xA9FF),  # Myanmar
    (0xAA60, 0xAA7F),  # Myanmar
    (0xAC00, 0xD7FF),  # Hangul
    (0xF900, 0xFAFF),  # Han
    (0xFF66, 0xFFDC),  # Katakana and Hangul of half width
    (0x1B000, 0x1B16F),  # Kana
    (0x20000, 0x323AF),  # Han
)
"""Scripts that write no spaces between words, and Hangul, whose words carry their endings."""

ATTACHED: Ranges = ((0x1160, 0x11FF), (0xD7B0, 0xD7FF), (0xFF9E, 0xFF9F))
"""Letters that belong to the one before: vowels and finals of Hangul, sound marks of half width."""

PLAIN_WITHOUT_MARKS: Ranges = (
    (0x0041, 0x02AF),  # Latin
    (0x0370, 0x03FF),  # Greek
    (0x0400, 0x052F),  # Cyrillic
    (0x0590, 0x05FF),  # Hebrew
    (0x0600, 0x06FF),  # Arabic
    (0x0750, 0x077F),  # Arabic
    (0x0870, 0x08FF),  # Arabic
    (0x1C80, 0x1C8F),  # Cyrillic
    (0x1E00, 0x1FFF),  # Latin, Greek
    (0x2C60, 0x2C7F),  # Latin
    (0x2DE0, 0x2DFF),  # Cyrillic
    (0xA640, 0xA69F),  # Cyrillic
    (0xA720, 0xA7FF),  # Latin
    (0xAB30, 0xAB6F),  # Latin
)
"""Scripts in which a word stays the same without its marks. Elsewhere a mark makes another letter."""

JOINERS = frozenset((0x00AD, 0x200C, 0x200D, 0x2060))
"""Invisible characters inside words: soft hyphen, the two joiners, word joiner."""

CONNECTORS = {"/": "p", "\\": "p", ".": ".", "_": "-", "-": "-", "'": "-", "’": "-", "‐": "-", "‑": "-"}
"""What holds a token together between two of its parts, and the kind of each."""


def within(ranges: Ranges, code_point: int) -> bool:
    """Return whether `code_point` is in one of `ranges`, which are sorted."""
    place = bisect_right(ranges, (code_point, 0x110000)) - 1
    return place >= 0 and code_point <= ranges[place][1]


def kind_of(code_point: int) -> str:
    """Return the kind of one code point, as the module says."""
    character = chr(code_point)
    if character in CONNECTORS:
        return CONNECTORS[character]
    category = unicodedata.category(character)
    if category[0] == "M" or code_point in JOINERS or within(ATTACHED, code_point):
        return "m"
    if category[0] == "L" or category == "Nl":
        if within(UNSPACED, code_point):
            return "g"
        return "U" if category in ("Lu", "Lt") else "l"
    return "d" if category[0] == "N" else " "


class Kinds(dict[int, str]):
    """A table for `str.translate` that learns a code point's kind when it first meets it."""

    def __missing__(self, code_point: int) -> str:
        """Work out and keep the kind of a code point not met before."""
        self[code_point] = kind = kind_of(code_point)
        return kind
