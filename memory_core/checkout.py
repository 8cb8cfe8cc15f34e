"""By what a checkout is known wherever it lies: its remote, read from git's own file, and its first commits.

The remote is read without git. The first commits need it: one short call with a time-out, only where somebody asks
for it (`roots`); without git, and in a shallow clone, there are none. An address is kept without the name and password
that may stand in it.
"""

from __future__ import annotations

import os
import re
import subprocess

MAX_CONFIG_BYTES = 1024 * 1024
TIMEOUT_S = 2.0

_SECTION = re.compile(r'\s*\[\s*remote\s+"([^"]+)"\s*\]\s*(?:[#;].*)?')
_URL = re.compile(r"\s*url\s*=\s*(\S.*?)\s*", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^/@]*@)?([^/:]+)(?::[0-9]+)?/(.+)", re.IGNORECASE)
_SSH = re.compile(r"(?:[^/@:]+@)?([^/:@]+):(?!//)(.+)")


def remote(git_dir: str) -> str | None:
    """The address of `origin`, else of the first remote, in one form for all protocols; None where there is none."""
    try:
        with open(os.path.join(git_dir, "config"), "rb") as file:
            text = file.read(MAX_CONFIG_BYTES).decode("utf-8", "replace")
    except OSError:
        return None
    found = remotes(text)
    url = found.get("origin") or next(iter(found.values()), None)
    return None if url is None else address(url)


def remotes(config: str) -> dict[str, str]:
    """The remotes of a git configuration, each with its first address. Pure."""
    found: dict[str, str] = {}
    section: str | None = None
    for line in config.splitlines():
        if line.lstrip().startswith("["):
            match = _SECTION.fullmatch(line)
            section = None if match is None else match[1]
        elif section is not None and (match := _URL.fullmatch(line)):
            found.setdefault(section, match[1].strip('"'))
    return found


def address(url: str) -> str:
    """An address as host and path, whatever the protocol; a local path as it is. Pure."""
    found = _SCHEME.fullmatch(url) or (None if url.startswith(("/", ".", "~")) else _SSH.fullmatch(url))
    if found is None:
        return url.rstrip("/").removesuffix(".git")
    return f"{found[1].lower()}/{found[2].strip('/').removesuffix('.git')}"


def roots(git_dir: str) -> tuple[str, ...]:
    """The first commits of a repository, sorted; none where git doesn't tell in time."""
    if not os.path.isfile(os.path.join(git_dir, "HEAD")) or os.path.exists(os.path.join(git_dir, "shallow")):
        return ()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", "--git-dir", git_dir, "rev-list", "--max-parents=0", "HEAD"],  # noqa: S607 -- the person's own git
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_S,
            env=environment,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return tuple(sorted(done.stdout.decode("ascii", "replace").split())) if done.returncode == 0 else ()
