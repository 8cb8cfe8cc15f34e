"""Search over 10,000 notes: ours against a plain FTS5 table, asked with whole questions.

The floor is what one would write first: FTS5 with its own tokenizer over the whole texts, asked for any word
of the question. Ours is what a search does: the query's terms, the word index, and for each of ten hits its
text from a table and the best line with its marks. Both run interleaved, question by question.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path

from memory_core import index
from memory_core.analyzer import query_terms
from memory_core.marks import Marker, Shown
from tests.benchmarks.corpus import notes
from tests.benchmarks.shape import Measured, Sample, Settings, Side, Statistic, timed

NOTES = 10_000
NOTES_QUICK = 500
ROUNDS = 7
HITS = 10
JOURNAL = 1
LIMIT = 0.5
QUERIES = Path(__file__).with_name("queries.txt")
FLOOR = "a plain FTS5 table, asked for any word of each question"

Search = Callable[[sqlite3.Connection, str], object]


def questions() -> list[str]:
    """Return the questions, one a line of the file beside."""
    return QUERIES.read_text(encoding="utf-8").splitlines()


def built(count: int) -> sqlite3.Connection:
    """Return a database with `count` notes in three tables: their texts, the plain index, ours."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.execute("CREATE TABLE note (seq INTEGER PRIMARY KEY, text TEXT NOT NULL)")
    db.execute("CREATE VIRTUAL TABLE plain USING fts5(name, text)")
    index.create(db, JOURNAL)
    samples = list(enumerate(notes(count)))
    db.execute("BEGIN")
    db.executemany("INSERT INTO note VALUES (?, ?)", ((seq, note.text) for seq, note in samples))
    db.executemany(
        "INSERT INTO plain(rowid, name, text) VALUES (?, ?, ?)",
        ((seq, note.name, note.text) for seq, note in samples),
    )
    index.add_many(db, JOURNAL, ((seq, note.name, note.heading, note.text) for seq, note in samples))
    db.execute("COMMIT")
    db.execute("INSERT INTO plain(plain) VALUES ('optimize')")
    index.optimize(db, JOURNAL)
    return db


def floor(db: sqlite3.Connection, question: str) -> list[tuple[int, float]]:
    """Ask the plain table for any word of the question."""
    words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
    return db.execute(
        "SELECT rowid, rank FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT ?", (words, HITS)
    ).fetchall()


def ours(db: sqlite3.Connection, question: str) -> list[Shown]:
    """Search as the memory does, with the best line and the marks of each hit."""
    terms = query_terms(question)
    marker = Marker(terms)
    return [
        marker.best_line(db.execute("SELECT text FROM note WHERE seq = ?", (seq,)).fetchone()[0])
        for seq, _ in index.match(db, JOURNAL, terms, HITS)
    ]


def measure(settings: Settings) -> list[Measured]:
    """Rounds over all questions, after one that warms up both sides; a sample is one side's round."""
    count = settings.size_of(NOTES, NOTES_QUICK)
    db = built(count)
    asked = questions()
    _round(db, asked)
    samples = tuple(one for _ in range(settings.rounds_of(ROUNDS)) for one in _round(db, asked))
    db.close()
    what = f"Search over {count:,} notes, {len(asked)} questions"
    return [Measured("search", what, FLOOR, "ms", Statistic.MINIMUM, LIMIT, samples)]


def _round(db: sqlite3.Connection, asked: list[str]) -> list[Sample]:
    sides: dict[Side, Search] = {Side.FLOOR: floor, Side.OURS: ours}
    single = [timed(side, partial(search, db, question)) for question in asked for side, search in sides.items()]
    return [_sum(side, single) for side in sides]


def _sum(side: Side, samples: list[Sample]) -> Sample:
    own = [sample for sample in samples if sample.side is side]
    return Sample(side, sum(one.value for one in own), sum(one.cpu_ms or 0.0 for one in own))
