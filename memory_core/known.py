"""What this process knows of the note files, so that a look costs little more than listing them.

The table of names is read once and kept while the project's version stands; this process's own commits keep it.
A file is compared by its fingerprint alone, unless it was changed less than two seconds before it was last looked
at: then another change may hide behind the same fingerprint, and its content decides.
"""

from __future__ import annotations

import sqlite3
import unicodedata
from dataclasses import dataclass, field

from memory_core.head import Head
from memory_core.notes import Fingerprint, Listing

RACY_NS = 2_000_000_000


def is_racy(file: Fingerprint, looked_ns: int | None) -> bool:
    """Whether a file was changed so shortly before it was looked at that its fingerprint doesn't prove its text."""
    return looked_ns is not None and file[1] > looked_ns - RACY_NS


def name_at(path: str) -> str:
    """The name of the note whose file the disk spells `path`; it may be a name that breaks a rule."""
    return unicodedata.normalize("NFC", path)


@dataclass(frozen=True, slots=True)
class Difference:
    """What a look found to differ: files to be read, with their fingerprints, and paths that are gone."""

    changed: dict[str, Fingerprint]
    gone: list[str]

    def __bool__(self) -> bool:
        """Whether anything differs."""
        return bool(self.changed or self.gone)


@dataclass(slots=True)
class Known:
    """Fingerprints by the path that the disk spells. `fresh` are equal files seen anew, not stored yet."""

    journal: int = -1
    version: int = -1
    files: dict[str, Fingerprint] = field(default_factory=dict)
    racy: set[str] = field(default_factory=set)
    fresh: dict[str, tuple[Fingerprint, int]] = field(default_factory=dict)

    def load(self, db: sqlite3.Connection, head: Head) -> None:
        """Reads the names anew where another process committed since."""
        if self.is_current(head):
            return
        if self.journal != head.journal:
            self.fresh.clear()
        rows = db.execute("SELECT disk, size, mtime_ns, inode FROM name WHERE journal = ? AND live", (head.journal,))
        self.files = {disk: (size, mtime_ns, inode) for disk, size, mtime_ns, inode in rows}
        racy = db.execute(
            "SELECT disk FROM name WHERE journal = ? AND live AND mtime_ns > looked_ns - ?",
            (head.journal, RACY_NS),
        )
        self.racy = {disk for (disk,) in racy}
        self.journal, self.version = head.journal, head.version
        for disk, (file, looked_ns) in list(self.fresh.items()):
            if disk in self.files:
                self.equal(disk, file, looked_ns)
            else:
                del self.fresh[disk]

    def is_current(self, head: Head) -> bool:
        """Whether no other process has committed since."""
        return (self.journal, self.version) == (head.journal, head.version)

    def compare(self, listing: Listing) -> Difference:
        """The files that differ or have to be read, and those that are gone. One whose name is spelled anew isn't."""
        files, found, changed = self.files, listing.files, listing.changed
        new = sum(path not in files for path in changed)
        gone = [path for path in files if path not in found] if len(files) + new != len(found) else []
        if gone and changed:
            names = set(map(name_at, changed))
            gone = [path for path in gone if name_at(path) not in names]
        racy = {path: found[path] for path in self.racy if path in found}
        return Difference(changed | racy, gone)

    def equal(self, disk: str, file: Fingerprint, looked_ns: int) -> None:
        """A file was read and holds the text that the journal has."""
        self.files[disk] = file
        self.fresh[disk] = (file, looked_ns)
        if is_racy(file, looked_ns):
            self.racy.add(disk)
        else:
            self.racy.discard(disk)

    def stored(self, disk: str, file: Fingerprint | None, looked_ns: int | None) -> None:
        """The journal got an entry for a path: the file's fingerprint, or None where it is gone."""
        self.fresh.pop(disk, None)
        self.racy.discard(disk)
        if file is None:
            self.files.pop(disk, None)
            return
        self.files[disk] = file
        if is_racy(file, looked_ns):
            self.racy.add(disk)

    def committed(self, head: Head, before: int) -> None:
        """Our own commit raised the version from `before`: what is known still stands, unless it was older."""
        if (self.journal, self.version) == (head.journal, before):
            self.version = head.version

    def flush(self, db: sqlite3.Connection, journal: int) -> None:
        """Stores fresh fingerprints in a transaction that writes anyway."""
        if not self.fresh or self.journal != journal:
            return
        db.executemany(
            "UPDATE name SET size = ?, mtime_ns = ?, inode = ?, looked_ns = ? WHERE journal = ? AND disk = ? AND live",
            [(*file, looked_ns, journal, disk) for disk, (file, looked_ns) in self.fresh.items()],
        )
        self.fresh.clear()
