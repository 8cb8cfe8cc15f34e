"""Session files that a command deleted leave no title behind: in the index of sessions, its pages or its log.

A title is made of the person's own words, so it may hold what was to be forgotten. Commands do this at once; a running
agent does the same when it lists sessions (`listing.bring_in_line`).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection
from contextlib import closing

from acp_server.session_files.index import FILE_NAME, unpacked
from acp_server.session_files.listing import gone

WAIT_SECONDS = 5.0
"""How long a command waits for another process that reads the index or writes to it."""


def still_titled(state_dir: str, kept: Collection[str], wait_seconds: float = WAIT_SECONDS) -> str | None:
    """The path of the index where it still holds titles of sessions that were deleted, or of the session files `kept`;
    rows of files that are gone are purged first. None where nothing of them is left.
    """
    path = os.path.join(state_dir, FILE_NAME)
    if not os.path.exists(path):
        return None
    try:
        with closing(sqlite3.connect(path, timeout=wait_seconds, isolation_level=None)) as db:
            has_rows = db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'session'").fetchone()[0]
            return path if has_rows and (not _purged(db) or _has_titles(db, kept)) else None
    except sqlite3.Error:
        return path


def _purged(db: sqlite3.Connection) -> bool:
    """Whether the pages and the log hold nothing of rows that are gone: another reader may keep the log from ending."""
    rows = {str(session_id): unpacked(str(path)) for session_id, path in db.execute("SELECT id, path FROM session")}
    db.executemany("DELETE FROM session WHERE id = ?", [(session_id,) for session_id in gone(rows)])
    db.execute("VACUUM")
    (busy, _, _) = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def _has_titles(db: sqlite3.Connection, paths: Collection[str]) -> bool:
    found = db.execute("SELECT path FROM session WHERE title IS NOT NULL")
    return any(unpacked(path) in paths for (path,) in found)
