"""What was lost elsewhere: notes that vanish unexplained, older data over newer, all or nothing."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from conftest import Place

from memory_core import Memory
from memory_core.exceptions import BadText
from memory_core.results import Entry, EntryKind, EntryStatus, Origin, OriginKind

LONG = "x" * 490
SESSION = Origin(OriginKind.SESSION, "s1", "Zed")


def files(memories: Path) -> dict[str, bytes]:
    return {path.relative_to(memories).as_posix(): path.read_bytes() for path in memories.rglob("*.md")}


def change(memory: Memory, place: Place, rng: random.Random) -> None:
    """One write, delete, forget or edit made outside, of one of twelve notes."""
    name = f"n{rng.randrange(12)}.md"
    path = place.memories / name
    kind = rng.choice("wwwwoooddrrf")
    if kind == "w":
        memory.write(name, f"# {rng.random()}\n", origin=SESSION)
    elif kind == "o":
        path.write_text(f"# {rng.random()}\n", encoding="utf-8")
    elif path.exists():
        memory.reconcile()
        if kind == "d":
            memory.delete(name, origin=SESSION)
        elif kind == "r":
            path.unlink()
        else:
            memory.forget(name)


@pytest.mark.report("M3")
@pytest.mark.parametrize("seed", range(3))
def test_the_journal_explains_every_file_that_is_missing_and_says_who_removed_it(
    place: Place, memory: Memory, seed: int
) -> None:
    rng = random.Random(seed)
    for _ in range(150):
        change(memory, place, rng)
    memory.reconcile()
    newest = {row.name: row for row in reversed(list(memory.log()))}
    missing = newest.keys() - files(place.memories).keys()
    assert missing
    for name in missing:
        row = newest[name]
        assert row.kind in (EntryKind.DELETE, EntryKind.FORGOTTEN)
        if row.kind is EntryKind.DELETE:
            assert row.origin in (SESSION, Origin(OriginKind.OUTSIDE))
    assert {newest[name].kind for name in files(place.memories)} == {EntryKind.NOTE}


@pytest.mark.report("M11")
def test_an_export_of_eight_notes_imported_over_seventy_nine_takes_none_away(place: Place, memory: Memory) -> None:
    for number in range(8):
        memory.write(f"n{number}", f"# Old {number}\n")
    older = place.state.with_name("older")
    older.write_bytes(b"".join(memory.archive()))
    for number in range(79):
        memory.write(f"n{number}", f"# New {number}\n")
    before, entries = files(place.memories), memory.mark().entries
    memory.import_archive(str(older))
    assert files(place.memories) == before
    assert len(before) == 79
    assert memory.mark().entries == entries


@pytest.mark.report("M31")
def test_a_write_never_fails_for_what_is_there_already(place: Place) -> None:
    """The view's whole budget many times over, in notes and in one note of the largest size."""
    with place.open(budget=4096) as memory:
        memory.write("largest", "x" * 1024 * 1024)
        for number in range(300):
            assert memory.write(f"n{number}", f"# N{number}\n" + "word " * 200).entry == number + 1
        with pytest.raises(BadText, match="1,048,576"):
            memory.write("larger", "x" * (1024 * 1024 + 1))
        assert len(memory.view().text.encode()) <= 4096


@pytest.mark.report("M44")
def test_one_note_of_five_hundred_is_forgotten_and_the_others_are_as_they_were(place: Place) -> None:
    with place.open() as memory:
        for number in range(500):
            memory.write(f"n{number}", f"# N{number}\n" + "word " * 120)
        while pending := memory.pending_lines(64):
            for line in pending:
                memory.store_line(line.address, f"line {line.address} {LONG}", model="m")
        before = files(place.memories)
        kept = {found.seq: found.raw for found in memory.export() if found.name != "n250.md"}
        preview = memory.forget_preview("n250")
        assert (preview.versions, preview.lines > 200) == (1, True)
        forgotten = memory.forget("n250")
        assert (forgotten.notes, forgotten.versions) == (1, 1)
        assert before.pop("n250.md")
        assert files(place.memories) == before
        assert {found.seq: found.raw for found in memory.export() if found.name != "n250.md"} == kept
        entry = memory.zoom(250, 1)
        assert isinstance(entry, Entry)
        assert (entry.status, entry.text) == (EntryStatus.FORGOTTEN, "")
        written = 0
        while pending := memory.pending_lines(64):
            written += len(pending)
            for line in pending:
                memory.store_line(line.address, f"line {line.address} {LONG}", model="m")
        assert written == preview.lines
