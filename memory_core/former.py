"""A move that was cut off between its two steps: the folder has its new name, the row in the database not yet.

The folder's description names its former ids, so both sides can tell: the new project takes the row over when it is
next opened, and the old one doesn't take the folder's absence for a clearing.
"""

from __future__ import annotations

import os
import sqlite3

from memory_core import head as heads
from memory_core import identity
from memory_core.project import Project


def row_of(db: sqlite3.Connection, where: Project) -> str | None:
    """The id under which the row of a moved project still stands; None where it has its own or never had one."""
    for id_ in identity.load(where.home).ids:
        if heads.load(db, id_) is not None and not os.path.lexists(os.path.join(where.projects, id_)):
            return id_
    return None


def claimant(db: sqlite3.Connection, where: Project) -> str | None:
    """The path of the project that this one's folder was moved to, while its row wasn't yet."""
    for id_ in listed(where.projects):
        described = identity.load(os.path.join(where.projects, id_))
        if where.id in described.ids and heads.load(db, id_) is None:
            return described.path
    return None


def listed(folder: str) -> list[str]:
    """The names in a folder, sorted; none where it can't be listed."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
