"""What a forget can't blank is counted before and after it, and deleted where that is asked for."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from conftest import Place

from memory_core import Memory
from memory_core.exceptions import NoSuchNote
from memory_core.results import Forgotten

LONG = "Über die Übergabe: der Schlüssel heißt Xq7Zw9 und gilt bis Montag. " + "word " * 200


def session(memory: Memory, name: str, *texts: str, ascii_only: bool = False) -> str:
    """A session file with a header and the texts as records."""
    folder = Path(memory.project.home, "sessions")
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.jsonl"
    records = [{"type": "session", "sessionId": name}, *({"type": "item", "text": text} for text in texts)]
    lines = (json.dumps(record, ensure_ascii=ascii_only) for record in records)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def holding(memory: Memory) -> list[str]:
    """Session files that hold the note `key.md` in one way each, beside some that don't."""
    memory.write("other", "# Other things\nAltogether different words here.\n")
    memory.write("key", f"# Key\n\n{LONG}\n")
    memory.write("key", "# The newest heading of all\n")
    memory.store_line("1+1", "the key, as a model put it in words of its own", model="m")
    frozen = f"<memory>\n{memory.view().text}</memory>"
    held = [
        session(memory, "read", memory.zoom(1, 1).text),  # type: ignore[union-attr]
        session(memory, "escaped", f"a\n{LONG}\nb", ascii_only=True),
        session(memory, "view", frozen.replace("key.md", "")),
        session(memory, "name", "please read key.md"),
        session(memory, "line", "x the key, as a model put it in words of its own x"),
    ]
    session(memory, "header")
    session(memory, "elsewhere", "Altogether different words here. my-key.md key.mdx word word word")
    return sorted(held)


def test_session_files_that_hold_the_note_are_listed_and_kept(memory: Memory, holding: list[str]) -> None:
    assert memory.forget_preview("key").sessions == tuple(holding)
    forgotten = memory.forget("key")
    assert (forgotten.sessions, forgotten.removed) == (tuple(holding), ())
    assert all(Path(path).exists() for path in holding)


def test_session_files_that_hold_the_note_are_deleted_where_that_is_asked_for(
    memory: Memory, holding: list[str]
) -> None:
    forgotten = memory.forget("key", sessions=True)
    assert forgotten.removed == tuple(holding)
    left = {path.stem for path in Path(memory.project.home, "sessions").iterdir()}
    assert left == {"header", "elsewhere"}


def test_copies_of_the_database_are_listed_and_deleted_where_that_is_asked_for(place: Place, memory: Memory) -> None:
    memory.write("a", "# A\n")
    memory.write("b", "# B\n")
    copies = [str(place.state / f"acp-state.db{end}") for end in (".before-2", ".damaged-x", ".damaged-x-wal")]
    for copy in copies:
        shutil.copy(place.state / "acp-state.db", copy)
    assert memory.forget_preview("a").copies == tuple(copies)
    assert memory.forget("a") == Forgotten(versions=1, lines=1, notes=1, copies=tuple(copies))
    assert memory.forget("b", copies=True).removed == tuple(copies)
    assert not any(Path(copy).exists() for copy in copies)


def test_the_preview_changes_nothing_and_says_what_the_forget_then_does(place: Place) -> None:
    with place.open(budget=2000) as memory:
        for number in range(64):
            memory.write(f"n{number}", f"# N{number}\n{'w ' * 300}")
        while pending := memory.pending_lines():
            for line in pending:
                memory.store_line(line.address, f"line {line.address} {'x' * 300}", model="m")
        before = memory.view()
        assert before.hidden == 0
        preview = memory.forget_preview("n2", "N3")
        assert memory.view() == before
        assert memory.read("n2").text
        assert (preview.names, preview.versions) == (("n2.md", "n3.md"), 2)
        forgotten = memory.forget("n2", "n3")
        assert forgotten.versions == preview.versions
        assert memory.view().hidden == preview.hidden > 0
        written = 0
        while pending := memory.pending_lines():
            for line in pending:
                written += 1
                memory.store_line(line.address, f"line {line.address} {'x' * 300}", model="m")
        assert written == preview.lines
        assert memory.view().hidden == 0
        assert memory.verify().problems == ()


def test_a_preview_of_an_unknown_name_is_refused(memory: Memory) -> None:
    memory.write("deploy-key", "x")
    with pytest.raises(NoSuchNote, match=r"Near it: deploy-key\.md"):
        memory.forget_preview("deploy-kee")


def test_a_forgotten_note_is_told_once_since_a_mark(memory: Memory) -> None:
    memory.write("a", "# A\n")
    memory.write("b", "# B\n")
    mark = memory.mark()
    memory.write("a", "# A again\n")
    memory.forget("a")
    assert [(row.kind.value, row.name, row.heading) for row in memory.since(mark, exclude_session=None)] == [
        ("forgotten", "a.md", "")
    ]
    mark = memory.mark()
    assert list(memory.since(mark, exclude_session=None)) == []
    memory.write("a", "# A anew\n")
    memory.forget("a")
    memory.forget("b")
    assert [row.name for row in memory.since(mark, exclude_session=None)] == ["a.md", "b.md"]
