"""Where a session's file is, by its id alone: sessions of all projects lie under the state directory."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

SUFFIX = ".jsonl"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")


def is_session_id(value: str) -> bool:
    """Whether a text can be the id of a session: nothing that could lead out of a folder."""
    return _ID.fullmatch(value) is not None


def session_files(state_dir: str) -> Iterator[os.DirEntry[str]]:
    """The session files of all projects; a project that can't be looked into has none for now. Raises OSError where the
    projects themselves can't be.
    """
    for project in _entries(os.path.join(state_dir, "projects")):
        if project.is_dir(follow_symlinks=False):
            for entry in _visible(os.path.join(project.path, "sessions")):
                if entry.name.endswith(SUFFIX) and is_session_id(entry.name.removesuffix(SUFFIX)):
                    yield entry


def find_session(state_dir: str, session_id: str) -> str | None:
    """The path of a session's file, or None where there is none. Raises OSError where it may be in a folder that can't
    be looked into.
    """
    if not is_session_id(session_id):
        return None
    closed: OSError | None = None
    for project in _entries(os.path.join(state_dir, "projects")):
        path = os.path.join(project.path, "sessions", session_id + SUFFIX)
        try:
            os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            closed = error
        else:
            return path
    if closed is not None:
        raise closed
    return None


def is_gone(path: str) -> bool:
    """Whether there is no such file. One in a folder that can't be looked into may still be there."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def project_of(path: str) -> str:
    """The id of the project in whose folder a session file lies."""
    return os.path.basename(os.path.dirname(os.path.dirname(path)))


def beside(path: str) -> tuple[str, str, str]:
    """The files that may lie beside a session's own: its lock, what its owner holds open, and what a crash cut."""
    stem = path.removesuffix(SUFFIX)
    return (f"{stem}.lock", f"{stem}.open", f"{stem}.cut")


def _visible(folder: str) -> Iterator[os.DirEntry[str]]:
    try:
        yield from _entries(folder)
    except OSError:
        return


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except (FileNotFoundError, NotADirectoryError):
        return
