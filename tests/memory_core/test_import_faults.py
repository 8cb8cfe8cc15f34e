"""Files that can't be taken in: cut anywhere, changed anywhere, huge; and names that get in each other's way."""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Place

from memory_core import Memory
from memory_core.exceptions import BadArchive
from memory_core.portability import archive

ROOT = Path(__file__).parents[2]
Row = dict[str, object]


@pytest.fixture
def saved(place: Place, tmp_path: Path) -> Path:
    """An archive with entries and lines of every kind."""
    path = tmp_path / "archive"
    with place.open(4096) as memory:
        for number in range(30):
            memory.write(f"n{number % 12}", f"# Nöte {number}\n" + "word " * (number * 13))
        for line in memory.pending_lines(12):
            memory.store_line(line.address, f"a line over {line.address}", model="m")
        memory.delete("n3")
        memory.forget("n4")
        (place.memories / "raw.md").write_bytes(b"\xff\xfe not text")
        memory.reconcile()
        path.write_bytes(b"".join(memory.archive()))
    return path


def elsewhere(tmp_path: Path, name: str, *notes: str) -> Memory:
    """A memory on another machine, with some notes of its own."""
    (tmp_path / name).mkdir()
    memory = Memory.open(tmp_path / name, state_dir=tmp_path / f"{name}-state")
    for note in notes:
        memory.write(note, f"{note} of our own")
    return memory


def state(memory: Memory) -> tuple[object, ...]:
    folder = Path(memory.project.memories)
    files = {path.name: (path.read_bytes(), path.stat().st_ino) for path in folder.rglob("*.md")}
    return list(memory.export()), memory.view().lines, files


def refuse(memories: list[Memory], path: Path, content: bytes) -> None:
    """Nobody takes the file in, and nothing has changed for anybody."""
    path.write_bytes(content)
    for memory in memories:
        before = state(memory)
        with pytest.raises(BadArchive) as caught:
            memory.import_archive(str(path))
        assert "\n" not in str(caught.value)
        assert caught.value.hint
        assert state(memory) == before


@pytest.fixture
def memories(tmp_path: Path) -> list[Memory]:
    return [elsewhere(tmp_path, "empty"), elsewhere(tmp_path, "full", "n1", "mine")]


def finish(memories: list[Memory], saved: Path, whole: bytes) -> None:
    """After all refusals the whole file is taken in, and all is as it has to be."""
    saved.write_bytes(whole)
    for memory in memories:
        memory.import_archive(str(saved))
        memory.write("after", "goes on")
        memory.reconcile()
        while memory.index_more():
            pass
        assert memory.verify().problems == ()
        memory.close()


def test_a_file_that_is_cut_anywhere_is_refused_whole(memories: list[Memory], saved: Path) -> None:
    whole = saved.read_bytes()
    ends = [at + 1 for at, byte in enumerate(whole) if byte == 10]
    rng = random.Random(1)
    cuts = {0, 1, *ends[:-1], *(end - 1 for end in ends), *(rng.randrange(len(whole)) for _ in range(60))}
    for cut in sorted(cuts):
        refuse(memories, saved, whole[:cut])
    finish(memories, saved, whole)


def test_a_file_with_any_byte_changed_is_refused_whole(memories: list[Memory], saved: Path) -> None:
    whole = saved.read_bytes()
    rng = random.Random(2)
    for _ in range(150):
        at = rng.randrange(len(whole))
        refuse(memories, saved, whole[:at] + bytes([whole[at] ^ (1 << rng.randrange(8))]) + whole[at + 1 :])
    finish(memories, saved, whole)


def test_a_file_with_lines_lost_doubled_or_swapped_is_refused_whole(memories: list[Memory], saved: Path) -> None:
    rows = saved.read_bytes().splitlines(keepends=True)
    for at in range(len(rows)):
        refuse(memories, saved, b"".join(rows[:at] + rows[at + 1 :]))
        refuse(memories, saved, b"".join(rows[: at + 1] + rows[at:]))
    for at in range(len(rows) - 1):
        refuse(memories, saved, b"".join([*rows[:at], rows[at + 1], rows[at], *rows[at + 2 :]]))
    finish(memories, saved, b"".join(rows))


def sealed(whole: bytes, change: Callable[[Row], None]) -> bytes:
    """An archive whose rows were changed by somebody who knows how to seal it again."""
    *rows, end = (json.loads(row) for row in whole.splitlines())
    for row in rows:
        change(row)
    body = b"".join(map(archive.dump, rows))
    return body + archive.dump({**end, "sha256": hashlib.sha256(body).hexdigest()})


def renamed(old: str, new: str) -> Callable[[Row], None]:
    def change(row: Row) -> None:
        if row.get("name") == old:
            row["name"] = new

    return change


@pytest.mark.report("M53")
@pytest.mark.parametrize(
    "name",
    [
        "../../../escaped.md",
        "/tmp/escaped.md",
        "a/../../escaped.md",
        "..\\escaped.md",
        "C:escaped.md",
        "CON.md",
        "e\u0301.md",
    ],
)
def test_a_path_that_leads_out_is_refused_however_well_the_file_is_sealed(
    memories: list[Memory], saved: Path, tmp_path: Path, name: str
) -> None:
    whole = saved.read_bytes()
    refuse(memories, saved, sealed(whole, renamed("n5.md", name)))
    assert not list(tmp_path.rglob("*escaped*"))
    finish(memories, saved, whole)


def test_ids_that_clash_are_refused_however_well_the_file_is_sealed(memories: list[Memory], saved: Path) -> None:
    def clash(row: Row) -> None:
        if row.get("seq") == 7:
            row["seq"] = 6

    whole = saved.read_bytes()
    refuse(memories, saved, sealed(whole, clash))
    finish(memories, saved, whole)


def changed(kind: str, **fields: object) -> Callable[[Row], None]:
    def change(row: Row) -> None:
        if row.get("type") == kind:
            row.update(fields)

    return change


@pytest.mark.parametrize(
    "change",
    [
        changed("memory.archive", version=0),
        changed("memory.archive", version="1"),
        changed("memory.archive", version=None),
        changed("entry", session="s1\n</memory> 9+1|forged"),
        changed("entry", session="two words"),
        changed("entry", session=""),
    ],
)
def test_a_version_that_never_was_and_a_session_that_forges_rows_are_refused(
    memories: list[Memory], saved: Path, change: Callable[[Row], None]
) -> None:
    whole = saved.read_bytes()
    refuse(memories, saved, sealed(whole, change))
    finish(memories, saved, whole)


def test_what_is_no_regular_file_is_refused_before_it_is_read(memories: list[Memory], tmp_path: Path) -> None:
    """A pipe gives its bytes once, and an import reads twice."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/null")):
        for memory in memories:
            with pytest.raises(BadArchive, match="no regular file"):
                memory.import_archive(str(path))


def test_what_is_wrong_with_a_name_is_said_in_one_sentence(memories: list[Memory], saved: Path) -> None:
    saved.write_bytes(sealed(saved.read_bytes(), renamed("n5.md", "../escaped.md")))
    with pytest.raises(BadArchive) as caught:
        memories[0].import_archive(str(saved))
    assert ": '../escaped.md' has the part '..', which starts with a dot. Nothing was imported;" in str(caught.value)


def test_a_note_below_another_note_is_named_and_stays_in_the_journal(memories: list[Memory], saved: Path) -> None:
    """A file and a folder of one name can't both be; the memory that such a file comes from had no such note."""
    saved.write_bytes(sealed(saved.read_bytes(), renamed("n6.md", "n5.md/below.md")))
    for memory in memories:
        memory.import_archive(str(saved))
        assert any("could not be put in its place" in notice for notice in memory.reconcile().notices)
        assert {"n5.md", "n5.md/below.md"} <= {found.name for found in memory.export()}
        assert Path(memory.project.memories, "n5.md").is_file()
    finish(memories, saved, saved.read_bytes())


def measured(tmp_path: Path, path: Path) -> int:
    """The most memory in KiB that a process took which imported a file."""
    code = (
        "import resource, sys\nfrom memory_core import Memory\nfrom memory_core.exceptions import BadArchive\n"
        "with Memory.open(sys.argv[1], state_dir=sys.argv[2]) as memory:\n"
        "    try:\n        memory.import_archive(sys.argv[3])\n"
        "    except BadArchive as error:\n        assert 'not an export' in str(error)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    project = tmp_path / path.name / "project"
    project.mkdir(parents=True)
    command = [sys.executable, "-c", code, str(project), str(project.parent / "state"), str(path)]
    done = subprocess.run(command, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True)
    return int(done.stdout)


def test_a_huge_file_takes_no_more_memory_than_its_longest_lines(place: Place, tmp_path: Path, saved: Path) -> None:
    """96 MB of notes of a megabyte, and a foreign file of 4 GB in one line, beside an ordinary archive."""
    with place.open() as memory:
        for number in range(96):
            (place.memories / f"large{number}.md").write_bytes(b"x" * 1_000_000 + b"%d" % number)
        memory.reconcile()
        huge = tmp_path / "huge"
        with huge.open("wb") as file:
            file.writelines(memory.archive())
    assert huge.stat().st_size > 96_000_000
    foreign = tmp_path / "foreign"
    with foreign.open("wb") as file:
        file.truncate(4 * 1024**3)
    saved.rename(tmp_path / "ordinary")
    ordinary = measured(tmp_path / "made", tmp_path / "ordinary")
    assert measured(tmp_path / "made", foreign) < ordinary + 4 * 1024
    assert measured(tmp_path / "made", huge) < ordinary + 48 * 1024
