"""Faults of a disk, made for real: no room, no permission. Root is held to permissions like anybody else."""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

PAGE = 4096
MOUNT_BYTES = 48 * 1024 * 1024
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2
CAPABILITY_VERSION = 0x20080522


class NotHere(Exception):
    """This machine doesn't let us make the fault; the message says why."""


class Room(Protocol):
    """A disk whose free room can be set."""

    @property
    def folder(self) -> Path:
        """Where the disk is."""

    def leave(self, pages: int) -> None:
        """Leaves room for so many pages of 4 KiB."""

    def free(self) -> None:
        """Gives all room back."""


class Mounted:
    """A file system of its own in memory, with ballast that takes the room away: the system's own ENOSPC."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ballast = folder / "ballast"

    def leave(self, pages: int) -> None:
        """Leaves room for so many pages of 4 KiB."""
        with self._ballast.open("wb") as file:
            while True:
                free = os.statvfs(self.folder).f_bavail - pages
                with suppress(OSError):  # another process took some meanwhile
                    return os.posix_fallocate(file.fileno(), 0, max(free, 1) * PAGE)

    def free(self) -> None:
        """Gives all room back."""
        self._ballast.unlink(missing_ok=True)


class Limited:
    """A limit on how large this process's files get (EFBIG), counted from the end of the write-ahead log.

    It needs no privilege. Below `FIRST` pages the limit is absolute, so that the new text of a note meets it too.
    """

    FIRST = 4

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def leave(self, pages: int) -> None:
        """Leaves room for so many pages of 4 KiB."""
        log = next(self.folder.rglob("*-wal"), None)
        end = 0 if pages < self.FIRST or log is None else log.stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (end + max(0, pages) * PAGE, self._before[1]))

    def free(self) -> None:
        """Gives all room back."""
        resource.setrlimit(resource.RLIMIT_FSIZE, self._before)


@contextmanager
def mounted(folder: Path) -> Iterator[Mounted]:
    """A small file system at `folder`. Raises NotHere where we may not mount."""
    folder.mkdir(parents=True, exist_ok=True)
    _run("mount", "-t", "tmpfs", "-o", f"size={MOUNT_BYTES}", "none", str(folder))
    try:
        yield Mounted(folder)
    finally:
        _run("umount", "-l", str(folder))


@contextmanager
def limited(folder: Path) -> Iterator[Limited]:
    """The same by a limit of this process."""
    folder.mkdir(parents=True, exist_ok=True)
    room = Limited(folder)
    try:
        yield room
    finally:
        room.free()


def remount(folder: Path, *, writable: bool) -> None:
    """Makes a mounted file system read-only, or writable again. Raises NotHere."""
    _run("mount", "-o", f"remount,{'rw' if writable else 'ro'}", str(folder))


@contextmanager
def bound_over(folder: Path) -> Iterator[None]:
    """Mounts a folder over itself: the same files, and to the system another place. Raises NotHere."""
    _run("mount", "--bind", str(folder), str(folder))
    try:
        yield
    finally:
        _run("umount", "-l", str(folder))


@contextmanager
def read_only_over(folder: Path) -> Iterator[None]:
    """Lays a read-only view of a folder over itself, while files elsewhere on its disk stay open. Raises NotHere."""
    with bound_over(folder):
        _run("mount", "-o", "remount,bind,ro", str(folder))
        yield


@contextmanager
def denied(path: Path, mode: int = 0) -> Iterator[None]:
    """Takes permissions of a file or folder away, and gives them back."""
    before = path.stat().st_mode
    path.chmod(mode)
    try:
        yield
    finally:
        path.chmod(before)


@contextmanager
def like_anybody() -> Iterator[None]:
    """This thread, where it is root's, is held to permissions meanwhile. Raises NotHere."""
    before = _capabilities()
    less = list(before)
    less[0] &= ~(1 << CAP_DAC_OVERRIDE | 1 << CAP_DAC_READ_SEARCH)
    _set_capabilities(less)
    try:
        yield
    finally:
        _set_capabilities(before)


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


_Data = ctypes.c_uint32 * 6
"""Effective, permitted, inheritable: the lower 32 bits of each, then the upper ones."""


def _capabilities() -> list[int]:
    data = _Data()
    _call("capget", data)
    return list(data)


def _set_capabilities(values: list[int]) -> None:
    _call("capset", _Data(*values))


def _call(name: str, data: ctypes.Array[ctypes.c_uint32]) -> None:
    header = _Header(CAPABILITY_VERSION, 0)
    if getattr(ctypes.CDLL(None, use_errno=True), name)(ctypes.byref(header), ctypes.byref(data)) != 0:
        raise NotHere(f"{name}: {os.strerror(ctypes.get_errno())}")


def _run(*command: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise NotHere(f"{command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        raise NotHere(f"{command[0]}: {done.stderr.partition(chr(10))[0]}")
