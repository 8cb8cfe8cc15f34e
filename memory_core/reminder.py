"""What others wrote since a session's view was taken: rows for the next message to the model. Pure.

A reminder is a heading, an empty line, one row an entry, an empty line. At most 8 KiB of rows are listed; a
last row then says how many more there are. `without_reminder` finds the person's own words behind one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from memory_core import sentences
from memory_core.entry import frame_line
from memory_core.results import EntryKind, Row

MAX_ROWS_BYTES = 8 * 1024
HEADING = "# Memory updated"

_REMINDER = re.compile(rf"\A{HEADING}\n\n(?:- .*\n)+\n")


def reminder_row(row: Row) -> str:
    """One entry as a row, framed: `- 548+1 note flaky-tests.md: Flaky tests`."""
    name = frame_line(row.name)
    if row.kind is EntryKind.FORGOTTEN:
        return f"- forgotten {name}"
    tail = f": {frame_line(row.heading)}" if row.kind is EntryKind.NOTE and row.heading else ""
    return f"- {row.seq}+1 {row.kind} {name}{tail}"


def reminder(rows: Iterable[Row]) -> str:
    """The reminder over `rows` (oldest first), ending in an empty line; "" where there are none."""
    listed: list[str] = []
    size = more = 0
    for row in rows:
        text = reminder_row(row)
        size += len(text.encode()) + 1
        if more or size > MAX_ROWS_BYTES:
            more += 1
        else:
            listed.append(text)
    if more:
        listed.append(f"- {sentences.more_rows(more)}")
    return f"{HEADING}\n\n" + "".join(f"{text}\n" for text in listed) + "\n" if listed else ""


def without_reminder(text: str) -> str:
    """The text without a reminder at its start."""
    return _REMINDER.sub("", text, count=1)
