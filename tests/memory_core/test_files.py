"""The look at the files: imports, outside edits, what is left alone and what is said about it."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest
from conftest import Place

from memory_core import Memory
from memory_core.exceptions import BadName, NoSuchNote
from memory_core.results import Entry, EntryKind, EntryStatus, OriginKind


def entry(memory: Memory, seq: int) -> Entry:
    found = memory.zoom(seq, 1)
    assert isinstance(found, Entry)
    return found


def put(path: Path, text: str | bytes, mtime: int | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    if mtime is not None:
        os.utime(path, (mtime, mtime))
    return path


@pytest.fixture
def seeded(place: Place) -> Place:
    """Three notes that are there before the journal is first looked at."""
    place.open().close()
    put(place.memories / "b.md", "# B\n", 200)
    put(place.memories / "a.md", "# A\n", 300)
    put(place.memories / "sub" / "c.md", "---\ntags: [x]\n---\n# C\n", 100)
    return place


def test_the_first_look_imports_oldest_first_and_leaves_the_files_untouched(seeded: Place) -> None:
    before = {path: (path.read_bytes(), path.stat()) for path in seeded.memories.rglob("*.md")}
    with seeded.open() as memory:
        assert memory.reconcile().imported == 3
        assert [(row.name, row.origin.kind, row.created_ms) for row in memory.log()] == [
            ("a.md", OriginKind.IMPORT, 300_000),
            ("b.md", OriginKind.IMPORT, 200_000),
            ("sub/c.md", OriginKind.IMPORT, 100_000),
        ]
    assert {path: (path.read_bytes(), path.stat()) for path in seeded.memories.rglob("*.md")} == before


def test_an_import_comes_without_front_matter_while_its_file_keeps_it(seeded: Place) -> None:
    with seeded.open() as memory:
        memory.reconcile()
        note = memory.read("sub/c")
        assert note.text == "# C\n"
        assert "left out" in note.notices[0]
        assert entry(memory, 0).text == "# C\n"


def test_a_write_keeps_the_front_matter_of_an_import(seeded: Place) -> None:
    with seeded.open() as memory:
        memory.reconcile()
        proposal = memory.propose_write("sub/c.md", "# New\n")
        assert proposal.new_text == "---\ntags: [x]\n---\n# New\n"
        receipt = memory.write("sub/c.md", "# New\n")
        assert "kept" in receipt.notices[0]
        assert memory.read("sub/c.md").text == "# New\n"
        memory.write("sub/c.md", "# Newer\n")
    assert (seeded.memories / "sub" / "c.md").read_text(encoding="utf-8") == "---\ntags: [x]\n---\n# Newer\n"


def test_outside_edits_append_deletes_first_then_changes_by_time(seeded: Place) -> None:
    with seeded.open() as memory:
        memory.reconcile()
        (seeded.memories / "a.md").unlink()
        put(seeded.memories / "new.md", "# New\n", 500)
        put(seeded.memories / "b.md", "# B2\n", 400)
        assert memory.reconcile().appended == 3
        rows = list(memory.log())[:3]
        assert [(row.seq, row.kind, row.name) for row in reversed(rows)] == [
            (3, EntryKind.DELETE, "a.md"),
            (4, EntryKind.NOTE, "b.md"),
            (5, EntryKind.NOTE, "new.md"),
        ]
        assert {row.origin.kind for row in rows} == {OriginKind.OUTSIDE}
        assert entry(memory, 2).status is EntryStatus.DELETED
        assert entry(memory, 2).replaced_by == 3
        assert entry(memory, 1).status is EntryStatus.REWRITTEN
        assert entry(memory, 3).status is EntryStatus.CURRENT


def test_a_touched_file_appends_nothing_and_nothing_is_written(seeded: Place) -> None:
    with seeded.open() as memory:
        memory.reconcile()
        os.utime(seeded.memories / "a.md", (900, 900))
        database = seeded.state / "acp-state.db-wal"
        before = database.stat().st_size
        assert memory.reconcile().appended == 0
        assert memory.reconcile().appended == 0
        assert database.stat().st_size == before


def test_a_change_behind_the_same_fingerprint_is_seen_while_the_file_is_young(place: Place) -> None:
    with place.open() as memory:
        memory.reconcile()
        path = put(place.memories / "a.md", "# one\n")
        memory.reconcile()
        status = path.stat()
        with path.open("r+b") as file:
            file.write(b"# two\n")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        assert memory.reconcile().appended == 1
        assert memory.read("a").text == "# two\n"


def test_a_touched_fingerprint_is_stored_with_the_next_write(place: Place) -> None:
    with place.open() as memory:
        memory.reconcile()
        path = put(place.memories / "a.md", "# one\n", 1000)
        memory.reconcile()
        os.utime(path, (2000, 2000))
        memory.reconcile()
        memory.write("b", "# b\n")
    with sqlite3.connect(place.state / "acp-state.db") as db:
        found = db.execute("SELECT mtime_ns FROM name WHERE name = 'a.md'").fetchone()
    db.close()
    assert found == (2000 * 10**9,)


@pytest.mark.report("M54")
def test_links_inside_the_directory_are_neither_read_nor_written_through(place: Place, tmp_path: Path) -> None:
    with place.open() as memory:
        secret = put(tmp_path / "outside" / "secret.md", "# secret\n")
        (place.memories / "leak.md").symlink_to(secret)
        (place.memories / "d").symlink_to(secret.parent)
        found = memory.reconcile()
        assert found.appended == 0
        assert len(found.notices) == 2
        assert memory.reconcile().notices == ()
        for name in ("leak", "d/secret", "d/new"):
            with pytest.raises(BadName, match="symbolic link"):
                memory.write(name, "x")
    assert secret.read_text(encoding="utf-8") == "# secret\n"
    assert not (secret.parent / "new.md").exists()


@pytest.mark.report("M55")
def test_the_notes_directory_itself_may_be_a_link(place: Place, tmp_path: Path) -> None:
    place.open().close()
    real = tmp_path / "elsewhere"
    real.mkdir()
    memories = place.memories
    memories.rmdir()
    memories.symlink_to(real)
    with place.open() as memory:
        memory.reconcile()
        memory.write("a", "# A\n")
        put(real / "b.md", "# B\n")
        assert memory.reconcile().appended == 1
        assert memory.verify().ok
    assert (real / "a.md").read_text(encoding="utf-8") == "# A\n"


@pytest.mark.report("M56")
@pytest.mark.parametrize(
    "raw",
    [b"caf\xe9 latin\n", b"\xff\xfeh\0i\0", b"nul \0 inside", b"\xef\xbb\xbf# mark", b"a\rb\x0cc\x0bd", b""],
)
def test_any_bytes_are_kept_as_they_are(place: Place, raw: bytes) -> None:
    with place.open() as memory:
        memory.reconcile()
        put(place.memories / "odd.md", raw)
        put(place.memories / "plain.md", "# plain\n")
        assert memory.reconcile().appended == 2
        assert [found.raw for found in memory.export() if found.name == "odd.md"] == [raw]
        note = memory.read("odd")
        utf8 = raw.decode("utf-8", "replace").encode() == raw
        assert bool(note.notices) != utf8
        assert memory.verify().ok


@pytest.mark.report("M32")
def test_a_file_too_large_is_named_and_stops_no_other(place: Place) -> None:
    with place.open() as memory:
        memory.reconcile()
        with (place.memories / "huge.md").open("wb") as file:
            file.truncate(50 * 1024 * 1024)
        put(place.memories / "small.md", "# small\n")
        found = memory.reconcile()
        assert found.appended == 1
        assert "huge.md" in found.notices[0] and "52,428,800" in found.notices[0]
        with pytest.raises(NoSuchNote, match=r"huge\.md has 52,428,800 bytes"):
            memory.read("huge")
        assert memory.verify().ok


def test_names_that_break_a_rule_are_named_once_and_others_are_ignored(place: Place) -> None:
    with place.open() as memory:
        memory.reconcile()
        for name in ("con.md", "x \n.md", ".hidden.md", "notes.txt", ".git/a.md", "ok.md", "ok.md.bak"):
            put(place.memories / name, "# x\n")
        Path(os.fsdecode(os.fsencode(place.memories) + b"/bad\xff.md")).write_bytes(b"x")
        os.mkfifo(place.memories / "pipe.md")
        found = memory.reconcile()
        assert found.appended == 1
        assert len(found.notices) == 3
        assert memory.reconcile().notices == ()


def test_two_files_that_differ_in_case_are_told_apart(place: Place) -> None:
    with place.open() as memory:
        memory.reconcile()
        put(place.memories / "Foo.md", "# upper\n", 100)
        put(place.memories / "foo.md", "# lower\n", 200)
        memory.reconcile()
        assert memory.read("Foo").text == "# upper\n"
        assert memory.read("foo").text == "# lower\n"
        assert memory.read("FOO").text == "# lower\n"
        receipt = memory.write("FOO", "# newest\n")
        assert receipt.name == "foo.md"


def test_a_decomposed_file_name_is_the_composed_note(place: Place) -> None:
    with place.open() as memory:
        memory.reconcile()
        put(place.memories / "cafe\u0301.md", "# one\n")
        memory.reconcile()
        assert memory.read("café").path.endswith("cafe\u0301.md")
        memory.write("café", "# two\n")
        assert memory.verify().ok
    assert [path.name for path in place.memories.glob("*.md")] == ["cafe\u0301.md"]


def test_a_lost_rename_is_written_again_and_never_taken_for_an_edit(place: Place, tmp_path: Path) -> None:
    with place.open() as memory:
        memory.reconcile()
        memory.write("a", "# old\n")
        old = tmp_path / "old"
        os.link(place.memories / "a.md", old)
        memory.write("a", "# new\n")
        os.replace(old, place.memories / "a.md")
        found = memory.reconcile()
        assert found.appended == 0
        assert "lost" in found.notices[0]
        assert (place.memories / "a.md").read_text(encoding="utf-8") == "# new\n"
        os.link(place.memories / "a.md", old)
        memory.delete("a")
        os.replace(old, place.memories / "a.md")
        assert memory.reconcile().appended == 0
        assert not (place.memories / "a.md").exists()
        assert memory.verify().ok


def test_an_old_text_put_back_by_an_editor_is_an_edit(place: Place) -> None:
    with place.open() as memory:
        memory.reconcile()
        memory.write("a", "# old\n")
        memory.write("a", "# new\n")
        put(place.memories / "a.md", "# old\n")
        assert memory.reconcile().appended == 1
        assert memory.read("a").text == "# old\n"


def test_a_burst_of_changes_is_taken_in_one_look(place: Place) -> None:
    with place.open() as memory:
        memory.reconcile()
        for number in range(1654):
            put(place.memories / f"n{number % 40}" / f"note-{number}.md", f"# Note {number}\n")
        assert memory.reconcile().appended == 1654
        for number in range(0, 1654, 2):
            (place.memories / f"n{number % 40}" / f"note-{number}.md").unlink()
        assert memory.reconcile().appended == 827
        assert memory.verify().ok


def test_one_state_is_shared_by_processes_without_doubling(place: Place) -> None:
    with place.open() as one, place.open() as other:
        one.reconcile()
        other.reconcile()
        put(place.memories / "a.md", "# a\n", 100)
        assert one.reconcile().appended == 1
        assert other.reconcile().appended == 0
        one.write("b", "# b\n")
        assert other.reconcile().appended == 0
        assert other.read("b").text == "# b\n"
