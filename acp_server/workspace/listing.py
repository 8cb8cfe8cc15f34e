"""What a folder holds: names, kinds, sizes; bounded, and no link followed."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass

from acp_server.workspace.places import Folder, kind_of, leave
from acp_server.workspace.text import Stop, Stopped

MAX_SHOWN = 500
MAX_LOOKED_AT = 20_000
"""Entries of one folder that are looked at; a larger one is listed in part."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: `kind` in words, `size` in bytes for a file, `target` of a link as it stands there."""

    name: str
    kind: str
    size: int | None = None
    target: str | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """Entries, folders first, each by name; `hidden` were left out, at least so many where it isn't `complete`."""

    entries: tuple[Entry, ...]
    folders: int
    files: int
    hidden: int
    complete: bool


def listing(folder: Folder, stop: Stop) -> Listing:
    """What an open folder holds; closes it. Raises OSError, Stopped."""
    found: list[tuple[bool, str, os.DirEntry[str]]] = []
    complete = True
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if stop.is_set():
                    raise Stopped
                if len(found) == MAX_LOOKED_AT:
                    complete = False
                    break
                found.append((not entry.is_dir(follow_symlinks=False), entry.name, entry))
        found.sort(key=lambda each: each[:2])
        shown = tuple(_entry(folder, entry) for _, _, entry in found[:MAX_SHOWN])
    finally:
        leave(folder)
    folders = sum(not no_folder for no_folder, _, _ in found)
    return Listing(shown, folders, len(found) - folders, len(found) - len(shown), complete)


def _entry(folder: Folder, entry: os.DirEntry[str]) -> Entry:
    try:
        status = entry.stat(follow_symlinks=False)
        if stat.S_ISLNK(status.st_mode):
            where = entry.name if isinstance(folder, int) else entry.path
            target = os.readlink(where, dir_fd=folder if isinstance(folder, int) else None)
            return Entry(entry.name, "", target=target)
    except OSError:
        return Entry(entry.name, "")
    size = status.st_size if stat.S_ISREG(status.st_mode) else None
    return Entry(entry.name, kind_of(status.st_mode), size)
