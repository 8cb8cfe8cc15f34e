"""Puts the parts of the agent together; nothing else knows them all."""

from __future__ import annotations

import uuid

from acp_server import testing
from acp_server.children import Children
from acp_server.client_files import ClientFiles
from acp_server.compacting import Compactor
from acp_server.config import Config, config_path, load_config
from acp_server.estimates import Estimates
from acp_server.hands import Hand
from acp_server.household import Limits
from acp_server.ledger import Ledger
from acp_server.memory_threads import Memories
from acp_server.metering import Facts, Meter
from acp_server.model_writer import model_writers
from acp_server.models.finding import Models
from acp_server.models.remotes import Remotes
from acp_server.models.shelf import Shelf
from acp_server.models.values import Job, Model
from acp_server.places import config_directory_of
from acp_server.providers.embedded import Librarian
from acp_server.providers.interface import Provider, ProviderFault
from acp_server.providers.registry import Providers
from acp_server.runner import TurnRunner
from acp_server.sentences.memory_outline import SUMMARIES_LATER
from acp_server.session_files.all_sessions import AllSessions
from acp_server.session_files.keeping import Keeper
from acp_server.subagents import NAME, Subagents
from acp_server.summarizing import Summarizer
from acp_server.task_budget import Budget
from acp_server.titling import Titler
from acp_server.tools.list_directory import ListDirectory
from acp_server.tools.memory import MemoryTool
from acp_server.tools.read_file import ReadFile
from acp_server.tools.registry import Tool, Tools
from acp_server.tools.search_text import SearchText
from acp_server.tools.task import TaskTool
from acp_server.world import World
from memory_core.extractive import summarize
from memory_core.memory import Memory
from memory_core.watch import Watch


def create_runner(
    world: World,
    shelf: Shelf | None = None,
    keeper: Keeper | None = None,
    sessions: AllSessions | None = None,
    files: ClientFiles | None = None,
) -> TurnRunner:
    """The runner of turns, with the models and tools of tests where `world` is a test's.

    `shelf` is what the sessions choose their models from, `keeper` who keeps them on disk,
    `sessions` who lists them, `files` the way to the client's files.
    """
    config, problems = load_config(config_path(world.environ))
    parts = _Parts(world, config, shelf or shelf_of(world), files or ClientFiles())
    summarizes = config.agent.summarize_memory
    return TurnRunner(
        parts.providers,
        parts.tools,
        parts.memories,
        world.ids,
        clock=world.clock,
        limits=_limits(config),
        summarizer=parts.summarizer(config) if summarizes else None,
        notices=problems,
        new_watcher=None if world.testing else Watch,  # a look at any moment takes steps of a test's clock
        meter=parts.meter,
        titler=Titler(parts.hand, parts.meter),
        estimates=Estimates(parts.hand) if summarizes else None,
        keeper=keeper,
        compactor=parts.compactor(config),
        sessions=sessions,
    )


def create_headless(world: World) -> TurnRunner:
    """The runner of one turn that nobody watches: nothing goes on beside it."""
    config, problems = load_config(config_path(world.environ))
    parts = _Parts(world, config, shelf_of(world), ClientFiles())
    return TurnRunner(
        parts.providers,
        parts.tools,
        parts.memories,
        world.ids,
        clock=world.clock,
        limits=_limits(config),
        notices=problems,
        meter=parts.meter,
        compactor=parts.compactor(config),
        no_summaries=SUMMARIES_LATER,
    )


class _Parts:
    """What every runner is made of."""

    def __init__(self, world: World, config: Config, shelf: Shelf, files: ClientFiles) -> None:
        self._world = world
        self._children = Children()
        self._models = Models(shelf)
        self._remotes = Remotes(self._models)
        providers, tools = _test_parts(world)
        self.providers = Providers([Librarian(), *providers], self._remotes)
        looking = self._looking(files)
        self.meter = Meter(Ledger(world.state_dir, self._now_ms), self._facts, self._now_ms)
        budget = Budget(max_output_bytes=config.agent.max_tool_output_bytes)
        subagents = Subagents(self.providers, Tools(looking), world.ids, self.meter, budget=budget)
        self.tools = Tools([*looking, TaskTool(subagents), *tools], together=[NAME])
        self.memories = Memories(self._open_memory)

    def _looking(self, files: ClientFiles) -> tuple[Tool, ...]:
        """The memory first, then what looks at the project; the agent's own places are closed to it."""
        closed = (self._world.state_dir, config_directory_of(self._world.environ))
        return (MemoryTool(), ReadFile(files, closed), ListDirectory(closed), SearchText(self._children, closed))

    def hand(self, job: Job, session_model: str) -> Hand | str | None:
        """`hands.Hands`."""
        model = self._models.for_job(job, session_model)
        return Hand(self._remotes.provider_of(model), model) if isinstance(model, Model) else model

    def compactor(self, config: Config) -> Compactor:
        """Who makes conversations shorter."""
        return Compactor(self.hand, self.meter, config.agent.compact_at)

    def summarizer(self, config: Config) -> Summarizer:
        """The writer of lines in the background."""
        return Summarizer(
            summarize,
            owner=uuid.uuid4().hex,
            now_ms=self._now_ms,
            max_tokens_per_hour=config.memory.max_summary_tokens_per_hour,
            choose=model_writers(self.hand, self.meter),
        )

    def _open_memory(self, directory: str) -> Memory:
        return Memory.open(directory, state_dir=self._world.state_dir, clock=self._world.clock)

    def _facts(self, value: str) -> Facts | None:
        """What spend needs to know of a model; the embedded one and those of tests spend nothing."""
        try:
            model = self._models.find(value)
        except ProviderFault:
            return None
        return Facts(model.price, model.context_window)

    def _now_ms(self) -> int:
        return self._world.clock() // 1_000_000


def _limits(config: Config) -> Limits:
    return Limits(config.agent.max_turn_requests, config.agent.max_tool_output_bytes)


def shelf_of(world: World) -> Shelf:
    """The models that can be chosen in this world."""
    return Shelf(world.environ, config_directory_of(world.environ), testing=world.testing)


def _test_parts(world: World) -> tuple[list[Provider], list[Tool]]:
    doors = testing.doors(world.environ)
    if doors is None:
        return [], []
    providers = doors.providers() if hasattr(doors, "providers") else {}
    tools = doors.tools() if hasattr(doors, "tools") else []
    return list(providers.values()), list(tools)
