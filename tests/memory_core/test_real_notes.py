"""What real directories of notes hold, as generated histories: each is taken whole and comes back byte for byte."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from conftest import Place
from real_histories import HISTORIES, Files, History

from memory_core import Memory
from memory_core.reminder import MAX_ROWS_BYTES, reminder
from memory_core.results import Entry, EntryStatus


@pytest.mark.parametrize("history", HISTORIES, ids=lambda history: history.__name__)
def test_a_history_is_taken_whole_and_its_files_stay_byte_for_byte(
    place: Place, tmp_path: Path, history: History
) -> None:
    states = history(random.Random(11))
    place.open().close()
    for files in states:
        lay(place.memories, files)
        with place.open() as memory:
            memory.reconcile()
    with place.open() as memory:
        while memory.index_more():
            pass
        assert memory.verify().problems == ()
        assert on_disk(place.memories) == states[-1]
        newest = {found.name: found.raw for found in memory.export()}
        assert {name: raw for name, raw in newest.items() if raw is not None} == states[-1]
        assert Counter(found.raw for found in memory.export()) == written(states)
        check_view(memory)
        check_search(memory, HISTORIES[history])
        check_copy(memory, tmp_path, states[-1])


def written(states: list[Files]) -> Counter[bytes | None]:
    """What a journal of these states holds: each text once for each time that it came, None for each delete."""
    found: Counter[bytes | None] = Counter()
    for before, after in zip([{}, *states], states, strict=False):
        found.update(raw for name, raw in after.items() if before.get(name) != raw)
        found[None] += len(before.keys() - after.keys())
    return +found


def check_view(memory: Memory) -> None:
    view = memory.view()
    assert len(view.text.encode()) <= 32768
    assert all("\n" not in line.text for line in view.lines)
    for seq in range(0, view.entries, max(1, view.entries // 50)):
        entry = memory.zoom(seq, 1)
        assert isinstance(entry, Entry)
        assert (entry.replaced_by is None) == (entry.status is EntryStatus.CURRENT)


def check_search(memory: Memory, wanted: dict[str, str | None]) -> None:
    for query, name in wanted.items():
        hits = memory.search(query).hits
        assert (hits[0].name if hits else None) == name, query
        assert all(len(hit.line) <= 400 and hit.line_number >= 1 for hit in hits)


def check_copy(memory: Memory, tmp_path: Path, files: Files) -> None:
    """The same memory on another machine."""
    archive = tmp_path / "archive"
    archive.write_bytes(b"".join(memory.archive()))
    (tmp_path / "elsewhere").mkdir()
    with Memory.open(tmp_path / "elsewhere", state_dir=tmp_path / "other-state") as copy:
        copy.import_archive(str(archive))
        assert on_disk(Path(copy.project.memories)) == files
        assert copy.verify().problems == ()


def lay(root: Path, files: Files) -> None:
    """Makes the directory hold exactly these files, touching only what differs."""
    before = on_disk(root)
    for name in before.keys() - files.keys():
        (root / name).unlink()
    for name, raw in files.items():
        if before.get(name) != raw:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(raw)


def on_disk(root: Path) -> Files:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*.md") if path.is_file()}


def test_a_burst_is_one_reminder_of_bounded_length(place: Place) -> None:
    with place.open() as memory:
        memory.reconcile()
        mark = memory.mark()
        lay(place.memories, {f"n{number}.md": f"# {number}\n".encode() for number in range(1654)})
        memory.reconcile()
        rows = list(memory.since(mark, exclude_session=None))
        assert len(rows) == 1654
        assert len(reminder(rows).encode()) <= MAX_ROWS_BYTES + 100
