"""Named points at which a test can end the process, so that every step of a write is tried by a kill.

`CAUDRA_FAULT=point:n` kills the process (SIGKILL, nothing is tidied) when `point` is reached for the n-th time.
Without the variable a point costs one comparison.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

Hook = Callable[[str], None]
"""What is told of each point as it is reached."""


class Kill:
    """A hook that ends the process at one point."""

    def __init__(self, fault: str) -> None:
        """`fault` is `point:n`, or `point` for the first time."""
        self._point, _, count = fault.partition(":")
        self._left = int(count or "1")

    def __call__(self, point: str) -> None:
        """Counts a point, and ends the process where it is the one."""
        if point != self._point:
            return
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))


_fault = os.environ.get("CAUDRA_FAULT")
_hook: Hook | None = Kill(_fault) if _fault else None


def watch(hook: Hook | None) -> None:
    """Has a hook told of every point from now on, in place of the one before; None for none."""
    global _hook
    _hook = hook


def reach(point: str) -> None:
    """Marks that a step is reached."""
    if _hook is not None:
        _hook(point)
