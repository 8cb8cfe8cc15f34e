"""A memory that is open keeps its locks on the database: another process that comes and goes takes nothing away."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Place

from memory_core import Memory

VISIT = """
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as db:
    print(db.execute("SELECT count(*) FROM entry").fetchone()[0])
db.close()
"""


def visit(place: Place) -> int:
    """Another process looks into the database and leaves; the number of entries that it saw."""
    database = place.state / "acp-state.db"
    seen = subprocess.run(
        [sys.executable, "-c", VISIT, str(database)], capture_output=True, text=True, check=True, timeout=30
    )
    return int(seen.stdout)


def test_a_write_after_another_process_left_is_seen_by_the_next(memory: Memory, place: Place) -> None:
    memory.write("a", "# A\n")
    assert visit(place) == 1
    memory.write("b", "# B\n")
    assert visit(place) == 2


def test_the_log_stays_while_a_memory_is_open(memory: Memory, place: Place) -> None:
    log = place.state / "acp-state.db-wal"
    memory.write("a", "# A\n")
    inode = log.stat().st_ino
    visit(place)
    assert log.stat().st_ino == inode


@pytest.mark.parametrize("again", ["a second memory", "rows that have a connection of their own"])
def test_opening_once_more_drops_no_lock(memory: Memory, place: Place, tmp_path: Path, again: str) -> None:
    memory.write("a", "# A\n")
    if again == "a second memory":
        other = tmp_path / "other"
        other.mkdir()
        Memory.open(other, state_dir=place.state).close()
    else:
        assert len(list(memory.log())) == 1
    assert visit(place) == 1
    memory.write("b", "# B\n")
    assert visit(place) == 2
