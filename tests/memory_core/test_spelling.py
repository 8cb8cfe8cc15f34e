"""Disks that spell names their own way: no case told apart, or every name kept decomposed."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Place
from folding_os import FoldingOs, Spelling, any_case, as_given, composed, decomposed

from memory_core import Memory, notes

DISKS: dict[str, tuple[Spelling, Spelling]] = {
    "keeps composition, tells it not apart": (composed, as_given),
    "decomposes": (composed, decomposed),
    "keeps case and composition, tells neither apart": (any_case, as_given),
    "decomposes, tells no case apart": (any_case, decomposed),
}


@pytest.fixture(params=DISKS)
def disk(request: pytest.FixtureRequest, place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    place.open().close()
    monkeypatch.setattr(notes, "os", FoldingOs(place.memories, *DISKS[request.param]))
    return place


@pytest.fixture
def without_case(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    place.open().close()
    monkeypatch.setattr(notes, "os", FoldingOs(place.memories, any_case, as_given))
    return place


def files(place: Place) -> list[Path]:
    return sorted(place.memories.rglob("*.md"))


def history(memory: Memory) -> list[tuple[str, str]]:
    return [(row.kind.value, row.name) for row in reversed(list(memory.log()))]


def is_quiet(place: Place) -> bool:
    """Whether two processes that look in turns find nothing, write nothing, and the check neither."""
    with place.open() as one, place.open() as other:
        for memory in (one, other):
            assert memory.reconcile().appended == 0
        log = place.state / "acp-state.db-wal"
        before = log.stat().st_size
        for memory in (one, other, one):
            assert memory.reconcile().appended == 0
        return one.verify().problems == () and log.stat().st_size == before


def test_a_written_note_is_never_taken_for_an_edit_however_its_name_is_spelled(disk: Place) -> None:
    with disk.open() as memory:
        memory.reconcile()
        memory.write("ci/café", "# one\n")
        assert memory.verify().problems == ()
        memory.write("CI/Café", "# two\n")
        assert memory.verify().problems == ()
        assert is_quiet(disk)
        assert history(memory) == [("note", "ci/café.md")] * 2
        (file,) = files(disk)
        assert file.read_text(encoding="utf-8") == "# two\n"


def test_an_edit_and_a_removal_outside_are_each_taken_in_once(disk: Place) -> None:
    with disk.open() as memory:
        memory.reconcile()
        memory.write("naïve", "# one\n")
        (file,) = files(disk)
        file.write_text("# outside\n", encoding="utf-8")
        assert memory.reconcile().appended == 1
        assert memory.read("naïve").text == "# outside\n"
        assert is_quiet(disk)
        file.unlink()
        assert memory.reconcile().appended == 1
        assert is_quiet(disk)
        assert history(memory) == [("note", "naïve.md"), ("note", "naïve.md"), ("delete", "naïve.md")]


def test_an_edit_that_is_found_by_a_write_is_journaled_first(disk: Place) -> None:
    with disk.open() as memory:
        memory.reconcile()
        memory.write("naïve", "# one\n")
        (file,) = files(disk)
        file.write_text("# outside, and longer\n", encoding="utf-8")
        receipt = memory.write("naïve", "# two\n")
        assert receipt.entry == 2
        assert [found.raw for found in memory.export()][1] == b"# outside, and longer\n"
        assert is_quiet(disk)


def test_forgetting_and_deleting_reach_the_file(disk: Place) -> None:
    with disk.open() as memory:
        memory.reconcile()
        for name in ("Geheimnis-ä", "weg-ö"):
            memory.write(name, f"# {name}\n")
        memory.forget("geheimnis-ä")
        memory.delete("WEG-Ö")
        assert files(disk) == []
        assert is_quiet(disk)


def test_a_name_changed_in_case_alone_is_another_note_and_the_old_one_is_gone(without_case: Place) -> None:
    """As where case is told apart; the file answers to its old name all the same."""
    with without_case.open() as memory:
        memory.reconcile()
        memory.write("Plan", "# plan\n")
        (without_case.memories / "Plan.md").rename(without_case.memories / "plan.md")
        memory.reconcile()
        assert history(memory) == [("note", "Plan.md"), ("delete", "Plan.md"), ("note", "plan.md")]
        assert is_quiet(without_case)
        memory.write("PLAN", "# newer\n")
        assert [path.name for path in files(without_case)] == ["plan.md"]
        assert is_quiet(without_case)


def test_a_folder_changed_in_case_alone_moves_its_notes(without_case: Place) -> None:
    with without_case.open() as memory:
        memory.reconcile()
        for number in range(3):
            memory.write(f"CI/note-{number}", f"# {number}\n")
        (without_case.memories / "CI").rename(without_case.memories / "ci")
        assert memory.reconcile().appended == 6
        assert is_quiet(without_case)
        assert {memory.read(f"CI/note-{number}").name for number in range(3)} == {f"ci/note-{n}.md" for n in range(3)}


def test_a_file_made_outside_is_not_replaced_unseen_by_a_write_in_another_case(without_case: Place) -> None:
    with without_case.open() as memory:
        memory.reconcile()
        (without_case.memories / "Plan.md").write_text("# by hand\n", encoding="utf-8")
        memory.write("plan", "# by tool\n")
        texts = [found.raw for found in memory.export()]
        assert texts == [b"# by hand\n", b"# by tool\n"]
        memory.reconcile()
        assert is_quiet(without_case)
        assert memory.read("PLAN").text == "# by tool\n"


def test_two_spellings_of_one_name_on_a_disk_that_tells_them_apart_stay_two_files(place: Place) -> None:
    """The composed one is the note; the other is named in a notice, and never written or removed."""
    with place.open() as memory:
        memory.reconcile()
        memory.write("café", "# composed\n")
        (place.memories / decomposed("café.md")).write_text("# decomposed\n", encoding="utf-8")
        assert len(memory.reconcile().notices) == 1
        assert memory.read("café").text == "# composed\n"
        assert len(files(place)) == 2
        (place.memories / "café.md").unlink()
        assert memory.reconcile().appended == 1
        assert memory.read("café").text == "# decomposed\n"
        assert is_quiet(place)
