"""Every fault that was met elsewhere has a test that makes it happen, or a reason why none is needed."""

from __future__ import annotations

import re

from reports_table import REPORTS, held_by


def test_each_row_stands_once_in_order() -> None:
    """Memories first (M, all of them), then agents (A, B)."""
    places = [("MAB".index(report.row[0]), int(report.row[1:])) for report in REPORTS]
    assert places == sorted(set(places))
    memories = [number for family, number in places if family == 0]
    assert (len(memories), memories[0], memories[-1]) == (46, 1, 65)


def test_each_row_is_held_by_a_test() -> None:
    assert {report.row for report in REPORTS} == set(held_by())


def test_what_holds_a_row_is_a_test_that_is_collected() -> None:
    names = [test for tests in held_by().values() for test in tests]
    assert all(re.fullmatch(r"tests/(\w+/)*test_\w+\.py::test_\w+", name) for name in names)


def test_a_fault_and_its_reason_are_sentences() -> None:
    said = [text for report in REPORTS for text in (report.fault, report.aside) if text]
    assert all(text.endswith(".") and "\n" not in text for text in said)
