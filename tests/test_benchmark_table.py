"""The benchmark page says what its samples say, and a row is met or missed by its samples alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # the benchmarks are run as `tests.benchmarks` from the project's root

from tests.benchmarks import table  # noqa: E402
from tests.benchmarks.machine import Machine  # noqa: E402
from tests.benchmarks.shape import Measured, Sample, Side, Statistic  # noqa: E402

MACHINE = Machine("0123456789ab", "2024-02-29 12:00 UTC", "A CPU", 2, "CPython 3.11.0", "3.40.1", "Linux 6", "ext4")


def row(statistic: Statistic, limit: float | None, floor: list[float], ours: list[float], unit: str = "ms") -> Measured:
    samples = [Sample(Side.FLOOR, value, value) for value in floor] + [Sample(Side.OURS, value) for value in ours]
    return Measured("a-row", "A row", "a floor" if floor else None, unit, statistic, limit, tuple(samples))


def test_the_page_in_docs_is_rendered_from_the_samples_beside_it() -> None:
    page = table.page(table.read(table.DOCS, table.RAW), table.read(table.DOCS, table.MILLION_RAW))
    assert (table.DOCS / table.PAGE).read_text(encoding="utf-8") == page


@pytest.mark.parametrize("raw", [table.RAW, table.MILLION_RAW])
def test_the_samples_of_the_page_in_docs_are_as_they_were_dumped(raw: str) -> None:
    text = (table.DOCS / raw).read_text(encoding="utf-8")
    assert table.dumped(table.loaded(text)) == text


@pytest.mark.parametrize(
    ("statistic", "ratio"),
    [(Statistic.MINIMUM, 2.0), (Statistic.MEDIAN, 3.0), (Statistic.MEAN, 4.0), (Statistic.MAXIMUM, 7.0)],
)
def test_a_side_comes_to_its_statistic(statistic: Statistic, ratio: float) -> None:
    measured = row(statistic, 3.0, [1.0, 1.0, 1.0], [2.0, 3.0, 7.0])
    assert measured.ratio == ratio
    assert measured.met == (ratio <= 3.0)


def test_a_row_without_a_floor_is_held_to_its_unit() -> None:
    assert row(Statistic.MAXIMUM, 300.0, [], [299.0, 300.0]).met
    assert not row(Statistic.MAXIMUM, 300.0, [], [1.0, 300.1]).met


def test_a_row_without_a_limit_is_told_and_neither_met_nor_missed() -> None:
    told = row(Statistic.MEAN, None, [2.0], [3.0], "bytes")
    page = table.page(table.Run(MACHINE, (told,)))
    assert told.met
    assert "| 3 bytes | 1.50 × | – | – |" in page


def test_a_run_of_the_large_sizes_leaves_the_everyday_ones_on_the_page(tmp_path: Path) -> None:
    everyday, large = (table.Run(MACHINE, (row(Statistic.MINIMUM, limit, [1.0], [1.0]),)) for limit in (1.23, 4.56))
    table.write(everyday, tmp_path)
    table.write(large, tmp_path, table.MILLION_RAW)
    page = (tmp_path / table.PAGE).read_text(encoding="utf-8")
    assert page.index("≤ 1.23 ×") < page.index("## A million entries") < page.index("≤ 4.56 ×")


def test_a_missed_limit_is_called_missed() -> None:
    run = table.Run(MACHINE, (row(Statistic.MINIMUM, 1.5, [1.0], [2.0]), row(Statistic.MINIMUM, 2.0, [1.0], [2.0])))
    page = table.page(run)
    assert page.count("**missed**") == 1
    assert page.count("| met |") == 1


def test_a_run_survives_its_json() -> None:
    run = table.Run(MACHINE, (row(Statistic.MEDIAN, 1.5, [1.0, 2.5], [2.0]), row(Statistic.MAXIMUM, 9.0, [], [2.0])))
    assert table.loaded(table.dumped(run)) == run


def test_a_quick_run_measures_and_writes_where_it_is_told(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.benchmarks", "--quick", "--only", "append", "--out", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    run = table.loaded((tmp_path / table.RAW).read_text(encoding="utf-8"))
    assert [measured.name for measured in run.rows] == ["append"]
    assert (tmp_path / table.PAGE).read_text(encoding="utf-8") == table.page(run)
