"""A checkout that was moved or cloned again is offered the memory it had, once; adopting takes it over.

Checkouts are of one repository where they have a first commit or a remote in common. Where the other checkout is gone,
its memory moves here; where it is still there, it keeps its memory, and a copy is taken.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from dataclasses import replace

from memory_core import checkout, database, identity, notes, project, projects
from memory_core import head as heads
from memory_core.exceptions import NotPossible
from memory_core.ground import Ground
from memory_core.identity import Identity
from memory_core.known import Known
from memory_core.portability import exporting, importing
from memory_core.portability.archive import Header
from memory_core.project import Project
from memory_core.projects import Listed
from memory_core.sentences import projects as say


def note_checkout(where: Project, *, ask_git: bool) -> Identity:
    """Keeps by what the checkout is known; first commits only where git is asked and they aren't known."""
    described = identity.load(where.home)
    found = checkout.remote(where.root)
    remotes = described.remotes if found is None else (found,)
    roots = described.roots or (checkout.roots(where.root) if ask_git else ())
    known = replace(described, remotes=remotes, roots=roots)
    if known != described:
        with suppress(OSError):  # a description that can't be kept costs an offer later, nothing else
            identity.store(where.home, known)
    return known


def candidates(db: sqlite3.Connection, where: Project) -> list[Listed]:
    """Other projects with a memory of the same repository; those whose checkout is gone come first."""
    own = note_checkout(where, ask_git=True)
    if not own.remotes and not own.roots:
        return []
    found = [each for each in projects.listing(db, where.state_dir) if each.notes and each.id != where.id]
    found = [each for each in found if _is_same(own, identity.load(os.path.join(where.projects, each.id)))]
    return sorted(found, key=lambda each: not each.gone)


def offer(ground: Ground) -> str | None:
    """The sentence that offers a memory to a checkout without notes, once; else None."""
    db, where = ground.writer, ground.project
    if ground.head(db).entries:
        note_checkout(where, ask_git=True)  # so that the checkout is known again once it is moved
        return None
    fitting = candidates(db, where)
    described = identity.load(where.home)
    fresh = [each for each in fitting if each.id not in described.offered]
    if not fresh:
        return None
    with suppress(OSError):  # what can't be kept is offered again
        identity.store(where.home, replace(described, offered=(*described.offered, *(each.id for each in fresh))))
    return _offered(fresh[0])


def standing_offer(db: sqlite3.Connection, where: Project) -> str | None:
    """The same sentence as often as somebody asks."""
    fitting = candidates(db, where)
    return _offered(fitting[0]) if fitting else None


def _offered(best: Listed) -> str:
    return say.offer(best.name, best.path, best.notes, gone=best.gone)


def adopt(ground: Ground, wanted: str | None) -> Listed:
    """Takes over the memory of another checkout, or of the project named. Raises NotPossible, StateUnavailable."""
    db, where = ground.writer, ground.project
    if entries := ground.head(db).entries:
        raise NotPossible(*say.not_empty(where.folder, entries))
    chosen = projects.find(db, where.state_dir, wanted) if wanted is not None else _only(db, where)
    if chosen.id == where.id:
        raise NotPossible(*say.same_place(where.folder))
    if chosen.gone:
        projects.move(db, chosen, where)
        ground.known = Known()
        ground.merged_at = 0
    else:
        _copy(ground, chosen)
    note_checkout(where, ask_git=True)
    return chosen


def _only(db: sqlite3.Connection, where: Project) -> Listed:
    """The one memory that fits; of several the one whose checkout is gone, if one alone is."""
    fitting = candidates(db, where)
    gone = [each for each in fitting if each.gone]
    if len(fitting) == 1 or len(gone) == 1:
        return fitting[0]
    if fitting:
        raise NotPossible(*say.several_to_adopt(", ".join(each.id for each in fitting)))
    raise NotPossible(*say.nothing_to_adopt(where.folder))


def _is_same(own: Identity, other: Identity) -> bool:
    return bool(set(own.remotes) & set(other.remotes) or set(own.roots) & set(other.roots))


def _copy(ground: Ground, chosen: Listed) -> None:
    """The other memory by way of an archive in this project's `tmp/`, which goes again whatever happens."""
    where = ground.project
    project.prepare(where)
    path = os.path.join(notes.temporary_directory(where.home, where.memories), f".{notes.owner()}-0.tmp")
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "wb") as file, database.reading(ground.writer) as db:
            head = heads.load(db, chosen.id)
            assert head is not None
            header = Header(head.generation, head.entries, chosen.id, chosen.path, (chosen.name,))
            file.writelines(exporting.export(db, head, header))
        importing.archive(ground, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(path)
