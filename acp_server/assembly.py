"""Puts the parts of the agent together; nothing else knows them all."""

from __future__ import annotations

import uuid

from acp_server import testing
from acp_server.config import config_path, load_config
from acp_server.memory_threads import Memories
from acp_server.models.finding import Models
from acp_server.models.remotes import Remotes
from acp_server.models.shelf import Shelf
from acp_server.places import config_directory_of
from acp_server.providers.embedded import Librarian
from acp_server.providers.interface import Provider
from acp_server.providers.registry import Providers
from acp_server.summarizing import Summarizer
from acp_server.tools.memory import MemoryTool
from acp_server.tools.registry import Tool, Tools
from acp_server.turn import Limits, TurnRunner
from acp_server.world import World
from memory_core.extractive import summarize
from memory_core.memory import Memory
from memory_core.watch import Watch


def create_runner(world: World, shelf: Shelf | None = None) -> TurnRunner:
    """The runner of turns, with the models and tools of tests where `world` is a test's.

    `shelf` is what the sessions choose their models from.
    """
    config, problems = load_config(config_path(world.environ))
    agent = config.agent
    providers, tools = _test_parts(world)

    def open_memory(directory: str) -> Memory:
        return Memory.open(directory, state_dir=world.state_dir, clock=world.clock)

    return TurnRunner(
        Providers([Librarian(), *providers], Remotes(Models(shelf or shelf_of(world)))),
        Tools([MemoryTool(), *tools]),
        Memories(open_memory),
        world.ids,
        limits=Limits(agent.max_turn_requests, agent.max_tool_output_bytes),
        summarizer=_summarizer(world) if agent.summarize_memory else None,
        notices=problems,
        new_watcher=None if world.testing else Watch,  # a look at any moment takes steps of a test's clock
    )


def shelf_of(world: World) -> Shelf:
    """The models that can be chosen in this world."""
    return Shelf(world.environ, config_directory_of(world.environ), testing=world.testing)


def _summarizer(world: World) -> Summarizer:
    return Summarizer(summarize, owner=uuid.uuid4().hex, now_ms=lambda: world.clock() // 1_000_000)


def _test_parts(world: World) -> tuple[list[Provider], list[Tool]]:
    doors = testing.doors(world.environ)
    if doors is None:
        return [], []
    providers = doors.providers() if hasattr(doors, "providers") else {}
    tools = doors.tools() if hasattr(doors, "tools") else []
    return list(providers.values()), list(tools)
