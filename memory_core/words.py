"""Words of any script for the embedded summarizer: where they end, how rare they look, where to cut.

A word is what white space and brackets leave, without punctuation at its ends. In scripts that put no spaces
between words a run of one script is cut into pieces of at most eight characters, never before a mark that
belongs to the character before it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from memory_core.common_words import COMMON_STEMS, STOP_WORDS, stem

MAX_WORD_BYTES = 96
"""Longer words (encoded data, mostly) are left out."""
PIECE = 8

_WORD = re.compile(r"[^\s\x00-\x1f\x7f-\x9f\[\]()<>{}|\"“”«»`*=,;!?…。、，；：！？（）「」『』【】・]+")
_ENDS = ".:'’#~-/\\&+—–‑·•^"
_CJK = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SOUTH_EAST_ASIA = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_UNSPACED = re.compile(f"[\u3040-\u30ff{_CJK}{_SOUTH_EAST_ASIA}]")
_RUN = re.compile(
    f"[{_CJK}々]+|[\u30a0-\u30ff]+|[\u3041-\u309f]+|[{_SOUTH_EAST_ASIA}]+|[^\u3040-\u30ff{_CJK}{_SOUTH_EAST_ASIA}]+"
)
_HIRAGANA = re.compile("[\u3041-\u309f]+")
_PARTS = re.compile(r"[^\w]+|_")
_IDENTIFIER = re.compile(r"[a-z][A-Z]|[A-Z]{2}|_|\w/\w|\w\.\w|\w:\w|@")
_JOINERS = "\u200d\ufe0e\ufe0f"


def split_words(text: str) -> list[str]:
    """The words of a text in order, with repeats."""
    words = [word.strip(_ENDS) for word in _WORD.findall(text)]
    if not _UNSPACED.search(text):
        return [word for word in words if word]
    return [piece for word in words for piece in _pieces(word) if piece]


def is_unspaced(character: str) -> bool:
    """Whether the character is of a script that puts no spaces between words."""
    return _UNSPACED.match(character) is not None


def _pieces(word: str) -> list[str]:
    if not _UNSPACED.search(word):
        return [word]
    found: list[str] = []
    for run in _RUN.findall(word):
        found.extend(_chunks(run) if _UNSPACED.search(run) else [run.strip(_ENDS)])
    return found


def _chunks(run: str) -> list[str]:
    chunks: list[str] = []
    while run:
        end = whole_characters(run, PIECE)
        chunks.append(run[:end])
        run = run[end:]
    return chunks


def whole_characters(text: str, end: int) -> int:
    """The place to cut at or before `end` that parts no mark from its letter; `end` where there is none."""
    at = end
    while 0 < at < len(text) and (_belongs(text[at]) or text[at - 1] == "\u200d"):
        at -= 1
    return at or end


def _belongs(character: str) -> bool:
    return character in _JOINERS or unicodedata.category(character)[0] == "M"


def clip(text: str, limit_bytes: int) -> str:
    """The text's first whole words within the limit; in a script without spaces, its first characters."""
    raw = text.encode()
    if len(raw) <= limit_bytes:
        return text
    head = raw[: max(limit_bytes, 0)].decode("utf-8", "ignore")
    at = len(head)
    if at < len(text) and not text[at].isspace() and not (at and _UNSPACED.match(text[at - 1])):
        space = max(head.rfind(" "), head.rfind("\n"))
        return head[: max(space, 0)].rstrip()
    return head[: whole_characters(text, at)].rstrip() if at else ""


@lru_cache(maxsize=1 << 16)
def weight(word: str) -> float:
    """How much a word says on its own: 0 for stop words, about 0.3 for common ones, 2 to 3 for rare ones."""
    lower = word.lower()
    if len(word) < 2 or lower in STOP_WORDS or len(word.encode()) > MAX_WORD_BYTES:
        return 0.0
    if word.isascii():
        return _latin(word, lower)
    if _HIRAGANA.fullmatch(word) and len(word) <= 3:
        return 0.0
    return 2.5


def _latin(word: str, lower: str) -> float:
    digits = any(character.isdigit() for character in word)
    letters = any(character.isalpha() for character in word)
    if not letters:
        return 0.9 if digits and len(word) > 2 else 0.0
    if digits:
        return 3.0
    if _IDENTIFIER.search(word):
        return 2.4
    parts = [part for part in _PARTS.split(lower) if part]
    rare = [part for part in parts if len(part) > 2 and stem(part) not in COMMON_STEMS]
    if not rare:
        return 0.9 if len(parts) > 1 else 0.3
    return 2.6 if max(map(len, rare)) > 3 else 1.2
