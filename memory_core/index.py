"""The word index: one FTS5 table a journal, given the analyzer's terms instead of text.

- One table a journal, `words_<j>`: BM25 weighs a word by how rare it is among the rows of its table, and
  projects must not mix there. A row's number is that of its note's newest entry, so that newer wins a tie.
- The table keeps no text (`content=''`): the text is in the journal already, and a forgotten one has one
  place less to be purged from. The price is that `remove` must be given exactly what `add` was given.
- `ascii` with all punctuation as token characters takes terms as they are; white space alone separates.
- An append writes one small segment and merges nothing: its cost is the same at any size of the journal.
  Segments are merged in idle time (`merge_step`), or all `CRISIS` of a level by the append that fills it.

No function here begins or commits a transaction: the index changes together with the journal, and that is one
transaction of the caller's. After `forget` the caller runs `optimize`, commits and then VACUUMs: only a merge
of all segments drops a removed row's terms, and only VACUUM their pages.
"""

from __future__ import annotations

import sqlite3
import string
from collections.abc import Iterable, Sequence
from typing import NewType

from memory_core.analyzer import asks_for_beginnings, joined

Words = tuple[int, str, str, str]
"""What is indexed of a note: number of its newest entry, name, heading, body."""

Prepared = NewType("Prepared", tuple[int, str, str, str])
"""The same as terms, ready for the table: analyzing needs no lock, so a long batch is prepared before one."""

WEIGHTS = (8.0, 3.0, 1.0)
"""How much a word counts in the name, the heading and the body (which holds the heading once more)."""

CRISIS = 64
"""Segments of one level at which an append merges them all; no other merges. Over 1,000 appends to 1,000
notes this wrote 56 MB of log in 1.1 ms an append, FTS5's own merging in between 64 MB in 1.4 ms; and which
append bears the merge doesn't depend on the sizes of notes. A query over 64 segments takes 1 ms more."""

MERGE_PAGES = 64
"""Pages that one `merge_step` writes at most: about a millisecond."""

_SUFFIX = ".md"
_ADD = "INSERT INTO words_j(rowid, name, heading, body) VALUES (?, ?, ?, ?)"
_REMOVE = "INSERT INTO words_j(words_j, rowid, name, heading, body) VALUES ('delete', ?, ?, ?, ?)"
_HAS = "SELECT 1 FROM words_j_docsize WHERE id = ?"
_INDEXED = "SELECT id FROM words_j_docsize ORDER BY id"
_MATCH = "SELECT rowid, -rank FROM words_j WHERE words_j MATCH ? ORDER BY rank, rowid DESC LIMIT ?"
_COMMAND = "INSERT INTO words_j(words_j) VALUES (?)"
_SETTING = "INSERT INTO words_j(words_j, rank) VALUES (?, ?)"


def create(db: sqlite3.Connection, j: int) -> None:
    """Create the empty index of journal `j`."""
    marks = string.punctuation.replace("'", "''").replace('"', '""')
    db.execute(
        f"CREATE VIRTUAL TABLE {_table(j)} USING fts5"
        f"(name, heading, body, content='', tokenize=\"ascii tokenchars '{marks}'\")"
    )
    weights = ", ".join(map(str, WEIGHTS))
    _command(db, j, "rank", f"bm25({weights})")
    _command(db, j, "automerge", 0)
    _command(db, j, "crisismerge", CRISIS)


def drop(db: sqlite3.Connection, j: int) -> None:
    """Remove the index of journal `j`, where there is one."""
    db.execute(f"DROP TABLE IF EXISTS {_table(j)}")


def exists(db: sqlite3.Connection, j: int) -> bool:
    """Return whether journal `j` has an index."""
    found = db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (_table(j),)).fetchone()
    return found is not None


def prepare(seq: int, name: str, heading: str, body: str) -> Prepared:
    """Return a note as the index takes it. Every name ends alike, so its suffix says nothing."""
    return Prepared((seq, joined(name.removesuffix(_SUFFIX)), joined(heading), joined(body)))


def add(db: sqlite3.Connection, j: int, seq: int, name: str, heading: str, body: str) -> None:
    """Index a note under the number of its newest entry; a number that is indexed already stays as it is."""
    if not has(db, j, seq):
        db.execute(_for(j, _ADD), prepare(seq, name, heading, body))


def add_many(db: sqlite3.Connection, j: int, rows: Iterable[Words]) -> None:
    """Index many notes. Their numbers must not be indexed yet."""
    add_prepared(db, j, (prepare(*row) for row in rows))


def add_prepared(db: sqlite3.Connection, j: int, rows: Iterable[Prepared]) -> None:
    """Index notes that `prepare` was asked for before the lock. Their numbers must not be indexed yet."""
    db.executemany(_for(j, _ADD), rows)


def remove(db: sqlite3.Connection, j: int, seq: int, name: str, heading: str, body: str) -> None:
    """Take a note out. The texts must be those it was added with; an unknown number is no error."""
    if has(db, j, seq):
        db.execute(_for(j, _REMOVE), prepare(seq, name, heading, body))


def has(db: sqlite3.Connection, j: int, seq: int) -> bool:
    """Return whether the entry number `seq` is indexed."""
    return db.execute(_for(j, _HAS), (seq,)).fetchone() is not None


def indexed(db: sqlite3.Connection, j: int) -> list[int]:
    """Return the entry numbers that are indexed, in order: what a check compares with the live notes."""
    return [seq for (seq,) in db.execute(_for(j, _INDEXED))]


def match(db: sqlite3.Connection, j: int, terms: Sequence[str], limit: int) -> list[tuple[int, float]]:
    """Return the best rows for any of `terms`, with scores (higher is better); the newer first on a tie.

    `terms` are those of `analyzer.query_terms`.
    """
    if not terms or limit < 1:
        return []
    found = db.execute(_for(j, _MATCH), (" OR ".join(map(_phrase, terms)), limit))
    return [(int(seq), float(score)) for seq, score in found]


def optimize(db: sqlite3.Connection, j: int) -> None:
    """Merge everything into one segment; terms of removed rows go. Takes time in proportion to the index."""
    _command(db, j, "optimize")


def merge_step(db: sqlite3.Connection, j: int, pages: int = MERGE_PAGES) -> bool:
    """Merge a little, for idle time. Return whether there may be more to do."""
    before = db.total_changes
    _command(db, j, "merge", pages)
    return db.total_changes - before > 1


def check(db: sqlite3.Connection, j: int) -> bool:
    """Return whether the index agrees with itself. It reads all of it, and writes nothing."""
    try:
        _command(db, j, "integrity-check")
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CORRUPT:
            raise
        return False
    return True


def _table(j: int) -> str:
    return f"words_{int(j)}"


def _for(j: int, statement: str) -> str:
    """Return a statement written for `words_j` as one for journal `j`: SQL takes no names as parameters."""
    return statement.replace("words_j", _table(j))


def _command(db: sqlite3.Connection, j: int, command: str, value: str | int | None = None) -> None:
    """Give FTS5 one of its own commands, which it takes as an insert."""
    if value is None:
        db.execute(_for(j, _COMMAND), (command,))
    else:
        db.execute(_for(j, _SETTING), (command, value))


def _phrase(term: str) -> str:
    quoted = '"' + term.replace('"', '""') + '"'
    return quoted + "*" if asks_for_beginnings(term) else quoted
