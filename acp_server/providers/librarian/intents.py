"""What a person can mean, as values. `Reply` is all that needs no tool."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Reply(Enum):
    """Answers that need no call."""

    HELP = auto()
    GREETING = auto()
    THANKS = auto()
    AGREED = auto()
    FORGET_IS_YOURS = auto()
    NOTHING_DONE = auto()
    NEEDS_TEXT = auto()
    NEEDS_NAME = auto()
    NEEDS_QUERY = auto()
    TOO_WIDE = auto()
    NO_ENTRY_DELETE = auto()
    NO_REMINDERS = auto()
    HOW_TO_UNDO = auto()
    NOT_ASKED = auto()
    UNABLE = auto()


@dataclass(frozen=True, slots=True)
class Remember:
    """Keep `text`: under `name`, or under a name made of its words. What the note holds already stays."""

    text: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Replace what the note holds by `text`. `sure` where the words leave no doubt that a note is meant."""

    name: str
    text: str
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Extend:
    """Add `text` to a note that is there already."""

    name: str
    text: str
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Substitute:
    """Put `new` for `old` in the note."""

    name: str
    old: str
    new: str
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Restore:
    """Write the text of an entry to the note again."""

    name: str
    seq: int


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete the notes of these names."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeleteAbout:
    """Delete the one note that these words name, if there is exactly one."""

    words: str


@dataclass(frozen=True, slots=True)
class OpenLine:
    """Open the line `id+n`."""

    id: int
    n: int


@dataclass(frozen=True, slots=True)
class Show:
    """Show the view."""


@dataclass(frozen=True, slots=True)
class Read:
    """Read a note."""

    name: str


@dataclass(frozen=True, slots=True)
class ReadAbout:
    """Read the note that a search for these words finds first."""

    words: str


@dataclass(frozen=True, slots=True)
class Find:
    """List the notes that match."""

    words: str


@dataclass(frozen=True, slots=True)
class Ask:
    """Answer a question from the notes."""

    question: str
    words: str


Intent = (
    Reply
    | Remember
    | Rewrite
    | Extend
    | Substitute
    | Restore
    | Delete
    | DeleteAbout
    | OpenLine
    | Show
    | Read
    | ReadAbout
    | Find
    | Ask
)
