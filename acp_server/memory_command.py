"""What a memory command is: its arguments, what was asked, and what it does. The table is `memory_cli.COMMANDS`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acp_server.exits import Exit
from acp_server.terminal import Output

if TYPE_CHECKING:
    from memory_core.memory import Memory


@dataclass(frozen=True, slots=True)
class Asked:
    """A command as it was typed: `limit` is the most rows to show, None for the command's own measure."""

    command: str
    project: str
    json: bool = False
    name: str | None = None
    address: str = ""
    query: str = ""
    limit: int | None = None
    batch: bool = False
    raw: bool = False
    yes: bool = False
    file: str | None = None
    files: tuple[str, ...] = ()
    first: str = ""
    second: str = ""
    remove: str | None = None
    names: tuple[str, ...] = ()
    sessions: bool = False
    repair: bool = False


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument: a positional, or an option where `name` starts with dashes. `parse` raises ValueError."""

    name: str
    help: str
    metavar: str | None = None
    parse: Callable[[str], object] = str
    many: bool = False
    optional: bool = False
    switch: bool = False


def is_project(path: str) -> bool:
    """Whether the path is a directory that is still there: the current one may be gone."""
    try:
        return os.path.isdir(os.path.abspath(path)) and path != ""
    except FileNotFoundError:
        return False


Run = Callable[["Memory", Asked, Output], Exit]
RunAlone = Callable[[Asked, Output], Exit]


@dataclass(frozen=True, slots=True)
class MemoryCommand:
    """A command: its name, its arguments besides `--project` and `--json`, and what it does.

    `run` has the project's memory, opened and looked at; `alone` does without it.
    """

    name: str
    run: Run | None = None
    arguments: tuple[Argument, ...] = ()
    changes: bool = False
    alone: RunAlone | None = None

    @property
    def usage(self) -> str:
        """The command with its arguments, as documentation shows it."""
        return usage_of(self.name, self.arguments)


def usage_of(name: str, arguments: Sequence[Argument]) -> str:
    """A command with its arguments, as documentation shows it."""
    return " ".join([name, *(_usage(argument) for argument in arguments)])


def _usage(argument: Argument) -> str:
    shown = argument.metavar or argument.name.upper()
    if argument.switch:
        return f"[{argument.name}]"
    if argument.name.startswith("--"):
        return f"[{argument.name} {shown}]"
    return f"[{shown}]" if argument.optional else shown + (" …" if argument.many else "")
