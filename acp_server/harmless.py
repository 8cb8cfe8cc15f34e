"""Text of any origin, made harmless for a terminal. Pure.

Text of notes and models is data. Control characters other than newline and tab are shown, never sent, so no
note can move the cursor, set a title or hide what follows; so are the marks that turn the direction of text.
"""

from __future__ import annotations

import json
import re
import unicodedata

_DANGEROUS = re.compile(r"\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_BREAKS = re.compile(r"[\t\n\r]")
_JSON_CONTROLS = re.compile(r"[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_PICTURES = 0x2400
_DELETE_PICTURE = "\u2421"

BOLD, DIM, RED, GREEN, CYAN, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[36m", "\x1b[0m"


def picture(character: str) -> str:
    """A character that isn't to be sent as a reader can see it: a control picture, or its code."""
    code = ord(character)
    if code < 0x20:
        return chr(_PICTURES + code)
    return _DELETE_PICTURE if code == 0x7F else f"⟨U+{code:04X}⟩"


def _shown(match: re.Match[str]) -> str:
    return picture(match.group())


def printable(text: str) -> str:
    """`text` with every control character but newline, tab and a return before a newline shown."""
    return _DANGEROUS.sub(_shown, text)


def one_line(text: str) -> str:
    """`text` as part of one line: newlines, tabs and returns are shown as well."""
    return printable(_BREAKS.sub(_shown, text))


def columns(text: str) -> int:
    """How many columns of a terminal harmless text takes: wide characters two, marks on others none."""
    return len(text) if text.isascii() else sum(map(_columns_of, text))


def fitting(text: str, width: int) -> str:
    """As much of a text's beginning as fits `width` columns."""
    if columns(text) <= width:
        return text
    taken = 0
    for position, character in enumerate(text):
        taken += _columns_of(character)
        if taken > width:
            return text[:position]
    return text


def _columns_of(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def json_text(value: object) -> str:
    """`value` as JSON on one line, safe to print to a terminal as well."""
    text = json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    return _JSON_CONTROLS.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
