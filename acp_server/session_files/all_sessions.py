"""All sessions on disk as a client sees them: pages of a list, a branch, a delete.

The index answers; where it can't be used (a read-only disk, another program's lock) the files themselves do.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from acp_server.sentences.log import INDEX_UNUSABLE
from acp_server.session_files import records
from acp_server.session_files.directories import real_directory
from acp_server.session_files.files import Contents
from acp_server.session_files.finding import SUFFIX, beside, find_session, is_gone, is_session_id, session_files
from acp_server.session_files.index import PAGE, Index, Page, Row, cursor_of, parse_cursor
from acp_server.session_files.listing import bring_in_line, rows_of
from acp_server.session_files.records import DirectoryRecord, EndRecord, OptionsRecord, Record

PRIVATE_FILE = 0o600
LATER_SECONDS = 0.5
"""How long after the first page an index with rows is brought in line: what a client asks for at its start is over."""
PAUSE_SECONDS = 0.005
"""What it leaves to others between its portions then."""

_log = logging.getLogger(__name__)


class AllSessions:
    """The sessions of a state directory."""

    def __init__(self, state_dir: str) -> None:
        self._state_dir = state_dir
        self._index = Index(state_dir)
        self._changing = asyncio.Lock()
        self._in_line: asyncio.Task[None] | None = None
        self._wanted_first = False

    async def page(self, cwd: str | None, cursor: str | None) -> Page:
        """A page of the sessions in a directory, or of all. Raises index.BadCursor, OSError."""
        if cursor is not None:
            parse_cursor(cursor)
        place = None if cwd is None else real_directory(cwd)
        try:
            await self._lined_up()
            async with self._changing:  # a turn that ended just now is in the page
                return await self._page(place, cursor)
        except (sqlite3.Error, OSError) as error:
            _log.warning(INDEX_UNUSABLE, error)
            rows = await asyncio.to_thread(lambda: rows_of(session_files(self._state_dir), {}))
            return page_of(rows, place, cursor)

    async def turned(self, row: Row) -> None:
        """A turn of a session ended: its row follows. A session that was deleted meanwhile gets none."""
        try:
            async with self._changing:
                if os.path.lexists(row.path):
                    await self._index.put([row])
        except (sqlite3.Error, OSError) as error:
            _log.warning(INDEX_UNUSABLE, error)

    async def delete(self, session_id: str) -> None:
        """Remove a session's files and row; one that isn't there is no fault. Raises OSError."""
        if not is_session_id(session_id):
            return
        path = find_session(self._state_dir, session_id)
        try:
            async with self._changing:
                if path is not None:
                    _unlink(path)
                await self._index.remove(session_id)
        except sqlite3.Error as error:
            _log.warning(INDEX_UNUSABLE, error)

    def branch(self, path: str, contents: Contents, session_id: str, created: str) -> None:
        """Write a new session beside the one at `path`: the same records up to its last whole turn. Raises OSError."""
        opening = replace(
            contents.opening, session_id=session_id, created=created, forked_from=contents.opening.session_id
        )
        lines = [records.line_of(record) for record in (opening, *whole_turns(contents.records[1:]))]
        target = os.path.join(os.path.dirname(path), session_id + SUFFIX)
        temporary = os.path.join(os.path.dirname(path), f".{session_id}{SUFFIX}.new")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.writelines(lines)
                file.flush()
                os.fsync(descriptor)
            os.replace(temporary, target)
        except OSError:
            os.unlink(temporary)
            raise

    async def close(self) -> None:
        """End what runs beside and close the index."""
        if self._in_line is not None:
            self._in_line.cancel()
            await asyncio.gather(self._in_line, return_exceptions=True)
        with contextlib.suppress(sqlite3.Error):
            await self._index.close()

    async def _page(self, place: str | None, cursor: str | None) -> Page:
        """A page of the index without sessions whose files somebody removed: these leave the index too."""
        while True:
            page = await self._index.page(place, cursor)
            left = [row.id for row in page.rows if is_gone(row.path)]
            if not left:
                return page
            await self._index.remove(*left)

    async def _lined_up(self) -> None:
        """Once a process the index is brought in line with the files: before the first page where it has no rows at
        all, and a little later where it has some: what a client asks for at its start comes first.
        """
        if self._in_line is None:
            some = bool((await self._index.page(None, None)).rows)
            if self._in_line is None:  # another list may have come to it meanwhile
                self._in_line = asyncio.create_task(self._line_up(later=some))
                self._wanted_first = not some
        if self._wanted_first:
            await asyncio.shield(self._in_line)

    async def _line_up(self, *, later: bool) -> None:
        try:
            if later:
                await asyncio.sleep(LATER_SECONDS)
                await bring_in_line(self._index, self._state_dir, self._changing, PAUSE_SECONDS)
            else:
                await bring_in_line(self._index, self._state_dir, self._changing)
        except (sqlite3.Error, OSError) as error:
            _log.warning(INDEX_UNUSABLE, error)


def _unlink(path: str) -> None:
    """Remove a session's file, and what lies beside it."""
    for each in (path, *beside(path)):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(each)


def whole_turns(rest: Sequence[Record]) -> Sequence[Record]:
    """The records up to the end of the last turn that ended, and what was settled after it."""
    last = max((at for at, record in enumerate(rest) if isinstance(record, EndRecord)), default=-1)
    settled = [record for record in rest[last + 1 :] if isinstance(record, OptionsRecord | DirectoryRecord)]
    return [*rest[: last + 1], *settled]


def page_of(rows: Sequence[Row], place: str | None, cursor: str | None) -> Page:
    """The page that an index with these rows would give. Pure."""
    before = None if cursor is None else parse_cursor(cursor)
    wanted = [
        row
        for row in sorted(rows, key=lambda each: (each.updated, each.id), reverse=True)
        if place in (None, row.place) and (before is None or (row.updated, row.id) < before)
    ]
    shown = tuple(wanted[:PAGE])
    return Page(shown, cursor_of(shown[-1]) if len(wanted) > PAGE else None)
