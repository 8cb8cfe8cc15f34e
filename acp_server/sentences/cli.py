"""What the command line says to a person."""

from __future__ import annotations

from memory_core.sentences import plural

ABOUT = "An agent for editors that speaks the Agent Client Protocol and remembers a project."
SERVES = "Without a command it serves an editor over standard input and output."
MEMORY = "Look at the project's memory and change it."
CHAT = "Talk to the agent in this terminal."

SUMMARIES = {
    "view": "Show the live view: recent notes a line each, older ones folded into summaries.",
    "zoom": "Open a line into the two it was made from; with n = 1 show the entry whole.",
    "list": "List the current notes, newest first: size, when and by whom written, how often and when last opened.",
    "search": "Search the current notes by word, best hit first.",
    "read": "Print a note's current text.",
    "write": "Write a whole note from standard input and append an entry.",
    "delete": "Delete a note and append a delete entry.",
    "log": "List the entries, newest first: who wrote each, when, and which lines it changed.",
    "diff": "Show what changed between two versions of a note.",
    "restore": "Bring an older version of a note back, as a new entry.",
    "forget": "Blank every version of notes, for good, and purge them from the database.",
    "verify": "Check every invariant of the memory and say what is wrong; `--repair` mends what can be.",
    "resummarize": "Have the lines of the embedded summarizer, and those cut to fit, written anew by the next session.",
    "export": "Write the whole memory to a file; without one, print every entry with its text as one JSON object.",
    "stats": "Show the memory in figures: counts, sizes, the largest, the oldest and the never opened notes.",
    "projects": "List the memories of all projects with their size and last use, or remove one for good.",
    "move": "Give the memory of a directory that was moved or renamed to the directory it is now.",
    "adopt": "Take over the memory that this repository had in another checkout.",
    "import": "Take in an exported memory, or Markdown from elsewhere as notes, shown before it is done.",
}

HELP_PROJECT = "the project's directory (default: the current one)"
HELP_JSON = "print JSON for programs instead of text for people"
HELP_NAME = "the note's name, for example flaky-tests.md"
HELP_LOG_NAME = "list the entries of this note only"
HELP_ADDRESS = "a line's address as the view shows it, for example 368+8"
HELP_QUERY = "the words to search for"
HELP_LIMIT = "show at most this many"
HELP_BATCH = 'read JSON Lines of {"name", "text"} and acknowledge each once it is durable'
HELP_VERSION = "a version of a note, for example flaky-tests.md@12"
HELP_REPAIR = "first journal what the files hold, and make everything derived again"
HELP_RAW = "print the text as it is, control characters included"
HELP_ALLOW = "approve this without asking: memory.write or memory.delete (may be repeated)"

EXIT_OK = "All went well; a search without hits and a check without faults count too."
EXIT_WRONG = "Not done, or something is wrong: no such note, a change in between, a fault that verify found."
EXIT_USAGE = "The command, an address, a name or the input is not what it should be."
EXIT_REFUSED = "Refused: it needs a person, or the agent's own commands may not do it."
EXIT_UNAVAILABLE = "The state directory or its database can't be used."
EXIT_AGENT_GONE = "The agent ended or answered with an error."
EXIT_TRACES = "Forgotten, but traces remain in the database file for now; they are removed as soon as that can be."
EXIT_MODEL_FAILED = "The model couldn't be asked, or its request failed; the sentence on standard error says why."
EXIT_INTERRUPTED = "Interrupted with Ctrl-C."

AGENT_MAY_NOT = (
    "A command that the agent runs can't change the memory; the model has its memory tool for that, "
    "and everything else is the person's."
)
NOT_UTF8 = "Standard input is not UTF-8 text, so nothing was written; convert it to UTF-8 first."
BATCH_OR_NAME = "Give write either the name of one note or --batch, not both and not neither."
BATCH_BAD_LINE = 'This line is not a JSON object with the texts "name" and "text", so it was not written.'
BATCH_NOT_UTF8 = "This line is not UTF-8, so it was not written."
NOTHING_YET = "The memory of this project is empty."
INDEX_BUILDING = "The word index is still being built, so hits may be missing."


def not_a_directory(path: str) -> str:
    """The project that was named isn't a directory."""
    return f"{path or 'An empty path'} is not a directory; name the project's directory with --project."


def cannot_print(reason: str) -> str:
    """Standard output refused what was written."""
    return f"The output could not be written: {reason}."


def all_right(entries: int, notes: int, lines: int) -> str:
    """A check found nothing wrong."""
    counts = f"{plural(entries, 'entry', 'entries')}, {plural(notes, 'note')} and {plural(lines, 'line')}"
    return f"Nothing is wrong: {counts} checked."


def bad_limit(text: str) -> str:
    """The argument of --limit is no positive number."""
    return f"{text} is not a number of at least 1."


def found(count: int, query: str) -> str:
    """The first line of a search's answer."""
    if count == 0:
        return f"Found no note about {query}"
    return f"Found {count} {'note' if count == 1 else 'notes'} about {query}"


def view_heading(lines: int, entries: int, size: int, budget: int) -> str:
    """The first line above a view; sizes are in bytes. A view larger than its budget isn't shown whole.

    Of tokens every model has its own; four bytes each is the usual measure.
    """
    held = f"{plural(lines, 'line')} over {plural(entries, 'entry', 'entries')}"
    if size > budget:
        return f"Memory view, {held}, as much as {budget:,} bytes hold (about {plural(budget // 4, 'token')})"
    return f"Memory view, {held}, {size:,} of {budget:,} bytes (about {plural((size + 3) // 4, 'token')})"


def entry_heading(name: str, seq: int, status: str) -> str:
    """The first line above an entry."""
    return f"{name}, entry {seq} ({status})"


def entry_facts(kind: str, created: str, origin: str, replaced_by: int | None) -> str:
    """What is known of an entry besides its text."""
    by = "" if replaced_by is None else f", replaced by entry {replaced_by}"
    return f"{kind} of {created} by {origin}{by}"


def receipt(action: str, name: str, entry: int) -> str:
    """The first line of a receipt."""
    done = {"write": "Wrote", "delete": "Deleted", "restore": "Restored"}.get(action, action)
    return f"{done} {name}, entry {entry}"


def similar(names: str) -> str:
    """Existing notes with nearly the same name."""
    return f"There is already a note of nearly this name: {names}"


def who(kind: str, client: str | None, session: str | None) -> str:
    """Who appended an entry: the kind, the client's name and the session where they are known."""
    return " ".join([kind, *([client] if client else []), *([session] if session else [])])


def undo(command: str, what: str) -> str:
    """How a person undoes a change; `what` is quoted for a shell."""
    return f"To undo it: caudra-acp memory {command} {what}"


def opened(count: int, last_day: str) -> str:
    """How often a note was opened, and when last."""
    return f"opened {plural(count, 'time')}, last {last_day}" if count else "never opened"


SAME_TEXT = "The two versions hold the same text."


def to_be_written_anew(count: int) -> str:
    """How many lines the next session writes anew."""
    return (
        f"{count} lines are written anew by the next session."
        if count != 1
        else ("1 line is written anew by the next session.")
    )
