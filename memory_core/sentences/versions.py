"""What is said of versions: one that isn't there, one that can't be restored, what a version changed."""

from __future__ import annotations

from memory_core.sentences import Pair

HINT = "The log lists the entries of a note, newest first."


def not_a_version(name: str, seq: int) -> Pair:
    """An entry that isn't one of the note's."""
    return f"Entry {seq} is no version of {name}.", HINT


def no_text(name: str, seq: int, *, forgotten: bool) -> Pair:
    """A version without a text to restore."""
    how = "was forgotten" if forgotten else "deletes the note"
    return f"Entry {seq} of {name} {how}, so it holds no text to restore.", HINT


def nothing_to_compare(name: str, seq: int) -> Pair:
    """A version whose text was forgotten."""
    return f"Entry {seq} of {name} was forgotten, so there is no text to compare.", HINT


def version_unreadable(text: str) -> Pair:
    """A version that isn't of the form NAME@ENTRY."""
    return f"{text!r} names no version.", "A version is written NAME@ENTRY, such as flaky-tests.md@12."


def not_one_note(first: str, second: str) -> Pair:
    """Two versions of different notes."""
    return f"{first} and {second} are two notes.", "Name two versions of one note."


TOO_LARGE = "(too large to compare line by line)"
