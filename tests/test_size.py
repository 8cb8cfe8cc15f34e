"""A journal twenty times as long costs the same: SQLite's own steps over generated exports, imported as a person would.

The long form takes a million entries: `python -m tests.benchmarks --million`.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from memory_core import Memory
from tests.benchmarks import bench_million, steps
from tests.benchmarks.archives import write_archive
from tests.benchmarks.imported import Imported
from tests.benchmarks.shape import Measured

ENTRIES = 20_000
MOST_CHANGES = 5000


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Measured]:
    """The rows of the benchmark's table, by operation."""
    folder = tmp_path_factory.mktemp("imported")
    small = Imported(folder / "small", bench_million.SMALL, bench_million.SMALL_LIVE)
    large = Imported(folder / "large", ENTRIES, bench_million.LARGE_LIVE)
    for memory in (small, large):
        with memory.open() as opened:
            assert opened.verify().problems == ()
            assert opened.mark().entries == memory.entries
    found = steps.rows("size", (small.entries, small.steps()), (large.entries, large.steps()), bench_million.LIMIT)
    return dict(zip(steps.TITLES, found, strict=True))


@pytest.mark.parametrize("what", steps.TITLES)
def test_an_imported_journal_of_any_length_costs_the_same_steps(rows: dict[str, Measured], what: str) -> None:
    assert rows[what].met, rows[what].ratio


def test_no_transaction_of_an_import_grows_with_the_journal(tmp_path: Path) -> None:
    """A long one keeps other writers waiting, and what it changes in memory: 690 MB for a million entries, once."""
    write_archive(tmp_path / "export.jsonl", ENTRIES, bench_million.LARGE_LIVE)
    (tmp_path / "project").mkdir()
    with Memory.open(tmp_path / "project", state_dir=tmp_path / "state") as memory:
        changed = _changes_of_transactions(memory, lambda: memory.import_archive(str(tmp_path / "export.jsonl")))
    assert sum(changed) > 2 * ENTRIES
    assert max(changed) <= MOST_CHANGES


def _changes_of_transactions(memory: Memory, call: Callable[[], object]) -> list[int]:
    """How many rows each write transaction of a call changed."""
    db = memory._ground.writer
    changes = [db.total_changes]

    def note(statement: str) -> None:
        if statement == "COMMIT":
            changes.append(db.total_changes)

    db.set_trace_callback(note)
    call()
    db.set_trace_callback(None)
    return [after - before for before, after in pairwise(changes)]
