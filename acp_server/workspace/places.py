"""Where tools may look: within a session's directories, and nowhere else, whatever a path or a link says.

Rules
1. A relative path starts at the working directory alone. An absolute one must lie in one of the session's directories.
2. Links are followed before the question of where a path lies is answered, and what was found is then opened folder by
   folder without following any: a link that is put there meanwhile is refused, not followed.
3. Only regular files and folders are opened; a pipe or a device is never touched, so nothing here can block on one.
4. The agent's own places (its state, its keys) are closed, also where a session's directory holds them.

Light: the search runs this in a process of its own.
"""

from __future__ import annotations

import difflib
import errno
import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from acp_server.sentences import workspace as say
from acp_server.workspace.faults import WorkspaceFault

_DIRECTORY: int = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_PASSING: int = getattr(os, "O_PATH", os.O_RDONLY) | _DIRECTORY
"""How a folder is opened that is only gone through: where the system allows it, without the right to list it."""

FILE_FLAGS: int = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
BY_FOLDERS = os.open in os.supports_dir_fd and os.stat in os.supports_dir_fd and NO_FOLLOW != 0
"""Whether this system can open a path folder by folder."""

KINDS: tuple[tuple[int, str], ...] = (
    (stat.S_IFIFO, say.PIPE),
    (stat.S_IFSOCK, say.SOCKET),
    (stat.S_IFCHR, say.DEVICE),
    (stat.S_IFBLK, say.DEVICE),
    (stat.S_IFDIR, say.FOLDER),
    (stat.S_IFREG, say.FILE),
)


NAMES_COMPARED = 2_000
"""Names of a folder that are compared with one that isn't there."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the workspace: `parts` below the real path `root`; `path` is absolute, in the client's spelling of the
    directory; `name` is how it is shown, relative to the working directory where it lies in it.
    """

    root: str
    parts: tuple[str, ...]
    path: str
    name: str

    @property
    def real(self) -> str:
        """The path without any link."""
        return os.path.join(self.root, *self.parts)


@dataclass(frozen=True, slots=True)
class Workspace:
    """A session's directories, the working directory first, and the places in them that are closed."""

    roots: tuple[str, ...]
    closed: tuple[str, ...] = ()

    @property
    def cwd(self) -> str:
        """The working directory."""
        return self.roots[0]

    def place(self, given: str) -> Place:
        """The place that a path names, whether or not anything is there. Raises WorkspaceFault."""
        try:
            real = os.path.realpath(os.path.join(self.cwd, given))
            os.fsencode(real)
            if "\0" in real:
                raise ValueError
        except (ValueError, OSError):
            raise WorkspaceFault(say.no_path(given)) from None
        if any(_below(os.path.realpath(place), real) is not None for place in self.closed):
            raise WorkspaceFault(say.closed(given))
        for root in self.roots:
            real_root = os.path.realpath(root)
            parts = _below(real_root, real)
            if parts is not None:
                path = os.path.normpath(os.path.join(root, *parts))
                return Place(real_root, parts, path, os.path.join(*parts) if parts and root == self.cwd else path)
        raise WorkspaceFault(*say.outside(given, self.roots))


def workspace_of(cwd: str, additional: Iterable[str] = (), closed: Iterable[str] = ()) -> Workspace:
    """The workspace of a session."""
    return Workspace((cwd, *additional), tuple(closed))


def open_file(place: Place) -> int:
    """A descriptor of the regular file at a place. Raises WorkspaceFault."""
    return _opened(place, stat.S_IFREG)


def open_folder(place: Place) -> Folder:
    """The folder at a place, open to be listed. Raises WorkspaceFault."""
    if BY_FOLDERS:
        return _opened(place, stat.S_IFDIR)
    try:
        mode = os.lstat(place.real).st_mode
    except OSError as error:
        raise _fault(place, error) from None
    if not stat.S_ISDIR(mode):
        raise _wrong_kind(place, mode)
    return place.real


def kind_of(mode: int) -> str:
    """What a file is, in a word or two."""
    return next((word for kind, word in KINDS if stat.S_IFMT(mode) == kind), say.SOMETHING)


Folder = int | str
"""An open folder: its descriptor, or its path where a system has none for folders."""


def top_folder(root: str) -> Folder:
    """The folder at a real path, open to be listed. Raises OSError."""
    return os.open(root, os.O_RDONLY | _DIRECTORY) if BY_FOLDERS else root


def folder_in(folder: Folder, name: str) -> Folder:
    """A folder in an open folder, open to be listed, no link followed. Raises OSError."""
    if isinstance(folder, int):
        return os.open(name, os.O_RDONLY | _DIRECTORY | NO_FOLLOW, dir_fd=folder)
    path = os.path.join(folder, name)
    if not stat.S_ISDIR(os.lstat(path).st_mode):
        raise _link()
    return path


def file_in(folder: Folder, name: str) -> int:
    """A descriptor of a regular file in an open folder, no link followed. Raises OSError; ELOOP where it isn't one."""
    if isinstance(folder, str):
        return _checked(os.path.join(folder, name))
    if not stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        raise _link()
    return os.open(name, FILE_FLAGS | NO_FOLLOW, dir_fd=folder)


def is_folder_in(folder: Folder, name: str) -> bool:
    """Whether a name in an open folder is a folder, and no link to one. Raises OSError."""
    if isinstance(folder, str):
        return stat.S_ISDIR(os.lstat(os.path.join(folder, name)).st_mode)
    return stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)


def leave(folder: Folder) -> None:
    """Close an open folder."""
    if isinstance(folder, int):
        os.close(folder)


def _below(root: str, real: str) -> tuple[str, ...] | None:
    """The parts of a real path below a real root, None where it lies elsewhere."""
    if real == root:
        return ()
    within = root if root.endswith(os.sep) else root + os.sep
    if not real.startswith(within):
        return None
    return Path(real[len(within) :]).parts


def _opened(place: Place, wanted: int) -> int:
    try:
        found = _by_folders(place, wanted) if BY_FOLDERS else _by_path(place, wanted)
    except OSError as error:
        raise _fault(place, error) from None
    mode = os.fstat(found).st_mode
    if stat.S_IFMT(mode) == wanted:
        return found
    os.close(found)
    raise _wrong_kind(place, mode)


def _by_folders(place: Place, wanted: int) -> int:
    folder = os.open(place.root, _PASSING)
    try:
        for part in place.parts[:-1]:
            inner = os.open(part, _PASSING | NO_FOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        last = place.parts[-1] if place.parts else os.curdir
        mode = os.stat(last, dir_fd=folder, follow_symlinks=False).st_mode
        if stat.S_IFMT(mode) != wanted and not stat.S_ISLNK(mode):
            raise _wrong_kind(place, mode)
        return os.open(last, FILE_FLAGS | NO_FOLLOW, dir_fd=folder)
    finally:
        os.close(folder)


def _by_path(place: Place, wanted: int) -> int:
    """Where a system can't open folder by folder."""
    mode = os.lstat(place.real).st_mode
    if stat.S_IFMT(mode) != wanted:
        raise _wrong_kind(place, mode)
    return _checked(place.real)


def _checked(path: str) -> int:
    """Open a real path, then look whether it still leads, without any link, to what was opened."""
    if not stat.S_ISREG(os.lstat(path).st_mode):
        raise _link()
    found = os.open(path, FILE_FLAGS)
    if os.path.realpath(path) == path and os.path.samestat(os.fstat(found), os.lstat(path)):
        return found
    os.close(found)
    raise _link()


def _link() -> OSError:
    return OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _wrong_kind(place: Place, mode: int) -> WorkspaceFault:
    if stat.S_ISDIR(mode):
        return WorkspaceFault(*say.is_a_folder(place.name))
    if stat.S_ISREG(mode):
        return WorkspaceFault(*say.is_a_file(place.name))
    return WorkspaceFault(say.not_readable_kind(place.name, kind_of(mode)))


def _fault(place: Place, error: OSError) -> WorkspaceFault:
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR:
            return WorkspaceFault(*_missing(place))
        case errno.EACCES | errno.EPERM:
            return WorkspaceFault(say.not_allowed_by_system(place.name))
        case errno.ELOOP | errno.EMLINK:
            return WorkspaceFault(say.link_in_the_way(place.name))
        case _:
            return WorkspaceFault(say.system_says(place.name, error.strerror or type(error).__name__))


def _missing(place: Place) -> tuple[str, str]:
    """What is missing of a path, and what is there that has nearly its name."""
    if not place.parts:
        return say.missing(place.name, ())
    folder, at = place.root, 0
    while at < len(place.parts) - 1 and os.path.isdir(os.path.join(folder, place.parts[at])):
        folder, at = os.path.join(folder, place.parts[at]), at + 1
    shown = place.name
    for _ in place.parts[at + 1 :]:
        shown = os.path.dirname(shown)
    near = [os.path.join(os.path.dirname(shown), name) for name in _nearest(folder, place.parts[at])]
    return say.missing(shown, near) if shown == place.name else say.missing_folder(shown, near)


def _nearest(folder: str, name: str) -> Sequence[str]:
    try:
        with os.scandir(folder) as entries:
            names = {entry.name.casefold(): entry.name for entry in islice(entries, NAMES_COMPARED)}
    except OSError:
        return ()
    return [names[each] for each in difflib.get_close_matches(name.casefold(), names, n=3, cutoff=0.6)]
