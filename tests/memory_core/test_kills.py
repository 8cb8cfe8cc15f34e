"""A process that is killed at any named point loses neither an acknowledged write nor an outside edit."""

from __future__ import annotations

import ast
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest
from conftest import Place
from source import files, tree

from tests.reliability import kills
from tests.reliability.killing import plan
from tests.reliability.shape import Settings

ROOT = Path(__file__).parents[2]
WRITER = Path(__file__).with_name("writer.py")


def run(place: Place, fault: str, *steps: str) -> list[str]:
    """The acknowledgements that the writer printed before it was killed at `fault`."""
    result = subprocess.run(
        [sys.executable, str(WRITER), str(place.project), str(place.state), *steps],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT), "CAUDRA_FAULT": fault},
        check=False,
    )
    assert result.returncode == -signal.SIGKILL, result.stderr
    return result.stdout.splitlines()


@pytest.mark.report("M5")
def test_three_hundred_kills_lose_double_and_leave_nothing(tmp_path: Path) -> None:
    outcome = kills.measure(Settings(tmp_path, short=True))
    assert [figure for figure in outcome.figures if not figure.met] == []


def test_every_named_point_is_killed_at() -> None:
    planned = {aim.point for aim in plan.AIMS} | set(plan.ELSEWHERE)
    named = {point for module in files() if module.startswith("memory_core") for point in points(tree(module))}
    assert {point for point in named if not any(fnmatch(each, point) for each in planned)} == set()
    assert {point for point in planned if point and not any(fnmatch(point, each) for each in named)} == set()
    for point, test in plan.ELSEWHERE.items():
        assert point in (ROOT / test).read_text(encoding="utf-8")


def points(module: ast.Module) -> Iterator[str]:
    """The points that a module names; a pattern where the verb is put before a step (`writing.py`)."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and node.args:
            named = node.args[0]
            how = ast.unparse(node.func).rpartition(".")[2]
            if isinstance(named, ast.Constant) and how in ("reach", "_reach"):
                yield named.value if how == "reach" else f"*.{named.value}"


def test_a_point_is_reached_the_nth_time_by_a_real_process(place: Place) -> None:
    said = run(place, "write.appended:2", "write:a:first", "write:b:second")
    assert said == ["open", "write:a:first"]
    with place.open() as memory:
        assert memory.read("a").text == "first"
        assert memory.view().entries == 1


@pytest.mark.parametrize(
    "point", ["import.appended:1", "import.appended:2", "reconcile.stored:1", "reconcile.stored:2"]
)
def test_an_import_that_was_killed_resumes_in_order(place: Place, point: str) -> None:
    place.open().close()
    for number in range(2500):
        path = place.memories / f"note-{number}.md"
        path.write_text(f"# Note {number}\n", encoding="utf-8")
    run(place, point, "reconcile")
    with place.open() as memory:
        memory.reconcile()
        while memory.index_more():
            pass
        assert memory.verify().problems == ()
        rows = list(memory.log())
        assert len(rows) == 2500
        assert {row.origin.kind.value for row in rows} == {"import"}
        dates = [row.created_ms for row in reversed(rows)]
        assert dates == sorted(dates)
        assert memory.reconcile().appended == 0


def test_a_clearing_that_was_killed_is_whole_or_done_again(place: Place) -> None:
    with place.open() as memory:
        memory.write("a", "old")
    shutil.rmtree(place.memories)
    run(place, "clear.purged:1", "reconcile")
    with place.open() as memory:
        assert memory.reconcile().cleared
        assert memory.view().entries == 0
        assert memory.verify().ok
