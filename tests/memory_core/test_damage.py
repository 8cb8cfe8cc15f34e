"""A damaged database: set aside, said in one sentence, what can be read carried over, the current texts back."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from unittest.mock import ANY

import pytest
from conftest import Place

from memory_core.exceptions import StateUnavailable

ROOT = Path(__file__).parents[2]
PAGE = 4096


@pytest.fixture
def filled(place: Place) -> Place:
    """300 notes with several versions, all in the database file itself."""
    with place.open() as memory:
        for round_ in range(2):
            for number in range(300):
                memory.write(f"n{number}", f"# N{number} in round {round_}\n" + f"word{number} " * 60)
        while pending := memory.pending_lines(64):
            for line in pending:
                memory.store_line(line.address, f"line {line.address} {'x' * 100}", model="m")
        memory._ground.writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return place


def flip(path: Path, rng: random.Random, pages: int) -> None:
    raw = bytearray(path.read_bytes())
    for _ in range(pages):
        page = rng.randrange(1, len(raw) // PAGE)
        for at in range(page * PAGE, page * PAGE + 64):
            raw[at] ^= 0xFF
    path.write_bytes(raw)


@pytest.mark.report("M8")
@pytest.mark.parametrize("seed", range(6))
def test_flipped_pages_cost_no_current_text_and_the_memory_goes_on(filled: Place, seed: int) -> None:
    flip(filled.state / "acp-state.db", random.Random(seed), pages=40)
    with filled.open() as memory:
        notices = memory.reconcile().notices + memory.repair().notices
        assert memory.verify().problems == ()
        assert {memory.read(f"n{number}").text for number in range(300)} == {
            f"# N{number} in round 1\n" + f"word{number} " * 60 for number in range(300)
        }
        memory.write("after", "goes on")
    damaged = list(filled.state.glob("acp-state.db.damaged-*"))
    assert bool(damaged) == any("damaged" in notice for notice in notices)


def test_what_can_be_read_is_carried_over_with_its_numbers(filled: Place) -> None:
    with filled.open() as memory:
        before = {found.seq: found.raw for found in memory.export()}
    raw = bytearray((filled.state / "acp-state.db").read_bytes())
    at = raw.find(b"# N150 in round 0")
    page = at // PAGE * PAGE
    raw[page : page + 64] = b"\xff" * 64
    (filled.state / "acp-state.db").write_bytes(raw)
    with filled.open() as memory:
        with pytest.raises(StateUnavailable, match="damaged"):
            list(memory.export())
        assert "damaged" in memory.reconcile().notices[0]
        after = {found.seq: found.raw for found in memory.export()}
        assert len(after) >= 600
        kept = [seq for seq in range(600) if after[seq] == before[seq]]
        assert len(kept) > 500
        memory.repair()
        assert memory.verify().problems == ()


@pytest.mark.report("M8")
def test_a_truncated_log_loses_nothing_that_the_files_hold(place: Place) -> None:
    with place.open() as memory:
        for number in range(20):
            memory.write(f"n{number}", f"# N{number}\n")
        wal = (place.state / "acp-state.db-wal").read_bytes()
        database = (place.state / "acp-state.db").read_bytes()
    (place.state / "acp-state.db").write_bytes(database)
    (place.state / "acp-state.db-wal").write_bytes(wal[: len(wal) // 2])
    with place.open() as memory:
        memory.reconcile()
        while memory.index_more():
            pass
        assert memory.verify().problems == ()
        assert memory.read("n19").text == "# N19\n"


@pytest.mark.parametrize("point", ["salvage.carried", "salvage.aside"])
def test_a_salvage_that_was_killed_is_ended_by_the_next_process_with_every_version(filled: Place, point: str) -> None:
    path = filled.state / "acp-state.db"
    kept = {f"# N{number} in round 0" for number in range(300)}
    raw = bytearray(path.read_bytes())
    at = raw.find(b"# N150 in round 0")
    raw[at // PAGE * PAGE : at // PAGE * PAGE + 64] = b"\xff" * 64
    path.write_bytes(raw)
    command = [sys.executable, "-c", LOOK, str(filled.project), str(filled.state)]
    killed = subprocess.run(command, env={"PYTHONPATH": str(ROOT), "CAUDRA_FAULT": point}, check=False)
    assert killed.returncode < 0
    if not path.exists():
        path.with_name("acp-state.db-wal").write_bytes(b"what is left of the damaged one's log")
    subprocess.run(command, env={"PYTHONPATH": str(ROOT)}, check=True)
    assert list(filled.state.glob("acp-state.db.damaged-*-wal")) == ([] if point == "salvage.carried" else [ANY])
    with filled.open() as memory:
        memory.reconcile()
        memory.repair()
        assert memory.verify().problems == ()
        found = {(each.raw or b"").decode().partition("\n")[0] for each in memory.export()}
    assert len(kept & found) > 250
    assert len(list(filled.state.glob("acp-state.db.damaged-*[!lm]"))) == 1
    assert not (filled.state / ".carried").exists()


def test_nothing_is_set_aside_while_another_process_has_the_database_open(filled: Place) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(filled.project), str(filled.state)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"PYTHONPATH": str(ROOT)},
    )
    with holder:
        assert holder.stdin is not None and holder.stdout is not None
        assert holder.stdout.readline() == b"open\n"
        flip(filled.state / "acp-state.db", random.Random(1), pages=60)
        with pytest.raises(StateUnavailable, match="damaged"), filled.open() as memory:
            memory.reconcile()
            memory.search("word7")
            list(memory.export())
        assert list(filled.state.glob("*.damaged-*")) == []
        holder.stdin.close()
    with filled.open() as memory:
        memory.reconcile()
        memory.repair()
        assert memory.verify().problems == ()


HOLD = """
import sys
from memory_core import Memory
memory = Memory.open(sys.argv[1], state_dir=sys.argv[2])
print("open", flush=True)
sys.stdin.read()
"""

LOOK = """
import sys
from memory_core import Memory
from memory_core.exceptions import StateDamaged
with Memory.open(sys.argv[1], state_dir=sys.argv[2]) as memory:
    try:
        list(memory.export())
    except StateDamaged:
        memory.reconcile()
"""
