"""Who writes a session file: one process at a time, by a lock file beside it that names its owner.

Theory of operation. `ID.lock` holds one line of JSON: the owner's token, its process, when it took the session and the
client's name. Every append happens under `flock` on that file and only while the token in it is the writer's own, so a
session that was taken over is never written by two. An owner is alive where its process is: it holds a shared lock on a
second file, `ID.open`, for as long as it has the session, and the system lets that go however the process ends. So a
stale owner is known without clocks and process numbers, which both lie.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass

from acp_server.session_files.finding import beside

PRIVATE_FILE = 0o600


@dataclass(frozen=True, slots=True)
class Owner:
    """Who has a session: `token` is unique to one open session of one process; `since` is ISO 8601 in UTC."""

    token: str
    pid: int
    client: str | None
    since: str


class TakenOver(Exception):
    """Another process has the session now."""

    def __init__(self, owner: Owner | None) -> None:
        super().__init__(str(owner))
        self.owner = owner


class Ownership:
    """One process's hold on one session file. Raises OSError where the folder can't be written."""

    def __init__(self, path: str, me: Owner) -> None:
        """`path` is the session file's."""
        self._path = path
        self._lock_path, self._open_path, _ = beside(path)
        self._me = me
        self._alive: int | None = None

    @property
    def held(self) -> bool:
        """Whether this object took the session and didn't let it go."""
        return self._alive is not None

    def seems_mine(self) -> bool:
        """Whether the lock file names this process, read without a lock: cheap enough for each turn's start. Each
        append asks again under the lock.
        """
        try:
            lock = os.open(self._lock_path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            owner = _read(lock)
        finally:
            os.close(lock)
        return owner is not None and owner.token == self._me.token

    def take(self, *, over: bool = False) -> None:
        """Take the session; one that is alive elsewhere only with `over`. Raises TakenOver naming who has it."""
        os.stat(self._path)  # nothing is made beside a session that was removed
        with self._locked() as lock:
            if not over and (owner := self._other(lock)) is not None:
                raise TakenOver(owner)
            _write(lock, self._me)
            self._stay_alive()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Around each append: nobody else can take the session meanwhile. Raises TakenOver, and FileNotFoundError where
        the session was removed: nothing is made in its place.
        """
        os.stat(self._path)
        if not os.path.lexists(self._lock_path):  # whoever took it over let it go again
            raise TakenOver(None)
        with self._locked() as lock:
            owner = _read(lock)
            if owner is None or owner.token != self._me.token:
                raise TakenOver(owner)
            yield

    def release(self) -> None:
        """Let the session go: the lock files go too where they are ours. Where they can't be removed they name an owner
        that no longer lives, which is as good.
        """
        if self._alive is None:
            return
        try:
            with self._locked() as lock:
                if (owner := _read(lock)) is not None and owner.token == self._me.token:
                    os.unlink(self._lock_path)
                    os.unlink(self._open_path)
        finally:
            self.live_no_more()

    def live_no_more(self) -> None:
        """No longer count as an owner that is alive; another has the session, or nobody."""
        if self._alive is not None:
            os.close(self._alive)
            self._alive = None

    def _other(self, lock: int) -> Owner | None:
        owner = _read(lock)
        if owner is None or owner.token == self._me.token or not _somebody_lives(self._open_path):
            return None
        return owner

    def _stay_alive(self) -> None:
        self.live_no_more()  # what was held may be a file that another owner removed since
        self._alive = os.open(self._open_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
        fcntl.flock(self._alive, fcntl.LOCK_SH)

    @contextmanager
    def _locked(self) -> Iterator[int]:
        """The lock file, opened and locked; one that was unlinked meanwhile is opened anew."""
        while True:
            lock = os.open(self._lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if _same_file(lock, self._lock_path):
                    yield lock
                    return
            finally:
                os.close(lock)


def owner_of(path: str) -> Owner | None:
    """Who has the session at `path` now; None where it is free, was left behind by a dead process, or nothing can be
    seen of it. Makes no file.
    """
    lock_path, open_path, _ = beside(path)
    try:
        lock = os.open(lock_path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        owner = _read(lock)
        return owner if owner is not None and _somebody_lives(open_path) else None
    finally:
        os.close(lock)


def _somebody_lives(open_path: str) -> bool:
    """Whether another process than the one that asks holds the session open; asked under the lock."""
    try:
        probe = os.open(open_path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(probe, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(probe)
    return False


def _same_file(descriptor: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _read(lock: int) -> Owner | None:
    """The owner that the lock file names; None where it is empty or was cut by a crash."""
    data = os.pread(lock, 4096, 0)
    try:
        return Owner(**json.loads(data))
    except (ValueError, TypeError, RecursionError):
        return None


def _write(lock: int, owner: Owner) -> None:
    line = json.dumps(asdict(owner)).encode("ascii")
    os.ftruncate(lock, 0)
    os.pwrite(lock, line, 0)
