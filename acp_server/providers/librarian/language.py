"""Words and names: what carries a topic, what a typing error meant, and how a note is called. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from acp_server.slips import distance
from memory_core.common_words import STOP_WORDS, is_common, stem
from memory_core.words import clip, split_words, weight

MAX_SLUG_BYTES = 48
MAX_SLUG_WORDS = 3
FALLBACK_SLUG = "note"


def _set(joined: str) -> frozenset[str]:
    return frozenset(joined.split("|"))


_DEVICES = _set("con|prn|aux|nul|com1|lpt1")
_FRAME = _set(
    "know|knows|known|remember|recall|tell|told|say|said|says|show|find|search|look|note|notes|noted|memory|"
    "memories|anything|something|everything|information|info|about|regarding|decide|decided|learn|learned|"
    "learnt|project|please|agree|agreed|wrote|written|saved|stored|again|exactly|called|thing|things|way|"
    "come|need|want|explain|supposed|currently|actually|kept|mention|mentioned|discuss|discussed|concerning|"
    "ever|already|anyone|idea|forgot|forget|forgotten|what's|where's|who's|how's|when's|why's|that's"
)
"""Words by which people ask, and which say nothing of what they ask for."""
_VERBS = _set(
    "is|are|was|were|has|have|had|must|should|shall|can|could|will|would|may|might|need|needs|use|uses|run|runs|"
    "live|lives|fail|fails|break|breaks|require|requires|depend|depends|expire|expires|rotate|rotates|go|goes|"
    "take|takes|get|gets|work|works|happen|happens|start|starts|stop|stops|come|comes|belong|belongs|mean|means|"
    "do|does|don't|doesn't|won't|can't|isn't|aren't|never|always|only|sit|sits|listen|listens|cause|causes|"
    "want|wants|prefer|prefers|like|likes|own|owns|keep|keeps|because|before|after|when|if|unless|until|instead|"
    "at|on|in|from|with|without|by|to|for|and|or|but|under|over|via|per|every|each|not|no|nor|than"
)
"""Words before which a sentence's topic ends."""
_LEADING = _set("use|run|call|keep|set|avoid|prefer|don't|do|not|never|always|only|ask|check|make|we|i")
COMMAND_WORDS = _set(
    "remember|memorize|memorise|search|delete|remove|rewrite|update|append|expand|replace|outline|memory|record|"
    "forget|change|overwrite|please"
)
_SHORT_TYPOS = {
    "serch": "search",
    "shwo": "show",
    "hsow": "show",
    "opne": "open",
    "oepn": "open",
    "raed": "read",
    "reda": "read",
    "fnid": "find",
    "fidn": "find",
    "rmbr": "remember",
    "rmber": "remember",
    "nto": "note",
    "noet": "note",
    "zom": "zoom",
    "zomo": "zoom",
    "svae": "save",
    "saev": "save",
    "waht": "what",
    "wat": "what",
    "whta": "what",
    "wher": "where",
    "wehre": "where",
    "hwo": "how",
    "whats": "what's",
    "wheres": "where's",
    "hows": "how's",
    "whos": "who's",
    "whens": "when's",
    "teh": "the",
    "abuot": "about",
    "baout": "about",
    "abot": "about",
    "taht": "that",
    "thta": "that",
    "plese": "please",
    "pleas": "please",
    "plase": "please",
    "wirte": "write",
    "viwe": "view",
    "veiw": "view",
    "ntoe": "note",
    "ad": "add",
    "nothe": "note",
    "notes": "notes",
    "mkae": "make",
    "cna": "can",
    "coudl": "could",
    "form": "form",
}
_INFLECTIONS = re.compile(r"(?:s|d|ed|es|r|rs|er|ing|al|able)$")
_SLUG_PARTS = re.compile(r"[^\W_]+", re.UNICODE)


def content_words(text: str) -> list[str]:
    """The words that carry a topic, each once, in order; all words where none does."""
    words = list(dict.fromkeys(split_words(text)))
    telling = [word for word in words if word.lower().replace("’", "'") not in STOP_WORDS]
    asked = [word for word in telling if word.lower() not in _FRAME]
    return asked or telling or words


def stems(text: str) -> frozenset[str]:
    """The stems of a text's words and of their parts."""
    return frozenset(stem(part) for part in _SLUG_PARTS.findall(text.lower()))


def corrected(text: str, words: int = 6) -> str:
    """The text with typing errors mended in its first words where a word of command was surely meant."""
    left = words

    def mend(found: re.Match[str]) -> str:
        nonlocal left
        left -= 1
        return _meant(found[0]) if left >= 0 else found[0]

    return re.sub(r"[A-Za-z]+(?![\w./-])", mend, text, count=words)


def _meant(word: str) -> str:
    lower = word.lower()
    if lower in _SHORT_TYPOS:
        return _SHORT_TYPOS[lower]
    if len(lower) < 5 or is_common(lower):
        return word
    for command in sorted(COMMAND_WORDS):
        allowed = 2 if len(command) > 7 else 1
        near = lower[0] == command[0] and abs(len(lower) - len(command)) <= allowed
        if near and not _inflected(lower, command) and distance(lower, command) <= allowed:
            return command
    return word


def _inflected(word: str, command: str) -> bool:
    return word.startswith(command[:-1]) and _INFLECTIONS.search(word) is not None


def slug(text: str, most: int = MAX_SLUG_WORDS) -> str:
    """A note's name without `.md` from words: lower case, hyphens, no marks on Latin letters, at most 48 bytes."""
    parts = [part for word in text.split() for part in _SLUG_PARTS.findall(_unmarked(word.casefold()))]
    while len(parts) > most or len("-".join(parts).encode()) > MAX_SLUG_BYTES:
        if len(parts) == 1:
            return clip(parts[0], MAX_SLUG_BYTES) or parts[0].encode()[:MAX_SLUG_BYTES].decode("utf-8", "ignore")
        parts.pop()
    found = "-".join(parts) or FALLBACK_SLUG
    return f"{found}-{FALLBACK_SLUG}" if found in _DEVICES else found


def topic(text: str) -> str:
    """The words that name what a statement is about, for a note's name."""
    first = next((line for line in text.splitlines() if line.strip(" #*-\t")), text)
    chosen: list[str] = []
    for word in _statement(first):
        lower = word.lower()
        if chosen and (lower in _VERBS or _like_a_verb(lower, chosen)):
            break
        if _names_something(word) and not (not chosen and lower in _LEADING) and lower not in chosen:
            chosen.append(word)
        if len(chosen) == MAX_SLUG_WORDS:
            break
    return " ".join(chosen or content_words(first)[:MAX_SLUG_WORDS]) or FALLBACK_SLUG


def _names_something(word: str) -> bool:
    return weight(word) > 0 if not word.isascii() else word.lower() not in STOP_WORDS


def _statement(line: str) -> list[str]:
    return split_words(re.split(r"[:;.!?](?:\s|$)", line.strip(" #*-\t"), maxsplit=1)[0] or line)


def _like_a_verb(word: str, before: Iterable[str]) -> bool:
    return len(list(before)) > 1 and word.endswith("s") and not word.endswith(("ss", "us", "is"))


def _unmarked(word: str) -> str:
    """The word without accents on Latin letters; other scripts keep their marks."""
    found = []
    for letter in unicodedata.normalize("NFC", word):
        plain = unicodedata.normalize("NFKD", letter)
        found.append(plain[0] if plain[0].isascii() and plain[0].isalnum() else letter)
    return unicodedata.normalize("NFC", "".join(found))
