"""What the embedded summarizer folds: the segments of an entry or of a line, one a note.

A line that it wrote reads `NAME: running text… rare terms; NAME: …`. Segments are parted by `; `; names that
have nothing left to say stand in a run (`a b c`); `delete: a b` and `forgotten: a` list notes that went;
`… words` holds words whose note's name found no room. What comes in may also be an entry (`note NAME.md` and
a body), several of them, or a line of another model. So reading is lenient: what has no form is text without
a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memory_core.common_words import STOP_WORDS
from memory_core.entry import fits
from memory_core.words import clip, is_unspaced, split_words

ELLIPSIS = "…"
GONE = ("delete", "forgotten")
MAX_MATERIAL = 200_000
"""Characters of one half that are looked at, a quarter of them from its end."""
MAX_LEAD = 700

_MARKER = re.compile(r"^(note|delete|forgotten) (\S.*\.md)[^\S\n]*$", re.MULTILINE)
_PARTIAL_END = re.compile(r"(?<!\S)\S+\Z")
_PARTIAL_START = re.compile(r"\A\S+")
_PIECE = re.compile(r";\s+|(?<=[.…])\s+(?=\S+:\s)")
_LABEL = re.compile(r"([^:]{1,200}):(?:\s+|$)")
_MARKUP = re.compile(r"[\x00-\x1f\x7f-\x9f\[\]<>{}|\"`*#=\u2028\u2029\s…]+")
_LOOSE = re.compile(r"[:;]+(?= |$)|(?:^| )[-+~_.]+(?= |$)")


@dataclass(slots=True)
class Segment:
    """What is known of one note: its name without `.md` ("" where lost), running text, and its words."""

    name: str
    lead: str
    words: list[str]


@dataclass(frozen=True, slots=True)
class Material:
    """All that is to be folded: segments in order, and the names of notes that went, by how they went."""

    segments: list[Segment]
    gone: dict[str, list[str]]


def read(halves: Sequence[str]) -> Material:
    """The segments of all halves; a note that comes twice is one segment, with its later text first."""
    material = Material([], {kind: [] for kind in GONE})
    known: dict[str, Segment] = {}
    for half in halves:
        for segment in _half(_bounded(half), material.gone):
            older = known.get(segment.name) if segment.name else None
            if older is None:
                material.segments.append(segment)
                known[segment.name] = segment
            else:
                older.lead = segment.lead or older.lead
                older.words = segment.words + older.words
    return material


def _bounded(half: str) -> str:
    if len(half) <= MAX_MATERIAL:
        return half
    head, tail = half[: MAX_MATERIAL * 3 // 4], half[-MAX_MATERIAL // 4 :]
    head = head if is_unspaced(head[-1]) else _PARTIAL_END.sub("", head)
    tail = tail if is_unspaced(tail[0]) else _PARTIAL_START.sub("", tail)
    return f"{head}\n{tail}"


def _half(half: str, gone: dict[str, list[str]]) -> Iterable[Segment]:
    """The segments of one half: what stands before the first entry is a line, then come the entries."""
    markers = list(_MARKER.finditer(half))
    if markers and not markers[0].start() and not fits(half):
        del markers[1:]  # Longer than a line, so it is one entry, and what looks like another is its body.
    before = half[: markers[0].start()] if markers else half
    for line in before.split("\n"):
        yield from _line(line, gone)
    ends = [*(marker.start() for marker in markers[1:]), len(half)]
    for marker, end in zip(markers, ends, strict=False):
        kind, name = marker[1], marker[2].removesuffix(".md")
        body = half[marker.end() : end]
        if kind == "note":
            yield Segment(_one_line(name), _lead(body, name), split_words(body))
        else:
            _went(gone, kind, [_one_line(name)])


def _went(gone: dict[str, list[str]], kind: str, names: Iterable[str]) -> None:
    gone[kind].extend(name for name in names if name not in gone[kind])


def _line(line: str, gone: dict[str, list[str]]) -> Iterable[Segment]:
    for piece in _PIECE.split(line):
        piece = piece.strip()
        label = _LABEL.match(piece)
        if not piece:
            continue
        if label and label[1] in GONE:
            _went(gone, label[1], piece[label.end() :].split())
        elif label:
            yield _labelled(label[1], piece[label.end() :])
        elif piece.startswith(ELLIPSIS):
            yield Segment("", "", split_words(piece))
        elif _tells(piece):
            yield Segment("", _plain(piece), split_words(piece))
        else:
            yield from (Segment(name, "", []) for name in piece.split())


def _labelled(name: str, rest: str) -> Segment:
    lead, dots, terms = rest.partition(ELLIPSIS)
    if not dots and not _tells(rest):
        lead, terms = "", rest
    return Segment(name, lead.strip(), split_words(lead) + split_words(terms))


def _tells(text: str) -> bool:
    """Whether a text is running text: terms alone hold no stop word."""
    return any(word.lower() in STOP_WORDS for word in text.split())


def _one_line(name: str) -> str:
    return " ".join(name.split())


def _plain(text: str) -> str:
    return _LOOSE.sub("", _MARKUP.sub(" ", text)).strip()


def _lead(body: str, name: str) -> str:
    """The body's running text from its first line that says more than the note's name."""
    lines = [line for line in map(_plain, clip(body[: MAX_LEAD * 8], MAX_LEAD * 3).split("\n")) if line]
    named = _spelled(name)
    while len(lines) > 1 and _spelled(lines[0]) <= named:
        del lines[0]
    return clip(". ".join(line.rstrip(".") for line in lines), MAX_LEAD)


def _spelled(text: str) -> set[str]:
    return set(re.split(r"[\W_]+", text.lower())) | {""}
