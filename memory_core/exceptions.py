"""The errors of the memory: few classes, each carrying one plain sentence and what would be right.

Every message is made in `memory_core.sentences`. `str(error)` is what a person or a model reads; `hint` says
what to do instead, and may be empty.
"""

from __future__ import annotations


class MemoryFault(Exception):
    """Base of all: `message` says what was wrong, `hint` what would be right."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(f"{message} {hint}".strip())
        self.message = message
        self.hint = hint


class BadAddress(MemoryFault):
    """An address that no line can have, or that lies past the journal's end."""


class BadName(MemoryFault):
    """A note name that breaks a rule; the message says which."""


class BadText(MemoryFault):
    """A text that can't be kept: too long, or not expressible in UTF-8."""


class NotPossible(MemoryFault):
    """What was asked can't be done as things stand; nothing was changed."""


class BadArchive(MemoryFault):
    """A file to import that is cut, foreign, newer or damaged; nothing of it was taken in."""


class NoSuchNote(MemoryFault):
    """No current note has this name."""


class NoteChanged(MemoryFault):
    """The note got a newer entry between the proposal and the lock; nothing was written. Propose again."""


class NotWaiting(MemoryFault):
    """The line can't be stored: it has its text already, its halves have none yet, or another holds its lease."""


class StateUnavailable(MemoryFault):
    """The state directory or database can't be used (foreign, newer, damaged, read-only, full, locked)."""


class StateDamaged(StateUnavailable):
    """The database is damaged; the next look tries to set it aside and to carry over what can be read."""
