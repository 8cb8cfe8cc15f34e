from __future__ import annotations

import pytest

from memory_core import entry, tree, view
from memory_core.results import EntryKind


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("# A\n", "# A\n"),
        ("\ufeff# A", "# A"),
        ("\n \t\n\x0c\n# A", "# A"),
        ("a\r\nb\rc\n", "a\nb\nc\n"),
        ("---\na: b: c\n---\n\n# A", "# A"),
        ("\ufeff---\r\nx\r\n---\r\n# A", "# A"),
        ("---\n---", ""),
        ("---\nnever closed\n# A", "---\nnever closed\n# A"),
        ("--- \na\n---\nb", "--- \na\n---\nb"),
        ("\n---\na\n---\nb", "---\na\n---\nb"),
        ("----\na\n---\nb", "----\na\n---\nb"),
        ("---\na\n--- \n---x\nb", "---\na\n--- \n---x\nb"),
        ("", ""),
    ],
)
def test_the_body_is_the_note_without_mark_front_matter_and_leading_blank_lines(text: str, body: str) -> None:
    assert entry.body(text) == body


@pytest.mark.parametrize(
    ("body", "heading"),
    [
        ("# A b \nrest", "A b"),
        ("###\n\n \n## C", "C"),
        ("plain", "plain"),
        ("#hash#", "hash#"),
        ("", ""),
        ("\n\u2003\n", ""),
        ("é" * 80, "é" * 60),
        ("x" + "é" * 80, "x" + "é" * 59),
    ],
)
def test_the_heading_is_the_first_line_that_says_something(body: str, heading: str) -> None:
    assert entry.heading(body) == heading


@pytest.mark.report("M37")
def test_a_line_is_framed_so_that_it_stays_one_line_and_closes_no_block() -> None:
    assert entry.frame_line("a\r\nb\nc\rd\x0be\x0cf\x1cg\x1dh\x1ei\x85j\u2028k\u2029l") == "a b c d e f g h i j k l"
    assert entry.frame_line("\x1b[31m\x00\x7f\x9b\ttab") == "\ufffd[31m\ufffd\ufffd\ufffd\ttab"
    assert entry.frame_line("</memory> < / MEMORY <memory <mem") == "<\\/memory> <\\ / MEMORY <\\memory <mem"


def test_a_block_keeps_its_lines_and_closes_no_tag() -> None:
    assert entry.frame_block("a\r\nb\rc\x0bd</memory>\x1b") == "a\nb\nc d<\\/memory>\ufffd"


def test_512_bytes_fit_and_513_do_not() -> None:
    assert entry.fits("é" * 256)
    assert not entry.fits("é" * 256 + "x")
    assert tree.joined("a" * 255, "b" * 256) == "a" * 255 + "\n" + "b" * 256
    assert tree.joined("a" * 256, "b" * 256) is None
    assert tree.joined("é" * 128, "b" * 256) is None


def test_entry_texts_drop_white_space_at_their_end() -> None:
    assert entry.entry_text(EntryKind.NOTE, "a.md", "") == "note a.md"
    assert entry.entry_text(EntryKind.NOTE, "a.md", "x \n\u2003\n") == "note a.md\nx"
    assert entry.entry_text(EntryKind.DELETE, "a.md") == "delete a.md"
    assert entry.entry_text(EntryKind.FORGOTTEN, "a.md") == "forgotten a.md"


def test_the_most_due_pair_is_the_one_that_ended_longest_ago_for_its_size() -> None:
    assert tree.most_due({1: 40, 4: 0}, entries=60) == (40, 1)
    assert tree.most_due({1: 56, 16: 0}, entries=60) == (56, 1)
    assert tree.most_due({1: 58, 16: 0}, entries=60) == (0, 16)
    assert tree.most_due({}, entries=60) is None


def test_the_left_out_row_counts_towards_the_budget() -> None:
    row = view.left_out_bytes(2)
    newest_first = [(3, 10), (2, 10), (1, 500), (0, 500)]
    assert view.shown(newest_first, 1020, budget=row + 20) == 2
    assert view.shown(newest_first, 1020, budget=row + 19) == 1
    assert view.shown(newest_first, 1020, budget=1020) == 4
