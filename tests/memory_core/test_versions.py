"""Versions: any text that a note had can be seen, compared and brought back, byte for byte."""

from __future__ import annotations

import pytest
from conftest import Place

from memory_core import Memory, versions
from memory_core.exceptions import BadName, NoSuchNote
from memory_core.results import Origin, OriginKind


def test_a_version_is_given_by_its_bytes_also_once_the_note_is_deleted(memory: Memory) -> None:
    memory.write("a", "first")
    memory.write("a", "second")
    memory.delete("a")
    assert [memory.version("a", seq).raw for seq in range(3)] == [b"first", b"second", None]


def test_an_entry_of_another_note_is_no_version(memory: Memory) -> None:
    memory.write("a", "A")
    memory.write("b", "B")
    for seq in (1, 2, 10**17):
        with pytest.raises(NoSuchNote, match="no version"):
            memory.version("a", seq)


def test_a_restore_appends_the_older_bytes_and_says_so(memory: Memory) -> None:
    memory.write("a", "first")
    memory.write("a", "second")
    receipt = memory.restore("a", 0, origin=Origin(OriginKind.CLI))
    assert (receipt.action, receipt.entry, receipt.replaced) == ("restore", 2, 1)
    assert memory.read("a").text == "first"
    with open(receipt.path, encoding="utf-8") as file:
        assert file.read() == "first"


def test_a_restore_brings_a_deleted_note_back(memory: Memory) -> None:
    memory.write("ci/a", "first")
    memory.delete("ci/a")
    assert memory.restore("ci/a", 0).new_name
    assert memory.read("ci/a").text == "first"


def test_what_is_not_utf_8_comes_back_as_it_was(place: Place, memory: Memory) -> None:
    raw = b"---\na: b\n---\n\xff\xfe\r\n" + b"x" * 2_000_000
    (place.memories / "a.md").write_bytes(raw)
    memory.reconcile()
    memory.write("a", "text")
    memory.restore("a", 0)
    assert (place.memories / "a.md").read_bytes() == raw


def test_the_front_matter_that_readers_never_saw_stays_hidden_after_a_restore(place: Place) -> None:
    place.open().close()
    (place.memories / "a.md").write_text("---\na: b\n---\nbody\n", encoding="utf-8")
    with place.open() as memory:
        memory.reconcile()
        memory.delete("a")
        memory.restore("a", 0)
        assert memory.read("a").text == "body\n"
        assert memory.verify().ok


def test_a_delete_and_a_forgotten_entry_have_nothing_to_restore(memory: Memory) -> None:
    memory.write("a", "A")
    memory.delete("a")
    with pytest.raises(NoSuchNote, match="deletes the note"):
        memory.restore("a", 1)
    memory.forget("a")
    with pytest.raises(NoSuchNote, match="was forgotten"):
        memory.restore("a", 0)
    assert memory.mark().entries == 2


def test_an_outside_edit_is_kept_before_a_restore_replaces_it(place: Place, memory: Memory) -> None:
    memory.write("a", "first")
    memory.write("a", "second")
    (place.memories / "a.md").write_text("edited outside", encoding="utf-8")
    memory.restore("a", 0)
    assert [found.raw for found in memory.export()] == [b"first", b"second", b"edited outside", b"first"]


def test_history_tells_who_and_which_lines(memory: Memory) -> None:
    memory.write("a", "one\ntwo\n", origin=Origin(OriginKind.SESSION, "s1", "Zed"))
    memory.write("b", "other\n")
    memory.write("a", "one\n2\nthree\n")
    newest, oldest = memory.history("a")
    assert (newest.previous, newest.added, newest.removed) == (0, 2, 1)
    assert newest.diff == ("-two", "+2", "+three")
    assert oldest.row.origin == Origin(OriginKind.SESSION, "s1", "Zed")
    assert [found.row.name for found in memory.history()] == ["a.md", "b.md", "a.md"]


def test_large_texts_are_not_compared_line_by_line(memory: Memory) -> None:
    memory.write("a", "x\n" * 5000)
    memory.write("a", "y\n" * 5000)
    assert [found.added for found in memory.history("a")] == [None, None]


def test_a_diff_of_two_versions_is_unified(memory: Memory) -> None:
    memory.write("a", "one\ntwo")
    memory.write("a", "one\n2")
    text = versions.unified(memory.version("a", 0), memory.version("a", 1))
    assert text == "--- a.md@0\n+++ a.md@1\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"


def test_a_version_is_written_name_at_entry() -> None:
    assert versions.parse("a@b.md@7") == ("a@b.md", 7)
    for wrong in ("a.md", "a.md@", "@3", "a.md@x", "../a@1"):
        with pytest.raises(BadName):
            versions.parse(wrong)
