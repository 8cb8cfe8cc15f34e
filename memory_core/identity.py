"""`project.json` in a project's home: the path that it stands for, and by what a moved or cloned checkout is known.

The file is small, replaced whole, and may be lost or damaged without harm: then it is made anew from what is known.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass

FILE_NAME = "project.json"
MAX_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Identity:
    """A project's description. `remotes` and `roots` (first commits) tell whose checkout it is, `ids` are folder names
    that it had before it moved, `offered` those of memories that it was offered already."""

    path: str = ""
    names: tuple[str, ...] = ()
    remotes: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()


def load(home: str) -> Identity:
    """The description in a project's home; an empty one where there is none that can be read."""
    try:
        with open(os.path.join(home, FILE_NAME), "rb") as file:
            value: object = json.loads(file.read(MAX_BYTES).decode("utf-8", "surrogateescape"))
    except (OSError, ValueError, RecursionError):
        return Identity()
    if not isinstance(value, dict):
        return Identity()
    path = value.get("path")
    lists = {name: _strings(value.get(name)) for name in ("names", "remotes", "roots", "ids", "offered")}
    return Identity(path if isinstance(path, str) else "", **lists)


def store(home: str, identity: Identity) -> None:
    """Replaces the description. Raises OSError."""
    value = {"path": identity.path, "names": identity.names}
    more = {"remotes": identity.remotes, "roots": identity.roots, "ids": identity.ids, "offered": identity.offered}
    text = json.dumps({**value, **{name: found for name, found in more.items() if found}}, ensure_ascii=False)
    path = os.path.join(home, FILE_NAME)
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)


def _strings(value: object) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()
