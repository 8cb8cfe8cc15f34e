"""The embedded summarizer: lines of the tree without a model, from the material's own words.

Four rules decide what stays, in this order: every note's name while the names fit; a first piece of each
note's running text; then the words that say most for their bytes (identifiers, numbers, words that aren't
common or often repeated), a share for each note; nothing twice. `segments.py` tells the form of a line,
`words.py` what a word is. The same material always gives the same line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from memory_core.entry import MAX_LINE_BYTES
from memory_core.segments import ELLIPSIS, Material, Segment, read
from memory_core.words import clip, split_words, weight

MODEL = "embedded/extractive"
"""The model's name in lines it has written."""

_LEAD_SHARE = 0.15
"""Part of the free bytes that running text may take where rare words want all of them."""
_MIN_LEAD = 14
_NAMES_SHARE = 0.6
"""Part of a line for names once they no longer all fit; the rest goes to words."""
_FADE = 0.94
"""What each further word of one note counts for, so that no note takes all the room."""
_RARE = 0.8
_PASSES = 3
"""A word's cost is guessed high while its neighbours aren't known; later passes fill what that left."""
_JOIN = "; "

_Ranked = tuple[float, int, str]
"""A word's rank value, the index of its segment, and the word."""


@dataclass(slots=True)
class _Part:
    """What a line shows of one segment."""

    name: str
    lead: str = ""
    more: bool = False
    terms: list[str] = field(default_factory=list)

    def text(self) -> str:
        said = " ".join(self.terms)
        if self.lead:
            dots = ELLIPSIS if self.terms or self.more else ""
            said = f"{self.lead}{dots} {said}".rstrip()
        if not self.name:
            return f"{ELLIPSIS} {said}" if said else ""
        if said or " " in self.name:
            return f"{self.name}: {said}".rstrip()
        return self.name


def summarize(halves: Sequence[str], limit_bytes: int = MAX_LINE_BYTES) -> str:
    """One line of at most `limit_bytes` for an entry's text, or for two lines that are folded into one."""
    material = read(halves)
    parts = [_Part(segment.name) for segment in material.segments]
    gone = _gone_parts(material)
    if _size([*parts, *gone]) > limit_bytes:
        if len(_render([*parts, *gone]).encode()) <= limit_bytes:
            return _render(parts + gone)
        _drop_names(parts, gone, int(limit_bytes * _NAMES_SHARE))
    free = limit_bytes - _size([*parts, *gone])
    candidates = _candidates(material.segments)
    free -= _add_leads(parts, material.segments, candidates, free)
    ranked = _ranked(candidates)
    for _ in range(_PASSES):
        _add_terms(parts, ranked, free)
        free = limit_bytes - len(_render(parts + gone).encode())
    return clip(_render(parts + gone), limit_bytes)


def _gone_parts(material: Material) -> list[_Part]:
    return [_Part(kind, terms=list(names)) for kind, names in material.gone.items() if names]


def _size(parts: Sequence[_Part]) -> int:
    """Bytes of the parts, each counted as if it stood alone."""
    return sum(len(part.text().encode()) + len(_JOIN) for part in parts if part.text()) - len(_JOIN)


def _render(parts: Sequence[_Part]) -> str:
    """The line: words without a name first, then parts in order, names that stand alone gathered in runs."""
    lost = " ".join(term for part in parts if not part.name for term in part.terms)
    texts = [f"{ELLIPSIS} {lost}"] if lost else []
    run = False
    for part in parts:
        text = part.text()
        bare = text == part.name
        if not part.name:
            continue
        if run and bare:
            texts[-1] += " " + text
        else:
            texts.append(text)
        run = bare
    return _JOIN.join(texts)


def _drop_names(parts: list[_Part], gone: list[_Part], limit_bytes: int) -> None:
    """Lets names go, the oldest first, until the rest fit; their words may still stand."""
    for part in gone:
        del part.terms[: max(len(part.terms) - limit_bytes // 64, 1)]
    left = limit_bytes - _size([part for part in gone if part.terms])
    gone[:] = [part for part in gone if part.terms]
    for part in reversed(parts):
        size = len(part.name.encode()) + len(_JOIN)
        if size <= left:
            left -= size
        else:
            part.name = ""


def _candidates(segments: Sequence[Segment]) -> list[dict[str, float]]:
    """For each segment its words, each once, with what they say; words of several segments say less."""
    counts = [Counter(segment.words) for segment in segments]
    spread = Counter(word for count in counts for word in count)
    return [
        {word: _value(word, times, spread[word]) for word, times in count.items() if weight(word)} for count in counts
    ]


def _value(word: str, times: int, segments: int) -> float:
    value = weight(word)
    if times > 3:
        value *= 0.35
    if segments > 1:
        value *= 0.5
    return value


def _add_leads(
    parts: Sequence[_Part], segments: Sequence[Segment], candidates: Sequence[dict[str, float]], free: int
) -> int:
    """Gives each part its piece of running text; returns the bytes taken."""
    telling = [index for index, segment in enumerate(segments) if segment.lead]
    if not telling or free <= 0:
        return 0
    rare = sum(len(word) + 1 for words in candidates for word, value in words.items() if value >= _RARE)
    share = max(int(free * _LEAD_SHARE), free - rare - 8 * len(telling)) // len(telling)
    taken = 0
    for index in telling:
        lead = _sentence(segments[index].lead, share - 6)
        if len(lead.encode()) >= min(_MIN_LEAD, len(segments[index].lead)):
            parts[index].lead = lead
            parts[index].more = lead != segments[index].lead
            taken += len(lead.encode()) + 6
    return taken


def _sentence(text: str, limit_bytes: int) -> str:
    """The text's first words within the limit, up to a sentence's end where that keeps over half of them."""
    clipped = clip(text, limit_bytes)
    if clipped != text:
        end = max(clipped.rfind(". "), clipped.rfind("。"))
        clipped = clipped[: end + 1] if end * 2 > len(clipped) else clipped
    return clipped.rstrip(".,:;—-… ")


def _add_terms(parts: Sequence[_Part], ranked: Sequence[_Ranked], free: int) -> None:
    """Fills the free bytes with the words that say most for their bytes."""
    shown = {word.lower() for part in parts for word in split_words(f"{part.name} {part.lead}")}
    shown.update(term.lower() for part in parts for term in part.terms)
    for _, index, word in ranked:
        part = parts[index]
        cost = len(word.encode()) + (1 if part.terms or part.more else 6)
        if cost <= free and word.lower() not in shown:
            shown.add(word.lower())
            part.terms.append(word)
            free -= cost


def _ranked(candidates: Sequence[dict[str, float]]) -> list[_Ranked]:
    ranked: list[_Ranked] = []
    for index, words in enumerate(candidates):
        dense = [(value / (len(word.encode()) + 3), word) for word, value in words.items() if value >= _RARE]
        dense.sort(key=lambda pair: -pair[0])
        ranked.extend((density * _FADE**rank, index, word) for rank, (density, word) in enumerate(dense))
    ranked.sort(key=lambda row: -row[0])
    return ranked
