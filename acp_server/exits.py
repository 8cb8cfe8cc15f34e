"""The exit codes of every command, in one table: `docs/cli.md` is made from it."""

from __future__ import annotations

from enum import IntEnum

from acp_server.sentences import cli as say
from memory_core.exceptions import BadAddress, BadArchive, BadName, BadText, MemoryFault, StateUnavailable


class Exit(IntEnum):
    """How a command ended."""

    OK = 0
    WRONG = 1
    USAGE = 2
    REFUSED = 3
    UNAVAILABLE = 4
    AGENT_GONE = 5
    TRACES = 6
    MODEL_FAILED = 7
    INTERRUPTED = 130


MEANINGS: dict[Exit, str] = {
    Exit.OK: say.EXIT_OK,
    Exit.WRONG: say.EXIT_WRONG,
    Exit.USAGE: say.EXIT_USAGE,
    Exit.REFUSED: say.EXIT_REFUSED,
    Exit.UNAVAILABLE: say.EXIT_UNAVAILABLE,
    Exit.AGENT_GONE: say.EXIT_AGENT_GONE,
    Exit.TRACES: say.EXIT_TRACES,
    Exit.MODEL_FAILED: say.EXIT_MODEL_FAILED,
    Exit.INTERRUPTED: say.EXIT_INTERRUPTED,
}

_BY_FAULT: tuple[tuple[type[MemoryFault], Exit], ...] = (
    (StateUnavailable, Exit.UNAVAILABLE),
    (BadAddress, Exit.USAGE),
    (BadName, Exit.USAGE),
    (BadText, Exit.USAGE),
    (BadArchive, Exit.USAGE),
)


def exit_of(fault: MemoryFault) -> Exit:
    """The exit code of a memory error: what was asked is wrong, memory can't be used, or (else) `WRONG`."""
    return next((code for kind, code in _BY_FAULT if isinstance(fault, kind)), Exit.WRONG)
