"""The rest of the agent's life, from the hand-over to the end: the loop, the library, the runner.

Importing this module is what takes long; the fast path does it on a thread.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import signal
import uuid
from typing import TYPE_CHECKING, cast

import acp

from acp_server import logs, testing
from acp_server.agent import Agent
from acp_server.client_files import ClientFiles
from acp_server.garbage import importing
from acp_server.handover import END_SIGNALS, HandOver, end_broken
from acp_server.late_runner import LateRunner
from acp_server.models.listing import Lister
from acp_server.models.shelf import Shelf
from acp_server.reader import End
from acp_server.seams import Runner
from acp_server.sentences.log import AGENT_BROKE
from acp_server.session_files.all_sessions import AllSessions
from acp_server.session_files.keeping import Keeper
from acp_server.transport import StdioTransport
from acp_server.world import World, iso_utc

if TYPE_CHECKING:
    from typing import NoReturn

log = logging.getLogger(__name__)


def run(handed: HandOver) -> NoReturn:
    """Serve until the client leaves, then end the process at once: nothing may hang behind a client that is
    gone.
    """
    logs.set_up()
    code = 0
    try:
        asyncio.run(_serve(handed))
    except Exception:  # the ring around the whole agent
        log.exception(AGENT_BROKE)
        code = 1
    os._exit(code)


async def _serve(handed: HandOver) -> None:
    shelf = handed.desk.shelf
    world = handed.desk.world
    keeper = keeper_of(world)
    files = ClientFiles()
    sessions = AllSessions(world.state_dir)
    runner = LateRunner(_import_parts, lambda: runner_of(world, shelf, keeper, sessions, files))
    agent = Agent(handed.desk, runner, keeper, sessions, Lister(shelf))
    transport = StdioTransport(handed, agent.wind_down)
    _on_signals(transport)
    agent.connect(transport)
    files.connect(transport.calls, lambda: handed.desk.offers_files)
    await acp.run_agent(cast("acp.Agent", agent), transport, use_unstable_protocol=True)


def keeper_of(world: World) -> Keeper:
    """Who keeps the sessions of this process on disk."""
    return Keeper(lambda: uuid.uuid4().hex, lambda: iso_utc(world.clock()))


def runner_of(world: World, shelf: Shelf, keeper: Keeper, sessions: AllSessions, files: ClientFiles) -> Runner:
    """The runner of turns: the real one, or a test's."""
    doors = testing.doors(world.environ)
    if doors is not None and hasattr(doors, "runner"):
        return cast("Runner", doors.runner(world))
    from acp_server.assembly import create_runner

    return create_runner(world, shelf, keeper, sessions, files)


def _import_parts() -> None:
    """What turns need, and a list or the drawing of a session doesn't: half of the agent."""
    try:
        with importing():
            importlib.import_module("acp_server.assembly")
    except ImportError as error:
        end_broken(error)


def _on_signals(transport: StdioTransport) -> None:
    """Python's own handlers, not the loop's: those wait until the loop has time."""
    for name in END_SIGNALS:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: transport.end_from_outside(End.INPUT_ENDED))
