"""`caudra-acp memory …`: what each command does, in one table. The parser is made from it in `cli.py`.

Each command is a function of the open memory, what was asked, and the output. Every command looks at the
files first, so that an edit made a moment ago is in what they show.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from acp_server import (
    memory_cli_care,
    memory_cli_forget,
    memory_cli_list,
    memory_cli_portability,
    memory_cli_projects,
    memory_cli_versions,
    memory_input,
    memory_text,
)
from acp_server.caller import run_by_agent
from acp_server.exits import Exit, exit_of
from acp_server.imported_secrets import secrets_of
from acp_server.memory_command import Argument as Argument
from acp_server.memory_command import Asked as Asked
from acp_server.memory_command import MemoryCommand as MemoryCommand
from acp_server.memory_command import RunAlone, is_project
from acp_server.sentences import cli as say
from acp_server.terminal import Output, complain
from memory_core import address
from memory_core.exceptions import BadText, MemoryFault
from memory_core.results_json import as_json

if TYPE_CHECKING:
    from memory_core.memory import Memory


def _view(memory: Memory, asked: Asked, out: Output) -> Exit:
    view = memory.view()
    out.json(as_json(view)) if asked.json else memory_text.view(view, out)
    return Exit.OK


def _zoom(memory: Memory, asked: Asked, out: Output) -> Exit:
    result = memory.zoom(*address.parse(asked.address))
    out.json(as_json(result)) if asked.json else memory_text.zoom(result, out)
    return Exit.OK


def _search(memory: Memory, asked: Asked, out: Output) -> Exit:
    result = memory.search(asked.query) if asked.limit is None else memory.search(asked.query, asked.limit)
    out.json(as_json(result)) if asked.json else memory_text.search(result, out)
    return Exit.OK


def _read(memory: Memory, asked: Asked, out: Output) -> Exit:
    note = memory.read(asked.name or "")
    out.json(as_json(note)) if asked.json else memory_text.note(note, out, raw=asked.raw)
    return Exit.OK


def _write(memory: Memory, asked: Asked, out: Output) -> Exit:
    if asked.batch == (asked.name is not None):
        raise BadText(say.BATCH_OR_NAME)
    if asked.batch:
        return memory_input.write_batch(memory, out)
    receipt = memory_input.write(memory, asked.name or "", memory_input.standard_input())
    out.json(as_json(receipt)) if asked.json else memory_text.receipt(receipt, out)
    return Exit.OK


def _delete(memory: Memory, asked: Asked, out: Output) -> Exit:
    name = asked.name or ""
    receipt = memory.delete(name, known=memory.propose_delete(name).newest)
    out.json(as_json(receipt)) if asked.json else memory_text.receipt(receipt, out)
    return Exit.OK


_NAME = Argument("name", say.HELP_NAME)
_LIMIT = Argument("--limit", say.HELP_LIMIT, "N", memory_input.positive)

COMMANDS: tuple[MemoryCommand, ...] = (
    MemoryCommand("view", _view),
    MemoryCommand("zoom", _zoom, (Argument("address", say.HELP_ADDRESS, "ID+N"),)),
    MemoryCommand("list", memory_cli_list.list_notes, (_LIMIT,)),
    MemoryCommand("search", _search, (Argument("query", say.HELP_QUERY, many=True), _LIMIT)),
    MemoryCommand("read", _read, (_NAME, Argument("--raw", say.HELP_RAW, switch=True))),
    MemoryCommand(
        "write",
        _write,
        (Argument("name", say.HELP_NAME, optional=True), Argument("--batch", say.HELP_BATCH, switch=True)),
        changes=True,
    ),
    MemoryCommand("delete", _delete, (_NAME,), changes=True),
    MemoryCommand("log", memory_cli_versions.log, (Argument("name", say.HELP_LOG_NAME, optional=True), _LIMIT)),
    *memory_cli_versions.COMMANDS,
    memory_cli_forget.COMMAND,
    *memory_cli_care.COMMANDS,
    *memory_cli_portability.COMMANDS,
    *memory_cli_projects.COMMANDS,
)


def fault(error: MemoryFault, asked: Asked, out: Output) -> Exit:
    """Say what went wrong: a sentence for people, and with `--json` an object for programs too."""
    if asked.json:
        out.json(memory_input.error_object(asked.command, error))
    complain(str(error))
    return exit_of(error)


def _refusal(command: MemoryCommand, asked: Asked, out: Output) -> Exit | None:
    """Why a command isn't even tried: the agent's own commands change nothing; a project is a directory."""
    if command.changes and run_by_agent():
        return memory_input.refuse_agent(asked, out)
    if not is_project(asked.project):
        fault(MemoryFault(say.not_a_directory(asked.project)), asked, out)
        return Exit.USAGE
    return None


def run(command: MemoryCommand, asked: Asked, out: Output) -> Exit:
    """Run one command; every memory error ends as one sentence and its exit code."""
    refused = _refusal(command, asked, out)
    if refused is not None:
        return refused
    if command.alone is not None:
        return _alone(command.alone, asked, out)
    from memory_core.absent import looking  # here, so that help and chat don't wait for it
    from memory_core.memory import Memory

    changes = command.changes or asked.repair
    try:
        with Memory.open(asked.project) if changes else looking(asked.project) as memory:
            _look(memory)
            return command.run(memory, asked, out) if command.run is not None else Exit.USAGE
    except MemoryFault as error:
        return fault(error, asked, out)


def _alone(command: RunAlone, asked: Asked, out: Output) -> Exit:
    try:
        return command(asked, out)
    except MemoryFault as error:
        return fault(error, asked, out)


def _look(memory: Memory) -> None:
    """Take in what happened to the files; notices go to standard error, answers alone to standard output."""
    found = memory.reconcile()
    for notice in (*found.notices, *secrets_of(memory, found)):
        if sys.stderr is not None:
            complain(notice)
