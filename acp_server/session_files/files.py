"""A session file: read a stretch at a time without changing a byte, and grown a line at a time.

A file is good up to the last line from which on nothing can be read: a crash cuts the last line, and a power cut may
leave zeros where it stood. What lies behind the good part is moved to `ID.cut` before the next append, so nothing that
was there is lost. A line that can't be read with records behind it is damage, and such a session isn't opened.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain

from acp_server.garbage import without_collecting
from acp_server.sentences.sessions import CUT_SHORT, NO_PLAIN_FILE, REPLACED
from acp_server.session_files import records
from acp_server.session_files.finding import beside
from acp_server.session_files.ownership import Ownership
from acp_server.session_files.records import DirectoryRecord, EndRecord, Record, SessionRecord

PRIVATE_FILE = 0o600
STRETCH_BYTES = 256 * 1024
"""How much is read at once: most sessions are shorter and so are known whole before anything is made of them."""


Identity = tuple[int, int]
"""What tells a file from another that took its place: device and inode."""


def _identity(status: os.stat_result) -> Identity:
    return status.st_dev, status.st_ino


class Damaged(Exception):
    """The file can't be read as a session from line `line` (1-based) on."""

    def __init__(self, line: int) -> None:
        super().__init__(str(line))
        self.line = line


@dataclass(frozen=True, slots=True)
class Contents:
    """The records of a file, how many bytes they take, how many are behind them that can't be read, and which file it
    was.
    """

    records: tuple[Record, ...]
    good_bytes: int
    cut_bytes: int
    identity: Identity

    @property
    def opening(self) -> SessionRecord:
        """The session's own record."""
        return records.opening_of(self.records)

    @property
    def has_turn(self) -> bool:
        """Whether a turn of it ended: such a session is listed."""
        return any(isinstance(record, EndRecord) for record in self.records)

    @property
    def cwd(self) -> str:
        """The directory that the session was in last."""
        places = (record.cwd for record in reversed(self.records) if isinstance(record, DirectoryRecord))
        return next(places, self.opening.cwd)


class Reading:
    """A file on its way in, a stretch at a time: in what isn't read yet it may still turn out to be damaged."""

    def __init__(self, path: str) -> None:
        """Raises OSError, also for what is no plain file."""
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # a pipe must not hold the thread
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            os.close(descriptor)
            raise OSError(errno.EINVAL, NO_PLAIN_FILE)
        self.identity = _identity(status)
        self._file = os.fdopen(descriptor, "rb", buffering=STRETCH_BYTES)
        self._lines = 0
        self._bad_line: int | None = None
        self.good_bytes = self.cut_bytes = 0
        """How many bytes hold what was read so far, and how many behind them hold nothing that can be read."""

    def more(self) -> list[Record]:
        """The records of the next STRETCH_BYTES or a little more, the first of all a `SessionRecord`; none at the end
        of the file. Raises OSError, Damaged, records.Newer.
        """
        first, found = self._lines == 0, list[Record]()
        while not found and (lines := self._file.readlines(STRETCH_BYTES)):
            found = self._parsed(lines)
        if first and not (found and isinstance(found[0], SessionRecord)):
            raise Damaged(1)
        return found

    def close(self) -> None:
        """Let the file go."""
        self._file.close()

    def _parsed(self, lines: Sequence[bytes]) -> list[Record]:
        """The lines' records: all at once where all are good."""
        if self._bad_line is None and lines[-1].endswith(b"\n"):
            with contextlib.suppress(ValueError):
                found = records.parse_all(lines)
                self.good_bytes += sum(map(len, lines))
                self._lines += len(lines)
                return found
        return [record for record in map(self._parsed_alone, lines) if record is not None]

    def _parsed_alone(self, line: bytes) -> Record | None:
        self._lines += 1
        record = _record(line)
        if record is None:
            self._bad_line = self._bad_line or self._lines
            self.cut_bytes += len(line)
        elif self._bad_line is not None:
            raise Damaged(self._bad_line)
        else:
            self.good_bytes += len(line)
        return record


def read(path: str) -> Contents:
    """A file whole. Raises as `Reading`."""
    with closing(Reading(path)) as reading, without_collecting():
        found = tuple(chain.from_iterable(iter(reading.more, [])))
        return Contents(found, reading.good_bytes, reading.cut_bytes, reading.identity)


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

    def __init__(self, path: str, ownership: Ownership, good_bytes: int, identity: Identity) -> None:
        """`good_bytes` is the length of what was read or written so far, `identity` that of the file which was read."""
        self.path = path
        self._identity = identity
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
        status = os.fstat(descriptor)
        size = status.st_size
        if _identity(status) != self._identity:
            raise OSError(errno.ESTALE, REPLACED)
        if size < self._good_bytes:
            raise OSError(errno.ESTALE, CUT_SHORT)
        if size == self._good_bytes:
            return
        tail = os.pread(descriptor, size - self._good_bytes, self._good_bytes)
        _, _, cut = beside(self.path)
        aside = os.open(cut, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE_FILE)
        with os.fdopen(aside, "ab") as file:
            file.write(tail + b"\n")
            file.flush()
            os.fsync(aside)
        os.ftruncate(descriptor, self._good_bytes)
