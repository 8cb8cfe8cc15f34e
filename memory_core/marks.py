"""The line of a note that matched best, and where in it: what a hit shows.

Lines are an editor's: they end with `\\r\\n`, `\\n` or a lone `\\r`, and with nothing else (no form feed, no
U+2028), so that a link to a line lands on it. Places are the analyzer's own, so stems, parts of names and
grams are marked exactly. A line that is too long to show is cut around its first mark.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memory_core.analyzer import asks_for_beginnings, chunk_spans, chunks, first_character, placed_chunks

MAX_LINE = 400
"""Characters of a line that a hit shows."""

BEFORE = 80
"""Characters of a cut line that stand before its first mark."""

MAX_CLUSTER = 32
"""Characters looked at when a cut would fall into a combining sequence; longer sequences are no language."""

MAX_CHUNK = 65_536
"""Characters of a text without a space or line end that are looked at: beyond, it is no line of a note."""

UNSURE = 2
"""Letters at the end of a stem that the word it came from may not have."""

Mark = tuple[int, int]

_BREAK = re.compile(r"\r\n|\n|\r")
_BYTE_ORDER_MARK = "\ufeff"
_JOINER = "\u200d"


@dataclass(frozen=True, slots=True)
class Shown:
    """A line as a hit shows it: at most 400 characters, its 1-based number, and half-open marks in `line`."""

    line: str
    line_number: int
    marks: tuple[Mark, ...]


class Marker:
    """Finds the best lines of several notes for one query, whose terms it is made with."""

    def __init__(self, terms: Sequence[str]) -> None:
        self._wanted = _Wanted(terms)

    def words(self, query: str) -> tuple[str, ...]:
        """Return the words of a query that are searched for, as they were typed, each once."""
        places = merged(self._wanted.places(query))
        return tuple(dict.fromkeys(query[start:end] for start, end in places))

    def best_line(self, text: str, body_start: int = 0) -> Shown:
        """Return the line of `text` that matches most of the query's terms; the first of equals.

        Of lines with as many terms, text is better than a heading, which a hit shows anyway; then the one whose
        terms are in the fewest lines of the note is the best.
        `body_start` is the character at which the note's body begins: lines before it (front matter) are
        counted and not looked at. Where no line matches, the first one with text is shown, without marks.
        """
        wanted = self._wanted
        lines = ((number, line, wanted.terms_in(line)) for number, line in _lines(text, body_start))
        found = [row for row in lines if row[2]]
        if not found:
            return _first(text, body_start)
        common = Counter(term for _, _, terms in found for term in terms)

        def rank(row: tuple[int, str, frozenset[str]]) -> tuple[int, bool, float, int]:
            number, line, terms = row
            return len(terms), not _is_heading(line), sum(1 / common[term] for term in terms), -number

        number, line, _ = max(found, key=rank)
        return _cut(line, number, merged(wanted.places(line)))


def best_line(text: str, terms: Sequence[str], body_start: int = 0) -> Shown:
    """Return the best line of one note for a query's terms; see `Marker.best_line`."""
    return Marker(terms).best_line(text, body_start)


def merged(places: Iterable[Mark]) -> list[Mark]:
    """Return sorted marks of which none touches another."""
    result: list[Mark] = []
    for start, end in sorted(places):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


class _Wanted(dict[str, frozenset[str]]):
    """Which of a query's terms a chunk of text holds, worked out once a chunk."""

    def __init__(self, terms: Sequence[str]) -> None:
        super().__init__()
        self.exact = frozenset(terms)
        self.beginnings = tuple(filter(asks_for_beginnings, terms))
        self.hint = _hint(terms)

    def __missing__(self, chunk: str) -> frozenset[str]:
        if chunk.isascii() and not self.hint.search(chunk):
            found = frozenset[str]()
        else:
            found = self.answered({term for term, _, _ in chunk_spans(chunk[:MAX_CHUNK])})
        self[chunk] = found
        return found

    def answered(self, terms: set[str]) -> frozenset[str]:
        """Return the terms of the query that some of a text's `terms` answer."""
        begun = {one for one in self.beginnings if any(term.startswith(one) for term in terms)}
        return self.exact & terms | begun

    def asked(self, term: str) -> str | None:
        """Return the term of the query that a text's term answers."""
        if term in self.exact:
            return term
        return next((one for one in self.beginnings if term.startswith(one)), None)

    def terms_in(self, line: str) -> frozenset[str]:
        """Return the query's terms that a line holds."""
        return frozenset().union(*filter(None, map(self.__getitem__, chunks(line))))

    def places(self, line: str) -> Iterator[Mark]:
        """Yield where the query's terms stand in a line, as far as one cut of the line can show."""
        first = None
        for chunk, at in placed_chunks(line):
            if first is not None and at > first + MAX_LINE:
                return
            if not self[chunk]:
                continue
            for term, start, end in chunk_spans(chunk[:MAX_CHUNK]):
                asked = self.asked(term)
                if asked is not None:
                    first = at + start if first is None else first
                    yield _place(line, at + start, at + end, whole=asked == term)


def _hint(terms: Sequence[str]) -> re.Pattern[str]:
    """Return what a chunk of ASCII has to hold somewhere if one of its terms is to be one of `terms`.

    Stemming changes a word's ending, and of what is left at most the last two letters.
    """
    heads = {term[: max(1, len(term) - UNSURE)] for term in terms if term.isascii()}
    return re.compile("|".join(map(re.escape, sorted(heads))) or r"(?!)", re.IGNORECASE | re.ASCII)


def _place(line: str, start: int, end: int, *, whole: bool) -> Mark:
    """Return what of a term is marked: all of it, or its first character where that alone was asked for."""
    return (start, end if whole else start + len(first_character(line[start:end])))


def _lines(text: str, body_start: int) -> Iterator[tuple[int, str]]:
    """Yield the lines of a note's body with their numbers in the file."""
    before = len(_BREAK.findall(text, 0, body_start))
    for number, line in enumerate(_BREAK.split(text[body_start:]), before + 1):
        yield number, line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line


def _is_heading(line: str) -> bool:
    return line.lstrip().startswith("#")


def _first(text: str, body_start: int) -> Shown:
    """Return the first line of the body that holds text (a heading, mostly), or an empty first line."""
    for number, line in _lines(text, body_start):
        if line.strip():
            return _cut(line, number, [])
    return Shown("", 1, ())


def _cut(line: str, number: int, marks: Sequence[Mark]) -> Shown:
    """Return at most `MAX_LINE` characters of a line, around its first mark, with the marks in them."""
    if len(line) <= MAX_LINE:
        return Shown(line, number, tuple(marks))
    first = marks[0][0] if marks else 0
    start = _boundary(line, max(0, min(first - BEFORE, len(line) - MAX_LINE)), step=1)
    end = _boundary(line, min(len(line), start + MAX_LINE), step=-1)
    inside = ((max(one, start) - start, min(other, end) - start) for one, other in marks)
    return Shown(line[start:end], number, tuple((one, other) for one, other in inside if one < other))


def _boundary(line: str, place: int, step: int) -> int:
    """Return the nearest place in the direction of `step` at which a cut parts no combined characters."""
    for near in range(place, place + step * MAX_CLUSTER, step):
        if near <= 0 or near >= len(line) or not _is_inside(line, near):
            return near
    return place


def _is_inside(line: str, place: int) -> bool:
    """Whether the characters before and after `place` belong together."""
    after = line[place]
    return (
        unicodedata.category(after)[0] == "M"
        or after == _JOINER
        or line[place - 1] == _JOINER
        or "\U0001f3fb" <= after <= "\U0001f3ff"
        or "\udc00" <= after <= "\udfff"
    )
