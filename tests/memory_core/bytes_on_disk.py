"""Tokens that nothing can hide, and where they are: in every file under a directory, and in the word indexes.

A token is twelve characters, consonants and digits in turns, so that no stemmer touches it. Its tail is looked for:
the word index may store the first characters of a term with the term before it.
"""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

CONSONANTS = "bcdfghjklmnpqrtvwxz"
TAIL = 8

_TAILS = re.compile(f"(?=((?:[{CONSONANTS}][0-9]){{{TAIL // 2}}}))".encode())


def token(rng: random.Random) -> str:
    return "".join(rng.choice(CONSONANTS) + rng.choice("0123456789") for _ in range(6))


def files_with(directory: Path, tokens: Iterable[str]) -> set[str]:
    """The files that hold any of the tokens, whatever the case, in UTF-8 or UTF-16."""
    wanted = {token[-TAIL:].encode() for token in tokens}
    return {
        str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file() and _tails(path) & wanted
    }


def _tails(path: Path) -> set[bytes]:
    content = path.read_bytes().lower()
    return set(_TAILS.findall(content)) | set(_TAILS.findall(content.replace(b"\0", b"")))


def indexed(database: Path, tokens: Iterable[str]) -> set[str]:
    """The terms of any word index that hold one of the tokens."""
    wanted = {token[-TAIL:] for token in tokens}
    found: set[str] = set()
    with closing(sqlite3.connect(database)) as db:
        tables = db.execute("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%fts5%'").fetchall()
        for (table,) in tables:
            db.execute(f"CREATE VIRTUAL TABLE temp.of_{table} USING fts5vocab(main, {table}, row)")
            for (term,) in db.execute(f"SELECT term FROM temp.of_{table}"):
                found |= {term for tail in _TAILS.findall(term.encode()) if tail.decode() in wanted}
    return found
