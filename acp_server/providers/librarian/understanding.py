"""From a person's words to what is meant, by rules tried in order. Pure.

Whatever could change a note is recognised only where it is asked for: at the start of what the person says, or
(for keeping) in a last short sentence such as "Remember that.". A question never leads to a change, nor does what
stands in quotes or is told of the past.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from acp_server.providers.librarian import looking, phrases
from acp_server.providers.librarian.cautions import PRONOUNS, denies, for_the_project, holds_nothing, is_recollection
from acp_server.providers.librarian.intents import (
    Ask,
    Delete,
    DeleteAbout,
    Extend,
    Find,
    Intent,
    OpenLine,
    Read,
    ReadAbout,
    Remember,
    Reply,
    Restore,
    Rewrite,
    Show,
    Substitute,
)
from acp_server.providers.librarian.language import content_words, corrected
from acp_server.providers.librarian.targets import Target, file_name, known_name, target
from acp_server.titles import own_words
from memory_core.reminder import without_reminder

MAX_SENTENCES_CHARS = 400
MAX_READ_CHARS = 20_000
"""What is read of a message: a request stands in its first words, and a paste of megabytes must not hold others up."""

MAX_LABEL_WORDS = 10
MAX_LINE_WORDS = 12
_LAST_SENTENCE = re.compile(r"(?P<text>\S.{6,}?[.;!…,])\s+(?P<end>[\w', -]{4,80})[.!]*", re.DOTALL)
_QUOTE = re.compile(r"[\"“”«»`]|(?:^|\s)'")
_REPORTED = phrases.form(
    r"(?:he|she|they|bob|alice|someone|somebody|the_\w+|this_\w+|my_\w+|it|\w+)_(?:just_)?(?:said|says|"
    r"told|wrote|writes|asked|asks|"
    r"reads)\b",
    anywhere=True,
)
_AND_MORE = re.compile(r"(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*)", re.IGNORECASE)
_HARMLESS = (Ask, Find, Read, ReadAbout, Show, OpenLine, Remember)
_EDGES = " \t\r\n"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person said, without greetings and courtesies. `question`: it ends as one and isn't a courtesy."""

    text: str
    question: bool
    known: Collection[str]


def understand(message: str, known: Collection[str] = ()) -> Intent:
    """What the message asks for. `known` are names of notes that exist."""
    said = _own(message)
    if len(said) > MAX_READ_CHARS:
        read = said[:MAX_READ_CHARS].rpartition(" ")[0].rstrip(_EDGES) or said[:MAX_READ_CHARS]
        return _with_the_rest(_understand(read, known), read, said[len(read) :])
    return _understand(said, known)


def _with_the_rest(found: Intent, read: str, rest: str) -> Intent:
    """What was understood of the first part of a long message; a text to keep goes on to the message's end."""
    if not isinstance(found, Remember | Rewrite | Extend):
        return found if isinstance(found, _HARMLESS) else Reply.UNABLE
    return replace(found, text=found.text + rest) if read.endswith(found.text) else Reply.UNABLE


def _understand(said: str, known: Collection[str]) -> Intent:
    if not said:
        return Reply.GREETING
    found = _by_rules(said, known)
    if found is not None:
        return found
    return _by_sentences(said, known) or _leftover(said, known)


def _own(message: str) -> str:
    """The person's own words: no reminder before them, no boilerplate of a client."""
    said = without_reminder(message).strip(_EDGES).replace("’", "'").replace("\u00a0", " ")
    first, _, rest = said.partition("\n")
    if rest and _as_write(_asked(corrected(first + "\n…"), ())) is not None:
        return said
    return own_words(said).strip(_EDGES)


def _by_rules(said: str, known: Collection[str]) -> Intent | None:
    for rule in _BEFORE_COURTESY:
        if reply := rule(said):
            return reply
    asked = _asked(corrected(said), known)
    return next((found for rule in _RULES if (found := rule(asked)) is not None), None)


def _by_sentences(said: str, known: Collection[str]) -> Intent | None:
    """A harmless request among several short sentences; nothing is looked for in quotes or long texts."""
    if "\n" in said or len(said) > MAX_SENTENCES_CHARS or _QUOTE.search(said):
        return None
    sentences = re.split(r"(?<=[.!?;])\s+", said)
    if len(sentences) < 2 or _REPORTED.match(said):
        return None
    for sentence in sentences:
        found = _by_rules(sentence, known)
        if isinstance(found, _HARMLESS):
            return found
    return None


def _leftover(said: str, known: Collection[str]) -> Intent:
    asked = _asked(corrected(said), known)
    if kept := _aside(said, asked):
        return kept
    if asked.question or looking.QUESTION.match(asked.text):
        return Ask(said, _query(asked.text))
    statement = re.match(r"(?:I|we|the|this|that|our|my|it|there|he|she|they|fyi)\b", asked.text, re.IGNORECASE)
    note = target(asked.text.strip(" .!"), known)
    if note and note.sure and note.name in known:
        return Read(note.name) if re.search(r"\bnote\b", asked.text, re.IGNORECASE) else Ask(said, _query(asked.text))
    return Reply.NOT_ASKED if statement else Reply.UNABLE


def _aside(said: str, asked: Asked) -> Intent | None:
    """`Before I forget: …` keeps what follows, where that isn't a question."""
    if phrases.ASIDE.match(said) is None or "?" in asked.text or looking.QUESTION.match(asked.text):
        return None
    return Remember(_content(asked.text))


def _asked(said: str, known: Collection[str]) -> Asked:
    text, courteous = said, False
    while True:
        greeting = phrases.GREETINGS.match(text)
        shorter = text[greeting.end() :] if greeting else text
        kinder = phrases.QUESTIONS_OF_COURTESY.match(shorter)
        if kinder:
            shorter, courteous = _base(shorter[kinder.end() :]), True
        elif plain := phrases.COURTESIES.match(shorter):
            shorter = shorter[plain.end() :]
        if shorter == text or not shorter.strip():
            break
        text = shorter
    text = _without_thanks(text)
    question = text.endswith("?") and not courteous
    if courteous:
        text = text.rstrip("?").rstrip()
    return Asked(text, question, known)


def _base(text: str) -> str:
    """`noting that` after "would you mind" as `note that`."""
    first, space, rest = text.partition(" ")
    return phrases.BASES.get(first.lower(), first) + space + rest


def _without_thanks(text: str) -> str:
    if "\n" in text.strip():
        return text.strip(_EDGES)
    tail = phrases.ENDINGS.match(text)
    if tail is None:
        return text.strip(_EDGES)
    kept = text[: tail.start("tail")].rstrip(" ,—–-")
    return kept + ("?" if text.rstrip().endswith("?") else "") if kept else text.strip(_EDGES)


# Replies


def _small_talk(said: str) -> Intent | None:
    table: tuple[tuple[phrases.Form, Reply], ...] = (
        (looking.HELP, Reply.HELP),
        (looking.GREETING, Reply.GREETING),
        (looking.THANKS, Reply.THANKS),
        (looking.AGREED, Reply.AGREED),
        (phrases.LET_IT_BE, Reply.AGREED),
    )
    return next((reply for pattern, reply in table if pattern.fullmatch(said)), None)


_BEFORE_COURTESY: tuple[Callable[[str], Intent | None], ...] = (_small_talk,)


def _refusals(asked: Asked) -> Intent | None:
    table: tuple[tuple[phrases.Form, Reply], ...] = (
        (looking.HELP, Reply.HELP),
        (phrases.LET_IT_BE, Reply.AGREED),
        (phrases.HANDS_OFF, Reply.NOTHING_DONE),
        (phrases.UNDO, Reply.HOW_TO_UNDO),
        (phrases.ASK_NOT_ACT, Reply.HELP),
        (looking.REMIND_ME_TO, Reply.NO_REMINDERS),
        (phrases.DELETE_ENTRY, Reply.NO_ENTRY_DELETE),
        (phrases.WIPE, Reply.TOO_WIDE),
    )
    if re.match(r"(?:I|we)\s", asked.text, re.IGNORECASE):
        return None
    for pattern, reply in table:
        if pattern.match(asked.text) and not (asked.question and reply is Reply.TOO_WIDE):
            return reply
    return None


def _forget(asked: Asked) -> Intent | None:
    if not phrases.FORGET.match(asked.text) or asked.question:
        return None
    return Reply.FORGET_IS_YOURS


# Keeping


def _as_write(asked: Asked) -> Intent | None:
    if asked.question and not re.search(r"[.!\n]", asked.text):
        return None
    if phrases.NEEDS_TEXT.match(asked.text):
        return Reply.NEEDS_TEXT
    if is_recollection(asked.text) or phrases.INTO_THE_PROJECT.match(asked.text):
        return None
    for pattern in phrases.WRITES:
        if found := pattern.match(asked.text):
            return _kept(found, asked)
    return _labelled(asked) or _trailing(asked)


def _labelled(asked: Asked) -> Intent | None:
    """`One thing to remember: …`: a label of a few plain words, one of which asks to keep what follows."""
    label, colon, text = asked.text.partition(":")
    words = re.findall(r"[\w']+", label.lower())
    plain = (
        0 < len(words) <= MAX_LABEL_WORDS and set(words) <= phrases.LABEL_WORDS and re.fullmatch(r"[\w\s',-]+", label)
    )
    if not (colon and plain and text[:1].isspace() and set(words) & phrases.CUES) or denies(words):
        return None
    return Remember(_content(text)) if re.search(r"\w", text) else Reply.NEEDS_TEXT


def _kept(found: re.Match[str], asked: Asked) -> Intent:
    groups = found.groupdict()
    text = _content(groups["text"])
    if text.lower().strip(".!?:") in PRONOUNS or holds_nothing(text):
        return Reply.NEEDS_TEXT
    words = groups.get("name") or groups.get("other") or ""
    if for_the_project(words, asked.text, asked.known):
        return Reply.UNABLE
    return Remember(text, file_name(words, asked.known) if words else "")


def _content(text: str) -> str:
    """What is to be kept: trimmed, out of the quotes that hold all of it."""
    text = text.strip(_EDGES)
    for opening, closing in ('""', "''", "“”", "``"):
        inside = text[1:-1]
        if (
            len(text) > 2
            and text[0] == opening
            and text[-1] == closing
            and opening not in inside
            and closing not in inside
        ):
            return inside.strip(_EDGES)
    return text


def _trailing(asked: Asked) -> Intent | None:
    found = phrases.TRAILING.fullmatch(asked.text) or _plain_end(asked.text)
    if found is None:
        return None
    text = found["text"].strip(_EDGES)
    if text.endswith("?") or looking.QUESTION.match(text) or _REPORTED.match(text) or _odd_quotes(text):
        return None
    return Remember(_content(text))


def _plain_end(text: str) -> re.Match[str] | None:
    """A last sentence of plain words that asks to keep what stands before, as in `… Please keep a record of that.`"""
    found = _LAST_SENTENCE.fullmatch(text)
    words = re.findall(r"[\w']+", found["end"].lower()) if found else []
    asks = set(words) & phrases.KEEP_VERBS and set(words) & phrases.POINTERS and set(words) <= phrases.LABEL_WORDS
    told = words[:1] == ["i"] and "you" not in words
    return found if asks and not told and not denies(words) and len(words) <= MAX_LABEL_WORDS else None


def _odd_quotes(text: str) -> bool:
    return text.count('"') % 2 == 1 or text.count("“") != text.count("”") or text.count("`") % 2 == 1


# Changing


def _as_restore(asked: Asked) -> Intent | None:
    for pattern in phrases.RESTORES:
        if (found := pattern.match(asked.text)) and not asked.question:
            return Restore(file_name(found["name"], asked.known), int(found["seq"]))
    return None


def _as_change(asked: Asked) -> Intent | None:
    if asked.question:
        return None
    first = phrases.NOTE_FIRST.match(asked.text)
    told = f"in {first['target']}, {asked.text[first.end() :]}" if first else asked.text
    for pattern in phrases.SUBSTITUTES:
        if (found := pattern.match(told)) and (note := _one(found["target"], asked)):
            return Substitute(note.name, _content(found["old"]), _content(found["new"]), note.sure)
    for table, make in ((phrases.REWRITES, Rewrite), (phrases.EXTENDS, Extend)):
        for pattern in table:
            if (found := pattern.match(told)) and (note := _one(found["target"], asked)):
                text = _content(found["text"])
                return make(note.name, text, note.sure) if not holds_nothing(text) else Reply.NEEDS_TEXT
    return _change_without_text(asked)


def _one(words: str, asked: Asked) -> Target | None:
    """The note named, where it is named rather than described."""
    note = target(words, asked.known)
    if note is not None and for_the_project(note.name, asked.text, asked.known):
        return None
    if note is not None and note.about:
        name = known_name(note.about, asked.known) or file_name(note.about, asked.known)
        return Target(name, sure=False) if name else None
    return note


def _change_without_text(asked: Asked) -> Intent | None:
    found = re.match(r"(?:rewrite|update|change|edit|overwrite|amend|extend)\s+(\S.*)", asked.text, re.IGNORECASE)
    note = target(found[1].rstrip(".!"), asked.known) if found and "\n" not in found[1] else None
    return Reply.NEEDS_TEXT if note is not None and note.sure else None


def _as_delete(asked: Asked) -> Intent | None:
    found = next((found for pattern in phrases.DELETES if (found := pattern.match(asked.text))), None)
    if found is None or asked.question or "\n" in asked.text.strip():
        return None
    words = phrases.REASON.sub("", found["x"])
    if words.lower() in PRONOUNS or re.fullmatch(
        r"(?:that|this|the|last|the last|that last)\s+(?:note|one)", words, re.IGNORECASE
    ):
        return Reply.NEEDS_NAME
    notes = [target(part, asked.known) for part in _several(words)]
    if all(note is not None and note.name and note.sure for note in notes):
        return Delete(tuple(note.name for note in notes if note is not None))
    if len(notes) == 1 and notes[0] is not None:
        return DeleteAbout(notes[0].about or notes[0].name.removesuffix(".md"))
    return None


def _several(words: str) -> list[str]:
    """The names in `a.md, b.md and c.md`; the words as one where they are no such list."""
    parts = [part for part in _AND_MORE.split(re.sub(r"^(?:the\s+)?notes\s+", "", words, flags=re.IGNORECASE)) if part]
    listed = len(parts) > 1 and all(re.fullmatch(phrases.FILE, part) for part in parts)
    return parts if listed else [words]


# Looking


def _as_line(asked: Asked) -> Intent | None:
    for pattern in looking.OPENS:
        if found := pattern.match(asked.text):
            n = found.groupdict().get("n")
            return OpenLine(int(found["id"]), int(n) if n else 1)
    return None


def _mentioned_line(asked: Asked) -> Intent | None:
    """A short request around one address, unless it is a sum."""
    found = looking.MENTIONED_LINE.fullmatch(asked.text) if len(asked.text) < MAX_SENTENCES_CHARS else None
    if found is None or looking.SUM.fullmatch(asked.text) or len(asked.text.split()) > MAX_LINE_WORDS:
        return None
    return OpenLine(int(found["id"]), int(found["n"]))


def _as_view(asked: Asked) -> Intent | None:
    return Show() if any(pattern.match(asked.text) for pattern in looking.VIEWS) else None


def _as_read(asked: Asked) -> Intent | None:
    for pattern in looking.READ_QUESTIONS:
        if (found := pattern.match(asked.text)) and (note := target(found["x"], asked.known)):
            return _reading(note)
    found = looking.READ.match(asked.text)
    if found is None or any(pattern.match(asked.text) for pattern in looking.NOTES_ABOUT):
        return None
    note = target(found["x"], asked.known)
    return _reading(note) if note is not None else None


def _reading(note: Target) -> Intent:
    return Read(note.name) if note.name else ReadAbout(_query(note.about))


def _as_find(asked: Asked) -> Intent | None:
    for pattern in looking.FINDS:
        if found := pattern.match(asked.text):
            return _found(found["x"])
    return None


def _found(words: str) -> Intent:
    query = _query(words)
    return Find(query) if query else Reply.NEEDS_QUERY


def _as_question(asked: Asked) -> Intent | None:
    for pattern in looking.ASKS:
        if (found := pattern.match(asked.text)) and (query := _query(found["x"])):
            return Ask(asked.text, query)
    if shown := looking.SHOW_ANY.match(asked.text):
        file = re.search(r"\.(?!md\b)[a-z]{1,5}\b", shown["x"])
        return None if file else _found(shown["x"])
    return None


def _query(words: str) -> str:
    """The words to search for."""
    bare = IN_MEMORY.sub("", words.strip()).strip(" ?.!,;:\"'`")
    return " ".join(content_words(bare or words))


IN_MEMORY = looking.IN_MEMORY
_RULES: tuple[Callable[[Asked], Intent | None], ...] = (
    _refusals,
    _as_restore,
    _as_write,
    _forget,
    _as_change,
    _as_delete,
    _as_line,
    _as_view,
    _as_read,
    _mentioned_line,
    _as_find,
    _as_question,
)
