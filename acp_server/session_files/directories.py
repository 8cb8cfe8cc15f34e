"""Whether two spellings mean one directory: a link, a dot or a slash at the end moves no session."""

from __future__ import annotations

import os
from collections.abc import Iterable


def same_directory(one: str, other: str) -> bool:
    """Whether both lead to the same place, which needn't be there."""
    return one == other or real_directory(one) == real_directory(other)


def is_path(text: str) -> bool:
    """Whether a disk could hold it: not a NUL, nor a surrogate that stands for no byte."""
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def same_directories(some: Iterable[str], others: Iterable[str]) -> bool:
    """Whether both are the same set of places."""
    return set(map(real_directory, some)) == set(map(real_directory, others))


def real_directory(path: str) -> str:
    """The place that a path leads to, or the path itself where it can lead nowhere."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):  # a NUL or a surrogate, which no disk can hold
        return path
