"""`caudra-acp storage …`: what the agent keeps beside memories. The parser is made from the table in `cli.py`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from acp_server.exits import Exit
from acp_server.memory_command import Argument, usage_of
from acp_server.memory_input import error_object
from acp_server.sentences import usage as say
from acp_server.spend import GroupBy
from acp_server.terminal import Output, complain
from memory_core.exceptions import StateUnavailable
from memory_core.paths import default_state_directory
from memory_core.results_json import JsonObject

if TYPE_CHECKING:
    from acp_server.ledger_reading import Sum, Usage


@dataclass(frozen=True, slots=True)
class Asked:
    """A command as it was typed."""

    command: str
    json: bool = False
    group_by: GroupBy = GroupBy.PURPOSE


@dataclass(frozen=True, slots=True)
class StorageCommand:
    """A command: its name, what it does, and its arguments besides `--json`."""

    name: str
    run: Callable[[Asked, Output], Exit]
    arguments: tuple[Argument, ...] = ()

    @property
    def usage(self) -> str:
        """The command with its arguments, as documentation shows it."""
        return usage_of(self.name, self.arguments)


def usage(asked: Asked, out: Output) -> Exit:
    """Tokens and money of every request, in sums."""
    from acp_server import usage_text
    from acp_server.agent_database import DatabaseRefused  # here, so that no other command waits for it

    try:
        found = _read(default_state_directory(), asked.group_by)
    except DatabaseRefused as refused:
        if asked.json:
            out.json(error_object(asked.command, StateUnavailable(str(refused))))
        complain(str(refused))
        return Exit.UNAVAILABLE
    out.json(_as_json(found)) if asked.json else usage_text.usage(found, out)
    return Exit.OK


def _group(text: str) -> GroupBy:
    try:
        return GroupBy(text)
    except ValueError:
        raise ValueError(say.bad_group(text, ", ".join(GroupBy))) from None


COMMANDS = (StorageCommand("usage", usage, (Argument("--group-by", say.HELP_GROUP_BY, "KEY", _group),)),)


def run(asked: Asked, out: Output) -> Exit:
    """Run one command."""
    command = next(each for each in COMMANDS if each.name == asked.command)
    return command.run(asked, out)


def _read(state_dir: str, group_by: GroupBy) -> Usage:
    """The sums; a damaged ledger is set aside, said, and empty from then on. Raises DatabaseRefused."""
    import asyncio
    import time

    from acp_server import agent_database
    from acp_server.ledger_reading import read

    try:
        return asyncio.run(read(state_dir, group_by))
    except agent_database.DatabaseRefused as refused:
        if not refused.damaged:
            raise
        damaged = agent_database.identity(agent_database.path_in(state_dir))
        aside = agent_database.set_aside(state_dir, damaged, time.time_ns() // 1_000_000)
        if aside is None:
            raise
        complain(say.ledger_set_aside(aside))
        return asyncio.run(read(state_dir, group_by))


def _as_json(found: Usage) -> JsonObject:
    return {
        "type": "storage.usage",
        "version": 1,
        "group_by": found.group_by.value,
        "groups": [_sum(each) for each in found.groups],
        "total": {key: value for key, value in _sum(found.total).items() if key != "key"},
    }


def _sum(found: Sum) -> JsonObject:
    return {**asdict(found), "hit_rate": found.hit_rate, "dollars": found.dollars}
