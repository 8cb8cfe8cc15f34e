"""Named points at which a test can end the process, so that every step of a write is tried by a kill.

`CAUDRA_FAULT=point:n` kills the process (SIGKILL, nothing is tidied) when `point` is reached for the n-th time.
Without the variable a point costs one comparison.
"""

from __future__ import annotations

import os
import signal

_armed: list[str | int] | None = None
if os.environ.get("CAUDRA_FAULT"):
    _point, _, _count = os.environ["CAUDRA_FAULT"].partition(":")
    _armed = [_point, int(_count or "1")]


def reach(point: str) -> None:
    """Marks that a step is reached; ends the process there if that is what was asked for."""
    if _armed is None or _armed[0] != point:
        return
    left = int(_armed[1]) - 1
    _armed[1] = left
    if left == 0:
        os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
