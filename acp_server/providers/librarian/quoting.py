"""Which sentences of a note answer a question, and how a note's words stand in an answer. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from acp_server.markdown import link as markdown_link
from acp_server.markdown import note_markdown, one_line
from acp_server.providers.librarian.language import stems

MOST_SENTENCES = 3
LONGEST = 320
LONGEST_NOTE = 2400

_HEADING = re.compile(r"\s{0,3}#{1,6}\s+")
_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=[^\sa-z])|(?<=[。！？])")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")
_FENCE = re.compile(r"\s*(?:```|~~~)")


@dataclass(frozen=True, slots=True)
class _Unit:
    text: str
    under: frozenset[str]
    heading: bool


def best_sentences(text: str, words: str) -> list[str]:
    """The sentences that hold most of the words (headings above count by half), in the note's order."""
    wanted = stems(words)
    units = _units(text)
    scored = [(_score(unit, wanted), -at, unit) for at, unit in enumerate(units) if not unit.heading]
    if not scored:
        return [unit.text for unit in units[:1]]
    best = max(score for score, _, _ in scored)
    chosen = sorted(scored, key=lambda row: (-row[0], -row[1]))[:MOST_SENTENCES]
    kept = [row for row in chosen if row[0] >= best * 0.75]
    return [_short(row[2].text) for row in sorted(kept, key=lambda row: -row[1])]


def _units(text: str) -> list[_Unit]:
    units: list[_Unit] = []
    under: frozenset[str] = frozenset()
    for line in text.split("\n"):
        if not line.strip() or _FENCE.match(line):
            continue
        if _HEADING.match(line):
            under = stems(line)
            units.append(_Unit(_HEADING.sub("", line).strip(), under, heading=True))
            continue
        for sentence in _SENTENCES.split(_BULLET.sub("", line).strip()):
            if sentence.strip():
                units.append(_Unit(sentence.strip(), under, heading=False))
    return units


def _score(unit: _Unit, wanted: frozenset[str]) -> float:
    own = len(stems(unit.text) & wanted)
    return own + 0.5 * len((unit.under & wanted) - stems(unit.text)) + 0.01


def answers(line: str, heading: str, words: str) -> bool:
    """Whether a matched line alone holds what was asked for: more than the words, and not the heading."""
    wanted, held = stems(words), stems(line)
    plain = _HEADING.sub("", line).strip()
    return (
        wanted <= held
        and len(held) >= len(wanted) + 3
        and plain != heading.strip()
        and not line.lstrip().startswith("#")
    )


def _short(text: str) -> str:
    text = one_line(text)
    if len(text) <= LONGEST:
        return text
    at = text.rfind(" ", 0, LONGEST)
    return text[: at if at > 0 else LONGEST].rstrip() + "…"


def quoted(sentence: str) -> str:
    """One line as a Markdown quote."""
    return "> " + _harmless(_short(_BULLET.sub("", _HEADING.sub("", sentence)).strip()))


def block(text: str) -> tuple[str, bool]:
    """A note as a Markdown quote, and whether all of it is there."""
    text = text.strip("\n")
    head = text if len(text) <= LONGEST_NOTE else text[: text.rfind("\n", 0, LONGEST_NOTE)]
    head = head if len(head) <= LONGEST_NOTE else head[:LONGEST_NOTE]
    lines = _harmless(head).split("\n")
    return "\n".join(f"> {line}".rstrip() for line in lines), len(head) == len(text)


def _harmless(text: str) -> str:
    """HTML is shown, not rendered, and no picture is fetched from elsewhere."""
    return note_markdown(text).replace("![", "!\\[").rstrip("\n")


def named(name: str, uri: str) -> str:
    """A note's name, as a link where its file is known."""
    return markdown_link(name, uri) if uri else f"`{name.replace('`', '')}`"
