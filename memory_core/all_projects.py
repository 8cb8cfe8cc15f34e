"""`AllProjects`: the door to what concerns more than one project. No project's memory is opened by it."""

from __future__ import annotations

import os
from contextlib import ExitStack, closing
from types import TracebackType

from memory_core import absent, adoption, database, paths, project, projects
from memory_core.projects import Listed
from memory_core.results import Traces


class AllProjects:
    """The projects of a state directory; a context manager."""

    def __init__(self, state_dir: str | os.PathLike[str] | None = None, *, looks: bool = False) -> None:
        """Opens the database in `state_dir`, by default this process's own; who only `looks` makes none where there is
        none. Raises StateUnavailable.
        """
        self._state_dir = os.path.abspath(state_dir) if state_dir is not None else paths.default_state_directory()
        self._path = os.path.join(self._state_dir, database.FILE_NAME)
        with ExitStack() as held, database.mapped(self._path):
            absent_one = looks and not absent.may_exist(self._path)
            folder = held.enter_context(absent.stand_in()) if absent_one else self._state_dir
            self._db = held.enter_context(closing(database.connect(folder)))
            self._held = held.pop_all()

    def __enter__(self) -> AllProjects:
        """The door itself, closed at the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes the connection."""
        self._held.close()

    def listing(self) -> list[Listed]:
        """Every project, the one used last first."""
        with database.mapped(self._path), database.reading(self._db) as db:
            return projects.listing(db, self._state_dir)

    def find(self, what: str) -> Listed:
        """The project of an id, or of a directory that it has or had. Raises NotPossible."""
        with database.mapped(self._path):
            return projects.find(self._db, self._state_dir, what)

    def offer(self, project_dir: str) -> str | None:
        """The sentence that offers a checkout without notes the memory that its repository has elsewhere; else None.

        It may be said again and again: the first turn's own offer still comes. Raises StateUnavailable.
        """
        where = project.locate(project_dir, self._state_dir)
        with database.mapped(self._path):
            return adoption.standing_offer(self._db, where)

    def remove(self, id: str) -> Traces | None:
        """Removes a project for good; gives why traces of it remain, if they do. Raises NotPossible."""
        with database.mapped(self._path):
            found = projects.find(self._db, self._state_dir, id)
            return projects.remove(self._db, self._state_dir, found.id)

    def move(self, old: str, new: str) -> Listed:
        """The memory of `old`, an id or a directory that may be gone, becomes that of the directory `new`.

        Raises NotPossible where `new` has a memory of its own, StateUnavailable where it is no directory.
        """
        with database.mapped(self._path):
            found = projects.find(self._db, self._state_dir, old)
            where = project.locate(new, self._state_dir)
            projects.move(self._db, found, where)
            adoption.note_checkout(where, ask_git=True)
            return projects.find(self._db, self._state_dir, where.id)
