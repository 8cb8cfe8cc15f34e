"""What a check of the invariants finds wrong, a sentence each."""

from __future__ import annotations

from memory_core.sentences import plural


def wrong_numbers(expected: int, found: int) -> str:
    """A gap in the entries' numbers."""
    return f"The entry numbers have a gap: expected {expected}, found {found}."


def wrong_count(row: int, found: int) -> str:
    """The stored count differs."""
    return f"The project says {row} entries, the journal holds {found}."


def wrong_file_missing(name: str, entry: int) -> str:
    """A note's file is gone."""
    return f"The file of {name} is missing; entry {entry} holds its text."


def wrong_file_differs(name: str, entry: int) -> str:
    """A note's file differs from the newest entry."""
    return f"The file of {name} differs from its newest entry {entry}."


def wrong_file_extra(name: str) -> str:
    """A file without an entry."""
    return f"The file {name!r} has no entry in the journal yet."


def wrong_frontier(start: int, expected: int) -> str:
    """The frontier doesn't cover each entry once."""
    return f"The view's lines do not cover every entry once: at {expected} comes {start}."


def wrong_frontier_size(address: str, stored: int, right: int) -> str:
    """A stored size is wrong."""
    return f"The view's line {address} is stored as {stored} bytes and has {right}."


def wrong_view_bytes(stored: int, right: int) -> str:
    """The view's size is wrong."""
    return f"The view is stored as {stored} bytes and has {right}."


def wrong_pair(address: str) -> str:
    """A pair's mark is wrong."""
    return f"The view's line {address} is marked wrongly as half of a pair."


def wrong_verbatim(address: str) -> str:
    """A verbatim line doesn't hold what it must."""
    return f"The line {address} is not what its halves are word for word."


def wrong_missing_verbatim(address: str) -> str:
    """A verbatim line is missing."""
    return f"The line {address} fits word for word and is missing."


def wrong_work(address: str) -> str:
    """A line that could be written isn't listed so, or the reverse."""
    return f"The line {address} is listed wrongly among those that can be written."


def wrong_line_size(address: str) -> str:
    """A line over its limit."""
    return f"The line {address} is longer than 512 bytes."


def wrong_newest(name: str) -> str:
    """A name's row disagrees with its entries."""
    return f"The row of {name} does not name its newest entry."


def wrong_index(missing: int, extra: int) -> str:
    """The word index misses notes or holds more."""
    return f"The word index misses {plural(missing, 'note')} and holds {plural(extra, 'entry', 'entries')} too many."


def wrong_database(detail: str) -> str:
    """SQLite's own check found damage."""
    return f"The database is damaged: {detail}."
