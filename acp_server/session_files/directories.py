"""Whether two spellings mean one directory: a link, a dot or a slash at the end moves no session."""

from __future__ import annotations

import os
from collections.abc import Iterable


def same_directory(one: str, other: str) -> bool:
    """Whether both lead to the same place, which needn't be there."""
    return one == other or _real(one) == _real(other)


def same_directories(some: Iterable[str], others: Iterable[str]) -> bool:
    """Whether both are the same set of places."""
    return set(map(_real, some)) == set(map(_real, others))


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):  # a NUL or a surrogate, which no disk can hold
        return path
