"""When a session's view is taken anew, and when it must not be: one table. Pure.

A frozen prefix is what a provider has cached, so it changes for the reasons below and no other (specification: "When
the view changes"). Each rebuild withdraws the reminders that were given since the last one: the new view has what they
told.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from memory_core.results import Mark

CACHE_SECONDS = 3600
"""As long as a provider keeps a prefix at most: a session loaded later gets a new view at no loss."""


class Reason(Enum):
    """Why the view is taken; those that come first win."""

    FIRST = auto()
    """The session's first request."""
    DIRECTORY = auto()
    """The session goes on in another directory."""
    CLEARED = auto()
    """The memory was cleared, or its database lost, since the view was taken."""
    SWITCHED = auto()
    """The person turned the memory on."""
    MEMORY_BACK = auto()
    """The memory could be opened at last."""
    ROOTS = auto()
    """The set of directories changed."""
    ASKED = auto()
    """The person asked for it."""
    COMPACTED = auto()
    """The history was made shorter."""
    HISTORY_CLEARED = auto()
    """The history was cleared."""
    FORGOTTEN = auto()
    """A note was forgotten while the session was closed."""
    AGED = auto()
    """The provider's cache has ended since the session was closed."""
    FORMAT = auto()
    """The same parts make other bytes in this release, or the tools changed."""


@dataclass(frozen=True, slots=True)
class Frozen:
    """A session's prefix as it stands: `mark` is where its view was taken, or how far reminders have told since; None
    where it holds no memory. `loaded` until the first turn after a load; `idle_seconds` since the provider was last
    heard, None where it never was. `digest` and `digest_now` are of its bytes, as kept and as they would be made now.
    """

    mark: Mark | None
    loaded: bool = False
    idle_seconds: float | None = None
    digest: str = ""
    digest_now: str = ""
    wanted: Reason | None = None


def renewal(frozen: Frozen | None, now: Mark) -> Reason | None:
    """Why the view is to be taken at this turn, None where the prefix stays; `now` is the journal's place."""
    if frozen is None:
        return Reason.FIRST
    return next((reason for reason, holds in _table(frozen, now) if holds), None)


def _table(frozen: Frozen, now: Mark) -> tuple[tuple[Reason, bool], ...]:
    mark = frozen.mark
    return (
        (Reason.DIRECTORY, frozen.wanted is Reason.DIRECTORY),
        (Reason.CLEARED, mark is not None and not continues(mark, now)),
        (Reason.SWITCHED, frozen.wanted is Reason.SWITCHED),
        (Reason.MEMORY_BACK, mark is None),
        *((reason, frozen.wanted is reason) for reason in _WANTED),
        (Reason.FORGOTTEN, frozen.loaded and mark is not None and mark.forgets != now.forgets),
        (Reason.AGED, frozen.loaded and (frozen.idle_seconds is None or frozen.idle_seconds >= CACHE_SECONDS)),
        (Reason.FORMAT, frozen.loaded and frozen.digest != frozen.digest_now),
    )


_WANTED = (Reason.ROOTS, Reason.ASKED, Reason.COMPACTED, Reason.HISTORY_CLEARED)


def continues(mark: Mark, now: Mark) -> bool:
    """Whether the journal is the one that the mark is of."""
    return now.generation == mark.generation and now.entries >= mark.entries
