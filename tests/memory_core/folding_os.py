"""A file system that tells no case apart, or keeps names decomposed, played under `memory_core.notes`.

It stands in for the module `os` there and finds, below one directory, the entry that is meant by any spelling, as the
systems of Windows and macOS do.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

Spelling = Callable[[str], str]


def any_case(name: str) -> str:
    """One key for all spellings: neither case nor composition tells names apart."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def composed(name: str) -> str:
    """One key for the composed and the decomposed spelling."""
    return unicodedata.normalize("NFC", name)


def as_given(name: str) -> str:
    """A name is stored as it was given."""
    return name


def decomposed(name: str) -> str:
    """A name is stored decomposed, however it was given."""
    return unicodedata.normalize("NFD", name)


class FoldingOs:
    """`key` says which names are one, `stored` how a new one is spelled on the disk."""

    def __init__(self, root: Path, key: Spelling, stored: Spelling) -> None:
        self._root, self._key, self._stored = str(root), key, stored
        self.path = SimpleNamespace(**{name: getattr(os.path, name) for name in os.path.__all__})
        self.path.isdir = lambda path: os.path.isdir(self._real(path))

    def __getattr__(self, name: str) -> object:
        """Everything else is the system's."""
        found = getattr(os, name)
        if name not in ("open", "lstat", "stat", "unlink", "rmdir", "mkdir", "makedirs", "listdir"):
            return found
        return lambda path, *rest, **named: found(self._real(path), *rest, **named)

    @property
    def supports_fd(self) -> set[object]:
        """Folders are listed through a descriptor where the system can."""
        return set(os.supports_fd)

    def replace(self, source: str, target: str) -> None:
        """Renames; an entry that is there keeps its spelling."""
        os.replace(self._real(source), self._real(target))

    def _real(self, path: str) -> str:
        """The path of the entry that is meant, or the one that a new entry gets."""
        if not path.startswith(self._root + "/"):
            return path
        found = self._root
        for part in path.removeprefix(self._root).strip("/").split("/"):
            found = os.path.join(found, self._entry(found, part)) if part else found
        return found

    def _entry(self, folder: str, part: str) -> str:
        names = os.listdir(folder) if os.path.isdir(folder) else []
        if part in names:
            return part
        return next((name for name in names if self._key(name) == self._key(part)), self._stored(part))
