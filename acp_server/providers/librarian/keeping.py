"""What a note holds after it was kept, extended, rewritten or corrected. Pure; nothing of a note is ever lost here."""

from __future__ import annotations

import re
from collections.abc import Iterable

from acp_server.providers.librarian.language import stems
from acp_server.providers.librarian.results import Hit
from acp_server.secrets import find_secrets
from memory_core.common_words import STOP_WORDS
from memory_core.names import SUFFIX

_HEADING = re.compile(r"\s{0,3}#{1,6}\s+\S")
_LIST = re.compile(r"\s*[-*+]\s+\S")
_ASSIGNED = re.compile(r"[=:]>?\s*\S+")
_WORD = re.compile(r"[^\W_]+")
MIN_SENTENCE_WORDS = 4
MAX_NAMED_AFTER = 2_000
"""Characters of a text that a note's name and heading are made of."""


def new_note(text: str, name: str) -> str:
    """A heading made of the name, then the person's text; a text that has its own heading stays as it is."""
    if _HEADING.match(text):
        return text.rstrip() + "\n"
    return f"# {_as_written(title(name), text)}\n\n{sentence(text)}\n"


def _as_written(words: str, text: str) -> str:
    """The words with the large letters that they have in the text: `CI runners`, not `Ci runners`."""
    written = {word.lower(): word for word in _WORD.findall(text[:MAX_NAMED_AFTER]) if word[1:] != word[1:].lower()}
    return _WORD.sub(lambda found: written.get(found[0].lower(), found[0]), words)


def nameable(text: str) -> str:
    """What a note's name may be made of: where the text looks like it holds a secret, nothing assigned and no digits,
    for names stand in lists, titles and paths.
    """
    text = text[:MAX_NAMED_AFTER]
    if not find_secrets(text):
        return text
    return " ".join(word for word in _ASSIGNED.sub(" ", text).split() if not re.search(r"\d", word))


def title(name: str) -> str:
    """A note's heading from its name: the last part, its hyphens as spaces, the first letter large."""
    words = re.sub(r"[-_\s]+", " ", name.removesuffix(SUFFIX).rpartition("/")[2]).strip()
    return words[:1].upper() + words[1:] or name


def sentence(text: str) -> str:
    """A text of one line as a sentence: a common first word gets a capital, an open end a full stop."""
    text = text.strip()
    if "\n" in text or len(text.split()) < MIN_SENTENCE_WORDS:
        return text
    first = text.split()[0]
    if first in STOP_WORDS:
        text = text[0].upper() + text[1:]
    return text + "." if text[-1].isalnum() and text.isascii() and "://" not in text.split()[-1] else text


def extended(old: str, text: str) -> str:
    """The old text with the new at its end; the old alone where it holds the new already."""
    kept = old.rstrip()
    added = sentence(text)
    if not kept:
        return added + "\n"
    if says(kept, text):
        return kept + "\n"
    if _LIST.match(kept.rpartition("\n")[2]) and "\n" not in added and not _LIST.match(added):
        return f"{kept}\n- {added}\n"
    return f"{kept}\n\n{added}\n"


def says(note: str, text: str) -> bool:
    """Whether a note holds a text already, as lines or a sentence of its own; the first letter of either case."""
    bare = text.strip().rstrip(".")
    if not bare:
        return True
    pattern = rf"(?:^|[.!?]\s)\s*(?:[-*+]\s+)?(?i:{re.escape(bare[0])}){re.escape(bare[1:])}(?:[.!?](?=\s|$)|\s*$)"
    return re.search(pattern, note, re.MULTILINE) is not None


def rewritten(old: str, text: str) -> str:
    """The new text under the old heading, unless it brings its own."""
    first = next((line for line in old.split("\n") if line.strip()), "")
    if _HEADING.match(text) or not _HEADING.match(first):
        return text.strip() + "\n" if _HEADING.match(text) else sentence(text) + "\n"
    return f"{first.strip()}\n\n{sentence(text)}\n"


def substituted(old: str, words: str, instead: str) -> str | None:
    """The text with `instead` for each `words`; None where it doesn't hold them."""
    if words in old:
        return old.replace(words, instead).rstrip("\n") + "\n"
    pattern = re.compile(re.escape(words), re.IGNORECASE)
    return pattern.sub(lambda _: instead, old).rstrip("\n") + "\n" if pattern.search(old) else None


def same_topic(name: str, hits: Iterable[Hit]) -> str:
    """The name of the hit that is the same note but for case, separators and plurals; "" where none is."""
    wanted = stems(name.removesuffix(SUFFIX))
    return next((hit.name for hit in hits if stems(hit.name.removesuffix(SUFFIX)) == wanted), "")
