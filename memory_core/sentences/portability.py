"""What is said when a memory is exported, imported, moved or listed."""

from __future__ import annotations

from memory_core.sentences import Pair, plural

EXPORT_HINT = "Import a file that memory export made, or Markdown files."
DAMAGED_HINT = "Nothing was imported; export the memory again where it came from."


def foreign(path: str) -> Pair:
    """A file that no export made."""
    return f"{path} is not an export of a memory.", EXPORT_HINT


def newer(path: str, found: int, known: int) -> Pair:
    """An export of a newer release."""
    return f"{path} was exported by a newer release (format {found}; this one knows {known}).", "Update this program."


def cut(path: str) -> Pair:
    """A file that ends before its end."""
    return f"{path} ends in the middle.", DAMAGED_HINT


def wrong_line(path: str, number: int, what: str) -> Pair:
    """A line that isn't what it has to be."""
    return f"Line {number} of {path} is wrong: {what}.", DAMAGED_HINT


def no_file(path: str) -> Pair:
    """A pipe or a device: it can't be read twice, as an import does."""
    return f"{path} is no regular file, so it can't be checked before it is imported.", "Save it to a file first."


def unreadable(path: str, reason: str) -> Pair:
    """A file that can't be read."""
    return f"{path} can't be read ({reason}).", "Name a file that can be read."


NOT_JSON = "it is no JSON object"
NOT_EXPECTED = "it is not a line that can stand here"
TOO_LONG = "it is longer than any line of an export"
WRONG_HASH = "its text is not the one that was exported"
WRONG_TOTAL = "the lines before it are not the ones that were exported"
WRONG_COVER = "the view does not cover every entry once"
TEXT_TOO_LONG = "its text is longer than the memory keeps"


def wrong_number(found: object, expected: int) -> str:
    """An entry out of order: one lacks, or two share a number."""
    return f"it is entry {found}, where entry {expected} has to follow"


def wrong_field(name: str) -> str:
    """A field that lacks or holds what it can't."""
    return f"its field {name!r} lacks or holds what it can't hold"


def wrong_name(reason: str) -> str:
    """A name that no note can have."""
    return f"no note can have its name: {reason.removesuffix('.')}"


def wrong_place(address: str) -> str:
    """A line of the tree that can't be, or that stands twice."""
    return f"the tree has no line {address} here"


def import_runs(directory: str) -> Pair:
    """Two imports at once."""
    return f"Another process imports into {directory}.", "Wait until it is done, then import again."


def not_empty_any_more() -> Pair:
    """Something was written while an import filled an empty memory."""
    return (
        "Something was written to the memory while the import ran, so nothing was imported.",
        "Import again: what is new is then added to what is there.",
    )


def changed_meanwhile(path: str) -> Pair:
    """The file changed between its check and its import."""
    return f"{path} changed while it was imported, so nothing was imported.", "Import it again."


def file_in_the_way(name: str, reason: str) -> str:
    """An imported note whose file can't be written."""
    return f"The imported note {name} could not be put in its place: {reason}"


def counted(appended: int) -> str:
    """How many entries an import appended."""
    return f"Imported {plural(appended, 'entry', 'entries')}."


def same_name(other: str) -> str:
    """Two files that would become one note."""
    return f"{other} becomes the note of this name"
