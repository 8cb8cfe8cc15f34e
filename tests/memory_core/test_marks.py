"""The line that a hit shows: which one, its number, and what is marked in it."""

from __future__ import annotations

import pytest

from memory_core.analyzer import query_terms
from memory_core.marks import MAX_LINE, Marker, Shown, best_line, merged


def shown(text: str, query: str) -> Shown:
    return best_line(text, query_terms(query))


def marked(text: str, query: str) -> list[str]:
    found = shown(text, query)
    return [found.line[start:end] for start, end in found.marks]


@pytest.mark.parametrize(
    ("line", "query", "words"),
    [
        ("All retries failed, retrying", "retry", ["retries", "retrying"]),
        ("call getUserById here", "user by id", ["User", "Id"]),
        ("call getUserById here", "getUserById", ["getUserById"]),
        ("see mcp_wiring_test", "mcp wiring", ["mcp", "wiring"]),
        ("see src/memory/foo_bar.py now", "foo_bar.py", ["foo_bar.py"]),
        ("今天玩成语接龙游戏", "成语接龙", ["成语接龙"]),
        ("今天玩成语接龙游戏", "今天 游戏", ["今天", "游戏"]),
        ("今天玩成语接龙游戏", "玩", ["玩"]),
        ("今天玩", "玩", ["玩"]),
        ("重跑gen-itgc后", "itgc", ["itgc"]),
        ("承認フロー", "承認", ["承認"]),
        ("끝말잇기", "끝말", ["끝말"]),
        ("か\u3099く", "が", ["か\u3099"]),
        ("Straße und ﬁne", "strasse fine", ["Straße", "ﬁne"]),
        ("the cafe\u0301 closed", "CAFÉ", ["cafe\u0301"]),
        ("the user's key", "user", ["user"]),
        ("ﷺ ﬃ key", "key", ["key"]),
    ],
)
def test_marks_are_exactly_what_matched(line: str, query: str, words: list[str]) -> None:
    assert marked(f"# Title\n\n{line}\n", query) == words


def test_the_line_with_most_words_wins() -> None:
    assert shown("deploy\nkey\ndeploy the key\ndeploy\n", "deploy key").line_number == 3


def test_of_lines_with_as_many_words_the_rarer_word_wins_then_the_first_line() -> None:
    assert shown("deploy one\ndeploy two\nkey\n", "deploy key").line_number == 3
    assert shown("nothing\ndeploy one\ndeploy two\n", "deploy").line_number == 2


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("a\nb\ntarget", 3),
        ("a\r\nb\r\ntarget", 3),
        ("a\rb\rtarget\r", 3),
        ("a\r\nb\rc\n\ntarget", 5),
        ("a\x0cb\x0b\u2028\u2029\x85\x1c\n target", 2),
        ("\ufefftarget", 1),
        ("\n\r\n\r\r\ntarget", 5),
    ],
)
def test_lines_are_counted_as_editors_count_them(text: str, number: int) -> None:
    found = shown(text, "target")
    assert found.line_number == number
    assert [found.line[start:end] for start, end in found.marks] == ["target"]


def test_a_byte_order_mark_is_no_part_of_the_line() -> None:
    assert shown("\ufeff# target\n", "target") == Shown("# target", 1, ((2, 8),))


def test_where_no_line_matches_the_first_with_text_is_shown_unmarked() -> None:
    assert shown("\n \r\n# Heading\nbody\n", "absent") == Shown("# Heading", 3, ())
    assert shown("", "absent") == Shown("", 1, ())
    assert shown(" \n", "") == Shown("", 1, ())


def test_front_matter_is_counted_and_not_looked_at() -> None:
    front = "---\r\ntags: target\r\n---\r\n"
    assert best_line(front + "# H\nsee target\n", ("target",), len(front)) == Shown("see target", 5, ((4, 10),))
    assert best_line(front + "# H\n", ("target",), len(front)) == Shown("# H", 4, ())


def test_a_long_line_is_cut_around_its_first_mark() -> None:
    line = "lorem " * 1000 + "target " + "ipsum " * 1000 + "target"
    found = shown(f"# T\n{line}\n", "target")
    assert len(found.line) == MAX_LINE
    assert [found.line[start:end] for start, end in found.marks] == ["target"]
    assert found.line in line


@pytest.mark.parametrize("line", ["target " + "x " * 1000, "x " * 1000 + "target"])
def test_a_mark_at_an_end_of_a_long_line_is_shown_with_all_the_line_that_fits(line: str) -> None:
    assert len(shown(line, "target").line) == MAX_LINE
    assert marked(line, "target") == ["target"]


@pytest.mark.parametrize(
    "unit", ["e\u0301", "👩\u200d💻", "👍🏽", "\ud83d\ude42", "กิ", "☺\ufe0f", "\u1112\u0301\u0302"]
)
def test_a_cut_parts_no_characters_that_belong_together(unit: str) -> None:
    for shift in range(len(unit) + 1):
        line = "-" * shift + f"{unit} " * 300 + "target " + f" {unit}" * 300
        found = shown(line, "target")
        assert len(found.line) <= MAX_LINE
        assert set(found.line.replace("target", " ").replace("-", " ").split()) == {unit}


def test_a_mark_longer_than_the_cut_ends_with_it() -> None:
    data = "a" * 300
    assert shown(data + "b" * 300, data[:64] + "z" * 300) == Shown("a" * 300 + "b" * 100, 1, ((0, 400),))


def test_a_line_of_data_and_a_note_of_two_megabytes_are_searched_to_their_end() -> None:
    image = "![](data:image/png;base64," + "Ab3/x+" * 107_686 + ") target"
    assert marked(image, "target") == ["target"]
    assert shown("plain words in a line\n" * 90_000 + "the target\n", "target").line_number == 90_001


def test_a_run_without_any_break_is_looked_at_for_its_first_part_only() -> None:
    run = "今天玩成语接龙游戏" * 70_000
    assert marked(run, "接龙")[0] == "接龙"
    assert shown(run + "目標", "目標").marks == ()


def test_one_marker_serves_several_notes() -> None:
    marker = Marker(query_terms("deploy key"))
    assert [marker.best_line(text).line_number for text in ("x\nkeys", "deploying", "x")] == [2, 1, 1]


def test_marks_that_touch_are_one() -> None:
    assert merged([(4, 6), (0, 2), (2, 3), (5, 9)]) == [(0, 3), (4, 9)]
