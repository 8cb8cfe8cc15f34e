"""The note files: list, look, read, replace atomically, remove.

Nothing here knows the journal. A file is known by its path relative to the notes directory, as the disk spells it,
and by its fingerprint: size in bytes, modification time in ns, inode. Symbolic links inside the directory are never
followed; the directory itself may be one.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import NamedTuple, TypeVar

from memory_core import sentences
from memory_core.exceptions import BadName
from memory_core.names import SUFFIX, note_name

MAX_KEPT_BYTES = 16 * 1024 * 1024

T = TypeVar("T")

Fingerprint = tuple[int, int, int]
"""Size in bytes, modification time in ns, inode."""

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_READ = os.O_RDONLY | _NO_FOLLOW | getattr(os, "O_BINARY", 0)
_MOST = 2**63 - 1
_NOTHING: Mapping[str, Fingerprint] = {}
_counter = 0
_apart: set[str] = set()
"""Notes directories that were found to be mounts of their own."""


class Content(NamedTuple):
    """What was read: the bytes and the fingerprint taken from the descriptor that was read."""

    raw: bytes
    fingerprint: Fingerprint


class Unsteady(Exception):
    """The file changed while it was read; the next look sees it."""


class TooLarge(Exception):
    """The file is larger than the memory keeps; `size` in bytes."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.size = size


class Listing(NamedTuple):
    """What a scan found: every note file, those of them that differ from what was known, and the paths of symbolic
    links that look like notes.
    """

    files: dict[str, Fingerprint]
    changed: dict[str, Fingerprint]
    links: list[str]


def fingerprint(status: os.stat_result) -> Fingerprint:
    """The fingerprint of a stat result."""
    return _storable((status.st_size, status.st_mtime_ns, status.st_ino))


def _storable(file: Fingerprint) -> Fingerprint:
    """A fingerprint whose numbers SQLite can keep: some systems' inodes and dates take more than 63 bits."""
    size, mtime_ns, inode = file
    return size, max(-_MOST, min(mtime_ns, _MOST)), inode & _MOST


def scan(root: str, known: Mapping[str, Fingerprint] = _NOTHING) -> Listing:
    """Every note file below `root`, compared with what is `known`: path to fingerprint.

    A fingerprint that is known already is taken over instead of a new one like it, so that a look at many files without
    a difference keeps no memory busy. Files that start with a dot or don't end in `.md` are ignored, as are special
    files. Raises OSError where a directory can't be listed.
    """
    found: dict[str, Fingerprint] = {}
    changed: dict[str, Fingerprint] = {}
    links: list[str] = []
    known_at = known.get
    stack = [""]
    while stack:
        prefix = stack.pop()
        with _listing(f"{root}/{prefix}") as entries:
            for item in entries:
                name = item.name
                if name[0] == ".":
                    continue
                if name.endswith(SUFFIX) and item.is_file(follow_symlinks=False):
                    try:
                        status = item.stat(follow_symlinks=False)
                    except FileNotFoundError:
                        continue
                    path = prefix + name
                    file = (status.st_size, status.st_mtime_ns, status.st_ino)
                    before = known_at(path)
                    if before == file:
                        found[path] = before
                        continue
                    found[path] = file = _storable(file)
                    if before != file:
                        changed[path] = file
                elif item.is_dir(follow_symlinks=False):
                    stack.append(f"{prefix}{name}/")
                elif item.is_symlink() and (name.endswith(SUFFIX) or item.is_dir()):
                    links.append(prefix + name)
    return Listing(found, changed, links)


@contextmanager
def _listing(folder: str) -> Iterator[Iterator[os.DirEntry[str]]]:
    """A folder's entries. Read through a descriptor, where the system can: then each stat needs no walk of the path."""
    if os.scandir not in os.supports_fd:
        with os.scandir(folder) as entries:
            yield entries
        return
    descriptor = os.open(folder, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    try:
        with os.scandir(descriptor) as entries:
            yield entries
    finally:
        os.close(descriptor)


def look(root: str, path: str) -> Fingerprint | None:
    """The fingerprint of one file without following links, or None where no regular file is there."""
    try:
        status = os.lstat(f"{root}/{path}")
    except (FileNotFoundError, NotADirectoryError):
        return None
    return fingerprint(status) if stat.S_ISREG(status.st_mode) else None


def is_listed(root: str, path: str) -> bool:
    """Whether a file is there under exactly this spelling; where case or composition tell no names apart, `look` finds
    it under any."""
    if look(root, path) is None:
        return False
    folder = root
    for part in path.split("/"):
        with suppress(FileNotFoundError), _listing(folder) as entries:
            if all(item.name != part for item in entries):
                return False
        folder = f"{folder}/{part}"
    return True


def read(root: str, path: str) -> Content:
    """A file's bytes, with the fingerprint taken before they were read.

    A caller who has to be certain looks again afterwards: another fingerprint means that the file changed meanwhile.
    Raises FileNotFoundError, OSError, TooLarge, or Unsteady where the size changed while it was read.
    """
    descriptor = os.open(f"{root}/{path}", _READ)
    try:
        status = os.fstat(descriptor)
        size = status.st_size
        if size > MAX_KEPT_BYTES:
            raise TooLarge(size)
        raw = os.read(descriptor, size + 1)
        if len(raw) < size:
            raw += _rest(descriptor, size + 1 - len(raw))
    finally:
        os.close(descriptor)
    if len(raw) != size:
        raise Unsteady
    return Content(raw, fingerprint(status))


def check_place(root: str, name: str) -> None:
    """Raises BadName where the path leads through a link or a file, or is a folder itself."""
    parts = name.split("/")
    for count in range(1, len(parts) + 1):
        part = "/".join(parts[:count])
        try:
            mode = os.lstat(os.path.join(root, part)).st_mode
        except FileNotFoundError:
            return
        if stat.S_ISLNK(mode):
            raise BadName(*sentences.name_is_link(name, part))
        last = count == len(parts)
        if last and not stat.S_ISREG(mode):
            wrong = sentences.name_is_folder if stat.S_ISDIR(mode) else sentences.name_is_special
            raise BadName(*wrong(name))
        if not last and not stat.S_ISDIR(mode):
            raise BadName(*sentences.name_below_note(name, part))


class Temporary:
    """A file that will replace a note: written and fsynced beside the notes, then renamed over it."""

    def __init__(self, directory: str, raw: bytes) -> None:
        """Writes `raw` to a new file in `directory`, whose name holds this process's id and start time."""
        os.makedirs(directory, mode=0o700, exist_ok=True)
        self.path = os.path.join(directory, temporary_name())
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW | getattr(os, "O_BINARY", 0)
        descriptor = os.open(self.path, flags, 0o600)
        try:
            view = memoryview(raw)
            while view:
                view = view[os.write(descriptor, view) :]
            os.fsync(descriptor)
            self.fingerprint = fingerprint(os.fstat(descriptor))
        except BaseException:
            self.discard()
            raise
        finally:
            os.close(descriptor)

    def replace(self, root: str, path: str) -> Fingerprint:
        """Renames the file over the note and gives its fingerprint; folders are made where they lack.

        Raises OSError; of EXDEV the next temporary file knows (`again_where_apart`).
        """
        target = os.path.join(root, path)
        folder = os.path.dirname(target)
        made = _make_folders(root, folder)
        try:
            os.replace(self.path, target)
        except OSError as error:
            if error.errno == errno.EXDEV:
                _apart.add(root)
            raise
        for directory in made:
            sync_directory(directory)
        return self.fingerprint

    def discard(self) -> None:
        """Removes the file where it is still there."""
        with suppress(FileNotFoundError):
            os.unlink(self.path)


def sync_directory(path: str) -> None:
    """Makes a rename in a directory last; where directories can't be synced, the system does it itself."""
    if sys.platform == "win32":
        return
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove(root: str, path: str) -> None:
    """Removes a note's file and the folders that it leaves empty."""
    with suppress(FileNotFoundError):
        os.unlink(os.path.join(root, path))
    folder = os.path.dirname(path)
    while folder:
        try:
            os.rmdir(os.path.join(root, folder))
        except OSError:
            return
        folder = os.path.dirname(folder)


def remove_all(root: str, paths: Iterable[str]) -> None:
    """Removes the files of several notes, for good: the directories are synced."""
    folders = {""}
    for path in paths:
        remove(root, path)
        folders.add(os.path.dirname(path))
    for folder in folders:
        with suppress(FileNotFoundError):
            sync_directory(os.path.join(root, folder))


def temporary_directory(home: str, memories: str) -> str:
    """Where temporary files go: `tmp/` in the project's home, or the notes directory on another device or mount."""
    tmp = os.path.join(home, "tmp")
    os.makedirs(tmp, mode=0o700, exist_ok=True)
    same = memories not in _apart and os.stat(tmp).st_dev == os.stat(memories).st_dev
    return tmp if same else os.path.realpath(memories)


def again_where_apart(replace: Callable[[], T]) -> T:
    """What makes temporary files and renames them over notes; once more where these turn out to lie on another mount.

    One device may be mounted at several places, and no rename leads from one to another.
    """
    try:
        return replace()
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
    return replace()


def temporary_name() -> str:
    """A new name for a temporary file: it tells this process by its id and start time (`sweep`)."""
    global _counter
    _counter += 1
    return f".{owner()}-{_counter}.tmp"


def sweep(directory: str) -> None:
    """Removes temporary files of processes that are gone, where it may: what stays does no harm."""
    try:
        names = os.listdir(directory)
    except OSError:
        return
    for name in names:
        owner = name.removeprefix(".").split("-")
        if name.endswith(".tmp") and len(owner) == 3 and owner[0].isdigit() and not _alive(int(owner[0]), owner[1]):
            with suppress(OSError):
                os.unlink(os.path.join(directory, name))


def _rest(descriptor: int, limit: int) -> bytes:
    parts = []
    while limit > 0 and (part := os.read(descriptor, limit)):
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)


def _make_folders(root: str, folder: str) -> list[str]:
    """Makes what lacks between `root` and `folder`; gives the directories to be synced, children first."""
    changed = [folder]
    while folder != root and not os.path.isdir(folder):
        folder = os.path.dirname(folder)
        changed.append(folder)
    if len(changed) > 1:
        os.makedirs(changed[0], mode=0o700, exist_ok=True)
    return changed


def owner() -> str:
    """This process by its id and start time, which no later process shares."""
    return f"{os.getpid()}-{_own_start()}"


def owner_lives(owner: str) -> bool:
    """Whether the process that `owner` names still runs."""
    pid, _, start = owner.partition("-")
    return pid.isdigit() and _alive(int(pid), start)


def _own_start() -> str:
    global _start
    if _start is None or _start[0] != os.getpid():
        _start = (os.getpid(), _start_of(os.getpid()) or str(time.time_ns()))
    return _start[1]


_start: tuple[int, str] | None = None


def _start_of(pid: int) -> str | None:
    """When a process started, in a form that tells it from a later one of the same id; None where unknown."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[19].decode("ascii")
    except (OSError, IndexError):
        return None


def _alive(pid: int, start: str) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    found = _start_of(pid)
    return found is None or found == start


def is_note(path: str, file: Fingerprint) -> bool:
    """Whether a file would be kept as a note: its name keeps the rules and it isn't too large."""
    try:
        note_name(path)
    except BadName:
        return False
    return file[0] <= MAX_KEPT_BYTES
