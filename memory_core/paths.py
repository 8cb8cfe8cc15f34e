"""Where things live: the state directory, and which project a directory belongs to.

Standard library only and light to import: the agent answers `session/new` with these functions before
anything heavy is loaded. Git is never run; the few files that tell where a repository lives are read here.

Rules
1. A project is the repository's common directory where there is one, so linked worktrees and symlinks share
   it; else it is the directory's real path.
2. A repository whose work tree is the home directory or a root counts for exactly that directory: a
   repository of dotfiles doesn't swallow all that lies below it.
3. What doesn't look like a repository (a broken `.git`) is passed over, and the search goes on above.
4. Where the repository's own configuration says `caudra.worktrees = own`, a linked worktree is a project of its own:
   its private directory stands for it. `git config caudra.worktrees own` says so, for every program alike.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_SLUG_CHARS = 40
MAX_GIT_FILE_BYTES = 8192
"""Git's own pointer files are one short line; more than this isn't one."""
MAX_GIT_CONFIG_BYTES = 1024 * 1024


def state_directory(environ: Mapping[str, str], platform: str, home: str) -> str:
    """The directory of all state; `platform` is `sys.platform`. Pure but for a relative override."""
    override = environ.get("CAUDRA_STATE_DIR")
    if override:
        return os.path.abspath(override)
    if platform == "win32":
        import ntpath

        roaming = environ.get("APPDATA") or ntpath.join(home, "AppData", "Roaming")
        return ntpath.join(roaming, "caudra")
    base = environ.get("XDG_STATE_HOME", "")
    if not base.startswith("/"):  # the XDG specification: a relative path is to be ignored
        base = f"{home.rstrip('/')}/.local/state"
    return f"{base.rstrip('/')}/caudra"


def default_state_directory() -> str:
    """The state directory of this process: `state_directory` of its environment."""
    import sys

    return state_directory(os.environ, sys.platform, os.path.expanduser("~"))


def project_identity(cwd: str, home: str | None = None) -> str:
    """The path that stands for the project of `cwd` (rules 1 to 4)."""
    real = os.path.realpath(cwd)
    home = os.path.realpath(home if home is not None else os.path.expanduser("~"))
    directory = real
    while True:
        common = _common_directory_at(directory)
        if common is not None and (directory == real or not _is_wide(directory, home)):
            return common
        parent = os.path.dirname(directory)
        if parent == directory:
            return real
        directory = parent


def project_id(identity: str) -> str:
    """The folder under `projects/`: name as a slug, `-`, first 12 hex digits of the identity's SHA-256."""
    return f"{_slug(project_name(identity))}-{_sha256_hex(os.fsencode(identity))[:12]}"


def folder_of(identity: str) -> str:
    """The directory that a person knows a project by: the work tree, not its `.git`."""
    return os.path.dirname(identity) if os.path.basename(identity) == ".git" else identity


def project_name(identity: str) -> str:
    """The folder's name a person knows the project by: the main work tree's, not `.git`."""
    folder, name = os.path.split(identity.rstrip(os.sep))
    if name == ".git":
        name = os.path.basename(folder)
    return name.removesuffix(".git")


def project_home(state_dir: str, identity: str) -> str:
    """`projects/<id>/` of the project, under the state directory."""
    return os.path.join(state_dir, "projects", project_id(identity))


def _is_wide(work_tree: str, home: str) -> bool:
    return work_tree == home or os.path.dirname(work_tree) == work_tree


def _common_directory_at(directory: str) -> str | None:
    """The common directory of the repository whose work tree, or whose bare self, is `directory` (rule 4 apart)."""
    dot_git = os.path.join(directory, ".git")
    git_dir = _pointed_at(dot_git) if os.path.isfile(dot_git) else dot_git
    for candidate in (git_dir, directory):
        if candidate is not None and (common := _common_of(candidate)):
            private = os.path.realpath(candidate)
            return private if private != common and _keeps_worktrees_apart(common) else common
    return None


def _keeps_worktrees_apart(common: str) -> bool:
    """Whether the repository's configuration says so (rule 4), as git reads it: the last word counts."""
    section, found = "", ""
    for line in (_content(os.path.join(common, "config"), MAX_GIT_CONFIG_BYTES) or b"").splitlines():
        name, _, value = line.partition(b"=")
        if name.lstrip().startswith(b"["):
            section = name.strip().decode("utf-8", "replace").lower()
        elif section == "[caudra]" and name.strip().lower() == b"worktrees":
            found = value.strip().strip(b'"').decode("utf-8", "replace").lower()
    return found == "own"


def _pointed_at(dot_git: str) -> str | None:
    """Where a `.git` file points (`gitdir: PATH`), or None where it is broken."""
    line = _first_line(dot_git)
    if line is None or not line.startswith("gitdir:"):
        return None
    target = line.removeprefix("gitdir:").strip()
    return os.path.join(os.path.dirname(dot_git), target) if target else None


def _common_of(git_dir: str) -> str | None:
    """The real common directory behind a git directory, or None where that isn't one."""
    if not os.path.isfile(os.path.join(git_dir, "HEAD")):
        return None
    shared = _first_line(os.path.join(git_dir, "commondir"))
    common = os.path.realpath(os.path.join(git_dir, shared) if shared else git_dir)
    has_parts = all(os.path.isdir(os.path.join(common, part)) for part in ("objects", "refs"))
    return common if has_parts else None


def _first_line(path: str) -> str | None:
    """The first line of a small file, without its line end; None where it can't be read or isn't one."""
    content = _content(path, MAX_GIT_FILE_BYTES)
    line = None if content is None else os.fsdecode(content.partition(b"\n")[0].rstrip(b"\r"))
    return None if line is None or "\0" in line else line


def _content(path: str, limit: int) -> bytes | None:
    """The beginning of a file, or None where it can't be read; never waits, whatever the path is."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return None
    try:
        return os.read(descriptor, limit)
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _slug(name: str) -> str:
    kept = "".join(char if char.isascii() and char.isalnum() else " " for char in name.lower())
    return "-".join(kept.split())[:MAX_SLUG_CHARS].rstrip("-") or "project"


def _sha256_hex(content: bytes) -> str:
    """SHA-256 by the interpreter's own small module where there is one: `hashlib` loads OpenSSL, 3 ms."""
    import sys

    name = "_sha2" if sys.version_info >= (3, 12) else "_sha256"
    try:
        digest: str = __import__(name).sha256(content).hexdigest()
    except ImportError:
        import hashlib

        digest = hashlib.sha256(content).hexdigest()
    return digest
