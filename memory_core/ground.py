"""What the operations of an open memory share: its project, connections, clock and what it knows of the files."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from memory_core import head as heads
from memory_core import sentences, stats
from memory_core.database import FILE_NAME
from memory_core.exceptions import StateUnavailable
from memory_core.head import Head
from memory_core.known import Known
from memory_core.project import Project
from memory_core.state_lock import StateLock

Clock = Callable[[], int]
"""Nanoseconds since the epoch."""

Ids = Callable[[], str]
"""A new unique id a call."""


@dataclass(slots=True)
class Ground:
    """An open memory's parts. `writer` is used by one thread at a time, `reader` by another."""

    project: Project
    writer: sqlite3.Connection
    reader: sqlite3.Connection
    budget: int
    clock: Clock
    ids: Ids
    writer_inode: int | None
    reader_inode: int | None
    lock: StateLock
    reader_lock: threading.Lock = field(default_factory=threading.Lock)
    damaged: bool = False
    known: Known = field(default_factory=Known)
    said: set[str] = field(default_factory=set)
    merged_at: int = 0
    untold: list[str] = field(default_factory=list)
    opened: dict[int, tuple[int, int]] = field(default_factory=dict)

    def head(self, db: sqlite3.Connection) -> Head:
        """The project's row; raises StateUnavailable where another process removed it."""
        head = heads.load(db, self.project.id)
        if head is None:
            raise StateUnavailable(*sentences.database_failed(self.database, sentences.ROW_GONE))
        return head

    def store(self, db: sqlite3.Connection, head: Head) -> None:
        """Ends a transaction's work: fresh fingerprints and the project's row are stored."""
        self.known.flush(db, head.journal)
        opened, self.opened = self.opened, {}
        stats.store_opened(db, head.journal, opened)
        heads.store(db, head)

    def note_opened(self, name_id: int) -> None:
        """A note was opened by a reader; stored with the next write (`stats.py`)."""
        count, _ = self.opened.get(name_id, (0, 0))
        self.opened[name_id] = (count + 1, self.now_ms())

    @property
    def database(self) -> str:
        """The path of the state database."""
        return os.path.join(self.project.state_dir, FILE_NAME)

    def close(self) -> None:
        """Closes both connections."""
        self.reader.close()
        self.writer.close()
        self.lock.close()

    def tell(self) -> tuple[str, ...]:
        """Notices that wait for the next look, once."""
        told, self.untold = tuple(self.untold), []
        return told

    def now_ms(self) -> int:
        """The time in milliseconds since the epoch."""
        return self.clock() // 1_000_000

    def once(self, notice: str) -> list[str]:
        """The notice in a list, or nothing where this process has said it already."""
        if notice in self.said:
            return []
        self.said.add(notice)
        return [notice]
