"""Search over 10,000 notes: ours against a plain FTS5 table, asked with whole questions.

The floor is what one would write first: FTS5 with its own tokenizer over the whole texts, asked for any word
of the question. Ours is what a search does: the query's terms, the word index, and for each of ten hits its
text from a table and the best line with its marks. Both run interleaved, question by question.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import perf_counter_ns, process_time_ns

from memory_core import index
from memory_core.analyzer import query_terms
from memory_core.marks import Marker, Shown
from tests.benchmarks.corpus import notes

NOTES = 10_000
HITS = 10
JOURNAL = 1
QUERIES = Path(__file__).with_name("queries.txt")


@dataclass(frozen=True, slots=True)
class Measured:
    """One round over all questions: nanoseconds in all, of wall time and of this process's CPU time."""

    what: str
    round: int
    wall_ns: int
    cpu_ns: int


def questions() -> list[str]:
    """Return the questions, one a line of the file beside."""
    return QUERIES.read_text(encoding="utf-8").splitlines()


def built(count: int = NOTES) -> sqlite3.Connection:
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


def run(rounds: int) -> list[Measured]:
    """Measure `rounds` rounds over all questions, after one that warms up both sides."""
    db = built()
    asked = questions()
    _round(db, asked, 0)
    measured = [one for number in range(rounds) for one in _round(db, asked, number)]
    db.close()
    return measured


def _round(db: sqlite3.Connection, asked: list[str], number: int) -> list[Measured]:
    sides: dict[str, Callable[[sqlite3.Connection, str], object]] = {"floor": floor, "ours": ours}
    wall = dict.fromkeys(sides, 0)
    cpu = dict.fromkeys(sides, 0)
    for question in asked:
        for what, search in sides.items():
            wall_from, cpu_from = perf_counter_ns(), process_time_ns()
            search(db, question)
            wall[what] += perf_counter_ns() - wall_from
            cpu[what] += process_time_ns() - cpu_from
    return [Measured(what, number, wall[what], cpu[what]) for what in sides]


def ratio(measured: list[Measured]) -> float:
    """Return the median of ours over the median of the floor, by wall time."""
    side = {what: median(one.wall_ns for one in measured if one.what == what) for what in ("floor", "ours")}
    return side["ours"] / side["floor"]


if __name__ == "__main__":
    samples = run(rounds=int(sys.argv[1]) if len(sys.argv) > 1 else 5)
    print(json.dumps({"ratio": ratio(samples), "samples": [asdict(one) for one in samples]}))
