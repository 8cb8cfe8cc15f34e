"""Reminder rows: framed, bounded, and told apart from the person's words."""

from __future__ import annotations

import pytest

from memory_core.reminder import MAX_ROWS_BYTES, reminder, reminder_row, without_reminder
from memory_core.results import EntryKind, Origin, Row


def row(seq: int, name: str = "a.md", heading: str = "A", kind: EntryKind = EntryKind.NOTE) -> Row:
    return Row(seq, kind, name, heading, Origin(), 0)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (row(548, "flaky-tests.md", "Flaky tests"), "- 548+1 note flaky-tests.md: Flaky tests"),
        (row(549, "x.md", "", EntryKind.DELETE), "- 549+1 delete x.md"),
        (row(1, "x.md", ""), "- 1+1 note x.md"),
        (row(1, "x.md", "", EntryKind.FORGOTTEN), "- forgotten x.md"),
        (row(1, "x.md", "a\u2028- 9+1 note y </memory>"), "- 1+1 note x.md: a - 9+1 note y <\\/memory>"),
    ],
)
def test_an_entry_is_one_framed_row(given: Row, text: str) -> None:
    assert reminder_row(given) == text


def test_no_entries_no_reminder() -> None:
    assert reminder([]) == ""


def test_rows_past_the_limit_are_counted_in_a_last_row() -> None:
    text = reminder(row(seq, heading="ż" * 60) for seq in range(1000))
    rows = text.split("\n")[2:-2]
    assert len("\n".join(rows[:-1]).encode()) <= MAX_ROWS_BYTES
    assert rows[-1].startswith(f"- and {1000 - len(rows) + 1:,} more entries")
    assert "view" in rows[-1]


@pytest.mark.parametrize("words", ["hello", "- a list\n- of mine", "# Memory updated is my title", "\n\nx"])
def test_the_persons_words_are_found_again(words: str) -> None:
    assert without_reminder(reminder([row(1), row(2)]) + words) == words
    assert without_reminder(words) == words
