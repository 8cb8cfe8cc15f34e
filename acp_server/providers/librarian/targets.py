"""Which note a person's words name. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from acp_server.providers.librarian.language import slug, stems
from acp_server.providers.librarian.looking import IN_MEMORY
from acp_server.providers.librarian.phrases import FILE, QUOTED, SLUG, form
from memory_core.names import SUFFIX

MAX_NAME_WORDS = 5
_QUOTES = "`\"'“”«» "
_NOTE_NAMED = form(
    r"(?:the_|a_|my_|our_|your_|that_|this_)?(?:(?:memory_)?(?:note|file)_)?(?:called_|named_|titled_)?"
    rf"(?P<name>{FILE}|{QUOTED})(?:_note|_file)?$",
    anywhere=True,
)
_NOTE_CALLED = form(
    r"(?:the_|a_|my_|our_|your_|that_|this_)?(?:memory_)?note_(?:called_|named_|titled_|with_the_name_"
    r")(?P<name>\S.{0,80})$",
    anywhere=True,
)
_NOTE_ABOUT = form(
    r"(?:the_|a_|an_|my_|our_|your_|that_|this_|whatever_|any_)?(?:old_|outdated_|wrong_|stale_)?(?:memory_"
    r")?note_(?:we_have_|you_"
    r"have_|that_is_)?(?:about|on|regarding|concerning|for|with|of|covering|that_(?:says|mentions|talks_"
    r"about|covers|describes|is_about)|"
    r"which_(?:says|mentions|covers)|saying)_(?P<about>\S.*)$",
    anywhere=True,
)
_NOTE_PLAIN = form(r"(?:the_|my_|our_|your_|this_|that_)?(?:memory_)?note:?_(?P<name>[\w./-]+)$", anywhere=True)
_THE_NOTE = form(r"(?:the_|a_|my_|our_|your_|that_|this_)?(?P<name>\S.{0,60}?)_(?:memory_)?note$", anywhere=True)
_BARE = re.compile(SLUG)
_WORD = re.compile(r"[^\W_][\w-]*")
_VAGUE = frozenset(
    re.split(
        r"\|",
        "last|first|latest|newest|oldest|old|new|whole|this|that|it|wrong|same|other|second|third|previous|next|them|these|"
        "those|memory|every|each|all|any|some|one|of",
    )
)
_OTHER_FILE = re.compile(r"\.(?!md\b)[A-Za-z][A-Za-z0-9]{0,5}$")
_ADJECTIVES = form(
    r"^((?:the_)?)(?:(?:whole|full|entire|complete|current|existing|old|outdated|stale|wrong|obsolete)_)+(?=(?:memory_)?note_)"
)
_CONTENTS = form(r"^(?:the_)?(?:whole_|full_|entire_|current_)?(?:contents?|text|body)_of_")
_MENTION = re.compile(r"\[@?([^\]\n]+)\]\([^)\n]*\)")
_ARTICLE = re.compile(r"^(?:the|a|an|my|our|your|that|this)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Target:
    """A note named: by `name`, or by what it is `about`. `sure` where a note is meant beyond doubt."""

    name: str = ""
    about: str = ""
    sure: bool = True


def target(words: str, known: Collection[str]) -> Target | None:
    """The note that the words name; None where they name none."""
    words = _ADJECTIVES.sub(r"\1", _CONTENTS.sub("", _MENTION.sub(r"\1", words.strip())))
    bare = IN_MEMORY.sub("", words)
    of_memory, words = bare != words, bare.strip(" ,")
    if named := _NOTE_NAMED.match(words):
        return _of(named["name"], known)
    if called := _NOTE_CALLED.match(words):
        return _of(called["name"], known)
    if plain := _NOTE_PLAIN.match(words):
        return _of(plain["name"], known, sure=_is_name(plain["name"], known))
    if about := _NOTE_ABOUT.match(words):
        return Target(about=about["about"].strip(_QUOTES))
    if the := _THE_NOTE.match(words):
        return _of(the["name"], known)
    return _bare(words, known, of_memory)


def _of(words: str, known: Collection[str], *, sure: bool = True) -> Target | None:
    name = file_name(words, known)
    return Target(name, sure=sure) if name else None


def _is_name(word: str, known: Collection[str]) -> bool:
    """Whether a word is a note's name rather than what happens to follow `note` (`the note model`)."""
    return word.endswith(SUFFIX) or _BARE.fullmatch(word) is not None or bool(known_name(word, known))


def _bare(words: str, known: Collection[str], of_memory: bool) -> Target | None:
    words = _ARTICLE.sub("", words).strip(_QUOTES)
    if not words or words.lower() in _VAGUE or _OTHER_FILE.search(words):
        return None
    existing = known_name(words, known)
    if existing:
        return Target(existing)
    if _BARE.fullmatch(words) or (of_memory and _WORD.fullmatch(words)):
        return Target(words.rstrip("/") + SUFFIX, sure=of_memory)
    return Target(about=words) if of_memory else None


def file_name(words: str, known: Collection[str]) -> str:
    """A name that ends in `.md` from the words that give it; "" where they give none."""
    words = words.strip(_QUOTES).rstrip(".,;:")
    if words.lower() in _VAGUE or not words:
        return ""
    existing = known_name(words, known)
    if existing:
        return existing
    if words.endswith(SUFFIX):
        return words
    if len(words.split()) == 1:
        return words.rstrip("/") + SUFFIX
    if len(words.split()) > MAX_NAME_WORDS or words.split()[0].lower() in _VAGUE:
        return ""
    return slug(_ARTICLE.sub("", words), MAX_NAME_WORDS) + SUFFIX


def known_name(words: str, known: Collection[str]) -> str:
    """The known note that the words spell, whatever their case and separators; "" where none is."""
    wanted = stems(words.removesuffix(SUFFIX))
    folded = words.casefold().removesuffix(SUFFIX)
    exact = [name for name in known if name.casefold().removesuffix(SUFFIX) == folded]
    if exact:
        return exact[0]
    same = [name for name in known if wanted and stems(name.removesuffix(SUFFIX)) == wanted]
    return same[0] if len(same) == 1 else ""
