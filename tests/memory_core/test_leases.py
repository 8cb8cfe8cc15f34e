"""Leases: two workers at most, no line written twice, a crashed owner's line taken over, a late result refused."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from conftest import Place

from memory_core import Memory
from memory_core.exceptions import NotWaiting
from memory_core.results import LineState, Zoom
from memory_core.storing import Text

LONG = "word " * 200
LEASE_NS = 120 * 10**9


class Clock:
    """Nanoseconds that move only when a test says so."""

    def __init__(self) -> None:
        self.now = 10**18

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(place: Place, clock: Clock) -> Iterator[Memory]:
    with Memory.open(place.project, state_dir=place.state, clock=clock) as opened:
        for number in range(4):
            opened.write(f"n{number}", f"# N{number}\n{LONG}")
        yield opened
        opened.reconcile()
        assert opened.verify().problems == ()


def addresses(memory: Memory, owner: str, limit: int = 1) -> list[str]:
    return [line.address for line in memory.claim_lines(owner, limit)]


def written(*lines: str) -> list[Text]:
    return [Text(line, f"line {line} {'x' * 300}", "m") for line in lines]


def test_two_workers_take_different_lines_and_a_third_takes_none(memory: Memory) -> None:
    assert addresses(memory, "a") == ["0+1"]
    assert addresses(memory, "b") == ["1+1"]
    assert addresses(memory, "c") == []
    assert memory.store_claimed("a", written("0+1")) == ("0+1",)
    assert addresses(memory, "c") == ["2+1"]


def test_a_worker_beside_one_that_writes_a_leaf_takes_a_parent(memory: Memory) -> None:
    memory.claim_lines("a", 2)
    memory.store_claimed("a", written("0+1", "1+1"))
    assert addresses(memory, "a") == ["2+1"]
    assert addresses(memory, "b") == ["0+2"]


def test_a_line_that_is_being_written_shows_so(memory: Memory) -> None:
    memory.claim_lines("a")
    assert [line.state for line in memory.view().lines[:2]] == [LineState.WRITING, LineState.PENDING]
    with pytest.raises(NotWaiting, match="another process"):
        memory.store_line("0+1", "text", model="m")


def test_a_crashed_owners_line_is_taken_over_and_its_late_result_refused(memory: Memory, clock: Clock) -> None:
    assert addresses(memory, "a") == ["0+1"]
    clock.now += LEASE_NS - 10**9
    assert addresses(memory, "b") == ["1+1"]
    clock.now += 2 * 10**9
    assert addresses(memory, "b", 2) == ["0+1", "1+1"]
    assert memory.store_claimed("a", written("0+1")) == ()
    assert memory.store_claimed("b", written("0+1")) == ("0+1",)


def test_a_renewed_lease_stands(memory: Memory, clock: Clock) -> None:
    memory.claim_lines("a")
    clock.now += LEASE_NS - 10**9
    assert memory.renew_lines("a") == 1
    clock.now += LEASE_NS - 10**9
    assert addresses(memory, "b") == ["1+1"]
    assert memory.store_claimed("a", written("0+1")) == ("0+1",)


def test_what_is_given_back_can_be_taken_at_once(memory: Memory) -> None:
    memory.claim_lines("a")
    memory.release_lines("a")
    memory.release_lines("nobody")
    assert addresses(memory, "b") == ["0+1"]


def test_a_lease_from_a_clock_far_ahead_holds_nobody_up(place: Place, memory: Memory, clock: Clock) -> None:
    ahead = Clock()
    ahead.now = clock.now + 10**15
    with Memory.open(place.project, state_dir=place.state, clock=ahead) as other:
        assert addresses(other, "wrong") == ["0+1"]
    assert addresses(memory, "a") == ["0+1"]
    assert memory.store_claimed("a", written("0+1")) == ("0+1",)


@pytest.mark.parametrize("seconds", [-119, -6, 6, 119])
def test_clocks_that_are_a_little_apart_take_no_lease_away(
    place: Place, memory: Memory, clock: Clock, seconds: int
) -> None:
    apart = Clock()
    apart.now = clock.now + seconds * 10**9
    with Memory.open(place.project, state_dir=place.state, clock=apart) as other:
        assert addresses(memory, "here") == ["0+1"]
        assert addresses(other, "there") == ["1+1"]
        assert addresses(memory, "here") == ["0+1"]
        assert addresses(other, "there") == ["1+1"]
        assert memory.store_claimed("here", written("0+1")) == ("0+1",)
        assert other.store_claimed("there", written("1+1")) == ("1+1",)


def test_a_crashed_owners_line_is_taken_over_though_its_clock_was_ahead(
    place: Place, memory: Memory, clock: Clock
) -> None:
    ahead = Clock()
    ahead.now = clock.now + LEASE_NS
    with Memory.open(place.project, state_dir=place.state, clock=ahead) as other:
        assert addresses(other, "gone") == ["0+1"]
    clock.now += 2 * LEASE_NS - 10**9
    assert addresses(memory, "a") == ["1+1"]
    clock.now += 10**9
    assert addresses(memory, "a") == ["0+1"]


@pytest.mark.parametrize("hours", [-1, 1], ids=["behind", "ahead"])
def test_a_worker_whose_clock_is_wrong_doubles_no_line_and_holds_nobody_up(
    place: Place, memory: Memory, clock: Clock, hours: int
) -> None:
    wrong = Clock()
    wrong.now = clock.now + hours * 3600 * 10**9
    with Memory.open(place.project, state_dir=place.state, clock=wrong) as other:
        assert addresses(memory, "right", 2) == ["0+1", "1+1"]
        taken = addresses(other, "wrong", 1)
        stored = [*other.store_claimed("wrong", written(*taken)), *memory.store_claimed("right", written("0+1", "1+1"))]
        assert sorted(stored) == ["0+1", "1+1"]
        assert addresses(other, "wrong") == ["2+1"]
        assert sorted(addresses(memory, "right", 4)) == ["0+2", "2+1", "3+1"]
        assert other.store_claimed("wrong", written("2+1")) == ()
        assert len(memory.store_claimed("right", written("0+2", "2+1", "3+1"))) == 3


def test_a_clock_that_is_set_back_while_a_worker_writes_loses_no_line(memory: Memory, clock: Clock) -> None:
    assert addresses(memory, "a") == ["0+1"]
    clock.now -= 3600 * 10**9
    assert memory.renew_lines("a") == 1
    assert memory.store_claimed("a", written("0+1")) == ("0+1",)
    assert addresses(memory, "b") == ["1+1"]
    clock.now -= 3600 * 10**9
    assert memory.store_claimed("b", written("1+1")) == ()
    assert addresses(memory, "b") == ["1+1"]
    assert memory.store_claimed("b", written("1+1")) == ("1+1",)


def test_a_forget_revokes_leases_on_what_a_model_may_have_read(memory: Memory) -> None:
    assert addresses(memory, "a", 3) == ["0+1", "1+1", "2+1"]
    memory.forget("n1")
    assert memory.store_claimed("a", written("0+1", "2+1")) == ("0+1",)
    assert memory.renew_lines("a") == 0


def test_lines_of_the_embedded_summarizer_are_written_anew_on_demand_youngest_level_first(memory: Memory) -> None:
    memory.claim_lines("e", 4)
    memory.store_claimed("e", [Text(f"{n}+1", f"old {n} {'x' * 300}", "embedded/extractive") for n in range(4)])
    memory.claim_lines("e", 2)
    memory.store_claimed("e", [Text(f"{n}+2", f"old {n} {'x' * 300}", "embedded/extractive") for n in (0, 2)])
    memory.claim_lines("e")
    memory.store_claimed("e", [Text("0+4", "old top", "embedded/extractive")])
    view = [line.address for line in memory.view().lines]
    assert memory.pending_lines() == ()
    assert memory.resummarize() == 7
    order = []
    while claimed := memory.claim_lines("m", 2):
        order += [line.address for line in claimed]
        assert not any("old" in half for line in claimed if line.n > 1 for half in line.halves)
        memory.store_claimed("m", written(*(line.address for line in claimed)))
    assert order == ["0+1", "1+1", "2+1", "3+1", "0+2", "2+2", "0+4"]
    assert [line.address for line in memory.view().lines] == view
    top = memory.zoom(0, 4)
    assert isinstance(top, Zoom)
    assert {line.model for line in top.lines} == {"m"}
    assert memory.resummarize() == 0


def test_a_shorter_new_text_may_make_its_parent_verbatim_and_a_longer_one_not(memory: Memory) -> None:
    for number in range(4):
        memory.store_line(f"{number}+1", f"short {number}", model="embedded/extractive")
    assert memory.zoom(0, 4)
    memory.resummarize()
    memory.claim_lines("m", 4)
    memory.store_claimed("m", written("0+1", "1+1", "2+1"))
    memory.claim_lines("m", 1)
    assert memory.verify().problems == ()
    memory.store_claimed("m", [Text("3+1", "now short", "m")])
    while claimed := memory.claim_lines("m"):
        memory.store_claimed("m", [Text(claimed[0].address, "brief", "m")])
    assert memory.verify().problems == ()
    assert memory.pending_lines() == ()
