"""`memory export` and `memory import`: a memory to a file and back, and Markdown from elsewhere as notes."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acp_server import memory_export
from acp_server.exits import Exit
from acp_server.harmless import DIM, one_line, printable
from acp_server.memory_command import Argument, Asked, MemoryCommand
from acp_server.secrets import Finding, find_secrets
from acp_server.sentences import portability as say
from acp_server.terminal import Output, complain
from memory_core.exceptions import BadText
from memory_core.results_json import JsonObject

if TYPE_CHECKING:
    from memory_core.memory import Memory
    from memory_core.portability.folders import Found
    from memory_core.portability.joining import Imported


STANDARD = "-"
"""Standard output as the file of an export."""


def export(memory: Memory, asked: Asked, out: Output) -> Exit:
    """The whole memory as one JSON object, or into a file that `import` takes."""
    if asked.file is None:
        memory_export.export(memory, out)
        return Exit.OK
    if asked.file == STANDARD:
        for row in memory.archive():
            out.send(row.decode("utf-8"))
        return Exit.OK
    entries = memory.mark().entries
    try:
        size = _write(memory.archive(), asked.file)
    except OSError as error:
        raise BadText(*say.cannot_write(asked.file, error.strerror or type(error).__name__)) from error
    if asked.json:
        out.json({"type": "memory.exported", "version": 1, "file": asked.file, "entries": entries, "bytes": size})
    else:
        out.line(printable(say.exported(entries, size, asked.file)))
    return Exit.OK


def import_(memory: Memory, asked: Asked, out: Output) -> Exit:
    """An exported memory at once; Markdown after a preview, once the person agrees or `--yes` says so."""
    from memory_core.portability import checking

    if STANDARD in asked.files:
        raise BadText(*say.no_standard_input())
    archives = [path for path in asked.files if os.path.isfile(path) and checking.is_archive(path)]
    if archives and len(asked.files) > 1:
        raise BadText(say.ONE_ARCHIVE)
    if archives or _is_other_file(asked.files):
        done = memory.import_archive(asked.files[0])
        _show(done, memory.reconcile().notices, asked, out)
        return Exit.OK
    return _import_notes(memory, asked, out)


COMMANDS: tuple[MemoryCommand, ...] = (
    MemoryCommand("export", export, (Argument("file", say.HELP_FILE, optional=True),)),
    MemoryCommand(
        "import",
        import_,
        (Argument("files", say.HELP_FILES, "PATH", many=True), Argument("--yes", say.HELP_YES, switch=True)),
        changes=True,
    ),
)


@dataclass(frozen=True, slots=True)
class _Planned:
    """A file of a preview: what becomes of it, and what in it looks like a secret."""

    found: Found
    fate: str
    secrets: tuple[Finding, ...] = ()


def _is_other_file(paths: tuple[str, ...]) -> bool:
    """Whether one file alone is named that is no Markdown: then an exported memory is meant, and refused as one."""
    from memory_core.portability.folders import AGENT_FILES, SUFFIXES

    if len(paths) != 1 or os.path.isdir(paths[0]):
        return False
    name = os.path.basename(paths[0])
    return name not in AGENT_FILES and not name.lower().endswith(SUFFIXES)


def _write(rows: Iterator[bytes], path: str) -> int:
    """Writes a file whole or not at all, and gives its size. Raises OSError; BadText where another file is there."""
    from memory_core.portability import checking

    if os.path.lexists(path) and not (os.path.isfile(path) and checking.is_archive(path)):
        raise BadText(*say.not_ours(path))
    temporary = f"{path}.{os.getpid()}.part"
    try:
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            for row in rows:
                file.write(row)
            file.flush()
            os.fsync(file.fileno())
            size = file.tell()
        os.replace(temporary, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
    return size


def _import_notes(memory: Memory, asked: Asked, out: Output) -> Exit:
    from memory_core.portability import folders

    planned = list(_plan(memory, folders.find(asked.files)))
    new = [each.found for each in planned if each.fate == "appended"]
    if asked.json and not asked.yes:
        out.json(_preview_object(planned))
    elif not asked.json:
        _show_preview(planned, len(new), out)
    if not new:
        complain(say.NOTHING_NEW if planned else say.NOTHING_FOUND)
        return Exit.OK
    if not asked.yes and not is_agreed(say.ask_import(len(new))):
        return Exit.REFUSED
    done = memory.import_notes(row for _, row in folders.load(new))
    _show(done, memory.reconcile().notices, asked, out)
    return Exit.OK


def is_agreed(question: str) -> bool:
    """Asks the person at the terminal; where nobody is there, says that nothing was done."""
    if sys.stdin is None or not sys.stdin.isatty():
        complain(say.NEEDS_PERSON)
        return False
    complain(question)
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        return True
    complain(say.LEFT)
    return False


def _plan(memory: Memory, found: list[Found]) -> Iterator[_Planned]:
    from memory_core.portability import folders

    for each in found:
        for _, row in folders.load([each]):
            text = (row.raw or b"").decode("utf-8", "replace")
            yield _Planned(each, memory.preview_note(row).value, find_secrets(text))
        if each.problem:
            yield _Planned(each, each.problem)


def _show_preview(planned: list[_Planned], new: int, out: Output) -> None:
    out.line(say.preview(new, len(planned) - new))
    for each in planned:
        fate = say.FATES.get(each.fate, each.fate)
        source = out.style(one_line(each.found.source), DIM)
        out.line(f"{each.found.size:>10,}  {one_line(each.found.name)}  ({one_line(fate)})  {source}")
    for each in planned:
        for found in each.secrets if each.fate == "appended" else ():
            complain(say.secret(each.found.name, found.line, found.kind))


def _preview_object(planned: list[_Planned]) -> JsonObject:
    notes: list[JsonObject] = [
        {
            "name": each.found.name,
            "source": each.found.source,
            "bytes": each.found.size,
            "fate": each.fate,
            "secrets": [{"line": found.line, "kind": found.kind} for found in each.secrets],
        }
        for each in planned
    ]
    return {"type": "memory.import", "version": 1, "done": False, "notes": notes}


def _show(done: Imported, notices: Iterable[str], asked: Asked, out: Output) -> None:
    for notice in notices:
        complain(notice)
    counts = Counter({fate: int(getattr(done, fate)) for fate in say.FATES})
    if asked.json:
        out.json({"type": "memory.import", "version": 1, "done": True, "whole": done.whole, **counts})
        return
    out.line(say.imported(done.appended, whole=done.whole))
    for fate, number in counts.items():
        if number and fate != "appended":
            out.line(say.left_out(fate, number))
