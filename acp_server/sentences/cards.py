"""What cards say: titles, headings and status lines. Titles are one plain line without a colon."""

from __future__ import annotations

MEMORY = "Memory"


def count(number: int, one: str, many: str) -> str:
    """A number with its noun."""
    return f"{number:,} {one if number == 1 else many}"


def view_title(lines: int, entries: int) -> str:
    """The title of a view."""
    return f"Memory view, {count(lines, 'line', 'lines')} over {count(entries, 'entry', 'entries')}"


VIEW_TITLE = "Memory view"
VIEW_EMPTY = "The memory of this project is empty."


def zoom_title(address: str) -> str:
    """The title of a zoom."""
    return f"Zoom into {address}"


def entry_title(name: str, seq: int, status: str) -> str:
    """The title of an entry shown whole."""
    return f"{name}, entry {seq} ({status})"


def search_title(query: str) -> str:
    """The title while searching."""
    return f"Search memory for {query}"


def found_title(number: int, query: str) -> str:
    """The title of a finished search."""
    return f"Found {count(number, 'note', 'notes') if number else 'no notes'} about {query}"


INDEX_INCOMPLETE = "The word index is still being built, so more notes may match."


def read_title(name: str) -> str:
    """The title of a read."""
    return f"Read {name}"


def write_title(name: str) -> str:
    """The title of a write."""
    return f"Remember {name}"


def delete_title(name: str) -> str:
    """The title of a delete."""
    return f"Delete {name}"


STATUS = {
    "current": "Current version",
    "rewritten": "Rewritten by entry {by}",
    "deleted": "Deleted by entry {by}",
    "forgotten": "Forgotten",
}
ORIGINS = {
    "session": "written by a session",
    "outside": "edited outside",
    "import": "imported from its file",
    "cli": "written from the command line",
}


DELETIONS = {
    "session": "deleted by a session",
    "outside": "removed outside",
    "import": "removed outside",
    "cli": "deleted from the command line",
}


def deletion_line(by: int | None, day: str, origin: str) -> str:
    """The line of an entry that deletes its note; `by` is the entry that wrote the note again."""
    again = "" if by is None else f" Entry {by} wrote it again."
    return f"The note was {DELETIONS[origin]}, {day}.{again}"


def status_line(status: str, by: int | None, day: str, origin: str) -> str:
    """The line above an entry that is shown whole."""
    return f"{STATUS[status].format(by=by)}, {day}, {ORIGINS[origin]}."


def similar_names(names: str) -> str:
    """Notes that a new name resembles."""
    return f"The name is much like {names}."


def card_cut(shown: int, size: int) -> str:
    """The last line of a card that is longer than the limit."""
    return f"Here are the first {shown:,} of {size:,} characters; the link opens the whole."
