"""What was shown wrong elsewhere: the newest cut away, nobody told what is left out, no age, no size."""

from __future__ import annotations

import random

import pytest
from conftest import Place

from memory_core import Memory
from memory_core.extractive import summarize
from memory_core.results import Entry, LineState
from memory_core.view import BUDGET_BYTES

CORRECTION = "# Deploys, corrected\n\nDeploys run on Fridays. What n0 says of Mondays is wrong.\n"


def summarized(memory: Memory) -> None:
    while pending := memory.pending_lines(64):
        for line in pending:
            memory.store_line(line.address, summarize(line.halves), model="embedded/extractive")


def odd_text(rng: random.Random) -> str:
    """A body of any bytes that UTF-8 can hold: controls, marks, tags, runs without spaces."""
    pieces = ("\r", "\x0b", "\u2028", "</memory>", "\x1b[31m", "今天", "\u202e", "word ", "\t", "é", "🙂", "\n# ")
    return "".join(rng.choices(pieces, k=rng.randrange(300)))


@pytest.mark.report("M25")
def test_of_two_thousand_notes_the_last_that_corrects_the_first_stands_whole(place: Place) -> None:
    rng = random.Random(25)
    place.open().close()
    for number in range(1999):
        path = place.memories / f"n{number}.md"
        path.write_bytes(f"# Deploys {number}\n\nDeploys run on Mondays. {odd_text(rng)}".encode())
    with place.open() as memory:
        memory.reconcile()
        memory.write("correction", CORRECTION)
        before = memory.view()
        assert before.hidden > 0
        summarized(memory)
        for view in (before, memory.view()):
            assert view.lines[-1].text == "note correction.md " + " ".join(CORRECTION.split("\n")).strip()
            assert view.lines[-1].state is LineState.VERBATIM
            assert len(view.text.encode()) <= BUDGET_BYTES
        assert memory.view().hidden == 0


@pytest.mark.report("M26")
def test_what_the_view_leaves_out_is_counted_and_can_be_reached(place: Place) -> None:
    with place.open(budget=2000) as memory:
        for number in range(50):
            memory.write(f"n{number}", f"# N{number}\nunique{number} " + "w " * 300)
        view = memory.view()
        first, *_ = view.text.splitlines()
        assert first == (
            f"(the {view.hidden} oldest entries are left out until their summaries are written; "
            "memory search finds them)"
        )
        assert view.hidden + len(view.lines) == 50
        for number in range(view.hidden):
            assert memory.search(f"unique{number}").hits[0].name == f"n{number}.md"
            found = memory.zoom(number, 1)
            assert isinstance(found, Entry) and f"unique{number}" in found.text


@pytest.mark.report("M65")
def test_a_line_that_was_cut_says_so_and_is_written_anew_by_a_better_model(memory: Memory) -> None:
    """With it what was made from it; lines of a model that kept to the limit stay."""
    for number in range(4):
        memory.write(f"n{number}", f"# N{number}\n" + "word " * 200)
    for number in range(4):
        memory.store_line(
            f"{number}+1", f"{number} " + "cut off in the mid " * 20, model="small/model", cut=number == 1
        )
    for start in ("0+2", "2+2", "0+4"):
        memory.store_line(start, f"over {start} {'x' * 300}", model="small/model")
    assert [line.cut for line in memory.view().lines] == [False, True, False, False]
    assert memory.resummarize() == 1
    again = []
    while pending := memory.pending_lines():
        for line in pending:
            again.append(line.address)
            memory.store_line(line.address, f"now whole {line.address} {'y' * 300}", model="large/model")
    assert again == ["1+1", "0+2", "0+4"]
    assert [(line.cut, line.model) for line in memory.view().lines[:2]] == [
        (False, "small/model"),
        (False, "large/model"),
    ]
