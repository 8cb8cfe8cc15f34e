"""Names of notes: which are allowed, when two mean the same note, and when two look alike.

A name is a relative path with `/` between its parts, in NFC, ending in `.md`. Names that are equal after casefold
are one note where only one exists. Names that differ in case, separators or a suffix such as `copy` look alike.
"""

from __future__ import annotations

import re
import unicodedata

from memory_core import sentences
from memory_core.entry import is_text
from memory_core.exceptions import BadName

SUFFIX = ".md"
MAX_NAME_BYTES = 200

_PLAIN = re.compile(r"[a-z0-9][a-z0-9_-]{4,150}\.md")
_DRIVE = re.compile(r"[A-Za-z]:")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:\..*)?", re.IGNORECASE)
_SEPARATORS = re.compile(r"[\s._-]+")
_SUFFIXES = re.compile(r"[\s._-]+(?:\(\d+\)|v\d+|copy|new|old|final|draft|md|markdown|txt)$")


def note_name(name: str) -> str:
    """The name in its one form: NFC, with `.md`; raises BadName, saying which rule is broken."""
    if _PLAIN.fullmatch(name) and not _DEVICE.fullmatch(name):
        return name
    if not name.strip():
        raise BadName(*sentences.name_empty())
    if not is_text(name):
        raise BadName(*sentences.name_not_text())
    name = unicodedata.normalize("NFC", name)
    if not name.endswith(SUFFIX):
        _check_parts(name)
        name += SUFFIX
    _check_parts(name)
    size = len(name.encode())
    if size > MAX_NAME_BYTES:
        raise BadName(*sentences.name_long(name, size, MAX_NAME_BYTES))
    return name


def _check_parts(name: str) -> None:
    if name.startswith("/") or _DRIVE.match(name):
        raise BadName(*sentences.name_absolute(name))
    if "\\" in name:
        raise BadName(*sentences.name_backslash(name))
    if any(unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in name):
        raise BadName(*sentences.name_control(name))
    for part in name.split("/"):
        if not part:
            raise BadName(*sentences.name_part_empty(name))
        if part.startswith("."):
            raise BadName(*sentences.name_part_dots(name, part))
        if part[-1] in ". ":
            raise BadName(*sentences.name_part_end(name, part))
        if _DEVICE.fullmatch(part):
            raise BadName(*sentences.name_device(name, part))


def folded(name: str) -> str:
    """The key under which names are one note: casefolded NFC."""
    return unicodedata.normalize("NFC", name.casefold())


def alike(name: str) -> str:
    """The key under which names look alike: no case, no separators, no suffix. Names equal when folded share it."""
    stem = folded(name).removesuffix(SUFFIX)
    shorter = _SUFFIXES.sub("", stem)
    while shorter != stem:
        stem, shorter = shorter, _SUFFIXES.sub("", shorter)
    return _SEPARATORS.sub("", stem) or stem
