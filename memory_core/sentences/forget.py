"""What is said of a forget whose traces can't all be removed yet."""

from __future__ import annotations

from memory_core.results import Traces

_UNTIL = {
    Traces.PROCESS: "until no other process is reading it",
    Traces.DISK: "until the disk has room for a fresh copy of it",
}


def traces(found: Traces) -> str:
    """Blanked, and not purged yet."""
    return f"Blanked; traces remain in the database file {_UNTIL[found]}, and are removed as soon as that is so."
