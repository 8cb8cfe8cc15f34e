"""Many new notes at once: the same rows as `journal.append` makes one by one, with far fewer statements.

Only what needs no look at the tree is gathered: leaves that wait for their summary, while no merge is possible. The
moment a leaf is verbatim or a merge might happen, what was gathered is stored and the entry takes the slow way.
What follows from a text alone is prepared before the lock is taken. The word index is left behind; it catches up
afterwards (`catchup.py`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from memory_core import entry, frontier, journal, lines, names, tree, view
from memory_core.head import Head
from memory_core.journal import Draft
from memory_core.results import EntryKind, LineState

NameValues = tuple[int, int, str, str, str, int, int, int, int, int | None, bytes]


class Prepared(NamedTuple):
    """A new note with what follows from its text: `text` is the line of a leaf that is verbatim, None of others;
    `shown` is the line as the view shows it.
    """

    draft: Draft
    heading: str
    text: str | None
    shown: str
    alike: str
    hash: bytes


def prepare(draft: Draft) -> Prepared:
    """Looks at a new note's text; needs no lock."""
    assert draft.raw is not None
    body = entry.body(entry.decode(draft.raw))
    heading = entry.heading(body)
    text = entry.entry_text(EntryKind.NOTE, draft.name, body) if len(body) <= entry.MAX_LINE_BYTES else ""
    verbatim = text != "" and entry.fits(text)
    shown = entry.frame_line(text) if verbatim else view.pending_text(draft.name, heading)
    return Prepared(
        draft, heading, text if verbatim else None, shown, names.alike(draft.name), journal.digest(draft.raw)
    )


class Bulk:
    """Gathers new notes inside one transaction; `flush` at its end stores what is gathered."""

    def __init__(self, db: sqlite3.Connection, head: Head, budget: int) -> None:
        """Begins with nothing gathered; `db` is in a write transaction."""
        self._db = db
        self._head = head
        self._budget = budget
        self._next_id = int(db.execute("SELECT coalesce(max(id), 0) + 1 FROM name").fetchone()[0])
        self._names: list[NameValues] = []
        self._entries: list[journal.EntryValues] = []
        self._leaves: list[list[int]] = []
        self._waits_for: tuple[int, int] | None = None

    def append_all(self, notes: Iterable[Prepared]) -> None:
        """Appends notes whose names have no row yet, in order, and stores them."""
        for note in notes:
            self._append(note)
        self._flush()

    def _append(self, note: Prepared) -> None:
        head = self._head
        seq = head.entries
        self._gather(note, seq)
        self._leaf(seq, entry.rendered_bytes(seq, 1, note.shown))
        if note.text is not None:
            self._flush()
            lines.appeared(self._db, head, seq, 1, lines.Stored(note.text, LineState.VERBATIM, pure=True))
        if head.view_bytes > self._budget:
            self._settle()

    def _gather(self, note: Prepared, seq: int) -> None:
        draft = note.draft
        name_id = self._next_id
        self._next_id += 1
        self._names.append(
            (
                name_id,
                self._head.journal,
                draft.name,
                note.alike,
                draft.disk,
                seq,
                *draft.file,
                draft.looked_ns,
                note.hash,
            )
        )
        verbatim = note.text is not None
        self._entries.append(journal.entry_values(self._head.journal, seq, name_id, draft, note.heading, verbatim))
        self._head.entries += 1

    def _leaf(self, seq: int, size: int) -> None:
        head = self._head
        self._leaves.append([head.journal, seq, 1, size, 0])
        head.view_bytes += size
        if not seq & 1:
            return
        if len(self._leaves) > 1:
            self._leaves[-2][4] = 1
            head.pairs[1] = min(head.pairs.get(1, seq - 1), seq - 1)
        else:
            self._flush()
            frontier.mark_pair(self._db, head, seq - 1, 1)

    def _settle(self) -> None:
        """Merges what can merge; remembers the pair whose parent isn't written, since it will be asked for again."""
        pair = tree.most_due(self._head.pairs, self._head.entries)
        if pair is None or pair == self._waits_for:
            return
        self._flush()
        frontier.settle(self._db, self._head, self._budget)
        if self._head.view_bytes > self._budget:
            self._waits_for = tree.most_due(self._head.pairs, self._head.entries)

    def _flush(self) -> None:
        self._waits_for = None
        self._db.executemany(
            "INSERT INTO name (id, journal, name, alike, disk, newest, live, size, mtime_ns, inode, looked_ns, hash)"
            " VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?)",
            self._names,
        )
        journal.insert_entries(self._db, self._entries)
        self._db.executemany(
            "INSERT INTO frontier (journal, start, n, bytes, paired) VALUES (?, ?, ?, ?, ?)", self._leaves
        )
        self._names.clear()
        self._entries.clear()
        self._leaves.clear()
