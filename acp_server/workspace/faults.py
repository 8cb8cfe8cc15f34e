"""What goes wrong with a path, as one sentence and what would be right. Pure."""

from __future__ import annotations


class WorkspaceFault(Exception):
    """What can't be done with a path: a sentence, and what would be right (may be "")."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(f"{message} {hint}".rstrip())
        self.message = message
        self.hint = hint
