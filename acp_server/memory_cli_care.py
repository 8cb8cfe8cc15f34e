"""`memory verify` and `memory resummarize`: is all as it must be, and have the embedded lines written anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_server import memory_export, memory_input, memory_text
from acp_server.caller import run_by_agent
from acp_server.exits import Exit
from acp_server.harmless import printable
from acp_server.memory_command import Argument, Asked, MemoryCommand
from acp_server.sentences import cli as say
from acp_server.terminal import Output, complain

if TYPE_CHECKING:
    from memory_core.memory import Memory


def verify(memory: Memory, asked: Asked, out: Output) -> Exit:
    """Check every invariant; with `--repair` mend first what is derived."""
    if asked.repair:
        if run_by_agent():
            return memory_input.refuse_agent(asked, out)
        for notice in memory.repair().notices:
            complain(printable(notice))
    result = memory.verify()
    memory_export.verified(result, out) if asked.json else memory_text.verified(result, out)
    return Exit.OK if result.ok else Exit.WRONG


def resummarize(memory: Memory, asked: Asked, out: Output) -> Exit:
    """Have every line of the embedded summarizer written anew, by the next session that runs."""
    count = memory.resummarize()
    if asked.json:
        out.json({"type": "memory.resummarize", "version": 1, "lines": count})
    else:
        out.line(say.to_be_written_anew(count))
    return Exit.OK


COMMANDS = (
    MemoryCommand("verify", verify, (Argument("--repair", say.HELP_REPAIR, switch=True),)),
    MemoryCommand("resummarize", resummarize, changes=True),
)
