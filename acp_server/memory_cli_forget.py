"""`memory forget`: asks with the counts, then forgets for good. Counts and questions go to standard error."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from acp_server import memory_input
from acp_server.exits import Exit
from acp_server.harmless import printable
from acp_server.memory_command import Argument, Asked, MemoryCommand
from acp_server.sentences import cli as say_cli
from acp_server.sentences import forget as say
from acp_server.terminal import Output, complain
from memory_core.exceptions import MemoryFault
from memory_core.results import ForgetPreview, Forgotten
from memory_core.results_json import JsonObject
from memory_core.sentences.forget import traces

if TYPE_CHECKING:
    from memory_core.memory import Memory


def forget(memory: Memory, asked: Asked, out: Output) -> Exit:
    """Forget the notes once the person agrees, or `--yes` says so."""
    from acp_server.session_files.forgotten import still_titled  # here, so that other commands don't wait for it

    person = not asked.yes and _is_person_there()
    preview = memory.forget_preview(*asked.names, sessions=asked.sessions or person)
    if not asked.yes:
        if not person:
            return _refuse(asked, out)
        agreed = _agreed(preview, asked) if preview.versions else _agreed_again(preview, asked)
        if agreed is None:
            complain(say.LEFT)
            return Exit.WRONG
        asked = agreed
    result = memory.forget(*asked.names, sessions=asked.sessions, copies=True)
    index = still_titled(memory.project.state_dir, [path for path in result.sessions if path not in result.removed])
    out.json(_as_json(preview.names, result, index)) if asked.json else _show(result, index, out)
    return Exit.OK if result.purged else Exit.TRACES


COMMAND = MemoryCommand(
    "forget",
    forget,
    (
        Argument("names", say_cli.HELP_NAME, "NAME", many=True),
        Argument("--yes", say.HELP_YES, switch=True),
        Argument("--sessions", say.HELP_SESSIONS, switch=True),
    ),
    changes=True,
)


def _is_person_there() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _refuse(asked: Asked, out: Output) -> Exit:
    if asked.json:
        out.json(memory_input.error_object(asked.command, MemoryFault(say.NEEDS_PERSON)))
    complain(say.NEEDS_PERSON)
    return Exit.REFUSED


def _agreed(preview: ForgetPreview, asked: Asked) -> Asked | None:
    """What the person agrees to, session files included; None where they don't."""
    complain(say.versions(", ".join(preview.names), preview.versions))
    complain(say.lines(preview.lines, preview.hidden))
    if preview.copies:
        _complain_of(say.copies(len(preview.copies)), preview.copies)
    if preview.sessions:
        _complain_of(say.sessions(len(preview.sessions)), preview.sessions)
    if not _yes(say.ASK):
        return None
    if preview.sessions and not asked.sessions:
        return replace(asked, sessions=_yes(say.ASK_SESSIONS))
    return asked


def _agreed_again(preview: ForgetPreview, asked: Asked) -> Asked | None:
    """The same where every note was forgotten before: what is left are session files."""
    complain(say.forgotten_before(", ".join(preview.names)))
    if not preview.sessions:
        complain(say.NO_SESSIONS)
        return None
    _complain_of(say.sessions(len(preview.sessions)), preview.sessions)
    return replace(asked, sessions=True) if _yes(say.ASK_SESSIONS) else None


def _yes(question: str) -> bool:
    complain(question)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _complain_of(sentence: str, paths: Sequence[str]) -> None:
    for line in (sentence, *(f"  {path}" for path in paths)):
        complain(line)


def _kept(result: Forgotten, index: str | None) -> list[str]:
    """Session files and copies that are still there, and the index of sessions where it holds their titles."""
    paths = (*result.sessions, *result.copies, *([] if index is None else [index]))
    return [path for path in paths if path not in result.removed]


def _show(result: Forgotten, index: str | None, out: Output) -> None:
    out.line(say.done(result.notes, result.versions, result.lines) if result.notes else say.DONE_AGAIN)
    if result.traces is not None:
        out.line(traces(result.traces))
    kept = _kept(result, index)
    for sentence, paths in ((say.removed(len(result.removed)), result.removed), (say.kept(len(kept)), kept)):
        for line in (sentence, *(f"  {path}" for path in paths)) if paths else ():
            out.line(printable(line))
    if any(path in kept for path in result.sessions):
        out.line(say.DELETES_SESSIONS)


def _as_json(names: Sequence[str], result: Forgotten, index: str | None) -> JsonObject:
    return {
        "type": "memory.forget",
        "version": 1,
        "names": list(names),
        "notes": result.notes,
        "versions": result.versions,
        "lines": result.lines,
        "purged": result.purged,
        "traces": None if result.traces is None else result.traces.value,
        "message": None if result.traces is None else traces(result.traces),
        "copies": list(result.copies),
        "sessions": list(result.sessions),
        "index": index,
        "removed": list(result.removed),
    }
