"""Writes and deletes: receipts, what is checked before, and what is noticed."""

from __future__ import annotations

import pytest
from conftest import Place

from memory_core import Memory
from memory_core.exceptions import BadName, BadText, NoSuchNote, NoteChanged
from memory_core.results import Entry, EntryKind, Origin, OriginKind

SESSION = Origin(OriginKind.SESSION, "s1", "tester")


def test_a_write_appends_also_where_the_text_is_the_same(memory: Memory) -> None:
    assert [memory.write("a", "# A\n").entry for _ in range(3)] == [0, 1, 2]
    assert memory.view().entries == 3


def test_a_receipt_says_what_was_replaced_and_whether_the_name_is_new(memory: Memory) -> None:
    first = memory.write("a", "# A\n", origin=SESSION)
    assert (first.entry, first.replaced, first.new_name, first.first) == (0, None, True, True)
    second = memory.write("A", "# B\n", origin=SESSION, known=0)
    assert (second.name, second.entry, second.replaced, second.new_name, second.first) == (
        "a.md",
        1,
        0,
        False,
        False,
    )
    assert second.notices == ("A.md is the note a.md.",)


@pytest.mark.report("M29", "M58")
def test_a_receipt_names_notes_whose_names_look_alike(memory: Memory) -> None:
    memory.write("site-roadmap", "x")
    assert memory.write("Site Roadmap", "y").similar == ("site-roadmap.md",)
    assert memory.write("other", "y").similar == ()


def test_a_session_that_had_not_read_the_newest_text_is_told(memory: Memory) -> None:
    memory.write("a", "one")
    assert "entry 0" in memory.write("a", "two", origin=SESSION).notices[0]
    assert memory.write("a", "three", origin=SESSION, known=1).notices == ()
    assert "entry 2" in memory.delete("a", origin=SESSION, known=1).notices[0]


def test_a_change_between_the_diff_and_the_lock_writes_nothing(place: Place, memory: Memory) -> None:
    memory.write("a", "one")
    proposal = memory.propose_write("a", "two")
    (place.memories / "a.md").write_text("edited outside", encoding="utf-8")
    with pytest.raises(NoteChanged):
        memory.write("a", "two", expected=proposal.newest)
    assert memory.read("a").text == "edited outside"
    again = memory.propose_write("a", "two")
    assert again.old_text == "edited outside"
    assert memory.write("a", "two", expected=again.newest).replaced == again.newest
    with pytest.raises(NoteChanged):
        memory.write("a", "three", expected=None)


def test_an_outside_edit_found_by_a_write_is_kept_first(place: Place, memory: Memory) -> None:
    memory.write("a", "one")
    (place.memories / "a.md").write_text("mine", encoding="utf-8")
    receipt = memory.write("a", "two")
    assert receipt.entry == 2
    assert "entry 1" in receipt.notices[0]
    kept = memory.zoom(1, 1)
    assert isinstance(kept, Entry)
    assert (kept.text, kept.origin.kind) == ("mine", OriginKind.OUTSIDE)


def test_a_file_that_was_removed_outside_is_deleted_first(place: Place, memory: Memory) -> None:
    memory.write("a", "one")
    (place.memories / "a.md").unlink()
    with pytest.raises(NoSuchNote):
        memory.delete("a")
    memory.write("b", "one")
    (place.memories / "b.md").unlink()
    receipt = memory.write("b", "two")
    assert receipt.new_name
    assert [row.kind for row in memory.log("b")] == [EntryKind.NOTE, EntryKind.DELETE, EntryKind.NOTE]


def test_a_file_that_nobody_has_looked_at_yet_is_kept_first(place: Place, memory: Memory) -> None:
    (place.memories / "a.md").write_text("there before", encoding="utf-8")
    assert memory.write("a", "new").replaced == 0
    texts = [found.raw for found in memory.export()]
    assert texts == [b"there before", b"new"]


def test_a_note_below_a_note_or_over_a_folder_is_refused(memory: Memory) -> None:
    memory.write("d/x", "one")
    memory.write("a", "one")
    for name, words in (("a.md/b", "is a file"), ("d/x.md/y", "is a file")):
        with pytest.raises(BadName, match=words):
            memory.write(name, "x")
    memory.write("e.md/x", "folders may end so")
    with pytest.raises(BadName, match="is a folder"):
        memory.write("e", "x")


@pytest.mark.report("M31")
def test_a_text_over_1_mib_or_outside_utf8_is_refused_with_the_limit(memory: Memory) -> None:
    with pytest.raises(BadText, match="1,048,576"):
        memory.write("a", "x" * (1024 * 1024 + 1))
    memory.write("a", "x" * 1024 * 1024)
    with pytest.raises(BadText, match="character 3"):
        memory.write("b", "abc\ud800")
    assert memory.view().entries == 1


def test_a_delete_removes_the_file_and_keeps_the_versions(place: Place, memory: Memory) -> None:
    memory.write("sub/a", "text")
    receipt = memory.delete("sub/a")
    assert (receipt.action, receipt.entry, receipt.replaced) == ("delete", 1, 0)
    assert list(place.memories.iterdir()) == []
    kept = memory.zoom(0, 1)
    assert isinstance(kept, Entry)
    assert (kept.text, kept.path) == ("text", None)
    with pytest.raises(NoSuchNote, match="There is no note"):
        memory.delete("sub/a")


def test_a_name_near_another_is_offered(memory: Memory) -> None:
    memory.write("flaky-tests", "x")
    with pytest.raises(NoSuchNote, match=r"flaky-tests\.md"):
        memory.read("flaky-test")


def test_what_others_wrote_is_told_from_what_the_session_wrote(memory: Memory) -> None:
    memory.reconcile()
    mark = memory.mark()
    memory.write("mine", "x", origin=SESSION)
    memory.write("theirs", "# T\n", origin=Origin(OriginKind.SESSION, "s2", "other"))
    memory.write("script", "x")
    rows = list(memory.since(mark, exclude_session="s1"))
    assert [(row.seq, row.name) for row in rows] == [(1, "theirs.md"), (2, "script.md")]
