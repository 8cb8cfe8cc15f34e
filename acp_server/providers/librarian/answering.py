"""Answers in words: a tool's result, told to the person. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from acp_server.markdown import escaped, one_line
from acp_server.providers.librarian import results
from acp_server.providers.librarian.intents import Reply
from acp_server.providers.librarian.language import stems
from acp_server.providers.librarian.quoting import answers, best_sentences, block, named, quoted
from acp_server.providers.librarian.results import Hit
from acp_server.providers.librarian.surroundings import Surroundings
from acp_server.sentences import librarian as say
from acp_server.sentences.tools import DELETES_THE_NOTE

MOST_LINES = 12
MOST_ALSO = 3

REPLIES: Mapping[Reply, str] = {
    Reply.HELP: say.HELP,
    Reply.GREETING: say.GREETING,
    Reply.THANKS: say.THANKS,
    Reply.AGREED: say.AGREED,
    Reply.FORGET_IS_YOURS: say.FORGET_IS_YOURS,
    Reply.HOW_TO_UNDO: say.HOW_TO_UNDO,
    Reply.NOTHING_DONE: say.NOTHING_DONE,
    Reply.NEEDS_TEXT: say.NEEDS_TEXT,
    Reply.NEEDS_NAME: say.NEEDS_NAME,
    Reply.NEEDS_QUERY: say.NEEDS_QUERY,
    Reply.TOO_WIDE: say.TOO_WIDE,
    Reply.NO_ENTRY_DELETE: say.NO_ENTRY_DELETE,
    Reply.NO_REMINDERS: say.NO_REMINDERS,
    Reply.NOT_ASKED: say.NOT_ASKED,
    Reply.UNABLE: say.UNABLE,
}


def failed(failure: str | None) -> str:
    """A call that failed, or whose result can't be read."""
    return say.UNCLEAR_RESULT if failure is None else say.failed(failure)


def written(text: str, around: Surroundings, *, added: bool) -> str:
    """After a write: the receipt, the refusal or the fault."""
    if name := results.refused(text):
        return say.was_refused(named(name, ""))
    done = results.done(text)
    if done is None:
        return failed(results.failure(text))
    note = named(done.name, done.link or around.link(done.name))
    similar = [say.similar([named(name, around.link(name)) for name in done.similar])] if done.similar else []
    return " ".join([say.wrote(note, done.entry, added), *map(escaped, done.remarks), *similar])


def deleted(text: str) -> str:
    """After a delete."""
    if name := results.refused(text):
        return say.was_refused(named(name, ""))
    done = results.done(text)
    if done is None:
        return failed(results.failure(text))
    return " ".join([say.deleted(named(done.name, ""), done.entry), *map(escaped, done.remarks)])


def not_deleted(words: str, found: Sequence[Hit]) -> str:
    """Nothing was deleted, since no note or more than one is meant."""
    if not found:
        return say.no_note_to_delete(one_line(words))
    return say.which_to_delete(one_line(words), _links(found, len(found)))


def found(text: str, words: str) -> str:
    """The list of what a search found."""
    hits = results.hits(text)
    if not hits:
        return say.nothing_found(escaped(words)) if results.is_search(text) else say.UNCLEAR_RESULT
    rows = [f"{number}. {named(hit.name, hit.link)}\n   {quoted(hit.line)}" for number, hit in enumerate(hits, start=1)]
    return "\n".join([say.hits(len(hits)), "", *rows])


def answered_by(hit: Hit, words: str) -> bool:
    """Whether the line that matched is the answer."""
    return answers(hit.line, hit.heading, words)


def answer(hits: Sequence[Hit], text: str, words: str) -> str:
    """The best note's own sentences, from its text where it was read, and links to the others."""
    best, note = hits[0], results.note(text)
    sentences = best_sentences(note.text, words) if note is not None else [best.line]
    said = " ".join([best.name, best.heading, best.line, note.text if note is not None else ""])
    head = say.answer if len(stems(words) & stems(said)) * 2 >= len(stems(words)) else say.nearest
    quotes = [quoted(sentence) for sentence in sentences or [best.line]]
    also = _links(hits[1:], MOST_ALSO)
    more = ["", say.more(also)] if also else []
    return "\n".join([head(named(best.name, best.link)), "", *quotes, *more])


def _links(hits: Sequence[Hit], most: int) -> list[str]:
    return [named(hit.name, hit.link) for hit in hits[:most]]


def missing(name: str, hits: Sequence[Hit]) -> str:
    """A note that isn't there, and notes that hold the words of its name."""
    near = [say.did_you_mean(_links(hits, MOST_ALSO))] if hits else []
    return " ".join([say.no_such_note(named(name, "")), *near])


def shown(text: str) -> str:
    """A note that was read."""
    note = results.note(text)
    if note is None:
        return say.UNCLEAR_RESULT
    return _whole(say.note_shown(named(note.name, note.link), note.seq), note.text)


def opened(address: str, text: str) -> str:
    """A line opened: its halves, or the entry."""
    entry = results.note(text)
    if entry is not None and not entry.text.strip() and DELETES_THE_NOTE in text:
        return say.entry_deletes(entry.seq, named(entry.name, ""))
    if entry is not None:
        head = say.entry_shown(entry.seq, named(entry.name, entry.link), entry.status, entry.by)
        return _whole(head, entry.text)
    seen = results.seen(text)
    if seen is None:
        return say.UNCLEAR_RESULT
    return "\n".join([say.halves(f"`{address}`"), "", *map(_row, seen.lines)])


def viewed(text: str) -> str:
    """The view: its size, and its newest lines."""
    seen = results.seen(text)
    if seen is None:
        return say.UNCLEAR_RESULT
    newest = seen.lines[-MOST_LINES:]
    older = [say.older_lines(len(seen.lines) - len(newest)), ""] if len(newest) < len(seen.lines) else []
    left_out = [seen.left_out, ""] if seen.left_out else []
    return "\n".join(
        [say.view(seen.entries, seen.bytes, seen.budget), "", *left_out, *older, *map(_row, newest)]
    ).strip()


def _whole(head: str, text: str) -> str:
    if not text.strip():
        return f"{head} {say.empty_text()}"
    lines, all_of_it = block(text)
    return "\n".join([head, "", lines, *([] if all_of_it else ["", say.rest_in_card()])])


def _row(line: tuple[str, str]) -> str:
    return f"- `{line[0]}` {escaped(line[1])}"
