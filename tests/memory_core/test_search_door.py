"""Search through the door: what is found, what is shown of it, and how far the index is."""

from __future__ import annotations

import pytest
from conftest import Place

from memory_core import Memory
from memory_core.results import Hit


def names(memory: Memory, query: str) -> list[str]:
    return [hit.name for hit in memory.search(query).hits]


def test_only_current_texts_are_found(memory: Memory) -> None:
    memory.write("a", "the old word zebra")
    memory.write("a", "the new word quagga")
    memory.write("b", "zebra too")
    memory.delete("b")
    assert names(memory, "zebra") == []
    assert names(memory, "quagga") == ["a.md"]


def test_a_match_in_the_name_counts_more_and_newer_wins_a_tie(memory: Memory) -> None:
    memory.write("one", "text about retries")
    memory.write("retries", "text about something")
    memory.write("two", "text about retries")
    assert names(memory, "retries") == ["retries.md", "two.md", "one.md"]


def test_at_most_ten_are_shown(memory: Memory) -> None:
    for number in range(14):
        memory.write(f"n{number}", "common word")
    assert len(memory.search("common").hits) == 10
    assert len(memory.search("common", limit=32).hits) == 14


@pytest.mark.report("M46")
@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("# T\n\nWe retried the failing tests twice.\n", "retry test", ["retried", "tests"]),
        ("# T\n\ncall getUserById here\n", "user by id", ["User", "Id"]),
        ("# T\n\n今天玩成语接龙游戏\n", "成语接龙", ["成语接龙"]),
        ("# T\n\n重跑gen-itgc后\n", "itgc", ["itgc"]),
        ("# T\n\n承認フローを見る\n", "承認", ["承認"]),
        ("# T\n\n끝말잇기 놀이\n", "끝말", ["끝말"]),
        ("# T\n\nmcp_wiring_test fails\n", "mcp wiring", ["mcp", "wiring"]),
        ("\ufeff---\ntitle: naive\n---\n\r\nfoo\rNaïve café ends\n", "naive", ["Naïve"]),
    ],
)
def test_marks_are_exactly_the_words_that_matched(memory: Memory, text: str, query: str, marked: list[str]) -> None:
    memory.write("note", text)
    (hit,) = memory.search(query).hits
    assert [hit.line[start:end] for start, end in hit.marks] == marked
    assert line_of(text, hit) == hit.line


def line_of(text: str, hit: Hit) -> str:
    """The line of the file that an editor shows under the hit's number."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[hit.line_number - 1]


def test_a_hit_names_the_file_entry_heading_and_date(place: Place, memory: Memory) -> None:
    memory.write("sub/a", "# Head\n\nbody word\n")
    (hit,) = memory.search("word").hits
    assert (hit.name, hit.address, hit.heading, hit.line_number) == ("sub/a.md", "0+1", "Head", 3)
    assert hit.path == str(place.memories / "sub" / "a.md")
    assert hit.created_ms > 0


@pytest.mark.report("M48")
def test_spellings_of_a_name_find_each_other(memory: Memory) -> None:
    for spelling in ("mcp_wiring_test", "mcp-wiring-test", "mcpWiringTest", "mcp wiring test"):
        memory.write("noise", "wiring of a test rig, mcp elsewhere")
        memory.write(spelling, "x")
        for query in ("mcp_wiring_test", "mcp-wiring-test", "mcpWiringTest", "mcp wiring test"):
            assert names(memory, query)[0] == f"{spelling}.md"
        memory.delete(spelling)


ODD_QUERIES = ["", " ", "!!!", "\0", "NEAR(", '"', "a" * 10_000, "-", "' OR 1", "*", "^", "\ud800x"]


@pytest.mark.report("M51")
@pytest.mark.parametrize("query", ODD_QUERIES)
def test_no_query_raises(memory: Memory, query: str) -> None:
    memory.write("a", "text")
    memory.search(query)


def test_a_search_says_while_the_index_is_behind(place: Place) -> None:
    place.open().close()
    for number in range(1200):
        (place.memories / f"n{number}.md").write_text(f"# N{number}\n\nword\n", encoding="utf-8")
    with place.open() as memory:
        memory.reconcile()
        assert not memory.search("word").complete
        memory.write("fresh", "newest word")
        while memory.index_more():
            pass
        found = memory.search("word newest")
        assert found.complete
        assert found.hits[0].name == "fresh.md"
        assert memory.verify().ok


def test_idle_steps_end_and_leave_nothing_behind(memory: Memory) -> None:
    for number in range(40):
        memory.write(f"n{number}", f"word {number}")
    steps = 0
    while memory.idle_step():
        steps += 1
        assert steps < 1000
    assert not memory.idle_step()
    assert len(names(memory, "word")) == 10


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("the flaky Tests in CI", ("flaky", "Tests", "CI")),
        ("getUserById", ("getUserById",)),
        ("成语接龙 游戏", ("成语接龙", "游戏")),
        ("retry retry retries", ("retry", "retries")),
        ("", ()),
    ],
)
def test_a_result_names_the_words_searched_for_as_they_were_typed(
    memory: Memory, query: str, words: tuple[str, ...]
) -> None:
    assert memory.search(query).words == words
