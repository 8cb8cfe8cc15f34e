"""Migrations: the numbered scripts in `schema/` that bring a database forward, all in one transaction.

A database that holds something is copied first, beside itself. The copy stays until a check of all invariants has
found nothing wrong; until then it is the way back.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from importlib.resources import files

from memory_core import faults, notes

SCHEMA = 1
"""The schema that this release reads and writes: the number of scripts."""
_COPY = ".before-schema-"


def scripts() -> tuple[str, ...]:
    """The scripts of this release, in order; the first makes an empty database."""
    schema = files("memory_core").joinpath("schema")
    return tuple(schema.joinpath(f"{number:03}.sql").read_text(encoding="utf-8") for number in range(1, SCHEMA + 1))


def migrate(db: sqlite3.Connection, path: str, application_id: int, steps: Sequence[str]) -> None:
    """Brings the database at `path` to the schema that `steps` end with. Where SQLite raises, nothing changed."""
    if 0 < _schema(db) < len(steps):
        _copy(db, f"{path}{_COPY}{len(steps)}")
        faults.reach("migration.copied")
    db.execute("BEGIN IMMEDIATE")
    try:
        for script in steps[_schema(db) :]:
            for statement in _statements(script):
                db.execute(statement)
            faults.reach("migration.step")
        db.execute(f"PRAGMA application_id = {application_id}")
        db.execute(f"PRAGMA user_version = {len(steps)}")
        faults.reach("migration.done")
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def drop_copies(path: str) -> None:
    """Removes the copies made before migrations, once a check has found nothing wrong."""
    folder, name = os.path.split(path)
    for found in os.listdir(folder):
        if found.startswith(name + _COPY):
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(folder, found))


def _copy(db: sqlite3.Connection, target: str) -> None:
    """A whole copy under its final name only once it is whole; one that is there already is older and stays.

    Until then it has a temporary file's name, so that what a dead process left goes when the state is next opened.
    """
    if os.path.exists(target):
        return
    partial = os.path.join(os.path.dirname(target), notes.temporary_name())
    os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with closing(sqlite3.connect(partial)) as copy:
        copy.execute("PRAGMA journal_mode = OFF")
        db.backup(copy)
    faults.reach("migration.copying")
    os.replace(partial, target)


def _schema(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _statements(script: str) -> Iterator[str]:
    """The statements of a script one by one, since `executescript` would commit."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
