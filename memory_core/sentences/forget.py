"""What is said of a forget whose traces can't all be removed yet."""

from __future__ import annotations

import shlex

from memory_core.results import Traces

_UNTIL = {
    Traces.PROCESS: "until no other process is reading it",
    Traces.DISK: "until the disk has room for a fresh copy of it",
}


def forgotten_before(name: str) -> tuple[str, str]:
    """A note that has no text any more; session files may still hold some."""
    return (
        f"{name} was forgotten before, and no version of it is left.",
        f"`caudra-acp memory forget {shlex.quote(name)} --sessions` deletes the session files that name it.",
    )


def traces(found: Traces) -> str:
    """Blanked, and not purged yet."""
    return f"Blanked; traces remain in the database file {_UNTIL[found]}, and are removed as soon as that is so."
