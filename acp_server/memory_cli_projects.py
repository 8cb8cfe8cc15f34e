"""`memory projects`, `move`, `adopt` and `stats`: which memories there are, whose each is, and what it holds."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING

from acp_server.caller import run_by_agent
from acp_server.exits import Exit
from acp_server.harmless import BOLD, CYAN, DIM, printable
from acp_server.memory_cli_portability import is_agreed
from acp_server.memory_command import Argument, Asked, MemoryCommand
from acp_server.memory_input import refuse_agent
from acp_server.sentences import portability as say
from acp_server.terminal import Output
from memory_core.results_json import JsonObject, iso_utc

if TYPE_CHECKING:
    from memory_core.all_projects import AllProjects
    from memory_core.memory import Memory
    from memory_core.projects import Listed
    from memory_core.stats import NoteFigures, Stats


def projects(asked: Asked, out: Output) -> Exit:
    """Every project, or one removed."""
    from memory_core.all_projects import AllProjects

    with AllProjects(looks=asked.remove is None) as all_projects:
        if asked.remove is not None:
            return _remove(all_projects, asked, out)
        listed = all_projects.listing()
    if asked.json:
        out.json({"type": "memory.projects", "version": 1, "projects": [_listed(each) for each in listed]})
    else:
        _show_projects(listed, out)
    return Exit.OK


def move(asked: Asked, out: Output) -> Exit:
    """The memory of one directory becomes that of another."""
    from memory_core.all_projects import AllProjects

    with AllProjects() as all_projects:
        moved = all_projects.move(asked.first, asked.second)
    if asked.json:
        out.json({"type": "memory.moved", "version": 1, "project": _listed(moved)})
    else:
        out.line(printable(say.moved(moved.entries, moved.path)))
    return Exit.OK


def adopt(memory: Memory, asked: Asked, out: Output) -> Exit:
    """The memory that the repository had in another checkout."""
    adopted = memory.adopt(asked.first or None)
    if asked.json:
        out.json({"type": "memory.adopted", "version": 1, "copied": not adopted.gone, "from": _listed(adopted)})
    else:
        done = say.moved if adopted.gone else say.copied
        out.line(printable(done(adopted.entries, os.path.abspath(asked.project))))
    return Exit.OK


def stats(memory: Memory, asked: Asked, out: Output) -> Exit:
    """The memory in figures."""
    found = memory.stats()
    if asked.json:
        out.json({"type": "memory.stats", "version": 1, **asdict(found)})
    else:
        _show_stats(found, out)
    return Exit.OK


COMMANDS: tuple[MemoryCommand, ...] = (
    MemoryCommand("stats", stats),
    MemoryCommand(
        "projects",
        alone=projects,
        arguments=(
            Argument("--remove", say.HELP_REMOVE, "ID"),
            Argument("--yes", say.HELP_YES, switch=True),
        ),
    ),
    MemoryCommand(
        "move",
        alone=move,
        arguments=(Argument("first", say.HELP_OLD, "OLD"), Argument("second", say.HELP_NEW, "NEW")),
        changes=True,
    ),
    MemoryCommand("adopt", adopt, (Argument("first", say.HELP_SOURCE, "ID", optional=True),), changes=True),
)


def _remove(all_projects: AllProjects, asked: Asked, out: Output) -> Exit:
    from acp_server.session_files.forgotten import still_titled
    from memory_core.paths import default_state_directory

    if run_by_agent():
        return refuse_agent(asked, out)
    found = all_projects.find(asked.remove or "")
    if not asked.yes and not is_agreed(say.ask_remove(found.name, found.path or found.id, found.entries)):
        return Exit.REFUSED
    purged = all_projects.remove(found.id) is None
    purged = still_titled(default_state_directory(), ()) is None and purged
    if asked.json:
        out.json({"type": "memory.removed", "version": 1, "project": _listed(found), "purged": purged})
    else:
        out.line(printable(say.removed(found.name)))
        out.line(say.TRACES) if not purged else None
    return Exit.OK if purged else Exit.TRACES


def _listed(found: Listed) -> JsonObject:
    used = None if found.last_ms is None else iso_utc(found.last_ms)
    return {
        "id": found.id,
        "name": found.name,
        "path": found.path,
        "entries": found.entries,
        "notes": found.notes,
        "bytes": found.text_bytes,
        "last_used": used,
        "gone": found.gone,
    }


def _show_projects(listed: Iterable[Listed], out: Output) -> None:
    """Two lines a project: its id, size and last use; then its path."""
    empty = True
    for each in listed:
        empty = False
        used = say.NEVER_USED if each.last_ms is None else iso_utc(each.last_ms)[:10]
        counts = f"{say.count(each.notes, 'note')}, {say.count(each.entries, 'entry', 'entries')}"
        out.line(f"{out.style(each.id, CYAN)}  {counts}, {say.count(each.text_bytes, 'byte')}, {out.style(used, DIM)}")
        gone = f"  ({say.PATH_GONE})" if each.gone else ""
        out.line(f"    {printable(each.path)}{gone}")
    if empty:
        out.line(say.NO_PROJECTS)


def _show_stats(found: Stats, out: Output) -> None:
    figures = asdict(found)
    for field, title in say.STATS.items():
        out.line(f"{int(figures[field]):>15,}  {title}")
    never = f"{say.NEVER_OPENED} ({found.unopened:,})"
    for title, listed in ((say.LARGEST, found.largest), (say.OLDEST, found.oldest), (never, found.never_opened)):
        if listed:
            out.line()
            out.line(out.style(title, BOLD))
        for each in listed:
            out.line(_note(each, out))


def _note(found: NoteFigures, out: Output) -> str:
    return f"{found.bytes:>15,}  {iso_utc(found.created_ms)[:10]}  {out.style(found.name, CYAN)}"
