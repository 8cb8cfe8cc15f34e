"""What the command line says when a memory is exported, imported, moved, adopted, listed or counted."""

from __future__ import annotations

HELP_FILE = "the file to write, - for standard output: JSON Lines that memory import takes; without it one JSON object"
HELP_FILES = "an exported memory, or Markdown files and folders of them, other agents' too"
HELP_YES = "do it without asking"
HELP_OLD = "the directory that the project had, or its id from memory projects"
HELP_NEW = "the directory that it has now"
HELP_REMOVE = "remove the memory of this project for good: its notes, its journal, its sessions"
HELP_SOURCE = "the id of the memory to adopt, from memory projects; needed where several fit"

NOTHING_FOUND = "No Markdown was found there, so nothing was imported."
NOTHING_NEW = "Nothing of it is new, so nothing was imported."
NEEDS_PERSON = "Nothing was done yet, since nobody is there to be asked; add --yes to do it."
LEFT = "Nothing was done."
ONE_ARCHIVE = "An exported memory is imported by itself; name no other file beside it."

FATES = {
    "appended": "new",
    "same": "here already",
    "older": "older than the note here",
    "kept": "left out",
    "forgotten": "was forgotten here",
    "clash": "another note has this place",
}


def count(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def exported(entries: int, size: int, path: str) -> str:
    """An export is on the disk."""
    return f"Exported {count(entries, 'entry', 'entries')} ({count(size, 'byte')}) to {path}."


def no_standard_input() -> tuple[str, str]:
    """An import from a pipe."""
    return "An import is read twice, so it can't come from standard input.", "Save it to a file first."


def not_ours(path: str) -> tuple[str, str]:
    """A file in the way of an export."""
    return f"{path} is there already and is no export of a memory.", "Name another file."


def cannot_write(path: str, reason: str) -> tuple[str, str]:
    """The file of an export can't be written."""
    return f"{path} can't be written ({reason}).", "Name a file that can be written."


def imported(appended: int, *, whole: bool) -> str:
    """What an import appended."""
    same = ", with the numbers and the view that they had" if whole else ""
    return f"Imported {count(appended, 'entry', 'entries')}{same}."


def left_out(fate: str, number: int) -> str:
    """Entries of an import that did not become the newest of their note, and why."""
    if fate == "older":
        return f"  {number:,} added to the history of newer notes, which stay as they are"
    return f"  {number:,} not appended: {FATES[fate]}"


def preview(new: int, others: int) -> str:
    """The first line of a preview."""
    rest = f"; {count(others, 'file')} left out" if others else ""
    return f"{count(new, 'note')} to import{rest}:"


def secret(name: str, line: int, kind: str) -> str:
    """A line of a note to import that looks like a secret."""
    return f"  {name} line {line} looks like {kind}; a note is kept with every version and shown to models."


def ask_import(new: int) -> str:
    """The question before Markdown becomes notes."""
    return f"Import {'it' if new == 1 else 'them'}? [y/N]"


def moved(entries: int, path: str) -> str:
    """A memory belongs to another directory now."""
    return f"The memory with its {count(entries, 'entry', 'entries')} now belongs to {path}."


def copied(entries: int, path: str) -> str:
    """A clone got a copy of the memory."""
    return f"A copy of the memory with its {count(entries, 'entry', 'entries')} now belongs to {path}."


def ask_remove(name: str, path: str, entries: int) -> str:
    """The question before a project's memory is removed."""
    return f"Remove the memory of {name} ({path}) with its {count(entries, 'entry', 'entries')} for good? [y/N]"


def removed(name: str) -> str:
    """A project's memory is gone."""
    return f"The memory of {name} was removed."


NO_PROJECTS = "There are no projects yet."
PATH_GONE = "path gone"
NEVER_USED = "never"
TRACES = "Traces of it remain in the database file until other processes close it."

STATS = {
    "entries": "Entries",
    "notes": "Notes",
    "deleted": "Deleted notes",
    "lines": "Lines of the tree",
    "pending": "Lines that wait",
    "text_bytes": "Bytes of all versions",
    "note_bytes": "Bytes of the notes",
    "database_bytes": "Bytes of the database, all projects",
}
LARGEST = "Largest notes"
OLDEST = "Oldest notes"
NEVER_OPENED = "Never opened"
