"""A session file: read whole without changing a byte, and grown a line at a time.

A file is good up to the last line from which on nothing can be read: a crash cuts the last line, and a power cut may
leave zeros where it stood. What lies behind the good part is moved to `ID.cut` before the next append, so nothing that
was there is lost. A line that can't be read with records behind it is damage, and such a session isn't opened.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO

from acp_server.garbage import without_collecting
from acp_server.sentences.sessions import CUT_SHORT, NO_PLAIN_FILE
from acp_server.session_files import records
from acp_server.session_files.ownership import Ownership
from acp_server.session_files.records import DirectoryRecord, EndRecord, Record, SessionRecord

PRIVATE_FILE = 0o600


class Damaged(Exception):
    """The file can't be read as a session from line `line` (1-based) on."""

    def __init__(self, line: int) -> None:
        super().__init__(str(line))
        self.line = line


@dataclass(frozen=True, slots=True)
class Contents:
    """The records of a file, how many bytes they take, and how many are behind them that can't be read."""

    records: tuple[Record, ...]
    good_bytes: int
    cut_bytes: int

    @property
    def opening(self) -> SessionRecord:
        """The session's own record."""
        first = self.records[0]
        assert isinstance(first, SessionRecord)
        return first

    @property
    def has_turn(self) -> bool:
        """Whether a turn of it ended: such a session is listed."""
        return any(isinstance(record, EndRecord) for record in self.records)

    @property
    def cwd(self) -> str:
        """The directory that the session was in last."""
        places = (record.cwd for record in reversed(self.records) if isinstance(record, DirectoryRecord))
        return next(places, self.opening.cwd)


def read(path: str) -> Contents:
    """The file's records. Raises OSError, also for what is no plain file, Damaged, records.Newer."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # a pipe must not hold the thread
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, NO_PLAIN_FILE)
        with without_collecting():
            return _contents(file)


def _contents(file: BinaryIO) -> Contents:
    found: list[Record] = []
    good = at = 0
    bad_line: int | None = None
    for number, line in enumerate(file, start=1):
        at += len(line)
        record = _record(line)
        if record is None:
            bad_line = bad_line or number
            continue
        if bad_line is not None:
            raise Damaged(bad_line)
        found.append(record)
        good = at
    if not found or not isinstance(found[0], SessionRecord):
        raise Damaged(1)
    return Contents(tuple(found), good, at - good)


def _record(line: bytes) -> Record | None:
    """The line's record; what has no end of line was not written to its end."""
    if not line.endswith(b"\n"):
        return None
    try:
        return records.parse(line)
    except ValueError:
        return None


class SessionFile:
    """A session file that this process writes."""

    def __init__(self, path: str, ownership: Ownership, good_bytes: int) -> None:
        """`good_bytes` is the length of what was read of it, or written to it, so far."""
        self.path = path
        self._ownership = ownership
        self._good_bytes = good_bytes

    def append(self, new: Iterable[Record], *, sync: bool = False) -> int:
        """Append records in one write, all or none; `sync` waits until they are on disk. The file's length then. O(1)
        in the file's size.

        Raises OSError, ownership.TakenOver, and FileNotFoundError where the file was removed meanwhile.
        """
        data = b"".join(map(records.line_of, new))
        if not data and not sync:
            return self._good_bytes
        with self._ownership.writing():
            descriptor = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
            try:
                if data:  # a session that was only looked at keeps even what a crash cut
                    self._set_aside(descriptor)
                self._write(descriptor, data, sync=sync)
            finally:
                os.close(descriptor)
        self._good_bytes += len(data)
        return self._good_bytes

    def _write(self, descriptor: int, data: bytes, *, sync: bool) -> None:
        """All of the data or nothing: what a full disk took is taken back."""
        try:
            done = 0
            while done < len(data):
                done += os.write(descriptor, data[done:])
            if sync:
                os.fsync(descriptor)
        except OSError:
            os.ftruncate(descriptor, self._good_bytes)
            raise

    def _set_aside(self, descriptor: int) -> None:
        """Move what lies behind the good part to a file of its own; without the good part nothing fits behind it."""
        size = os.fstat(descriptor).st_size
        if size < self._good_bytes:
            raise OSError(errno.ESTALE, CUT_SHORT)
        if size == self._good_bytes:
            return
        tail = os.pread(descriptor, size - self._good_bytes, self._good_bytes)
        aside = os.open(f"{self.path.removesuffix('.jsonl')}.cut", os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE_FILE)
        try:
            os.write(aside, tail + b"\n")
            os.fsync(aside)
        finally:
            os.close(aside)
        os.ftruncate(descriptor, self._good_bytes)
