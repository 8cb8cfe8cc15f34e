"""Which project a directory belongs to, and where its things live on this machine."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass

from memory_core import identity, paths, sentences
from memory_core.exceptions import StateUnavailable
from memory_core.identity import Identity


@dataclass(frozen=True, slots=True)
class Project:
    """A project: `id` is its folder's name under `projects/`, `root` the identity path, the rest absolute paths."""

    id: str
    root: str
    state_dir: str
    home: str
    memories: str

    @property
    def folder(self) -> str:
        """The directory that a person knows the project by."""
        return paths.folder_of(self.root)

    @property
    def projects(self) -> str:
        """The directory that holds every project's home."""
        return os.path.dirname(self.home)


def locate(directory: str, state_dir: str | None = None) -> Project:
    """The project that `directory` belongs to; raises StateUnavailable where that is no directory."""
    if not os.path.isdir(directory):
        raise StateUnavailable(*sentences.project_missing(directory))
    state = os.path.abspath(state_dir) if state_dir else paths.default_state_directory()
    root = paths.project_identity(os.path.abspath(directory))
    home = paths.project_home(state, root)
    return Project(os.path.basename(home), root, state, home, os.path.join(home, "memories"))


def prepare(project: Project) -> None:
    """Makes the project's directories and its `project.json`; raises StateUnavailable."""
    try:
        os.makedirs(project.home, mode=0o700, exist_ok=True)
        with suppress(FileExistsError):  # made by another process a moment ago, or a link of the person's
            os.mkdir(project.memories, 0o700)
        _describe(project)
    except OSError as error:
        raise StateUnavailable(*sentences.state_unwritable(project.home, sentences.reason(error))) from error


def _describe(project: Project) -> None:
    if not os.path.exists(os.path.join(project.home, identity.FILE_NAME)):
        identity.store(project.home, Identity(project.root, (paths.project_name(project.root),)))
