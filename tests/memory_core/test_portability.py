"""A memory on another machine: the same numbers, lines and view; and onto one that has its own, only what is new."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Place

from memory_core import Memory
from memory_core.exceptions import BadArchive, StateUnavailable
from memory_core.portability import archive
from memory_core.results import Origin, OriginKind

ROOT = Path(__file__).parents[2]


def save(memory: Memory, path: Path) -> Path:
    path.write_bytes(b"".join(memory.archive()))
    return path


def other(tmp_path: Path, name: str = "other") -> Place:
    project = tmp_path / name
    project.mkdir()
    return Place(project, tmp_path / f"{name}-state")


def fill(place: Place, memory: Memory) -> None:
    """Every kind of entry, lines of every kind, a view under its budget."""
    for number in range(150):
        size = 40 if number % 3 else 900
        memory.write(f"n{number % 40}", f"# Note {number}\n" + "word " * size)
        if number % 7 == 0:
            lines = memory.pending_lines(8)
            for line in lines:
                memory.store_line(line.address, f"line {line.address}", model="a-model", cut=line.id % 2 == 0)
    memory.write("secret", "x" * 600)
    memory.forget("secret")
    memory.delete("n3")
    (place.memories / "raw.md").write_bytes(b"---\na: b\n---\n\xff\r\n\xef\xbb\xbf")
    memory.reconcile()
    memory.write("by", "text", origin=Origin(OriginKind.SESSION, "s1", "Zed"))


def settle(memory: Memory) -> None:
    while memory.index_more():
        pass
    assert memory.verify().problems == ()


def everything(memory: Memory) -> tuple[object, ...]:
    """All that has to be the same: entries, the view, every line of the tree."""
    view = replace(memory.view(), generation=0, forgets=0)
    zooms = [memory.zoom(start, 1 << k) for k in range(1, 9) for start in range(0, view.entries - (1 << k) + 1, 1 << k)]
    entries = [replace(memory.zoom(seq, 1), path=None) for seq in range(view.entries)]
    return list(memory.export()), view, zooms, entries


def files(place: Place) -> dict[str, bytes]:
    return {str(path.relative_to(place.memories)): path.read_bytes() for path in place.memories.rglob("*.md")}


@pytest.mark.report("M62")
def test_an_empty_memory_becomes_the_same(place: Place, tmp_path: Path) -> None:
    there = other(tmp_path)
    with place.open(4096) as memory, there.open(4096) as copy:
        fill(place, memory)
        path = save(memory, tmp_path / "archive")
        done = copy.import_archive(str(path))
        assert (done.whole, done.appended) == (True, memory.view().entries)
        assert everything(copy) == everything(memory)
        assert files(there) == files(place)
        assert copy.reconcile().appended == 0
        settle(copy)
        settle(memory)


def test_the_copy_goes_on_as_the_original_would(place: Place, tmp_path: Path) -> None:
    there = other(tmp_path)
    with place.open(4096) as memory, there.open(4096) as copy:
        fill(place, memory)
        copy.import_archive(str(save(memory, tmp_path / "archive")))
        for each in (memory, copy):
            for number in range(60):
                each.write(f"later{number}", "more " * 150)
                for line in each.pending_lines(3):
                    each.store_line(line.address, f"later {line.address}", model="m")
        assert replace(copy.view(), generation=0, forgets=0) == replace(memory.view(), generation=0, forgets=0)
        settle(copy)


def test_an_export_of_a_copy_is_the_export_of_the_original(place: Place, tmp_path: Path) -> None:
    there = other(tmp_path)
    with place.open() as memory, there.open() as copy:
        fill(place, memory)
        copy.import_archive(str(save(memory, tmp_path / "archive")))
        rows, again = list(memory.archive()), list(copy.archive())
        assert again[1:-1] == rows[1:-1]


def test_a_second_import_of_the_same_file_changes_nothing(place: Place, tmp_path: Path) -> None:
    there = other(tmp_path)
    with place.open() as memory, there.open() as copy:
        fill(place, memory)
        path = save(memory, tmp_path / "archive")
        copy.import_archive(str(path))
        before = everything(copy)
        done = copy.import_archive(str(path))
        assert (done.appended, done.whole) == (0, False)
        assert everything(copy) == before


def test_a_later_export_brings_what_is_new_under_the_same_numbers(place: Place, tmp_path: Path) -> None:
    there = other(tmp_path)
    with place.open() as memory, there.open() as copy:
        memory.write("a", "first")
        copy.import_archive(str(save(memory, tmp_path / "one")))
        memory.write("b", "B")
        memory.write("a", "second")
        done = copy.import_archive(str(save(memory, tmp_path / "two")))
        assert (done.appended, done.same) == (2, 1)
        assert list(copy.export()) == list(memory.export())
        assert files(there) == files(place)
        settle(copy)


class Clock:
    """Seconds that pass as a test says."""

    def __init__(self) -> None:
        self.ns = 1_700_000_000 * 10**9

    def __call__(self) -> int:
        self.ns += 10**9
        return self.ns


@pytest.mark.report("M11", "M62")
def test_what_is_newer_here_stays_and_nothing_is_deleted(place: Place, tmp_path: Path) -> None:
    there, clock = other(tmp_path), Clock()
    with (
        Memory.open(place.project, state_dir=place.state, clock=clock) as memory,
        Memory.open(there.project, state_dir=there.state, clock=clock) as here,
    ):
        memory.write("older", "theirs, older")
        memory.write("gone", "theirs")
        here.write("older", "ours, newer")
        here.write("newer", "ours, older")
        here.write("gone", "ours")
        here.write("forgotten", "ours")
        memory.write("forgotten", "theirs")
        here.forget("forgotten")
        memory.write("newer", "theirs, newer")
        memory.write("only", "theirs")
        memory.write("passing", "theirs")
        memory.delete("passing")
        memory.delete("gone")
        done = here.import_archive(str(save(memory, tmp_path / "archive")))
        assert {name: here.read(name).text for name in ("older", "newer", "gone", "only")} == {
            "older": "ours, newer",
            "newer": "theirs, newer",
            "gone": "ours",
            "only": "theirs",
        }
        assert (done.appended, done.older, done.kept, done.forgotten) == (4, 2, 1, 1)
        assert set(files(there)) == {"older.md", "newer.md", "gone.md", "only.md"}
        assert here.version("newer", 1).raw == b"ours, older"
        assert here.reconcile().appended == 0
        settle(here)


def test_an_edit_made_outside_meanwhile_is_kept_above_the_import(place: Place, tmp_path: Path) -> None:
    there, clock = other(tmp_path), Clock()
    with (
        Memory.open(place.project, state_dir=place.state, clock=clock) as memory,
        Memory.open(there.project, state_dir=there.state, clock=clock) as here,
    ):
        here.write("a", "ours")
        memory.write("a", "theirs")
        (there.memories / "a.md").write_text("edited", encoding="utf-8")
        here.import_archive(str(save(memory, tmp_path / "archive")))
        assert here.read("a").text in ("edited", "theirs")
        assert {found.raw for found in here.export()} == {b"ours", b"edited", b"theirs"} or here.read(
            "a"
        ).text == "edited"
        settle(here)


def rows_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def changed(row: bytes, **fields: object) -> bytes:
    return json.dumps({**json.loads(row), **fields}).encode() + b"\n"


WRONG = {
    "empty": (lambda rows: [], "not an export"),
    "foreign": (lambda rows: [b'{"some": "json"}\n'], "not an export"),
    "foreign binary": (lambda rows: [b"SQLite format 3\0" * 100], "not an export"),
    "newer": (lambda rows: [rows[0].replace(b'"version":1', b'"version":2'), *rows[1:]], "newer release"),
    "cut after a line": (lambda rows: rows[:-1], "ends in the middle"),
    "cut in a line": (lambda rows: [*rows[:-1], rows[-1][:10]], "ends in the middle"),
    "a line lacks": (lambda rows: [*rows[:2], *rows[3:]], "entry 1 has to follow"),
    "a number twice": (lambda rows: [*rows[:2], rows[1], *rows[2:]], "entry 1 has to follow"),
    "no JSON": (lambda rows: [rows[0], b"nonsense\n", *rows[2:]], "no JSON object"),
    "no UTF-8": (lambda rows: [rows[0], b"\xff\n", *rows[2:]], "no JSON object"),
    "deep": (lambda rows: [rows[0], b"[" * 100_000 + b"\n", *rows[2:]], "no JSON object"),
    "a path that escapes": (lambda rows: [rows[0], changed(rows[1], name="../../x.md")], "no note can have"),
    "an absolute path": (lambda rows: [rows[0], changed(rows[1], name="/etc/x.md")], "no note can have"),
    "a hidden file": (lambda rows: [rows[0], changed(rows[1], name=".ssh/x.md")], "no note can have"),
    "another text": (lambda rows: [rows[0], changed(rows[1], text="other")], "not the one that was exported"),
    "a lone surrogate": (lambda rows: [rows[0], changed(rows[1], session="\ud800")], "'session'"),
    "a date without end": (lambda rows: [rows[0], changed(rows[1], created_ms=10**18)], "'created_ms'"),
    "no number": (lambda rows: [rows[0], changed(rows[1], seq="0")], "'seq'"),
    "an unknown kind": (lambda rows: [rows[0], changed(rows[1], kind="spell")], "'kind'"),
    "a view with a gap": (
        lambda rows: [row if b'"view"' not in row[:20] else changed(row, lines=[[1, 1]]) for row in rows],
        "cover every entry",
    ),
    "a changed line": (
        lambda rows: [row if b'"line"' not in row[:20] else changed(row, text="forged") for row in rows],
        "not the ones that were exported",
    ),
    "a line elsewhere": (
        lambda rows: [row if b'"line"' not in row[:20] else changed(row, start=1, n=2) for row in rows],
        r"no line 1\+2",
    ),
    "more after the end": (lambda rows: [*rows, rows[-1]], "can stand here"),
}


@pytest.mark.parametrize("fault", WRONG)
@pytest.mark.parametrize("empty", [True, False])
def test_a_bad_file_is_refused_with_nothing_half_done(place: Place, tmp_path: Path, fault: str, empty: bool) -> None:
    there = other(tmp_path)
    with place.open() as memory, there.open() as copy:
        for number in range(4):
            memory.write(f"n{number}", "text " * 300)
        for line in memory.pending_lines(2):
            memory.store_line(line.address, "a line", model="m")
        path = save(memory, tmp_path / "archive")
        if not empty:
            copy.write("mine", "text")
        before = everything(copy), files(there)
        make, said = WRONG[fault]
        path.write_bytes(b"".join(make(rows_of(path))))
        with pytest.raises(BadArchive, match=said):
            copy.import_archive(str(path))
        assert (everything(copy), files(there)) == before
        settle(copy)


def test_a_file_that_is_not_there_is_named(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(BadArchive, match="nowhere"):
        memory.import_archive(str(tmp_path / "nowhere"))


POINTS = [
    "import.batch:1",
    "import.grown:2",
    "import.stored:1",
    "import.committed:1",
    "place.replaced:1",
    "place.batch:1",
]


def killed(place: Place, fault: str, path: Path) -> None:
    """A process that imports and is killed at a point."""
    code = "import sys\nfrom memory_core import Memory\nproject, state, path = sys.argv[1:]\n"
    code += "Memory.open(project, state_dir=state).import_archive(path)\n"
    done = subprocess.run(
        [sys.executable, "-c", code, str(place.project), str(place.state), str(path)],
        env={"PYTHONPATH": str(ROOT), "CAUDRA_FAULT": fault},
        capture_output=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr


@pytest.mark.parametrize("point", POINTS)
def test_an_import_that_was_killed_goes_on_to_the_same(place: Place, tmp_path: Path, point: str) -> None:
    there = other(tmp_path)
    with place.open(4096) as memory:
        fill(place, memory)
        path = save(memory, tmp_path / "archive")
        killed(there, point, path)
        with there.open(4096) as copy:
            copy.reconcile()
            assert copy.view().entries in (0, memory.view().entries)
            assert copy.verify().problems == ()  # the word index catches up later, which is no fault
            copy.import_archive(str(path))
            assert list(copy.export()) == list(memory.export())
            assert files(there) == files(place)
            settle(copy)
        assert list((there.memories.parent / "tmp").iterdir()) == []


@pytest.mark.parametrize("point", ["import.joined:1", "place.replaced:1"])
def test_a_joining_import_that_was_killed_loses_and_doubles_nothing(place: Place, tmp_path: Path, point: str) -> None:
    there = other(tmp_path)
    with place.open() as memory, there.open() as copy:
        fill(place, memory)
        copy.write("mine", "text")
        path = save(memory, tmp_path / "archive")
    killed(there, point, path)
    with place.open() as memory, there.open() as copy:
        copy.reconcile()
        copy.import_archive(str(path))
        wanted = [found.raw for found in memory.export() if found.raw is not None]
        assert sorted(found.raw for found in copy.export() if found.raw is not None) == sorted([*wanted, b"text"])
        assert files(there) == {**files(place), "mine.md": b"text"}
        settle(copy)


def test_what_a_cut_import_left_goes_with_another_import_or_a_clearing(place: Place, tmp_path: Path) -> None:
    there = other(tmp_path)
    with place.open() as memory:
        memory.write("a", "unlikely-word " * 100)
        killed(there, "import.batch:1", save(memory, tmp_path / "one"))
        memory.write("b", "B")
        path = save(memory, tmp_path / "two")
    with there.open() as copy:
        copy.import_archive(str(path))
        settle(copy)
        assert copy.view().entries == 2
        rows = copy._ground.writer.execute("SELECT count(*) FROM entry").fetchone()
        assert rows == (2,)


def test_an_imported_note_whose_place_is_taken_is_named_and_stays_in_the_journal(place: Place, tmp_path: Path) -> None:
    there = other(tmp_path)
    with place.open() as memory, there.open() as copy:
        memory.write("a", "A")
        (there.memories / "a.md").symlink_to(tmp_path)
        copy.import_archive(str(save(memory, tmp_path / "archive")))
        assert copy.version("a", 0).raw == b"A"
        assert any("a.md" in notice for notice in copy.reconcile().notices)
        (there.memories / "a.md").unlink()
        settle(copy)


def test_removing_the_notes_directory_in_the_middle_clears_as_ever(place: Place, tmp_path: Path) -> None:
    there = other(tmp_path)
    with place.open() as memory, there.open():
        fill(place, memory)
        killed(there, "import.committed:1", save(memory, tmp_path / "archive"))
    shutil.rmtree(there.memories)
    with there.open() as copy:
        assert copy.reconcile().cleared
        assert copy.view().entries == 0
        settle(copy)


def test_a_clearing_takes_what_a_cut_import_left(place: Place, tmp_path: Path) -> None:
    there = other(tmp_path)
    with place.open() as memory, there.open():
        memory.write("a", "unlikelyword " * 100)
        killed(there, "import.batch:1", save(memory, tmp_path / "archive"))
    shutil.rmtree(there.memories)
    with there.open() as copy:
        copy.reconcile()
        assert copy.view().entries == 0
    with there.open() as copy:
        copy.idle_step()
    assert not any(b"unlikelyword" in path.read_bytes() for path in there.state.rglob("*") if path.is_file())


def test_two_imports_at_once_are_one_and_a_refusal(place: Place, tmp_path: Path) -> None:
    there = other(tmp_path)
    with place.open() as memory, there.open():
        memory.write("a", "A")
        path = save(memory, tmp_path / "archive")
        killed(there, "import.batch:1", path)
    with (
        subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as running,
        closing(sqlite3.connect(there.state / "acp-state.db")) as db,
    ):
        stat = Path(f"/proc/{running.pid}/stat").read_text(encoding="ascii")
        db.execute("UPDATE incoming SET owner = ?", (f"{running.pid}-{stat.rpartition(')')[2].split()[19]}",))
        db.commit()
        with there.open() as copy, pytest.raises(StateUnavailable, match="Another process imports"):
            copy.import_archive(str(path))
        running.communicate(b"\n")
    with there.open() as copy:
        assert copy.import_archive(str(path)).whole
        settle(copy)


def test_a_line_longer_than_any_of_an_export_is_refused(place: Place, tmp_path: Path) -> None:
    with place.open() as memory:
        memory.write("a", "A")
        path = save(memory, tmp_path / "archive")
        rows = rows_of(path)
        path.write_bytes(rows[0] + b"x" * (archive.MAX_ROW_BYTES + 1) + b"\n" + b"".join(rows[1:]))
        with pytest.raises(BadArchive, match="longer than any line"):
            memory.import_archive(str(path))
