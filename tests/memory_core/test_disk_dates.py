"""Dates, ticks and clocks that lie: an edit is never overlooked, and nothing is written for a date alone."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from conftest import Place

from memory_core import Memory, notes

SECOND_NS = 10**9
YEAR_NS = 31_556_952 * SECOND_NS
LENGTH = 40
EDITS = 60

DATES_NS = {
    "1960": -9 * YEAR_NS,
    "1970": 0,
    "2099": 129 * YEAR_NS,
    "2300, past what 64 bits hold in nanoseconds": 330 * YEAR_NS,
    "2446, the last that ext4 knows": 476 * YEAR_NS,
}


class Clock:
    """A clock that is set by hand."""

    def __init__(self, now_ns: int) -> None:
        self.now_ns = now_ns

    def __call__(self) -> int:
        return self.now_ns


def opened(place: Place, clock: Clock) -> Memory:
    return Memory.open(place.project, state_dir=place.state, clock=clock)


def put(place: Place, name: str, text: str, mtime_ns: int | None = None) -> Path:
    path = place.memories / name
    path.write_text(text.ljust(LENGTH, "."), encoding="utf-8")
    if mtime_ns is not None:
        os.utime(path, ns=(mtime_ns, mtime_ns))
    return path


def texts(memory: Memory, name: str) -> list[str]:
    return [found.raw.decode().rstrip(".") for found in memory.export() if found.name == name and found.raw is not None]


@pytest.mark.parametrize("mtime_ns", DATES_NS.values(), ids=DATES_NS)
def test_a_file_of_any_date_is_imported_edited_and_written(place: Place, mtime_ns: int) -> None:
    place.open().close()
    path = put(place, "odd.md", "# one", mtime_ns)
    with place.open() as memory:
        assert memory.reconcile().imported == 1
        assert [row.created_ms for row in memory.log()] == [notes.fingerprint(path.stat())[1] // 1_000_000]
        put(place, "odd.md", "# two", mtime_ns - SECOND_NS)
        assert memory.reconcile().appended == 1
    with place.open() as memory:
        log = place.state / "acp-state.db-wal"
        memory.reconcile()
        before = log.stat().st_size
        assert memory.reconcile().appended == 0
        assert log.stat().st_size == before
        memory.write("odd", "# three")
        assert texts(memory, "odd.md") == ["# one", "# two", "# three"]
        assert memory.verify().problems == ()


@pytest.mark.parametrize("mtime_ns", DATES_NS.values(), ids=DATES_NS)
def test_an_export_of_a_note_of_any_date_is_taken_in(place: Place, tmp_path: Path, mtime_ns: int) -> None:
    place.open().close()
    put(place, "odd.md", "# one", mtime_ns)
    archive = tmp_path / "export.jsonl"
    with place.open() as memory:
        memory.reconcile()
        archive.write_bytes(b"".join(memory.archive()))
        dates = [row.created_ms for row in memory.log()]
    (tmp_path / "other").mkdir()
    with Memory.open(tmp_path / "other", state_dir=place.state) as other:
        other.import_archive(str(archive))
        assert [row.created_ms for row in other.log()] == dates


@pytest.mark.parametrize("inode", [2**63 - 1, 2**63, 2**63 + 5, 2**64 - 1])
def test_an_inode_that_takes_all_64_bits_is_kept_and_tells_files_apart(inode: int) -> None:
    """Some network and user-space file systems number so."""

    def status(number: int) -> os.stat_result:
        return os.stat_result((0o100600, number, 1, 1, 0, 0, LENGTH, 0, 0, 0), {"st_mtime_ns": 1})

    found = notes.fingerprint(status(inode))
    assert 0 <= found[2] < 2**63
    assert found != notes.fingerprint(status(inode - 1))


def test_edits_of_one_size_in_one_tick_are_all_seen(place: Place) -> None:
    """Each in place, as fast as it goes, with a look between: the fingerprint may stay the same."""
    with place.open() as memory:
        memory.reconcile()
        path = put(place, "fast.md", "# edit 0")
        written = []
        for number in range(EDITS):
            with path.open("r+b") as file:
                file.write(f"# edit {number:04}".encode())
            written.append(f"# edit {number:04}")
            assert memory.reconcile().appended == 1
        assert texts(memory, "fast.md") == written
        assert memory.verify().problems == ()


def test_edits_of_one_size_whose_date_was_put_back_are_seen_while_the_file_is_young(place: Place) -> None:
    with place.open() as memory:
        memory.reconcile()
        path = put(place, "back.md", "# one")
        assert memory.reconcile().appended == 1
        status = path.stat()
        for text in ("# two", "# six"):
            with path.open("r+b") as file:
                file.write(text.encode())
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
            assert notes.fingerprint(path.stat()) == notes.fingerprint(status)
            assert memory.reconcile().appended == 1
        memory.write("back", "# end")
        assert texts(memory, "back.md") == ["# one", "# two", "# six", "# end"]


def test_an_edit_found_by_a_write_is_seen_behind_the_same_fingerprint(place: Place) -> None:
    with place.open() as memory:
        memory.reconcile()
        path = put(place, "back.md", "# one")
        memory.reconcile()
        status = path.stat()
        with path.open("r+b") as file:
            file.write(b"# two")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        memory.write("back", "# end")
        assert texts(memory, "back.md") == ["# one", "# two", "# end"]


@pytest.mark.parametrize("step_ns", [-SECOND_NS, -3600 * SECOND_NS, -20 * YEAR_NS, 20 * YEAR_NS])
def test_a_clock_that_jumps_loses_no_edit_and_no_order(place: Place, step_ns: int) -> None:
    """Numbers order the entries, never dates; an edit under a clock of another year is an edit."""
    clock = Clock(1_700_000_000 * SECOND_NS)
    with opened(place, clock) as memory:
        memory.reconcile()
        chance = random.Random(step_ns)
        expected: dict[str, list[str]] = {"a.md": [], "b.md": []}
        for number in range(12):
            name = chance.choice(sorted(expected))
            expected[name].append(f"# edit {number}")
            if chance.random() < 0.5:
                put(place, name, f"# edit {number}", clock.now_ns)
                assert memory.reconcile().appended == 1
            else:
                memory.write(name, f"# edit {number}".ljust(LENGTH, "."))
            clock.now_ns += step_ns
        assert {name: texts(memory, name) for name in expected} == expected
        assert [row.seq for row in memory.log()] == list(reversed(range(12)))
        assert memory.reconcile().appended == 0
        assert memory.verify().problems == ()


def test_a_lease_that_was_taken_before_the_clock_went_back_holds_nobody_up(place: Place) -> None:
    clock = Clock(1_700_000_000 * SECOND_NS)
    with opened(place, clock) as memory:
        memory.reconcile()
        memory.write("long", "# long\n" + "word " * 200)
        assert [line.address for line in memory.claim_lines("before")] == ["0+1"]
        clock.now_ns -= YEAR_NS
        assert [line.address for line in memory.claim_lines("after")] == ["0+1"]
