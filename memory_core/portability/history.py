"""Versions from elsewhere that are older than the note here: they become its history, and the note stays as it is.

An entry that is appended stands above all others of its name. So in one transaction the older versions are appended,
then the newest entry again as it was, with its date, its author and its file: no reader ever sees an older text as
the note's, no file is touched, and every version can be read and restored.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from itertools import islice

from memory_core import journal
from memory_core.head import Head
from memory_core.journal import Draft, NameRow
from memory_core.portability.archive import EntryRow
from memory_core.results import Origin

_ENTRY = "SELECT raw, origin, session, client, created_ms, hides FROM entry WHERE journal = ? AND seq = ?"


def batches(rows: Iterable[EntryRow], most: int) -> Iterator[list[list[EntryRow]]]:
    """The rows in lists of one name each, in their order; these in batches of about `most` rows."""
    by_name: dict[str, list[EntryRow]] = {}
    for row in rows:
        by_name.setdefault(row.name, []).append(row)
    batch: list[list[EntryRow]] = []
    for same in by_name.values():
        rest = iter(same)
        while some := list(islice(rest, most)):
            batch.append(some)
            if sum(map(len, batch)) >= most:
                yield batch
                batch = []
    if batch:
        yield batch


def add_below(db: sqlite3.Connection, head: Head, rows: Iterable[EntryRow], here: NameRow, budget: int) -> int:
    """Appends older versions of one note, then what was its newest entry once more; gives that one's number."""
    newest = _again(db, head, here)
    for row in rows:
        draft = Draft(here.name, here.disk, row.raw, row.origin, row.created_ms, hides=row.hides)
        journal.append(db, head, draft, budget)
    return journal.append(db, head, newest, budget)


def _again(db: sqlite3.Connection, head: Head, here: NameRow) -> Draft:
    """The name's newest entry, with the file that the journal knows of it."""
    raw, kind, session, client, created_ms, hides = db.execute(_ENTRY, (head.journal, here.newest)).fetchone()
    return Draft(
        name=here.name,
        disk=here.disk,
        raw=raw,
        origin=Origin(journal.ORIGINS[kind], session, client),
        created_ms=created_ms,
        file=here.file,
        looked_ns=here.looked_ns,
        replaced=here.replaced,
        hides=bool(hides),
    )
