"""All projects of a state directory: listed, one removed, one given to another directory.

A project is a row in the database and a folder under `projects/`; either may be alone, after a crash or by hand. A
move renames the folder and the row together: the folder's description names its former ids, so that a move which was
cut off between the two is finished when the project is next opened, and never taken for a clearing.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from dataclasses import dataclass, replace

from memory_core import clearing, database, faults, former, identity, notes, paths, purge, sentences
from memory_core import head as heads
from memory_core.exceptions import NotPossible
from memory_core.project import Project
from memory_core.results import Traces
from memory_core.sentences import projects as say


@dataclass(frozen=True, slots=True)
class Listed:
    """A project as it is listed. `path` is its directory as last known, `text_bytes` counts all versions of its notes,
    `last_ms` is when it was last written to or opened by a session (None: never), `gone` whether its path is."""

    id: str
    name: str
    path: str
    entries: int
    notes: int
    text_bytes: int
    last_ms: int | None
    gone: bool


def listing(db: sqlite3.Connection, state_dir: str) -> list[Listed]:
    """Every project, the one used last first."""
    folder = os.path.join(state_dir, "projects")
    ids = {id_ for (id_,) in db.execute("SELECT directory FROM project")}
    if os.path.isdir(folder):
        ids |= {id_ for id_ in os.listdir(folder) if os.path.isdir(os.path.join(folder, id_))}
    return sorted((_listed(db, folder, id_) for id_ in ids), key=lambda each: (-(each.last_ms or 0), each.id))


def find(db: sqlite3.Connection, state_dir: str, what: str) -> Listed:
    """The project of an id, or of a directory that it has or had. Raises NotPossible."""
    path = os.path.abspath(what)
    roots = {path, os.path.realpath(path), *(os.path.join(each, ".git") for each in (path, os.path.realpath(path)))}
    if os.path.isdir(path):
        roots.add(paths.project_identity(path))
    wanted = {what, *map(paths.project_id, roots)}
    found = [each for each in listing(db, state_dir) if each.id in wanted]
    found = found or [each for each in listing(db, state_dir) if _described(state_dir, each.id).path in roots]
    if not found:
        raise NotPossible(*say.no_such_project(what))
    return found[0]


def remove(db: sqlite3.Connection, state_dir: str, id_: str) -> Traces | None:
    """Removes a project's folder, its journal and what an import left; gives why traces remain, if they do."""
    home = os.path.join(state_dir, "projects", id_)
    with database.writing(db):
        try:
            if os.path.isdir(home):
                shutil.rmtree(home)
        except OSError as error:
            raise NotPossible(*say.cannot_move(home, sentences.reason(error))) from error
        faults.reach("remove.folder")
        for journal in _journals(db, id_):
            clearing.empty(db, journal)
            purge.mark(db, journal)
        db.execute("DELETE FROM incoming WHERE directory = ?", (id_,))
        db.execute("DELETE FROM project WHERE directory = ?", (id_,))
    return purge.attempt_on(db, state_dir, purge.PATIENT)


def move(db: sqlite3.Connection, old: Listed, new: Project) -> None:
    """Gives the memory of `old` to the directory of `new`, whose own must be empty. Raises NotPossible."""
    if old.id == new.id:
        raise NotPossible(*say.same_place(new.folder))
    home = os.path.join(new.projects, old.id)
    with database.writing(db):
        _check_empty(db, new)
        above = _drop_row(db, new.id)  # alone and first: a process that has it open imports nothing if we are cut off
    faults.reach("move.dropped")
    with database.writing(db):
        _check_empty(db, new)
        try:
            _rename(home, new)
        except OSError as error:
            raise NotPossible(*say.cannot_move(home, sentences.reason(error))) from error
        faults.reach("move.renamed")
        take_row(db, old.id, new.id, above)
    faults.reach("move.committed")


def take_row(db: sqlite3.Connection, old: str, new: str, above: int = 0) -> None:
    """Gives a project's row another id, in place of an empty one that may have it, and a generation that no session of
    either has seen."""
    above = max(above, _drop_row(db, new))
    db.execute(
        "UPDATE project SET directory = ?, version = version + 1, generation = max(generation, ?) + 1"
        " WHERE directory = ?",
        (new, above, old),
    )
    db.execute("UPDATE incoming SET directory = ? WHERE directory = ?", (new, old))


def _drop_row(db: sqlite3.Connection, id_: str) -> int:
    """Removes an empty project's row where there is one; gives its generation."""
    head = heads.load(db, id_)
    if head is None:
        return 0
    clearing.empty(db, head.journal)
    db.execute("DELETE FROM project WHERE directory = ?", (id_,))
    return head.generation


def _described(state_dir: str, id_: str) -> identity.Identity:
    return identity.load(os.path.join(state_dir, "projects", id_))


def _listed(db: sqlite3.Connection, folder: str, id_: str) -> Listed:
    home = os.path.join(folder, id_)
    described = identity.load(home)
    head = heads.load(db, id_)
    live = size = 0
    newest: int | None = None
    if head is not None:
        live, size, newest = db.execute(
            "SELECT (SELECT count(*) FROM name WHERE journal = ?1 AND live),"
            " (SELECT coalesce(sum(length(raw)), 0) FROM entry WHERE journal = ?1),"
            " (SELECT created_ms FROM entry WHERE journal = ?1 AND seq = ?2)",
            (head.journal, head.entries - 1),
        ).fetchone()
    path = paths.folder_of(described.path)
    used = [each for each in (newest, _changed_ms(os.path.join(home, "sessions"))) if each is not None]
    return Listed(
        id=id_,
        name=described.names[0] if described.names else id_.rpartition("-")[0],
        path=path,
        entries=0 if head is None else head.entries,
        notes=live,
        text_bytes=size,
        last_ms=max(used, default=None),
        gone=not (described.path and os.path.exists(described.path)),
    )


def _changed_ms(path: str) -> int | None:
    try:
        return os.stat(path).st_mtime_ns // 1_000_000
    except OSError:
        return None


def _journals(db: sqlite3.Connection, id_: str) -> list[int]:
    rows = db.execute(
        "SELECT journal FROM project WHERE directory = ?1 UNION SELECT journal FROM incoming WHERE directory = ?1",
        (id_,),
    ).fetchall()
    return [journal for (journal,) in rows]


def _check_empty(db: sqlite3.Connection, new: Project) -> None:
    head = heads.load(db, new.id)
    if head is not None and head.entries:
        raise NotPossible(*say.not_empty(new.folder, head.entries))
    if os.path.isdir(new.memories) and notes.scan(new.memories).files:
        raise NotPossible(*say.has_files(new.memories))


def _rename(home: str, new: Project) -> None:
    """The old folder takes the place of the new one; sessions that the new one has go along. Raises OSError."""
    described = identity.load(home)
    name = paths.project_name(new.root)
    names = (name, *(each for each in described.names if each != name))
    ids = (os.path.basename(home), *described.ids)
    os.makedirs(os.path.join(home, "sessions"), mode=0o700, exist_ok=True)
    for session in former.listed(os.path.join(new.home, "sessions")):
        os.replace(os.path.join(new.home, "sessions", session), os.path.join(home, "sessions", session))
    if os.path.isdir(new.home):
        shutil.rmtree(new.home)
    identity.store(home, replace(described, path=new.root, names=names, ids=ids, offered=()))
    faults.reach("move.described")
    os.replace(home, new.home)
    notes.sync_directory(new.projects)
