"""The next move towards what a person asked for: a call of the memory tool, or the answer. Pure.

Each intent is one small function over the calls made so far in this turn. A change is only ever called for because
the person's own words asked for it; what a tool answered decides at most which of the named notes is meant, or
that there is nothing to do. Every path ends after at most four calls of a kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from acp_server.markdown import escaped
from acp_server.providers.interface import JsonObject
from acp_server.providers.librarian import answering, results
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
from acp_server.providers.librarian.keeping import extended, nameable, new_note, rewritten, same_topic, substituted
from acp_server.providers.librarian.language import content_words, slug, stems, topic
from acp_server.providers.librarian.quoting import named
from acp_server.providers.librarian.surroundings import Step, Surroundings
from acp_server.providers.librarian.targets import known_name
from acp_server.sentences import librarian as say
from memory_core.names import SUFFIX

MAX_CALLS = 12
"""Calls in one turn, as a last guard; the longest list of deletes is cut here."""


@dataclass(frozen=True, slots=True)
class Call:
    """Call the memory tool with these arguments."""

    arguments: JsonObject


@dataclass(frozen=True, slots=True)
class Say:
    """Answer, and end the turn."""

    text: str


Move = Call | Say


def next_move(intent: Intent, steps: Sequence[Step], around: Surroundings) -> Move:
    """The next call, or the answer."""
    if isinstance(intent, Reply):
        return Say(answering.REPLIES[intent])
    if len(steps) >= MAX_CALLS:
        return Say(say.UNCLEAR_RESULT)
    match intent:
        case Remember():
            return _remember(intent, steps, around)
        case Rewrite() | Extend() | Substitute():
            return _change(intent, steps, around)
        case Restore():
            return _restore(intent, steps, around)
        case Delete():
            return _delete(intent.names, steps)
        case DeleteAbout():
            return _delete_about(intent, steps)
        case Read() | ReadAbout():
            return _read(intent, steps)
        case Ask():
            return _ask(intent, steps)
        case Find():
            return _once(_search(intent.words), steps, lambda text: answering.found(text, intent.words))
        case OpenLine():
            return _once(_call("zoom", id=intent.id, n=intent.n), steps, lambda text: _opened(intent, text))
        case Show():
            return _once(_call("view"), steps, answering.viewed)


def _call(command: str, **arguments: str | int) -> Call:
    return Call({"command": command, **arguments})


def _search(words: str) -> Call:
    return _call("search", query=words)


def _once(call: Call, steps: Sequence[Step], answer: Callable[[str], str]) -> Move:
    """A single call, then its answer."""
    if not steps:
        return call
    failure = results.failure(steps[-1].text)
    return Say(say.failed(failure) if failure is not None else answer(steps[-1].text))


def _opened(intent: OpenLine, text: str) -> str:
    return answering.opened(f"{intent.id}+{intent.n}", text)


# Keeping


def _remember(intent: Remember, steps: Sequence[Step], around: Surroundings) -> Move:
    words = topic(nameable(intent.text))
    name = intent.name or slug(words) + SUFFIX
    existing = known_name(name, around.known)
    if not steps:
        if existing or (intent.name and not around.complete):
            return _call("read", path=existing or name)
        return _new(name, intent.text) if around.complete else _search(" ".join(content_words(words)))
    last = steps[-1]
    failure = results.failure(last.text)
    if last.command == "search" and failure is None:
        there = same_topic(name, results.hits(last.text))
        return _call("read", path=there) if there else _new(name, intent.text)
    if last.command == "read":
        return _added(intent, name, last.text, failure)
    return Say(answering.written(last.text, around, added=len(steps) > 1 and _was_read(steps)))


def _new(name: str, text: str) -> Call:
    return _call("write", path=name, content=new_note(text, name))


def _added(intent: Remember, name: str, text: str, failure: str | None) -> Move:
    note = results.note(text)
    if note is None:
        missing = failure is not None and failure.startswith(results.NO_SUCH_NOTE)
        return _new(name, intent.text) if missing else Say(answering.failed(failure))
    return _written(note, extended(note.text, intent.text))


def _written(note: results.Text, text: str) -> Move:
    """The note with a new text that was made of its old one; none is written where nothing changes."""
    if not note.whole:
        return Say(say.NOT_EXACT)
    if text.strip() == note.text.strip():
        return Say(say.known_already(named(note.name, note.link)))
    return _call("write", path=note.name, content=text)


def _was_read(steps: Sequence[Step]) -> bool:
    return any(step.command == "read" and results.note(step.text) is not None for step in steps)


# Changing


def _change(intent: Rewrite | Extend | Substitute, steps: Sequence[Step], around: Surroundings) -> Move:
    if not steps:
        return _call("read", path=intent.name)
    last = steps[-1]
    if last.command != "read":
        return Say(answering.written(last.text, around, added=isinstance(intent, Extend)))
    note, failure = results.note(last.text), results.failure(last.text)
    if note is None:
        missing = failure is not None and failure.startswith(results.NO_SUCH_NOTE)
        if missing and intent.sure and not isinstance(intent, Substitute):
            return _new(intent.name, intent.text)
        return Say(say.no_such_note(named(intent.name, "")) if missing else answering.failed(failure))
    if isinstance(intent, Rewrite):
        return _call("write", path=note.name, content=rewritten(note.text, intent.text))
    if isinstance(intent, Extend):
        return _written(note, extended(note.text, intent.text))
    if not note.whole:
        return Say(say.NOT_EXACT)
    text = substituted(note.text, intent.old, intent.new)
    if text is None:
        return Say(say.nothing_changed(named(note.name, note.link), escaped(intent.old)))
    return _written(note, text)


def _restore(intent: Restore, steps: Sequence[Step], around: Surroundings) -> Move:
    if not steps:
        return _call("zoom", id=intent.seq, n=1)
    last = steps[-1]
    if last.command != "zoom":
        return Say(answering.written(last.text, around, added=False))
    entry = results.note(last.text)
    if entry is None:
        return Say(answering.failed(results.failure(last.text)))
    if not entry.whole or not entry.text.strip():
        return Say(say.NOT_EXACT)
    return _call("write", path=intent.name, content=entry.text.rstrip("\n") + "\n")


def _delete(names: Sequence[str], steps: Sequence[Step]) -> Move:
    done = [step for step in steps if step.command == "delete"]
    if len(done) < len(names):
        return _call("delete", path=names[len(done)])
    return Say("\n".join(answering.deleted(step.text) for step in done))


def _delete_about(intent: DeleteAbout, steps: Sequence[Step]) -> Move:
    """Deletes where exactly one note's own name holds every word; otherwise nothing."""
    if not steps:
        return _search(" ".join(content_words(intent.words)))
    last = steps[-1]
    if last.command == "delete":
        return Say(answering.deleted(last.text))
    if (failure := results.failure(last.text)) is not None:
        return Say(say.failed(failure))
    wanted = stems(" ".join(content_words(intent.words)))
    found = results.hits(last.text)
    exact = [hit for hit in found if stems(hit.name.removesuffix(SUFFIX)) == wanted]
    named = exact or [hit for hit in found if wanted <= stems(hit.name.removesuffix(SUFFIX))]
    if len(named) == 1:
        return _call("delete", path=named[0].name)
    return Say(answering.not_deleted(intent.words, named or found))


# Looking


def _read(intent: Read | ReadAbout, steps: Sequence[Step]) -> Move:
    if not steps:
        return _call("read", path=intent.name) if isinstance(intent, Read) else _search(intent.words)
    last = steps[-1]
    failure = results.failure(last.text)
    if last.command == "read":
        if failure is not None and failure.startswith(results.NO_SUCH_NOTE) and isinstance(intent, Read):
            return _search(" ".join(content_words(intent.name.removesuffix(SUFFIX).replace("-", " "))))
        return Say(say.failed(failure) if failure is not None else answering.shown(last.text))
    if failure is not None:
        return Say(say.failed(failure))
    found = results.hits(last.text)
    if isinstance(intent, Read):
        return Say(answering.missing(intent.name, found))
    return _call("read", path=found[0].name) if found else Say(say.nothing_found(escaped(intent.words)))


def _ask(intent: Ask, steps: Sequence[Step]) -> Move:
    if not intent.words:
        return Say(say.NEEDS_QUERY)
    if not steps:
        return _search(intent.words)
    if (failure := results.failure(steps[-1].text)) is not None:
        return Say(say.failed(failure))
    found = results.hits(steps[0].text)
    if not found:
        return Say(say.nothing_found(escaped(intent.words)))
    if len(steps) == 1 and not answering.answered_by(found[0], intent.words):
        return _call("read", path=found[0].name)
    return Say(answering.answer(found, steps[-1].text if len(steps) > 1 else "", intent.words))
