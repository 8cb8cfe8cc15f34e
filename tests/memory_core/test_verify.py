"""Verify finds each breach of an invariant, and nothing where all is right."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from conftest import Place

LONG = "word " * 200


@pytest.fixture
def damaged(place: Place) -> Place:
    """A journal with verbatim, written and pending lines, merged in part."""
    with place.open(budget=2000) as memory:
        for number in range(16):
            memory.write(f"n{number}", f"# N{number}\n" + (LONG if number % 3 else "short"))
        for line in memory.pending_lines(8):
            memory.store_line(line.address, f"line {line.address} " + "x" * 150, model="m")
        memory.delete("n3")
        assert memory.verify().problems == ()
    return place


BREACHES = [
    ("DELETE FROM entry WHERE seq = 5", "gap"),
    ("UPDATE project SET entries = entries + 1", "entries"),
    ("UPDATE name SET newest = 0 WHERE name = 'n4.md'", "newest"),
    ("UPDATE name SET live = 1 WHERE name = 'n3.md'", "n3.md"),
    ("UPDATE entry SET raw = x'00' WHERE seq = 6", "differs"),
    ("UPDATE frontier SET bytes = bytes + 1 WHERE start = 0", "stored as"),
    ("DELETE FROM frontier WHERE start = 0", "cover"),
    ("UPDATE project SET view_bytes = 1", "The view is stored"),
    ("UPDATE frontier SET paired = 1 - paired WHERE n = 1", "pair"),
    ("UPDATE project SET pairs = '{}'", "pair"),
    ("UPDATE line SET text = 'other' WHERE verbatim", "word for word"),
    ("UPDATE line SET text = printf('%.600c', 'x')", "512"),
    ("DELETE FROM work", "written"),
    ("INSERT INTO work SELECT journal, 2, 14 FROM project", "written"),
    ("UPDATE entry SET pending = 1 WHERE seq = 0", "written"),
    (
        "INSERT INTO words_1 (words_1, rowid, name, heading, body) VALUES ('delete', 4, 'x', 'x', 'x')",
        "index",
    ),
]


@pytest.mark.parametrize(("damage", "words"), BREACHES, ids=[damage[:40] for damage, _ in BREACHES])
def test_each_breach_is_found_and_said(damaged: Place, damage: str, words: str) -> None:
    with closing(sqlite3.connect(damaged.state / "acp-state.db", isolation_level=None)) as db:
        db.execute(damage)
    with damaged.open(budget=2000) as memory:
        problems = memory.verify().problems
    assert any(words in problem for problem in problems), problems


REPAIRED = [damage for damage, _ in BREACHES if "entry WHERE seq = 5" not in damage]


@pytest.mark.parametrize("damage", REPAIRED, ids=[damage[:40] for damage in REPAIRED])
def test_each_breach_of_what_is_derived_is_repaired_and_no_entry_is_lost(damaged: Place, damage: str) -> None:
    with damaged.open(budget=2000) as memory:
        before = [found.seq for found in memory.export()]
    with closing(sqlite3.connect(damaged.state / "acp-state.db", isolation_level=None)) as db:
        db.execute(damage)
    with damaged.open(budget=2000) as memory:
        memory.repair()
        assert memory.verify().problems == ()
        assert [found.seq for found in memory.export()][: len(before)] == before


def test_a_repair_of_a_sound_journal_changes_no_row_but_the_index(damaged: Place) -> None:
    def rows() -> list[object]:
        with closing(sqlite3.connect(damaged.state / "acp-state.db")) as db:
            return [
                db.execute(f"SELECT {columns} FROM {table} ORDER BY 1, 2, 3").fetchall()
                for table, columns in (
                    ("line", "n, start, text, verbatim, pure, bytes, model"),
                    ("frontier", "start, n, bytes, paired"),
                    ("work", "n, start, journal"),
                    ("entry", "seq, pending, verbatim"),
                    ("name", "name, newest, live, hash, size, mtime_ns, inode"),
                )
            ]

    before = rows()
    with damaged.open(budget=2000) as memory:
        memory.repair()
    assert rows() == before


def test_files_that_differ_lack_or_are_new_are_found(damaged: Place) -> None:
    (damaged.memories / "n1.md").unlink()
    (damaged.memories / "n2.md").write_text("other", encoding="utf-8")
    (damaged.memories / "new.md").write_text("new", encoding="utf-8")
    with damaged.open() as memory:
        problems = " ".join(memory.verify().problems)
        assert "n1.md is missing" in problems
        assert "n2.md differs" in problems
        assert "new.md" in problems
        memory.reconcile()
        assert memory.verify().ok
