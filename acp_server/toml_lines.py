"""On which line of a TOML text a setting stands: the parser doesn't say. Pure.

Tables, arrays of tables and dotted keys are found; what stands inside an inline table or an array is where its key is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Path = tuple[str | int, ...]

_PART = re.compile(r"\s*(?:\"((?:[^\"\\]|\\.)*)\"|'([^']*)'|([A-Za-z0-9_-]+))\s*")
_HEADER = re.compile(r"\s*(\[{1,2})(.*?)\]{1,2}\s*(?:#.*)?")
_TRIPLE = re.compile(r"\"\"\"|'''")


def line_of(text: str, path: Path) -> int | None:
    """The line (from 1) of the setting at `path`, or of the nearest thing around it; None where there is none.

    `path` holds names, and numbers from 0 for the tables of an array.
    """
    found: dict[Path, int] = {}
    for line, each in _settings(text):
        found.setdefault(each, line)
    prefixes = (path[:length] for length in range(len(path), 0, -1))
    return next((found[prefix] for prefix in prefixes if prefix in found), None)


def _settings(text: str) -> Iterator[tuple[int, Path]]:
    """Each table and key with its line."""
    table: Path = ()
    counts: dict[Path, int] = {}
    inside = ""
    for number, line in enumerate(text.split("\n"), start=1):
        if inside:
            inside = "" if inside in line else inside
            continue
        if header := _HEADER.fullmatch(line):
            table = _key(header[2])[0]
            if header[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
            table = _numbered(table, counts)
            yield number, table
            continue
        key, rest = _key(line)
        if key and rest.startswith("="):
            yield number, (*table, *key)
        if len(marks := _TRIPLE.findall(line)) == 1:
            inside = marks[0]


def _key(text: str) -> tuple[Path, str]:
    """A dotted key and what follows it."""
    parts: list[str] = []
    at = 0
    while found := _PART.match(text, at):
        parts.append(found[1] or found[2] or found[3] or "")
        at = found.end()
        if text[at : at + 1] != ".":
            break
        at += 1
    return tuple(parts), text[at:]


def _numbered(table: Path, counts: dict[Path, int]) -> Path:
    """A table's path with the number of the newest table of each array on the way."""
    path: list[str | int] = []
    for length in range(1, len(table) + 1):
        path.append(table[length - 1])
        if table[:length] in counts:
            path.append(counts[table[:length]])
    return tuple(path)
