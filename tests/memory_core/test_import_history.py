"""Versions from elsewhere that are older than the note here: they become its history, and nothing here changes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from memory_core import Memory
from memory_core.exceptions import NoSuchNote
from memory_core.portability import joining
from memory_core.results import Entry, EntryStatus


class Clock:
    """Seconds that pass with each question, shared by two machines."""

    def __init__(self) -> None:
        self.ns = 1_700_000_000 * 10**9

    def __call__(self) -> int:
        self.ns += 10**9
        return self.ns


class Pair:
    """The memories of two machines, `here` and `there`."""

    def __init__(self, folder: Path) -> None:
        clock = Clock()
        self.folder = folder
        for name in ("here", "there"):
            (folder / name).mkdir()
        self.here, self.there = (
            Memory.open(folder / name, state_dir=folder / f"{name}-state", clock=clock) for name in ("here", "there")
        )

    def bring(self) -> joining.Imported:
        """What is there, imported here."""
        path = self.folder / "archive"
        path.write_bytes(b"".join(self.there.archive()))
        return self.here.import_archive(str(path))

    def close(self) -> None:
        """Both must be as they have to be."""
        for memory in (self.here, self.there):
            memory.reconcile()
            while memory.index_more():
                pass
            assert memory.verify().problems == ()
            memory.close()


def raws(memory: Memory, name: str) -> list[bytes | None]:
    """A note's versions, oldest first."""
    return [found.raw for found in memory.export() if found.name == name]


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path)


@pytest.mark.report("M11", "M62")
def test_older_versions_become_history_and_neither_note_nor_file_changes(pair: Pair) -> None:
    for text in ("theirs 1", "theirs 2"):
        pair.there.write("a", text)
    pair.here.write("a", "ours")
    path = Path(pair.here.read("a").path)
    before = (path.read_bytes(), path.stat().st_ino, path.stat().st_mtime_ns)
    done = pair.bring()
    assert (done.appended, done.older) == (0, 2)
    assert (path.read_bytes(), path.stat().st_ino, path.stat().st_mtime_ns) == before
    assert raws(pair.here, "a.md") == [b"ours", b"theirs 1", b"theirs 2", b"ours"]
    assert pair.here.read("a").text == "ours"
    assert [hit.name for hit in pair.here.search("theirs").hits] == []
    first, newest = pair.here.zoom(0, 1), pair.here.zoom(3, 1)
    assert isinstance(first, Entry) and isinstance(newest, Entry)
    assert (first.origin, first.created_ms) == (newest.origin, newest.created_ms)
    assert newest.status is EntryStatus.CURRENT
    assert pair.here.restore("a", 1).entry == 4
    assert pair.here.read("a").text == "theirs 1"
    pair.close()


@pytest.mark.parametrize("name", ["a", "A"])
def test_a_second_import_adds_nothing(pair: Pair, name: str) -> None:
    """Also where the note here is spelled in another case."""
    pair.there.write("a", "theirs")
    pair.here.write(name, "ours")
    assert pair.bring().older == 1
    entries = pair.here.mark().entries
    assert (pair.bring().same, pair.here.mark().entries) == (1, entries)
    pair.close()


def test_a_note_that_was_deleted_here_later_stays_deleted_and_can_be_restored(pair: Pair) -> None:
    pair.there.write("a", "theirs")
    pair.here.write("a", "ours")
    pair.here.delete("a")
    assert pair.bring().older == 1
    with pytest.raises(NoSuchNote):
        pair.here.read("a")
    assert raws(pair.here, "a.md") == [b"ours", None, b"theirs", None]
    pair.here.restore("a", 2)
    assert pair.here.read("a").text == "theirs"
    pair.close()


def test_of_older_and_newer_versions_the_newest_is_the_notes_text(pair: Pair) -> None:
    pair.there.write("a", "theirs, older")
    pair.here.write("a", "ours")
    pair.there.write("a", "theirs, newer")
    done = pair.bring()
    assert (done.appended, done.older) == (1, 1)
    assert pair.here.read("a").text == "theirs, newer"
    assert Path(pair.here.read("a").path).read_bytes() == b"theirs, newer"
    assert set(raws(pair.here, "a.md")) == {b"ours", b"theirs, older", b"theirs, newer"}
    pair.close()


@pytest.mark.parametrize("at_once", [1, 7, 5000])
def test_many_versions_cost_few_repetitions_and_lose_nothing(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(joining, "MAX_OLDER", at_once)
    for number in range(120):
        pair.there.write(f"n{number % 3}", f"theirs {number}")
    for number in range(3):
        pair.here.write(f"n{number}", f"ours {number}")
    assert pair.bring().older == 120
    for number in range(3):
        versions = raws(pair.here, f"n{number}.md")
        theirs = [raw for raw in versions if raw is not None and raw.startswith(b"theirs")]
        assert theirs == [f"theirs {each}".encode() for each in range(number, 120, 3)]
        assert versions[-1] == pair.here.read(f"n{number}").text.encode() == f"ours {number}".encode()
    assert pair.here.mark().entries == 123 + 3 or at_once < 5000
    pair.close()


@pytest.mark.parametrize("seed", range(12))
def test_whatever_two_machines_wrote_every_version_is_kept_and_the_later_text_is_the_note(
    pair: Pair, seed: int
) -> None:
    rng = random.Random(seed)
    latest: dict[str, str] = {}
    for number in range(60):
        memory = rng.choice((pair.here, pair.there))
        name = f"n{rng.randrange(6)}.md"
        text = f"{number} {'word ' * rng.randrange(120)}"
        memory.write(name, text)
        latest[name] = text
        if rng.random() < 0.1:
            pair.bring()
    pair.bring()
    kept = {found.raw for found in pair.here.export()}
    assert {found.raw for found in pair.there.export()} <= kept
    assert {name: pair.here.read(name).text for name in latest} == latest
    assert all(Path(pair.here.read(name).path).read_text("utf-8") == text for name, text in latest.items())
    entries = pair.here.mark().entries
    pair.bring()
    assert pair.here.mark().entries == entries
    pair.close()


def test_an_outside_edit_is_not_covered_by_what_is_repeated(pair: Pair) -> None:
    pair.there.write("a", "theirs")
    pair.here.write("a", "ours")
    path = Path(pair.here.read("a").path)
    path.write_text("edited", encoding="utf-8")
    pair.bring()
    assert path.read_text("utf-8") == pair.here.read("a").text == "edited"
    assert raws(pair.here, "a.md") == [b"ours", b"edited", b"theirs", b"edited"]
    pair.close()
