"""Many new notes at once: the same rows as `journal.append` makes one by one, with far fewer statements.

Only what needs no look at the tree is gathered: leaves that wait for their summary, while no merge is possible. The
moment a leaf is verbatim or a merge might happen, what was gathered is stored and the entry takes the slow way.
The word index is left behind; it catches up afterwards (`catchup.py`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from memory_core import entry, frontier, journal, lines, names, tree, view
from memory_core.head import Head
from memory_core.journal import Draft
from memory_core.results import EntryKind, LineState

NameValues = tuple[int, int, str, str, str, int, int, int, int, int | None, bytes]


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

    def append_all(self, drafts: Iterable[Draft]) -> None:
        """Appends notes whose names have no row yet, in order, and stores them."""
        for draft in drafts:
            self._append(draft)
        self._flush()

    def _append(self, draft: Draft) -> None:
        head = self._head
        seq = head.entries
        assert draft.raw is not None
        body = entry.body(entry.decode(draft.raw))
        heading = entry.heading(body)
        verbatim = len(body) <= entry.MAX_LINE_BYTES and entry.fits(
            text := entry.entry_text(EntryKind.NOTE, draft.name, body)
        )
        shown = entry.frame_line(text) if verbatim else view.pending_text(draft.name, heading)
        self._gather(draft, seq, heading, verbatim)
        self._leaf(seq, entry.rendered_bytes(seq, 1, shown))
        if verbatim:
            self._flush()
            lines.appeared(self._db, head, seq, 1, lines.Stored(text, LineState.VERBATIM, pure=True))
        if head.view_bytes > self._budget:
            self._settle()

    def _gather(self, draft: Draft, seq: int, heading: str, verbatim: bool) -> None:
        name_id = self._next_id
        self._next_id += 1
        assert draft.raw is not None
        hashed = journal.digest(draft.raw)
        self._names.append(
            (
                name_id,
                self._head.journal,
                draft.name,
                names.alike(draft.name),
                draft.disk,
                seq,
                *draft.file,
                draft.looked_ns,
                hashed,
            )
        )
        self._entries.append(journal.entry_values(self._head.journal, seq, name_id, draft, heading, verbatim))
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
