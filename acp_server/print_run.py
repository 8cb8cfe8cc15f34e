"""`caudra-acp --print`: one prompt, answered in this process by the same turn as in an editor, with nobody to ask.

It reads the view, writes notes where a rule allows it, leaves summaries and titles alone, and keeps no session; what it
spends is in the ledger. Standard output is the answer's (or the events'), standard error everything else's.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
from dataclasses import dataclass

from acp_server import logs
from acp_server.assembly import create_headless
from acp_server.caller import run_by_agent
from acp_server.config import config_path, load_config
from acp_server.events import TurnEnded
from acp_server.exits import Exit
from acp_server.memory_command import is_project
from acp_server.memory_switch import memory_on
from acp_server.models.shelf import Shelf
from acp_server.places import config_directory_of
from acp_server.print_person import Headless, stored_rules
from acp_server.print_surface import Emitting, JsonSurface, Surface, TextSurface
from acp_server.providers.interface import StopReason
from acp_server.sentences import cli as say_cli
from acp_server.sentences import print as say
from acp_server.sentences.log import TURN_BROKE
from acp_server.session import Session
from acp_server.terminal import Output, OutputFault, complain
from acp_server.world import World, world_of_process
from memory_core import database

CLIENT = "caudra-print"
PATIENCE_S = 3.0
"""How long a lock of the memory is waited for: somebody waits for the answer, and there is one without a memory too."""

END_SIGNALS = ("SIGTERM", "SIGHUP")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asked:
    """A headless run as it was typed: without `words` standard input is read, without `model` the default is asked."""

    words: str | None
    project: str = "."
    model: str | None = None
    json: bool = False
    allow: frozenset[str] = frozenset()


class _Stop(Exception):
    """The run can't begin: a sentence, and the exit code."""

    def __init__(self, sentence: str, code: Exit) -> None:
        super().__init__(sentence)
        self.code = code


def run(asked: Asked, out: Output) -> Exit:
    """Answer one prompt."""
    logs.set_up(logs.SentenceFormatter())
    try:
        _check(asked)
        text = _prompt(asked)
        world = world_of_process()
        session = _session(asked, world)
    except _Stop as stop:
        complain(str(stop))
        return stop.code
    database.wait_at_most(PATIENCE_S)
    try:
        return asyncio.run(_Run(asked, world, session, out).run(text))
    except OutputFault:
        raise
    except Exception:  # noqa: BLE001 -- the ring around the whole run; logged with its trace
        _log.exception(TURN_BROKE)
        complain(say.BROKE)
        return Exit.WRONG


class _Run:
    """One run."""

    def __init__(self, asked: Asked, world: World, session: Session, out: Output) -> None:
        self._world = world
        self._session = session
        self._refused: dict[str, None] = {}
        self._surface: Surface = JsonSurface(out) if asked.json else TextSurface(out, complain)
        self._asker = Headless(_rules(asked, world, session.cwd), self._refuse)
        self._emit = Emitting(self._surface, self._asker.watch)

    async def run(self, text: str) -> Exit:
        """The turn, from its start to the closed memory. Raises OutputFault."""
        session = self._session
        self._surface.began(session.session_id, session.model, session.cwd)
        runner = create_headless(self._world)
        turn = asyncio.create_task(runner.run(session, text, self._emit, self._asker))
        self._emit.stop = turn.cancel
        _end_at_signals(turn)
        try:
            ended = await turn
        finally:
            await runner.close()
        if self._emit.fault is not None:
            raise self._emit.fault
        return self._end(ended)

    def _end(self, ended: TurnEnded) -> Exit:
        code = self._code(ended)
        self._surface.ended(ended, tuple(self._refused), code)
        if ended.error is not None:
            complain(ended.error)
        return code

    def _code(self, ended: TurnEnded) -> Exit:
        if ended.error is not None:
            return Exit.MODEL_FAILED
        if ended.stop_reason == "cancelled":
            return Exit.INTERRUPTED
        if ended.stop_reason != StopReason.END_TURN:
            return Exit.WRONG
        if self._refused:
            return Exit.REFUSED
        return Exit.WRONG if self._asker.failed or not self._emit.answered else Exit.OK

    def _refuse(self, rule: str | None) -> None:
        """Say each kind of refusal once."""
        if (rule or "") not in self._refused:
            self._refused[rule or ""] = None
            complain(say.NEEDS_A_PERSON if rule is None else say.not_allowed(rule))


def _end_at_signals(turn: asyncio.Task[TurnEnded]) -> None:
    """Have the end of a job or of a terminal end the turn as Ctrl-C does; what is ignored stays ignored."""
    for name in END_SIGNALS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            with contextlib.suppress(NotImplementedError):  # this system's loop has none
                asyncio.get_running_loop().add_signal_handler(number, turn.cancel)


def _check(asked: Asked) -> None:
    if not is_project(asked.project):
        raise _Stop(say_cli.not_a_directory(asked.project), Exit.USAGE)
    if asked.allow and run_by_agent():
        raise _Stop(say_cli.AGENT_MAY_NOT, Exit.REFUSED)


def _prompt(asked: Asked) -> str:
    """The prompt: what was typed, or all of standard input."""
    if asked.words is None and sys.stdin is None:
        raise _Stop(say.NOTHING_SAID, Exit.USAGE)
    if asked.words is None and sys.stdin.isatty():
        raise _Stop(say.NO_INPUT, Exit.USAGE)
    raw = os.fsencode(asked.words) if asked.words is not None else sys.stdin.buffer.read()
    try:
        text = raw.decode("utf-8").strip()
    except UnicodeDecodeError:
        raise _Stop(say.NOT_UTF8, Exit.USAGE) from None
    if not text:
        raise _Stop(say.NOTHING_SAID, Exit.USAGE)
    return text


def _session(asked: Asked, world: World) -> Session:
    """A session that is kept nowhere."""
    look = Shelf(world.environ, config_directory_of(world.environ), testing=world.testing).look()
    if asked.model is None:
        choice = look.choice()
        if refused := choice.missing_key or choice.unfit:
            raise _Stop("\n".join((*load_config(config_path(world.environ))[1], refused)), Exit.MODEL_FAILED)
        if choice.notice:
            complain(choice.notice)
        model = choice.model
    else:
        resolved = look.resolved(asked.model)
        if not isinstance(resolved, str):
            raise _Stop(resolved.reason, Exit.MODEL_FAILED)
        model = resolved
    directory = os.path.abspath(asked.project)
    memory = memory_on(look.raw, directory)
    return Session(world.session_ids(), directory, (), model, CLIENT, memory=memory)


def _rules(asked: Asked, world: World, directory: str) -> frozenset[str]:
    """What may be done without asking; a command that the agent runs may nothing."""
    if run_by_agent():
        return frozenset()
    config, _ = load_config(config_path(world.environ))
    return asked.allow | stored_rules(config.permissions, directory)
