"""A look at a directory that has no memory: an empty one elsewhere answers, and nothing is left behind."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from tempfile import TemporaryDirectory

from memory_core import database, opening, project
from memory_core import head as heads
from memory_core.exceptions import StateUnavailable
from memory_core.memory import Memory, new_id
from memory_core.project import Project
from memory_core.view import BUDGET_BYTES


@contextmanager
def looking(project_dir: str, state_dir: str | None = None) -> Iterator[Memory]:
    """The memory of a directory's project for who only looks, closed at the end of the block.

    Where there is none, none is made: what is shown is what an empty one would show. Raises StateUnavailable.
    """
    where = project.locate(project_dir, state_dir)
    if _is_there(where):
        with Memory.open(project_dir, state_dir=state_dir) as memory:
            yield memory
        return
    with database.mapped(where.state_dir), stand_in() as folder:
        home = os.path.join(folder, "projects", where.id)
        elsewhere = replace(where, state_dir=folder, home=home, memories=os.path.join(home, "memories"))
        ground = opening.open_ground(elsewhere, BUDGET_BYTES, time.time_ns, new_id)
        with Memory(ground, where) as memory:
            yield memory


def stand_in() -> TemporaryDirectory[str]:
    """A state directory for as long as a look takes. Raises OSError."""
    return TemporaryDirectory(prefix="caudra-look-", ignore_cleanup_errors=True)


def _is_there(where: Project) -> bool:
    """Whether a project has a home or a row; a disk or a database that can't say counts as one that has."""
    path = os.path.join(where.state_dir, database.FILE_NAME)
    if may_exist(where.home):
        return True
    if not may_exist(path):
        return False
    try:
        with database.mapped(path), closing(database.connect(where.state_dir)) as db:
            return heads.load(db, where.id) is not None
    except StateUnavailable:
        return True


def may_exist(path: str) -> bool:
    """Whether a path exists or the system won't say: then what uses it says why."""
    try:
        os.lstat(path)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return True
