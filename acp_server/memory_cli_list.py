"""`memory list`: every current note with size, date, author and uses, so that what is wrong is found and deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_server import memory_export
from acp_server.exits import Exit
from acp_server.harmless import CYAN, DIM, one_line
from acp_server.memory_command import Asked
from acp_server.sentences import cli as say
from acp_server.terminal import Output, complain
from memory_core.results_json import iso_utc

if TYPE_CHECKING:
    from memory_core.memory import Memory
    from memory_core.stats import Listing


def list_notes(memory: Memory, asked: Asked, out: Output) -> Exit:
    """The current notes, newest first: two lines a note for a person, an object for a program."""
    if not memory.mark().entries:
        _hint(asked.project)
    rows = memory_export.first(memory.notes(), asked.limit)
    if asked.json:
        memory_export.listed(rows, out)
        return Exit.OK
    empty = True
    for row in rows:
        empty = False
        _show(row, out)
    if empty:
        out.line(say.NOTHING_YET)
    return Exit.OK


def _hint(directory: str) -> None:
    """Tell of a memory that the repository has elsewhere."""
    from memory_core.all_projects import AllProjects

    with AllProjects(looks=True) as all_projects:
        offer = all_projects.offer(directory)
    if offer is not None:
        complain(offer)


def _show(row: Listing, out: Output) -> None:
    by = say.who(row.origin.kind.value, row.origin.client, row.origin.session)
    opened = say.opened(row.opened, "" if row.opened_ms is None else iso_utc(row.opened_ms)[:10])
    day = iso_utc(row.created_ms)[:10]
    out.row((f"{row.seq:>7}  {day}  {row.bytes:>10,}  ", ""), (row.name, CYAN), (f"  {row.heading}", ""))
    out.row((one_line(f"{'':>9}({by}, {opened})"), DIM))
