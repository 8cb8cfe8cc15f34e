"""What a list shows of a session, read from its file; and the index brought in line with the files.

A file is read line by line and only the few records that matter here are parsed, so a file of 50 MB costs no memory.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from acp_server.session_files import records
from acp_server.session_files.directories import real_directory
from acp_server.session_files.finding import SUFFIX, is_gone, is_session_id, session_files
from acp_server.session_files.index import Index, Row
from acp_server.session_files.records import (
    CommandRecord,
    DirectoryRecord,
    EndRecord,
    SessionRecord,
    TitleRecord,
    TurnRecord,
)

_HEAD_BYTES = 64
_WANTED = tuple(f'"type":"{kind}"'.encode() for kind in ("session", "turn", "command", "title", "directory", "end"))
PORTION = 200
"""How many files or rows are looked at in a go, a millisecond or two."""


def row_of(path: str) -> Row | None:
    """The row of a session, None where the file holds no session or no turn yet. Raises OSError."""
    opening: SessionRecord | None = None
    directories: tuple[str, ...] = ()
    cwd = updated = ""
    title: TitleRecord | None = None
    turns = 0
    with open(path, "rb") as lines:
        for record in _wanted(lines):
            match record:
                case SessionRecord() if opening is None:
                    opening = record
                    cwd, directories, updated = record.cwd, record.additional_directories, record.created
                case DirectoryRecord():
                    cwd, directories = record.cwd, record.additional_directories
                case TitleRecord() if record.replaces(title):
                    title = record
                case TurnRecord(at=at) | CommandRecord(at=at) | EndRecord(at=at):
                    turns += not isinstance(record, EndRecord)
                    updated = at
    if opening is None or not turns:
        return None
    shown = None if title is None else title.title
    return Row(opening.session_id, real_directory(cwd), cwd, directories, shown, updated, path)


def rows_of(files: Iterable[os.DirEntry[str]], known: Mapping[str, str]) -> list[Row]:
    """The rows of session files that the index doesn't have yet. Files that can't be read are passed over: they have
    no row until they can.
    """
    rows = []
    for entry in files:
        session_id = entry.name.removesuffix(SUFFIX)
        if known.get(session_id) == entry.path or not entry.is_file(follow_symlinks=False):
            continue
        try:
            row = row_of(entry.path)
        except OSError:
            continue
        if row is not None and row.id == session_id and is_session_id(row.id):
            rows.append(row)
    return rows


def gone(known: Mapping[str, str]) -> list[str]:
    """Sessions in the index whose files are gone."""
    return [session_id for session_id, path in known.items() if is_gone(path)]


async def bring_in_line(index: Index, state_dir: str, changing: asyncio.Lock, pause_seconds: float = 0) -> None:
    """Give every session file its row, and take the rows of files that are gone: in portions, with pauses between them
    in which others come first. `changing` is held while rows are written, as by all who change sessions: what was
    deleted or told since a file was read stays so. Raises sqlite3.Error, OSError.
    """
    known: dict[str, str] = {}
    while some := await index.known(next(reversed(known), ""), PORTION):
        if left := await asyncio.to_thread(gone, some):
            async with changing:
                await index.remove(*left)
        known |= some
        await asyncio.sleep(pause_seconds)
    files = session_files(state_dir)
    while entries := await asyncio.to_thread(_some, files):
        if rows := await asyncio.to_thread(rows_of, entries, known):
            async with changing:
                await index.fill(row for row in rows if not is_gone(row.path))
        await asyncio.sleep(pause_seconds)


def _some(files: Iterator[os.DirEntry[str]]) -> list[os.DirEntry[str]]:
    return list(islice(files, PORTION))


def _wanted(lines: Iterable[bytes]) -> Iterator[records.Record]:
    """The records that a list needs; a line that can't be read is passed over."""
    for line in lines:
        if any(mark in line[:_HEAD_BYTES] for mark in _WANTED):
            try:
                yield records.parse(line)
            except (ValueError, records.Newer):
                continue
