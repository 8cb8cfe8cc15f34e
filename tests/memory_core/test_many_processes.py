"""Many processes on one project: numbers without gap, nothing lost or doubled, no lock seen, readers write nothing."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from conftest import Place

from memory_core.exceptions import MemoryFault
from tests.reliability import processes
from tests.reliability.crowd import crowds, holding, readonly
from tests.reliability.crowd.reports import Report, Span, Stored, Written


@pytest.mark.report("M1")
def test_eight_processes_write_fifty_notes_each_without_a_gap(tmp_path: Path) -> None:
    assert processes.write_notes(tmp_path / "writes") == 400


@pytest.mark.report("M1", "M6")
def test_mixed_work_loses_no_acknowledged_text_and_writes_each_line_once(tmp_path: Path) -> None:
    reports = processes.mix(tmp_path / "mixed", processes.MIXED_SECONDS_SHORT)
    assert all(any(getattr(report, kind) for report in reports) for kind in ("written", "stored", "held", "edited"))
    assert any(report.counts for report in reports[processes.WRITERS :])


@pytest.mark.report("M6")
def test_while_a_process_holds_the_lock_readers_go_on_and_writers_wait_and_succeed(tmp_path: Path) -> None:
    assert holding.hold(*processes.place(tmp_path / "held"), processes.HELD_SECONDS_SHORT).reads > 0


def test_a_look_without_a_difference_and_everything_that_is_asked_writes_nothing(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite3, "connect", sqlite3.connect)  # as it was, afterwards
    with place.open() as memory:
        memory.write("a", "# A\nword")
        memory.reconcile()
    with place.open() as memory:
        readonly.refuse_writes(memory)
        assert memory.reconcile().appended == 0
        memory.view(), memory.zoom(0, 1), memory.read("a"), memory.search("word"), list(memory.log()), memory.stats()
        memory.propose_write("a", "other"), memory.propose_delete("a"), memory.mark(), list(memory.export())
        assert memory.claim_lines("worker") == ()
        assert readonly.locked == []
        with pytest.raises(MemoryFault, match=r"not authorized|readonly"):
            memory.write("b", "refused")


WRITTEN = Written(0, "a.md", "b1c2d3", Span(10, 20))


@pytest.mark.parametrize(
    ("report", "texts"),
    [
        (Report(written=[WRITTEN]), {0: b"another text"}),
        (Report(written=[WRITTEN]), {0: None}),
        (Report(written=[WRITTEN], forgotten=[("a.md", Span(30, 40))]), {0: b"b1c2d3"}),
        (Report(written=[WRITTEN], forgotten=[("a.md", Span(1, 5))]), {0: None}),
    ],
    ids=["another text", "no text", "a text that was forgotten", "forgotten before it was written"],
)
def test_the_judge_finds_a_text_that_is_lost_or_left(report: Report, texts: dict[int, bytes | None]) -> None:
    with pytest.raises(AssertionError):
        list(crowds.check_writes([report], texts))


def test_the_judge_finds_a_line_that_was_stored_twice_and_a_third_worker() -> None:
    twice = Report(stored=[Stored("0+2", Span(1, 2)), Stored("0+2", Span(5, 6))])
    with pytest.raises(AssertionError, match="twice"):
        crowds.check_lines([twice])
    crowds.check_lines([twice, Report(forgotten=[("a.md", Span(3, 4))])])
    assert crowds.most_at_once([Span(1, 5), Span(2, 6), Span(4, 9), Span(6, 7)]) == 3
