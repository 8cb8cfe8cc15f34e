"""Forget: rows, lines, files and search lose a note; all else stays."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from conftest import Place

from memory_core import Memory
from memory_core.exceptions import NoSuchNote
from memory_core.results import Entry, EntryKind, EntryStatus, Zoom

SECRET = "hunter2xyzzy"


def test_every_version_is_blanked_and_the_file_is_gone(place: Place, memory: Memory) -> None:
    memory.write("keep", "# Keep\n")
    memory.write("secret", f"# One {SECRET}\n")
    memory.write("secret", f"# Two {SECRET}\n")
    forgotten = memory.forget("secret")
    assert (forgotten.versions, forgotten.notes) == (2, 1)
    assert not (place.memories / "secret.md").exists()
    for number in (1, 2):
        entry = memory.zoom(number, 1)
        assert isinstance(entry, Entry)
        assert (entry.kind, entry.status, entry.text, entry.heading) == (
            EntryKind.FORGOTTEN,
            EntryStatus.FORGOTTEN,
            "",
            "",
        )
    assert memory.search(SECRET).hits == ()
    assert memory.read("keep").text == "# Keep\n"
    assert memory.reconcile().appended == 0
    with pytest.raises(NoSuchNote):
        memory.read("secret")


def test_a_deleted_note_can_be_forgotten_and_a_forgotten_one_only_once(memory: Memory) -> None:
    memory.write("secret", SECRET)
    memory.delete("secret")
    assert memory.forget("secret").versions == 1
    with pytest.raises(NoSuchNote, match="forgotten before") as refused:
        memory.forget("secret")
    assert "memory forget secret.md --sessions" in refused.value.hint
    assert memory.write("secret", "harmless").new_name


def test_no_row_of_the_tables_holds_the_text(place: Place, memory: Memory) -> None:
    for number in range(8):
        memory.write(f"n{number}", f"# N {'w ' * 300}")
    memory.write("secret", f"{SECRET} " * 100)
    memory.write("after", "w " * 300)
    while pending := memory.pending_lines():
        for line in pending:
            memory.store_line(line.address, f"{' '.join(line.halves)}"[:400], model="m")
    memory.forget("secret")
    with closing(sqlite3.connect(place.state / "acp-state.db")) as db:
        texts = db.execute("SELECT text FROM line").fetchall() + db.execute("SELECT heading, raw FROM entry").fetchall()
        db.execute("CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, words_1, row)")
        terms = [term for (term,) in db.execute("SELECT term FROM terms WHERE doc > 0")]
    assert SECRET not in repr(texts)
    assert not [term for term in terms if SECRET[:7] in term]
    assert {line.address for line in memory.pending_lines()} == {"9+1"}


def test_lines_that_the_note_cannot_have_reached_stand(memory: Memory) -> None:
    for number in range(4):
        memory.write(f"n{number}", f"# N {'w ' * 300}")
    for number in range(4):
        memory.store_line(f"{number}+1", f"line {number} {'x' * 300}", model="m")
    memory.store_line("0+2", "zero and one", model="m")
    memory.store_line("2+2", "two and three", model="m")
    memory.forget("n2")
    zero = memory.zoom(0, 2)
    assert isinstance(zero, Zoom)
    assert [line.text[:6] for line in zero.lines] == ["line 0", "line 1"]
    assert [line.address for line in memory.pending_lines()] == ["3+1"]
    memory.store_line("3+1", "three again " + "x" * 495, model="m")
    assert [line.address for line in memory.pending_lines()] == ["2+2"]
