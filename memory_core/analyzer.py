"""The words of a text: the one function behind notes, queries and marks, so that all three agree.

How a text becomes terms
1. A *chunk* is a run of letters, digits and everything beyond ASCII, held together by single connectors
   (`_ - . / \\ '`). Chunks repeat, so what a chunk comes to is kept (`Memo`).
2. Within a chunk, a *token* is either words with connectors between them, or a run of a script that writes no
   spaces. ASCII glued to such a script is a token of its own.
3. A token of words gives itself whole, its path, dotted, snake_case and kebab parts, the camelCase parts of
   these, and letters and digits apart. It is split before anything is folded, for folding loses the capitals.
   A part of one character says nothing and is left out.
4. Each of them is folded (NFKC, case, marks of five scripts, NFC), and stemmed where it is a to z only.
5. A run without spaces gives each two neighbouring characters (a *gram*), and its last character alone. So a
   query of one character is a question for all terms that begin with it, and finds every note that holds it.
   (On text in Chinese, Japanese and Korean the index grew by 14 % for it; with each character alone by 73 %;
   with grams only, one note in nine wasn't found.)

Each term knows where it stands in the text it came from, whatever folding did to its length.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import islice
from operator import add

from memory_core.folding import fold
from memory_core.scripts import UNSPACED, Kinds, within
from memory_core.stemmer import stem
from memory_core.stop_words import STOP_WORDS

VERSION = 1
"""Raised with each change of the terms that a text gives: an index of another version is built anew."""

Span = tuple[str, int, int]
"""A term and where it stands: [start, end) in characters."""

MAX_QUERY_TERMS = 64
"""Distinct terms that a query keeps; a question has about ten, a pasted log thousands."""

MAX_QUERY_CHARACTERS = 16_384
"""How much of a query is read at all."""

MAX_TERM = 64
"""Characters of a term; a longer word is known by its beginning (a SHA-256 in hex just fits)."""

MAX_TOKEN = 256
"""Characters of a token that is still taken apart. Longer ones are data (an image in base64), not words."""

MEMO_CHUNKS = 32_768
"""Chunks kept by each memo; ten thousand notes of engineering prose hold fewer distinct ones."""

MEMO_CHARACTERS = 64
"""Longer chunks (a sentence in Chinese, base64) hardly repeat and aren't kept."""

_WORD = r"[0-9A-Za-z_\x80-\U0010ffff]"
_CHUNK = re.compile(rf"{_WORD}+(?:[-./\\']{_WORD}+)*")
_TOKEN = re.compile(r"(?:gm*)+|[Uld][Uldm]*(?:[-.p]{1,2}[Uld][Uldm]*)*")
_UNIT = re.compile(r"gm*")
_TIERS = tuple(map(re.compile, (r"[^p]+", r"[^p.]+", r"[^p.-]+")))
_LETTERS = r"(?:Um*)+(?=Um*l)|(?:Um*)?(?:lm*)+|(?:Um*)+"
_PART = re.compile(rf"(?:{_LETTERS})(?:dm*)*|(?:dm*)+")
_ALIKE = re.compile(r"[^d]+|[dm]+")
_PLURAL = re.compile(r"[A-Z]{2,}s")
_STEMMED = re.compile(r"[a-z]{3,}")
_POSSESSIVE = re.compile(r"['’][sS]\Z")
_KINDS = Kinds()


def terms(text: str) -> list[str]:
    """Return all terms of a note's text, in order and with repetitions."""
    return joined(text).split()


def joined(text: str) -> str:
    """Return all terms of a note's text with a space between two: what the word index is given."""
    return " ".join(filter(None, map(_JOINED.__getitem__, _CHUNK.findall(text))))


def spans(text: str) -> Iterator[Span]:
    """Yield each term of `text` with its place, in order of chunks; those of one chunk overlap."""
    for chunk in _CHUNK.finditer(text):
        start = chunk.start()
        for term, first, last in _SPANS[chunk[0]]:
            yield term, start + first, start + last


def chunks(text: str) -> list[str]:
    """Return the chunks of `text`, for who asks of each distinct one only once (see `chunk_spans`)."""
    return _CHUNK.findall(text)


def placed_chunks(text: str) -> Iterator[tuple[str, int]]:
    """Yield the chunks of `text`, each with the character at which it begins."""
    return ((chunk[0], chunk.start()) for chunk in _CHUNK.finditer(text))


def chunk_spans(chunk: str) -> tuple[Span, ...]:
    """Return the terms of one chunk, with places counted from its beginning."""
    return _SPANS[chunk]


def query_terms(text: str) -> tuple[str, ...]:
    """Return the distinct terms that a query asks for, at most `MAX_QUERY_TERMS`.

    Stop words are left out while other words remain. Of a run without spaces only grams are asked for; one
    character alone is kept, and `asks_for_beginnings` says that it stands for all that begins with it.
    """
    asked = list(_asked(text[:MAX_QUERY_CHARACTERS]))
    telling = [term for term, word in asked if fold(word) not in _STOPPED]
    return tuple(islice(dict.fromkeys(telling or (term for term, _ in asked)), MAX_QUERY_TERMS))


def asks_for_beginnings(term: str) -> bool:
    """Return whether a query's term is one character without spaces around, to be taken as a beginning."""
    return within(UNSPACED, ord(term[0])) and len(_UNIT.findall(term.translate(_KINDS))) == 1


def first_character(text: str) -> str:
    """Return the first character of a run without spaces, with the marks that belong to it."""
    unit = _UNIT.match(text.translate(_KINDS))
    return text[: unit.end()] if unit else text[:1]


def _asked(text: str) -> Iterator[tuple[str, str]]:
    """Yield a query's terms and their words, without the last characters of runs of two or more."""
    for chunk in _CHUNK.findall(text):
        found = _SPANS[chunk]
        for place, (term, start, end) in enumerate(found):
            inside_gram = place > 0 and found[place - 1][1] < start and found[place - 1][2] == end
            if not (inside_gram and asks_for_beginnings(term)):
                yield term, chunk[start:end]


def _analyzed(chunk: str) -> tuple[Span, ...]:
    """Return the terms of a chunk with their places."""
    if chunk.isascii() and chunk.isalpha() and (chunk.islower() or chunk[1:].islower()):
        return ((_term(chunk), 0, len(chunk)),)
    kinds = chunk.translate(_KINDS)
    found: list[Span] = []
    for token in _TOKEN.finditer(kinds):
        start, end = token.span()
        if kinds[start] == "g":
            found.extend(_grams(chunk, kinds, start, end))
        else:
            found.extend(_named(chunk, _places(chunk, kinds, start, end)))
    return tuple(found)


def _grams(chunk: str, kinds: str, start: int, end: int) -> Iterator[Span]:
    """Yield each two neighbouring characters of a run, then its last one."""
    run = chunk[start:end]
    if "m" not in kinds[start:end] and unicodedata.is_normalized("NFKC", run):
        yield from zip(map(add, run, run[1:]), range(start, end), range(start + 2, end + 1), strict=False)
        yield run[-1], end - 1, end
        return
    before, before_at = "", start
    for unit in _UNIT.finditer(kinds, start, end):
        first, last = unit.span()
        character = fold(chunk[first:last])
        if before:
            yield before + character, before_at, last
        before, before_at = character, first
    if before:
        yield before, before_at, end


def _named(chunk: str, places: Iterable[tuple[int, int]]) -> Iterator[Span]:
    """Yield the term at each place, where folding leaves one."""
    for start, end in places:
        term = _term(chunk[start:end])
        if term:
            yield term, start, end


def _term(word: str) -> str:
    """Return the term that a word or a whole token is known by."""
    folded = fold(word)[:MAX_TERM]
    return stem(folded) if _STEMMED.fullmatch(folded) else folded


def _places(chunk: str, kinds: str, start: int, end: int) -> Iterable[tuple[int, int]]:
    """Return the places of a token of words: the whole, then its parts from the largest to the smallest."""
    possessive = _POSSESSIVE.search(chunk, start, end)
    whole = (start, possessive.start() if possessive else end)
    if end - start > MAX_TOKEN:
        return (whole,)
    parts = [part.span() for tier in _TIERS for part in tier.finditer(kinds, *whole)]
    for word in _TIERS[-1].finditer(kinds, *whole):
        parts.extend(_camel_parts(chunk, kinds, *word.span()))
    return dict.fromkeys([whole, *(part for part in parts if _is_telling(kinds, *part))])


def _is_telling(kinds: str, start: int, end: int) -> bool:
    """Whether a part has more than one character and no connector at an end."""
    return end - start > 1 and kinds[start] not in "-." and kinds[end - 1] not in "-."


def _camel_parts(chunk: str, kinds: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the places of a word's camelCase parts, and of letters and digits within these.

    A plural of capitals (`URLs`) and a word with digits in three places or more (a hash) have no parts.
    """
    if _PLURAL.fullmatch(chunk, start, end) or len(re.findall("d+", kinds[start:end])) > 2:
        return
    for part in _PART.finditer(kinds, start, end):
        yield part.span()
        yield from (alike.span() for alike in _ALIKE.finditer(kinds, *part.span()))


class _Memo(dict[str, tuple[Span, ...]]):
    """Terms by chunk, bounded: a full memo starts afresh."""

    def __missing__(self, chunk: str) -> tuple[Span, ...]:
        found = _analyzed(chunk)
        if len(chunk) <= MEMO_CHARACTERS:
            if len(self) >= MEMO_CHUNKS:
                self.clear()
            self[chunk] = found
        return found


class _JoinedMemo(dict[str, str]):
    """A chunk's terms as the index is given them, bounded in the same way."""

    def __missing__(self, chunk: str) -> str:
        found = " ".join(term for term, _, _ in _SPANS[chunk])
        if len(chunk) <= MEMO_CHARACTERS:
            if len(self) >= MEMO_CHUNKS:
                self.clear()
            self[chunk] = found
        return found


_SPANS = _Memo()
_JOINED = _JoinedMemo()
_STOPPED = frozenset(part for word in STOP_WORDS for part in (word, word.partition("'")[0]))
