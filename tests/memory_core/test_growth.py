"""The work of view, zoom, append and search doesn't grow with the journal: counted in SQLite's own steps."""

from __future__ import annotations

import sqlite3
import statistics
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_core import Memory, index

LIVE = 100


class Counter:
    """Counts the steps of SQLite on both of a memory's connections."""

    def __init__(self, memory: Memory) -> None:
        self.count = 0
        for connection in (memory._ground.writer, memory._ground.reader):
            connection.set_progress_handler(self._tick, 1)

    def _tick(self) -> int:
        self.count += 1
        return 0

    def of(self, call: Callable[[], object]) -> int:
        self.count = 0
        call()
        return self.count


def grown(project: Path, state: Path, entries: int) -> Memory:
    """A memory of `entries` entries over the same live notes, every line written."""
    memory = Memory.open(project, state_dir=state)
    memory.reconcile()
    memory._ground.writer.execute("PRAGMA synchronous = OFF")
    notes = next((state / "projects").iterdir()) / "memories"
    for round_ in range(entries // LIVE):
        for number in range(LIVE):
            rare = " zebrafish" if number == 7 else ""
            text = f"# Note {number} in round {round_}\n\n{'word ' * 150}{rare}"
            (notes / f"note-{number}.md").write_text(text, encoding="utf-8")
        assert memory.reconcile().appended == LIVE
        while pending := memory.pending_lines(64):
            for line in pending:
                memory.store_line(line.address, f"line {line.address} {'x' * 380}", model="m")
    with_index = memory._ground.writer
    index.optimize(with_index, memory._ground.head(with_index).journal)
    return memory


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> dict[int, dict[str, float]]:
    found = {}
    for entries in (1000, 8000):
        root = tmp_path_factory.mktemp(f"grown-{entries}")
        (root / "project").mkdir()
        with grown(root / "project", root / "state", entries) as memory:
            counter = Counter(memory)
            appends = [
                counter.of(lambda n=number: memory.write(f"note-{n}", f"# Note {n}\n\n{'word ' * 150}"))
                for number in range(64)
            ]
            found[entries] = {
                "view": counter.of(memory.view),
                "zoom": counter.of(lambda: memory.zoom(0, 512)),
                "entry": counter.of(lambda: memory.zoom(5, 1)),
                "search": counter.of(lambda: memory.search("zebrafish")),
                "append (median)": statistics.median(appends),
                "append (mean)": statistics.mean(appends),
            }
    return found


@pytest.mark.parametrize("what", ["view", "zoom", "entry", "search", "append (median)", "append (mean)"])
def test_eight_times_the_entries_cost_at_most_a_fifth_more(steps: dict[int, dict[str, float]], what: str) -> None:
    assert steps[8000][what] <= 1.2 * steps[1000][what]


def test_a_view_and_a_look_without_difference_write_nothing(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    written = []

    def authorize(action: int, *rest: object) -> int:
        writes = (sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE)
        if action in writes and rest[0] != "sqlite_master":  # how a virtual table is declared to a connection
            written.append((action, rest))
        return sqlite3.SQLITE_OK

    with Memory.open(tmp_path / "project", state_dir=tmp_path / "state") as memory:
        memory.write("a", "# A\n")
        memory.reconcile()
        for connection in (memory._ground.writer, memory._ground.reader):
            connection.set_authorizer(authorize)
        memory.reconcile()
        memory.view()
        memory.search("a")
        memory.read("a")
        memory.zoom(0, 1)
        list(memory.log())
        list(memory.since(memory.mark(), exclude_session=None))
    assert written == []
