"""What memories and agents lost: each fault with the tests that make it happen here, of `tests/reports_table.py`."""

from __future__ import annotations

from tests.benchmarks.table import line
from tests.reports_table import REPORTS, Report, held_by

TITLE = "What others lost"

INTRODUCTION = """Faults that people met with other memory systems and agents. Each is made to happen by a test, which
is red where it comes true here; a last sentence says what no test decides, and why.
"""


def text() -> str:
    """The section: a table with a row for each fault."""
    tests = held_by()
    rows = (line((each.row, _said(each), ", ".join(map(_short, tests[each.row])))) for each in REPORTS)
    return "\n".join((INTRODUCTION, line(("Row", "Fault", "Made to happen by")), line(["---"] * 3), *rows))


def _said(report: Report) -> str:
    return " ".join(part for part in (report.fault, report.aside) if part)


def _short(test: str) -> str:
    """A test's name without its file, which the name alone finds."""
    return f"`{test.partition('::')[2]}`"
