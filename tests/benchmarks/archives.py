"""Exports of memories that never were: a few notes rewritten over and over, the same bytes on every machine.

Round by round each of the live notes gets a new version, in another order each time. A quarter of the versions is
short enough to be its own line; every other line of the tree is written, as it is where nothing waits. The view is
given finer than the budget: an import merges what is due.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from pathlib import Path

from memory_core.portability import archive
from memory_core.portability.archive import EntryRow, Header, LineRow
from memory_core.results import EntryKind, Origin, OriginKind

RARE = "zebrafish"
RARE_NOTES = range(7, 1000, 100)
"""The notes that hold the rare word: ten of them, however many live."""

SEED = 31
WORDS = 3000
NOTE_WORDS = 110
SHORT_WORDS = 30
SHORT_EVERY = 4
LINE_WORDS = 55
FIRST_MS = 1_600_000_000_000
STEP_MS = 60_000
PIECE = 1000
FINE = 24
"""A line stands in the view once it is so many times as old as it is wide; the import merges on to the budget."""


def write_archive(path: Path, entries: int, live: int) -> None:
    """Writes the export of a memory of `entries` entries over `live` notes, every line of its tree written."""
    sha, rows = hashlib.sha256(), 0
    with path.open("wb") as file:
        for raw in map(archive.dump, _objects(entries, live)):
            sha.update(raw)
            rows += 1
            file.write(raw)
        file.write(archive.dump({"type": "end", "rows": rows, "sha256": sha.hexdigest()}))


def note_name(number: int) -> str:
    """The name of a live note."""
    return f"area-{number % 40}/note-{number}.md"


class Prose:
    """Words by chance, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._words = [f"w{number}" for number in range(WORDS)]

    def some(self, count: int) -> str:
        """So many words."""
        return " ".join(self._chance.choices(self._words, k=count))

    def version(self, number: int, seq: int) -> str:
        """A text of note `number` as entry `seq`."""
        rare = f" {RARE}" if number in RARE_NOTES else ""
        count = NOTE_WORDS if seq % SHORT_EVERY else SHORT_WORDS
        return f"# Note {number} at {seq}\n\n{self.some(count)}{rare}\n"

    def order(self, count: int) -> list[int]:
        """The numbers below `count`, shuffled."""
        numbers = list(range(count))
        self._chance.shuffle(numbers)
        return numbers


def _objects(entries: int, live: int) -> Iterator[archive.Object]:
    prose = Prose(SEED)
    yield archive.header_object(Header(0, entries, "generated-000000000000", "/generated", ("generated",)))
    yield from map(archive.entry_object, _entries(prose, entries, live))
    yield from map(archive.line_object, _lines(prose, entries))
    cover = [[start, n] for start, n in _cover(entries)]
    for first in range(0, len(cover), PIECE):
        yield {"type": "view", "lines": cover[first : first + PIECE]}


def _entries(prose: Prose, entries: int, live: int) -> Iterator[EntryRow]:
    origin = Origin(OriginKind.SESSION, "a-session", "an-editor")
    for first in range(0, entries, live):
        for place, number in enumerate(prose.order(live)[: entries - first]):
            seq = first + place
            raw = prose.version(number, seq).encode()
            yield EntryRow(seq, EntryKind.NOTE, note_name(number), raw, origin, FIRST_MS + seq * STEP_MS, hides=False)


def _lines(prose: Prose, entries: int) -> Iterator[LineRow]:
    n = 1
    while n <= entries:
        for start in range(0, entries - n + 1, n):
            if n > 1 or start % SHORT_EVERY:
                yield LineRow(start, n, f"{start}+{n} {prose.some(LINE_WORDS)}", "bench", cut=False, stale=False)
        n *= 2


def _cover(entries: int) -> Iterator[tuple[int, int]]:
    """Lines that cover the journal, wide where they are old."""
    start = 0
    while start < entries:
        n = 1
        while start % (2 * n) == 0 and start + 2 * n <= entries and entries - start - 2 * n >= FINE * n:
            n *= 2
        yield start, n
        start += n
