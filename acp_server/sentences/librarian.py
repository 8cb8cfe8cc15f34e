"""What the embedded model says to the person. Names come ready as Markdown, notes' words as quotes."""

from __future__ import annotations

from collections.abc import Sequence

from acp_server.sentences.tools import GO_ON
from memory_core.sentences import plural

NAME = "Librarian (embedded)"
DESCRIPTION = "Keeps and finds notes by fixed rules; no key, no network, no language model"

HELP = """I am the embedded librarian: I keep and find this project's notes by fixed rules, without a language model.
You can say:

- remember that the deploy key rotates on Mondays
- what do we know about flaky tests?
- search for retry
- show the memory
- open 368+8
- read flaky-tests.md
- rewrite flaky-tests.md to say: the retries are off
- delete flaky-tests.md

You are asked before anything is written or deleted. I don't write code or run commands. For that choose a real model in
the model menu of your editor; `caudra-acp setup` in a terminal adds one."""
GREETING = (
    "Hello. Tell me what to remember, or ask what this project's notes know; say **help** for everything I understand."
)
THANKS = "You're welcome."
AGREED = "All right; I changed nothing."
FORGET_IS_YOURS = (
    "Forgetting blanks every version of a note for good, so it is your own act and no model has a command for it: "
    "run `caudra-acp memory forget` with the note's name in a terminal. "
    "I can delete a note that is wrong, which leaves its earlier versions in the journal: say **delete** and its name."
)
HOW_TO_UNDO = (
    "Each receipt says how to undo its change: a new note is deleted by its name, and an older text comes back by its "
    "entry, such as: write the text of entry 12 to flaky-tests.md again."
)
NOTHING_DONE = "All right: nothing was written, changed or deleted."
NEEDS_TEXT = "Tell me in the same message what the note should hold, such as: remember that the tests need Docker."
NEEDS_NAME = "Name the note that you mean, such as: delete flaky-tests.md."
NEEDS_QUERY = "Tell me which words to search for, such as: search for flaky retry."
TOO_WIDE = (
    "I delete notes one by one and by name only, never all at once. "
    "To clear a project's memory whole, remove its notes directory yourself."
)
NO_ENTRY_DELETE = (
    "Entries of the journal stay; what can be deleted is a note, by its name. "
    "Open the entry to see which note it belongs to."
)
NO_REMINDERS = (
    "I can't remind you at a time; I only keep notes. Say **remember that** and the rest, and I'll note it down."
)
NOT_ASKED = (
    "I took that as something you told me, and wrote nothing down. "
    "If it should be kept, begin with **remember that**; if it is a question, end it with a question mark."
)
UNABLE = (
    "I can't do that: I am the embedded librarian, which keeps and finds notes by fixed rules and is no language "
    "model. For other work choose a real model in the model menu of your editor; `caudra-acp setup` in a terminal adds "
    "one. Say **help** to see what I understand."
)
NO_MEMORY = "The memory is off in this session, so I can neither find nor keep notes; `/memory on` turns it on."
UNCLEAR_RESULT = "The memory gave an answer that I can't read, so I stop here; its card shows what it said."
NOT_EXACT = (
    "The note holds characters or a length that I can't copy exactly, so I left it as it is; "
    "edit its file, or name another note."
)


def failed(message: str) -> str:
    """A call that failed."""
    return f"That didn't work: {message.removesuffix(GO_ON)}"


def wrote(note: str, entry: int, added: bool) -> str:
    """The receipt of a write."""
    return f"{'Added to' if added else 'Noted in'} {note}, as entry {entry}."


def rewrote(note: str, entry: int) -> str:
    """The receipt of a rewrite."""
    return f"{note} is rewritten, as entry {entry}."


def deleted(name: str, entry: int) -> str:
    """The receipt of a delete."""
    return f"Deleted {name}, as entry {entry}; its earlier versions stay in the journal."


def similar(names: Sequence[str]) -> str:
    """Notes whose names are much alike."""
    return f"There are notes with names much like it: {', '.join(names)}."


def was_refused(name: str) -> str:
    """The person said no."""
    return f"That was refused, so {name} is unchanged."


def nothing_found(words: str) -> str:
    """No note matched."""
    return f"I found no note about {words}. If you know it, tell me, beginning with **remember that**."


def hits(count: int) -> str:
    """Above a list of notes."""
    return f"I found {plural(count, 'note')}:"


def answer(note: str) -> str:
    """Above the sentences of the note that answers best."""
    return f"{note} says:"


def nearest(note: str) -> str:
    """Above the sentences of a note that holds few of the words."""
    return f"I found no note that surely answers this. The nearest is {note}:"


def more(notes: Sequence[str]) -> str:
    """Notes that matched as well."""
    return f"See also {', '.join(notes)}."


def no_such_note(name: str) -> str:
    """A note that isn't there."""
    return f"There is no note {name}."


def did_you_mean(notes: Sequence[str]) -> str:
    """Notes that hold the words of the name."""
    return f"These hold its words: {', '.join(notes)}."


def known_already(name: str) -> str:
    """What was to be kept is in the note as it is."""
    return f"{name} says that already, so nothing was changed."


def nothing_changed(name: str, old: str) -> str:
    """The words to replace aren't in the note."""
    return f"{name} doesn't hold “{old}”, so nothing was changed."


def which_to_delete(words: str, notes: Sequence[str]) -> str:
    """Several notes, or none surely: none is deleted."""
    return (
        f"I won't guess which note to delete for “{words}”. These match: {', '.join(notes)}. "
        "Say **delete** and the name of the one you mean."
    )


def no_note_to_delete(words: str) -> str:
    """No note matches what should be deleted."""
    return f"No note matches “{words}”, so nothing was deleted."


def note_shown(note: str, seq: int) -> str:
    """Above a note's text."""
    return f"{note}, entry {seq}:"


def entry_shown(seq: int, note: str, status: str, by: int | None) -> str:
    """Above an entry's text."""
    later = f" by entry {by}" if by is not None else ""
    return f"Entry {seq} is a version of {note}, {status}{later}:"


def entry_deletes(seq: int, note: str) -> str:
    """An entry that deletes its note."""
    return f"Entry {seq} deletes {note}; its earlier versions stay in the journal."


def empty_text() -> str:
    """A note or entry without text."""
    return "It holds no text."


def rest_in_card() -> str:
    """A long note is quoted in part."""
    return "The rest stands in the note itself."


def halves(address: str) -> str:
    """Above the two lines that a line was made from."""
    return f"{address} was made from these two lines:"


def view(entries: int, size: int, budget: int) -> str:
    """Above the view's lines."""
    if not entries:
        return "The memory is empty. Tell me what to keep: begin with **remember that**."
    if size > budget:
        held = plural(entries, "entry", "entries")
        return f"The memory holds {held}; the older ones come into view when their summary lines are written."
    return f"The memory holds {plural(entries, 'entry', 'entries')}; its view takes {size:,} of {budget:,} bytes."


def older_lines(count: int) -> str:
    """Lines of the view that the answer leaves to the card."""
    return f"{plural(count, 'older line')} more in the card above."
