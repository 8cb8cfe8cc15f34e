"""A hint that notes changed: one watch for all notes directories of a process. The look at the files stays the truth.

Theory of operation
1. One thread asks one watch of the operating system once a second; it starts with the first folder and ends with the
   last. In between nothing runs in this process. One watch for all, since a user has few of them (128 on Linux).
2. Directories are listed here and watched one by one. The library's own descent follows symbolic links, wherever they
   lead, and would watch a whole disk behind one.
3. After a change it asks more often, and a hint comes once nothing changed between two times, or after `MAX_BUSY` of
   them. What is watched anew is hinted too: something may have changed before it was.
4. What can't be watched (a folder that is missing or unreadable, a limit of the system) is told once and tried again,
   at first after a second, at last once a minute. Without hints notes are looked at when they were anyway.
"""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

from memory_core.names import SUFFIX

if TYPE_CHECKING:
    from collections.abc import Generator

    from watchfiles.main import FileChange

PERIOD_SECONDS = 1.0
"""Short enough for a person who looks on; a process that waits uses a quarter of a millisecond a second."""
SETTLING = 0.25
"""The part of a period after which it is asked again while changes come to rest."""
MAX_BUSY = 12
MAX_DIRECTORIES = 512
"""Of one folder, the outer ones first. A system may grant as few as 8,192 over all programs of a user."""
FIRST_RETRY_SECONDS = 1.0
LAST_RETRY_SECONDS = 60.0
POLL_MS = 10_000
"""Where a system has no notices of changes at all, files are compared this often."""

Tell = Callable[[str], None]

Shape = dict[str, int]
"""The directories of a folder, with their inodes."""


class Watch:
    """Watches folders of notes. `hint` is called on the watch's own thread, and never after `remove` or `close`."""

    def __init__(self, hint: Tell, trouble: Tell, period_seconds: float = PERIOD_SECONDS) -> None:
        """`hint` is given a folder whose notes may have changed, `trouble` why some can't be watched for now."""
        self._hint = hint
        self._trouble = trouble
        self._period_seconds = period_seconds
        self._changed = threading.Condition()
        self._wanted: set[str] = set()
        self._asked: set[str] = set()
        self._thread: threading.Thread | None = None

    def add(self, folder: str) -> None:
        """Watch a folder from the next period on; one that was added before is tried again where it got lost."""
        with self._changed:
            self._wanted.add(folder)
            self._asked.add(folder)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="notes-watch", daemon=True)
                self._thread.start()

    def remove(self, folder: str) -> None:
        """Watch a folder no longer; without any left the thread ends."""
        with self._changed:
            self._wanted.discard(folder)
            self._changed.notify_all()

    def close(self) -> None:
        """Watch nothing any more. Doesn't wait for the thread, which may be asking a slow disk."""
        with self._changed:
            self._wanted.clear()
            self._changed.notify_all()

    def _run(self) -> None:
        eye = Eye(self._trouble)
        try:
            while self._step(eye):
                pass
        finally:
            eye.close()

    def _step(self, eye: Eye) -> bool:
        """Wait a period, then give the hints that are due; whether there is anything left to watch."""
        with self._changed:
            if self._wanted:
                self._changed.wait(self._period_seconds * (SETTLING if eye.busy else 1))
            if not self._wanted:
                self._thread = None
                return False
            wanted, asked, self._asked = frozenset(self._wanted), self._asked, set()
        for folder in eye.look(wanted, asked, time.monotonic()):
            with self._changed:
                if folder in self._wanted:
                    self._hint(folder)
        return True


class Eye:
    """The system's watch, and what it is on. Used by one thread."""

    def __init__(self, trouble: Tell) -> None:
        """`trouble` is told a reason once, and again only when all had been well in between. `retry_at` is when what
        is missing is tried next, in seconds of the clock that `look` is given.
        """
        self._trouble = trouble
        self._told: set[str] = set()
        self._shapes: dict[str, Shape] = {}
        self._owners: dict[str, list[str]] = {}
        self._changes: Generator[set[FileChange], None, None] | None = None
        self._late: list[str] = []
        self._unsettled: Counter[str] = Counter()
        self.retry_at = 0.0
        self._retry_seconds = FIRST_RETRY_SECONDS

    def look(self, wanted: Collection[str], asked: Collection[str], now_seconds: float) -> list[str]:
        """The folders to give a hint of. `asked` are those to be tried whatever happened before."""
        paths = self._changed_paths()
        touched = self._owning(paths)
        broken = [path for path in paths if path in self._owners]
        uncertain = self._owning([*broken, *(path for path in paths if not path.endswith(SUFFIX))])
        uncertain.update(folder for folder in asked if not self._stands(folder))
        if now_seconds >= self.retry_at:
            uncertain.update(folder for folder in wanted if folder not in self._shapes)
        touched |= self._watch_anew(wanted, uncertain, bool(broken))
        self._plan_retry(wanted, uncertain, now_seconds)
        return self._settled(wanted, touched)

    @property
    def busy(self) -> bool:
        """Whether changes are coming to rest."""
        return bool(self._unsettled)

    def close(self) -> None:
        """Give the system's watch back."""
        if self._changes is not None:
            self._changes.close()
        self._changes = None

    def _changed_paths(self) -> list[str]:
        """What changed since the last look, but for hidden files. A watch that fails is given up."""
        paths, self._late = self._late, []
        if self._changes is not None:
            try:
                paths += _paths(self._changes)
            except (OSError, RuntimeError) as error:
                self._fail(error)
        return paths

    def _owning(self, paths: Iterable[str]) -> set[str]:
        """The folders that the paths are directories of, or lie in."""
        owners = self._owners
        return {folder for path in paths for place in (path, os.path.dirname(path)) for folder in owners.get(place, ())}

    def _stands(self, folder: str) -> bool:
        """Whether the directory that is watched is the one that is there now."""
        root = os.path.realpath(folder)
        try:
            return self._shapes.get(folder, {}).get(root) == os.stat(root).st_ino
        except OSError:
            return False

    def _watch_anew(self, wanted: Collection[str], uncertain: Collection[str], broken: bool) -> set[str]:
        """Brings the watch to what is there now; the folders that are watched in another way than before.

        `broken` says that a watched directory itself changed: one of the same name and inode may be another.
        """
        before = self._shapes
        shapes = {folder: shape for folder, shape in before.items() if folder in wanted and folder not in uncertain}
        for folder in uncertain:
            if folder in wanted:
                self._take(folder, shapes)
        if broken or shapes != before:
            self._arm(shapes)
        return {folder for folder, shape in self._shapes.items() if before.get(folder) != shape}

    def _take(self, folder: str, shapes: dict[str, Shape]) -> None:
        try:
            shapes[folder] = directories(os.path.realpath(folder))
        except OSError as error:
            self._tell(str(error))

    def _arm(self, shapes: dict[str, Shape]) -> None:
        """Takes a watch of all directories in place of the one before, and keeps what both saw meanwhile."""
        owners: dict[str, list[str]] = {}
        for folder, shape in shapes.items():
            for path in shape:
                owners.setdefault(path, []).append(folder)
        try:
            changes = _watch(owners) if owners else None
            if changes is not None:
                self._late += _paths(changes)
            if self._changes is not None:
                self._late += _paths(self._changes)
        except (OSError, RuntimeError) as error:
            self._fail(error)
            return
        self.close()
        self._changes, self._shapes, self._owners = changes, shapes, owners

    def _plan_retry(self, wanted: Collection[str], tried: Collection[str], now_seconds: float) -> None:
        missing = [folder for folder in wanted if folder not in self._shapes]
        if not missing:
            self._told.clear()
            self._retry_seconds = FIRST_RETRY_SECONDS
        elif any(folder in tried for folder in missing):
            self.retry_at = now_seconds + self._retry_seconds
            self._retry_seconds = min(2 * self._retry_seconds, LAST_RETRY_SECONDS)

    def _fail(self, error: Exception) -> None:
        self.close()
        self._shapes, self._owners = {}, {}
        self._tell(str(error))

    def _tell(self, reason: str) -> None:
        if reason not in self._told:
            self._told.add(reason)
            self._trouble(reason)

    def _settled(self, wanted: Collection[str], touched: set[str]) -> list[str]:
        """The folders whose changes came to rest, or went on for too long."""
        self._unsettled.update(touched)
        ripe = [folder for folder, times in self._unsettled.items() if folder not in touched or times >= MAX_BUSY]
        for folder in ripe:
            del self._unsettled[folder]
        return [folder for folder in ripe if folder in wanted]


def directories(root: str) -> Shape:
    """A folder's directories from the outside in, at most `MAX_DIRECTORIES`; no hidden ones, and none behind a link.

    One below `root` that can't be listed is left out. Raises OSError for `root` itself.
    """
    shape: Shape = {root: os.stat(root).st_ino}
    waiting = [root]
    for directory in waiting:
        try:
            with os.scandir(directory) as entries:
                inner = [item for item in entries if item.name[0] != "." and item.is_dir(follow_symlinks=False)]
        except OSError:
            if directory == root:
                raise
            del shape[directory]
            continue
        for item in inner[: MAX_DIRECTORIES - len(shape)]:
            shape[item.path] = item.inode()
            waiting.append(item.path)
    return shape


def _paths(changes: Generator[set[FileChange], None, None]) -> list[str]:
    """What changed since the last time, but for hidden files. Raises OSError, RuntimeError."""
    return [path for _, path in next(changes) if not os.path.basename(path).startswith(".")]


def _watch(paths: Iterable[str]) -> Generator[set[FileChange], None, None]:
    """Changes below these directories; each `next` takes a millisecond and gives what came since the last."""
    from watchfiles import watch  # takes 50 ms, and a process that ends after one turn never needs it

    return watch(
        *paths,
        watch_filter=None,
        debounce=1,
        step=1,
        rust_timeout=1,
        yield_on_timeout=True,
        debug=False,  # would print to standard output
        force_polling=False,
        poll_delay_ms=POLL_MS,
        recursive=False,
        ignore_permission_denied=False,  # would ignore every error, that of an exhausted system too
    )
