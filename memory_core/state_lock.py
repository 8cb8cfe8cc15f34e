"""`state.lock`: every process that has the database open holds it shared, and who sets a damaged one aside, exclusive.

The lock ends with the process. Where the system has no such locks (Windows), nothing is ever set aside.
"""

from __future__ import annotations

import os
import sys

FILE_NAME = "state.lock"


class StateLock:
    """A lock on a state directory, shared from the start."""

    def __init__(self, state_dir: str) -> None:
        """Takes the lock shared; waits while another process repairs. Raises OSError."""
        self._descriptor = os.open(os.path.join(state_dir, FILE_NAME), os.O_RDWR | os.O_CREAT | _CLOEXEC, 0o600)
        _flock(self._descriptor, exclusive=False, wait=True)

    def try_exclusive(self) -> bool:
        """Takes the lock for this process alone; False where another process holds it too."""
        return _flock(self._descriptor, exclusive=True, wait=False)

    def share(self) -> None:
        """Lets others in again."""
        _flock(self._descriptor, exclusive=False, wait=True)

    def stands(self, state_dir: str) -> bool:
        """Whether the lock is on the file that is there now, and not on one of a directory that was replaced."""
        try:
            now = os.stat(os.path.join(state_dir, FILE_NAME))
        except OSError:
            return False
        held = os.fstat(self._descriptor)
        return (held.st_dev, held.st_ino) == (now.st_dev, now.st_ino)

    def close(self) -> None:
        """Gives the lock back."""
        os.close(self._descriptor)


_CLOEXEC = getattr(os, "O_CLOEXEC", 0)

if sys.platform != "win32":
    import fcntl


def _flock(descriptor: int, *, exclusive: bool, wait: bool) -> bool:
    if sys.platform == "win32":
        return descriptor >= 0 and wait and not exclusive
    kind = fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH
    try:
        fcntl.flock(descriptor, kind if wait else kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
