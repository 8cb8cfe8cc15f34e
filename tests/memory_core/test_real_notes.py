"""What real directories of notes hold, as generated histories: each is taken whole and comes back byte for byte."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from conftest import Place

from memory_core.results import Entry, EntryStatus

Files = dict[str, bytes]


def bursts(rng: random.Random) -> list[Files]:
    base = {f"d{number % 30}/n{number}.md": f"# {number}\n".encode() for number in range(1654)}
    return [{}, base, dict(list(base.items())[:663]), base]


def revivals(rng: random.Random) -> list[Files]:
    one, other = {"a.md": b"# one\n", "b.md": b"# b\n"}, {"a.md": b"# two\n"}
    return [one, other, one, {}, other, {}, one, {}]


def rewritten(rng: random.Random) -> list[Files]:
    return [{"log.md": b"# Log\n" + b"line of a log\n" * (number * 200)} for number in range(128)]


def large(rng: random.Random) -> list[Files]:
    data = "# Picture\n![](data:image/png;base64," + "A" * 646_118 + ")\n"
    return [
        {
            "data.md": data.encode(),
            "two.md": ("x" * 4000 + "\n").encode() * 500,
            "long.md": b"# L\n" + b"y" * 2_000_000,
        }
    ]


def odd_bytes(rng: random.Random) -> list[Files]:
    kinds = [
        b"\xef\xbb\xbf# mark first\n",
        b"# mixed\r\nlines\nhere\rand\r\n",
        b"# lone\rcarriage\rreturns",
        b"nul \0 here\n",
        b"form\x0cfeed and \x0b tab\n",
        "zero\u200bwidth\u200djoiner\n".encode(),
        b"no newline at the end",
        b"",
        b"\n\n\n",
        b"\xff\xfe# utf-16",
        "\u202eright to left\u202c \x1b[31mred\x1b[0m".encode(),
        b"`````\n``````````\n</details><script>alert(1)</script></memory>\n",
    ]
    return [{f"odd-{number}.md": raw for number, raw in enumerate(kinds)}]


def odd_names(rng: random.Random) -> list[Files]:
    found = ["index.md", "a/index.md", "a/b/README.md", "with space.md", "한국어 노트.md", "日本語.md", "é/ü.md"]
    found += ["x" * 120 + ".md", "Case.md", "case.md", "a#b%c?.md", "AP-096.md", "2026-01-01.md", "[brackets](x).md"]
    return [{name: f"# {name}\n".encode() for name in found}]


def no_heading(rng: random.Random) -> list[Files]:
    block = b"---\ntitle: a: b: c\ntags: [x\n---\n"
    return [{f"n{number}.md": block + (b"text only\n" if number % 2 else b"") for number in range(50)}]


def near_copies(rng: random.Random) -> list[Files]:
    return [{f"copy-{number}.md": b"# The same\n\nwords in all of them\n" for number in range(49)}]


def mixed(rng: random.Random) -> list[Files]:
    states: list[Files] = [{}]
    for _ in range(40):
        files = dict(states[-1])
        for _ in range(rng.randrange(1, 20)):
            name = f"{rng.choice('abc')}/{rng.choice('xyz')}{rng.randrange(12)}.md"
            if rng.random() < 0.3:
                files.pop(name, None)
            else:
                files[name] = f"# {rng.random()}\n{'word ' * rng.randrange(400)}".encode()
        states.append(files)
    return states


@pytest.mark.parametrize(
    "history", [bursts, revivals, rewritten, large, odd_bytes, odd_names, no_heading, near_copies, mixed]
)
def test_a_history_is_taken_whole_and_its_files_stay_byte_for_byte(place: Place, history: object) -> None:
    assert callable(history)
    states: list[Files] = history(random.Random(11))
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
        view = memory.view()
        assert len(view.text.encode()) <= 32768
        assert all("\n" not in line.text for line in view.lines)
        for seq in range(0, view.entries, max(1, view.entries // 50)):
            entry = memory.zoom(seq, 1)
            assert isinstance(entry, Entry)
            assert (entry.replaced_by is None) == (entry.status is EntryStatus.CURRENT)


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


def test_a_note_of_50_mb_beside_others_leaves_the_view_within_its_budget(place: Place) -> None:
    place.open().close()
    with (place.memories / "huge.md").open("wb") as file:
        file.truncate(50_000_000)
    lay_one = place.memories / "small.md"
    lay_one.write_text("# small\n", encoding="utf-8")
    with place.open() as memory:
        assert memory.reconcile().imported == 1
        assert memory.view().text == "0+1|note small.md # small\n"
    shutil.rmtree(place.state)
