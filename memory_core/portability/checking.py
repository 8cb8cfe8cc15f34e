"""Reads an archive and checks every line of it: twice for each import, first to refuse, then to take in.

The order of lines is a small machine: header, entries, lines, view, end; nothing may be missing, doubled or after the
end. So a file is refused before anything of it is taken in.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass

from memory_core.exceptions import BadArchive
from memory_core.portability import archive
from memory_core.portability.archive import End, EntryRow, Header, LineRow, Record, ViewRow, WrongLine
from memory_core.sentences import portability as sentences
from memory_core.sentences import reason

_BEGINNING = b'{"type":"' + archive.KIND.encode() + b'"'


@dataclass(frozen=True, slots=True)
class Facts:
    """What a checked archive is: its header, how many written lines it holds, and its SHA-256."""

    header: Header
    lines: int
    sha256: str


class Reader:
    """Reads an archive once. After the last record, `sha256` is that of the whole file."""

    def __init__(self, path: str) -> None:
        """`path` is read when `records` is."""
        self._path = path
        self._number = 0
        self._order = -1
        self._entries = 0
        self._line = (0, -1)
        self._covered = 0
        self._header: Header | None = None
        self._sha = hashlib.sha256()

    @property
    def sha256(self) -> str:
        """The SHA-256 of what was read."""
        return self._sha.hexdigest()

    def records(self) -> Iterator[Record]:
        """Every record in order; raises BadArchive, StateUnavailable for a file that can't be read."""
        ended = False
        for raw in self._lines():
            if ended:
                raise self._wrong(sentences.NOT_EXPECTED)
            try:
                record = archive.parse(raw)
                self._check(record)
            except WrongLine as error:
                raise self._wrong(str(error)) from error
            ended = isinstance(record, End)
            self._sha.update(raw)
            yield record
        if not ended:
            raise BadArchive(*sentences.cut(self._path))

    def _lines(self) -> Iterator[bytes]:
        try:
            with open(self._path, "rb") as file:
                limit = archive.MAX_HEADER_BYTES
                while raw := file.readline(limit + 1):
                    self._number += 1
                    if self._number == 1:
                        self._check_kind(raw)
                    if len(raw) > limit:
                        raise self._wrong(sentences.TOO_LONG)
                    if not raw.endswith(b"\n"):
                        raise BadArchive(*sentences.cut(self._path))
                    yield raw
                    limit = archive.MAX_ROW_BYTES
        except OSError as error:
            raise BadArchive(*sentences.unreadable(self._path, reason(error))) from error
        if not self._number:
            raise BadArchive(*sentences.foreign(self._path))

    def _check_kind(self, raw: bytes) -> None:
        """Tells a foreign file, a newer one and one cut in its first line apart."""
        if not raw.startswith(_BEGINNING):
            raise BadArchive(*sentences.foreign(self._path))
        version = raw.removeprefix(_BEGINNING).removeprefix(b',"version":').partition(b",")[0]
        if version.isdigit() and int(version[:9]) > archive.VERSION:
            raise BadArchive(*sentences.newer(self._path, int(version[:9]), archive.VERSION))

    def _check(self, record: Record) -> None:
        order = _ORDER.index(type(record))
        if order < self._order or (order == 0) != (self._number == 1):
            raise WrongLine(sentences.NOT_EXPECTED)
        self._order = order
        match record:
            case Header():
                self._header = record
            case EntryRow():
                self._check_entry(record)
            case LineRow():
                self._check_line(record)
            case ViewRow():
                self._check_view(record)
            case End():
                self._check_end(record)

    def _check_entry(self, row: EntryRow) -> None:
        if row.seq != self._entries:
            raise WrongLine(sentences.wrong_number(row.seq, self._entries))
        self._entries += 1

    def _check_line(self, row: LineRow) -> None:
        place = (row.n, row.start)
        if place <= self._line or row.start + row.n > self._entries:
            raise WrongLine(sentences.wrong_place(f"{row.start}+{row.n}"))
        self._line = place

    def _check_view(self, row: ViewRow) -> None:
        for start, n in row.lines:
            if start != self._covered or n < 1 or n & (n - 1) or start % n:
                raise WrongLine(sentences.WRONG_COVER)
            self._covered += n

    def _check_end(self, row: End) -> None:
        assert self._header is not None
        if self._entries != self._header.entries:
            raise WrongLine(sentences.wrong_number("", self._entries))
        if self._covered != self._entries:
            raise WrongLine(sentences.WRONG_COVER)
        if row.rows != self._number - 1 or row.sha256 != self.sha256:
            raise WrongLine(sentences.WRONG_TOTAL)

    def _wrong(self, what: str) -> BadArchive:
        return BadArchive(*sentences.wrong_line(self._path, self._number, what))


_ORDER = (Header, EntryRow, LineRow, ViewRow, End)


def check(path: str) -> Facts:
    """Reads a whole archive. Raises BadArchive, which says which line is wrong and why."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise BadArchive(*sentences.no_file(path))
    except OSError as error:
        raise BadArchive(*sentences.unreadable(path, reason(error))) from error
    reader = Reader(path)
    header: Header | None = None
    lines = 0
    for record in reader.records():
        if isinstance(record, Header):
            header = record
        lines += isinstance(record, LineRow)
    assert header is not None
    return Facts(header, lines, reader.sha256)


def is_archive(path: str) -> bool:
    """Whether a file begins as an archive does, whatever its format's version; False where it can't be read."""
    try:
        with open(path, "rb") as file:
            return file.read(len(_BEGINNING)) == _BEGINNING
    except OSError:
        return False
