"""The file that a change takes away, kept by a hard link until the change is committed.

A commit may fail once the file is renamed or removed already: on a full disk above all. Then the file is put back, so
that what was refused didn't happen. Where no link can be made (a disk that knows none) it stays as the change left it,
and the next look journals it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from types import TracebackType

from memory_core import notes
from memory_core.notes import Fingerprint


class Undo:
    """Around the transaction of a change to one note: what was kept is put back where the block raises."""

    def __init__(self, home: str, memories: str) -> None:
        """Nothing is kept until `keep` is called."""
        self._home, self._memories = home, memories
        self._disk: str | None = None
        self._now: Fingerprint | None = None
        self._link: str | None = None

    def keep(self, disk: str, now: Fingerprint | None) -> None:
        """Keeps the file at `disk`, if there is one. `now` is what the change will leave there, None for no file."""
        try:
            link = os.path.join(notes.temporary_directory(self._home, self._memories), notes.temporary_name())
            os.link(os.path.join(self._memories, disk), link, follow_symlinks=False)
        except FileNotFoundError:
            self._disk, self._now = disk, now
        except OSError:
            return
        else:
            self._disk, self._now, self._link = disk, now, link

    def __enter__(self) -> Undo:
        """Itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Puts the file back where the block raised, and lets go of what was kept."""
        with suppress(OSError):  # the next look journals what is there, and sweeps what is left
            if kind is not None and self._disk is not None:
                self._put_back(self._disk)
            if self._link is not None:
                os.unlink(self._link)

    def _put_back(self, disk: str) -> None:
        if notes.look(self._memories, disk) != self._now:
            return
        if self._link is None:
            notes.remove(self._memories, disk)
        else:
            folder = os.path.dirname(os.path.join(self._memories, disk))
            os.makedirs(folder, mode=0o700, exist_ok=True)
            os.replace(self._link, os.path.join(self._memories, disk))
            self._link = None
            notes.sync_directory(folder)
