"""Migrations go forward in one transaction, with a copy before; the copy goes after the first clean check."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from conftest import Place

from memory_core import migrations
from memory_core.database import APPLICATION_ID

ROOT = Path(__file__).parents[2]
NEXT = "ALTER TABLE project ADD COLUMN colour TEXT NOT NULL DEFAULT 'blue';\nCREATE TABLE extra (x INTEGER) STRICT;\n"


@pytest.fixture
def old(place: Place) -> Path:
    """A database of today's schema, with something in it."""
    with place.open() as memory:
        memory.write("a", "# A\n")
    return place.state / "acp-state.db"


def number(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute("PRAGMA user_version").fetchone()[0])


def test_a_migration_goes_forward_and_leaves_a_copy_of_what_was(old: Path) -> None:
    with closing(sqlite3.connect(old, isolation_level=None)) as db:
        migrations.migrate(db, str(old), APPLICATION_ID, [*migrations.scripts(), NEXT])
        assert db.execute("SELECT colour, entries FROM project").fetchall() == [("blue", 1)]
    assert number(old) == migrations.SCHEMA + 1
    (copy,) = old.parent.glob("*.before-schema-*")
    assert number(copy) == migrations.SCHEMA


def test_a_migration_that_fails_changes_nothing(old: Path) -> None:
    with closing(sqlite3.connect(old, isolation_level=None)) as db:
        with pytest.raises(sqlite3.OperationalError):
            migrations.migrate(db, str(old), APPLICATION_ID, [*migrations.scripts(), NEXT + "CREATE TABLE extra (y);"])
        assert not db.in_transaction
        assert db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'extra'").fetchone() == (0,)
    assert number(old) == migrations.SCHEMA


@pytest.mark.parametrize("point", ["migration.copied", "migration.step", "migration.done"])
def test_a_migration_that_is_killed_is_done_whole_the_next_time(old: Path, point: str) -> None:
    code = (
        "import sqlite3, sys; from memory_core import migrations;"
        "db = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "migrations.migrate(db, sys.argv[1], 1, [*migrations.scripts(), sys.argv[2]])"
    )
    command = [sys.executable, "-c", code, str(old), NEXT]
    killed = subprocess.run(command, env={"PYTHONPATH": str(ROOT), "CAUDRA_FAULT": f"{point}:1"}, check=False)
    assert killed.returncode < 0
    assert number(old) == migrations.SCHEMA
    subprocess.run(command, env={"PYTHONPATH": str(ROOT)}, check=True)
    assert number(old) == migrations.SCHEMA + 1


def test_the_copy_goes_after_the_first_clean_check_and_not_before(old: Path, place: Place) -> None:
    copy = old.with_name("acp-state.db.before-schema-1")
    copy.write_bytes(old.read_bytes())
    (place.memories / "new.md").write_text("not journaled yet", encoding="utf-8")
    with place.open() as memory:
        assert not memory.verify().ok
        assert copy.exists()
        memory.reconcile()
        assert memory.verify().ok
    assert not copy.exists()
