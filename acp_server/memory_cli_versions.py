"""`memory log`, `memory diff` and `memory restore`: what was, who changed it, and an older text back again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from acp_server import memory_export, memory_text
from acp_server.exits import Exit
from acp_server.harmless import CYAN, DIM, one_line
from acp_server.memory_command import Argument, Asked, MemoryCommand
from acp_server.sentences import cli as say
from acp_server.terminal import Output
from memory_core.exceptions import BadName
from memory_core.results import Row
from memory_core.results_json import as_json, iso_utc
from memory_core.sentences import versions as sentences

if TYPE_CHECKING:
    from memory_core.memory import Memory
    from memory_core.versions import Changed

Piece = tuple[str, str]
"""A part of a row, and its style."""

DIFF_INDENT = 11


def log(memory: Memory, asked: Asked, out: Output) -> Exit:
    """Entries newest first; of one note with the lines that each changed."""
    rows = memory_export.first(memory.history(asked.name), asked.limit)
    memory_export.log(rows, out) if asked.json else _log(rows, out, diffs=asked.name is not None)
    return Exit.OK


def diff(memory: Memory, asked: Asked, out: Output) -> Exit:
    """The unified diff of two versions of one note."""
    from memory_core import versions

    first, second = versions.parse(asked.first), versions.parse(asked.second)
    old, new = memory.version(*first), memory.version(*second)
    if old.name != new.name:
        raise BadName(*sentences.not_one_note(old.name, new.name))
    text = versions.unified(old, new)
    if asked.json:
        out.json({"type": "memory.diff", "version": 1, "name": new.name, "from": old.seq, "to": new.seq, "diff": text})
    else:
        out.write(text or say.SAME_TEXT)
        out.fresh_line()
    return Exit.OK


def restore(memory: Memory, asked: Asked, out: Output) -> Exit:
    """An older version as a new entry."""
    from memory_core import versions

    receipt = memory.restore(*versions.parse(asked.first))
    out.json(as_json(receipt)) if asked.json else memory_text.receipt(receipt, out)
    return Exit.OK


COMMANDS: tuple[MemoryCommand, ...] = (
    MemoryCommand(
        "diff",
        diff,
        (Argument("first", say.HELP_VERSION, "NAME@A"), Argument("second", say.HELP_VERSION, "NAME@B")),
    ),
    MemoryCommand("restore", restore, (Argument("first", say.HELP_VERSION, "NAME@ENTRY"),), changes=True),
)


def _log(rows: Iterable[Changed], out: Output, *, diffs: bool) -> None:
    """One entry a line: number, time in UTC, kind, name, changed lines, who, heading; `diffs` shows the lines."""
    listed = False
    for found in rows:
        listed = True
        out.row(*_head(found.row), (f"  {_count(found)}  ", ""), *_tail(found.row))
        for line in found.diff if diffs else ():
            out.folded(line, DIFF_INDENT)
    if not listed:
        out.line(say.NOTHING_YET)


def _head(row: Row) -> tuple[Piece, ...]:
    when = iso_utc(row.created_ms)[:16].replace("T", " ")
    return (f"{row.seq:>7}  ", ""), (when, DIM), (f"  {row.kind.value:<9}  ", ""), (row.name, CYAN)


def _tail(row: Row) -> tuple[Piece, ...]:
    by = say.who(row.origin.kind.value, row.origin.client, row.origin.session)
    return (one_line(f"({by})"), DIM), (f"  {row.heading}", "")


def _count(found: Changed) -> str:
    return "" if found.added is None else f"+{found.added} -{found.removed}"
