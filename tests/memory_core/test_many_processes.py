"""Many processes on one project: numbers without gap, nothing lost or doubled, nobody sees a lock."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Place

ROOT = Path(__file__).parents[2]
WORKER = Path(__file__).with_name("worker.py")


def run(place: Place, workers: int, rounds: int, kind: str) -> list[dict[str, list[object]]]:
    """Runs the workers side by side and gives their reports; each must end well and say nothing on stderr."""
    started = [
        subprocess.Popen(
            [sys.executable, str(WORKER), str(place.project), str(place.state), str(number), str(rounds), kind],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={"PYTHONPATH": str(ROOT)},
        )
        for number in range(workers)
    ]
    ended = [(*process.communicate(), process.returncode) for process in started]
    assert [(error, code) for _, error, code in ended] == [("", 0)] * workers
    return [json.loads(output) for output, _, _ in ended]


@pytest.mark.report("M1")
def test_eight_processes_write_fifty_notes_each_without_a_gap(place: Place) -> None:
    reports = run(place, workers=8, rounds=50, kind="write")
    assert sorted(entry for report in reports for entry in report["entries"]) == list(range(400))
    assert len(list(place.memories.glob("*.md"))) == 400
    with place.open() as memory:
        memory.reconcile()
        assert memory.view().entries == 400
        assert memory.verify().problems == ()


@pytest.mark.report("M1", "M6")
def test_mixed_work_loses_no_acknowledged_text_and_writes_each_line_once(place: Place) -> None:
    reports = run(place, workers=8, rounds=25, kind="mixed")
    with place.open() as memory:
        memory.reconcile()
        while memory.index_more():
            pass
        assert memory.verify().problems == ()
        kept = {item.raw.decode() for item in memory.export() if item.raw is not None}
        entries = {item.seq for item in memory.export()}
    assert {text for report in reports for text in report["texts"]} <= kept
    assert entries == set(range(len(entries)))
    lines = [line for report in reports for line in report["lines"]]
    assert len(lines) == len(set(lines)) > 50
