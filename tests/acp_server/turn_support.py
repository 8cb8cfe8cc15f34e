"""A real runner over a real memory, with a model that follows a script and a person who answers from one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from acp_server.events import Card, CardChanged, CardOpened, TextChunk, TurnEnded, TurnEvent
from acp_server.household import Limits
from acp_server.memory_threads import Memories
from acp_server.providers.interface import (
    CallReady,
    CallStarted,
    JsonObject,
    ModelInfo,
    ProviderEvent,
    ProviderFault,
    Request,
    Stopped,
    StopReason,
    TextDelta,
    ToolCall,
    ToolItem,
)
from acp_server.providers.registry import Providers
from acp_server.runner import TurnRunner
from acp_server.seams import PermissionOption
from acp_server.tools.memory import MemoryTool
from acp_server.tools.registry import Tool, Tools
from acp_server.watching import NewWatcher
from memory_core.memory import Memory

Step = ProviderEvent | ProviderFault | asyncio.Event
Script = list[list[Step]]
Answer = str | asyncio.Event | Callable[[], str | Awaitable[str]] | None


def call(arguments: object, name: str = "memory", call_id: str = "c1") -> list[Step]:
    """The events of one call; a string is sent as it is."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return [CallStarted(call_id, name), CallReady(ToolCall(call_id, name, text))]


def ends(*events: Step) -> list[Step]:
    """A round that ends the turn, after these events or a word of its own."""
    return [*(events or (TextDelta("Done."),)), Stopped(StopReason.END_TURN)]


def asks(*events: Step) -> list[Step]:
    """A round that waits for results."""
    return [*events, Stopped(StopReason.TOOL_USE)]


@dataclass
class ScriptedProvider:
    """Plays one list of events a request; an `asyncio.Event` in it is set, then waited on for ever."""

    script: Script
    requests: list[Request] = field(default_factory=list)
    closed: int = 0

    def models(self) -> tuple[ModelInfo, ...]:
        return (ModelInfo("test/scripted", "Scripted"),)

    async def stream(self, request: Request) -> AsyncIterator[ProviderEvent]:
        self.requests.append(request)
        steps = self.script.pop(0) if self.script else ends()
        try:
            for step in steps:
                if isinstance(step, asyncio.Event):
                    step.set()
                    await asyncio.Event().wait()
                elif isinstance(step, ProviderFault):
                    raise step
                else:
                    yield step
        finally:
            self.closed += 1


@dataclass
class Person:
    """Answers questions from a list, refuses when it is empty. An Event is set, then waited on for ever."""

    answers: list[Answer] = field(default_factory=list)
    questions: list[tuple[JsonObject, list[PermissionOption]]] = field(default_factory=list)

    async def ask(self, session_id: str, tool_call: JsonObject, options: Sequence[PermissionOption]) -> str | None:
        self.questions.append((tool_call, list(options)))
        answer = self.answers.pop(0) if self.answers else "reject_once"
        if isinstance(answer, asyncio.Event):
            answer.set()
            await asyncio.Event().wait()
            return None
        given = answer() if callable(answer) else answer
        return await given if isinstance(given, Awaitable) else given


@dataclass(frozen=True)
class Session:
    session_id: str
    cwd: str
    model: str = "test/scripted"
    client: str | None = "tests"
    additional_directories: tuple[str, ...] = ()
    memory: bool = True
    path: str | None = None


@dataclass
class Stage:
    """One project, one scripted model, one person; `say` runs a turn and keeps its events."""

    project: Path
    state: Path
    provider: ScriptedProvider
    person: Person
    runner: TurnRunner
    events: list[TurnEvent] = field(default_factory=list)

    def session(self, name: str = "s1") -> Session:
        return Session(name, str(self.project))

    async def emit(self, event: TurnEvent) -> None:
        self.events.append(event)

    async def say(self, words: str = "hello", session: str = "s1", script: Script | None = None) -> TurnEnded:
        if script is not None:
            self.provider.script[:] = script
        self.events.clear()
        return await self.runner.run(self.session(session), words, self.emit, self.person)

    def door(self) -> Memory:
        """The same memory through another door, as another process has it."""
        return Memory.open(self.project, state_dir=self.state)

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, TextChunk))

    @property
    def results(self) -> list[ToolItem]:
        return [item for item in self.provider.requests[-1].items if isinstance(item, ToolItem)]

    def states(self) -> dict[str, list[str | None]]:
        """The statuses each card went through."""
        found: dict[str, list[str | None]] = {}
        for event in self.events:
            if isinstance(event, CardOpened):
                found[event.call_id] = ["pending"]
            elif isinstance(event, CardChanged) and event.status:
                found[event.call_id].append(event.status)
        return found

    def card(self) -> Card:
        """What the only card holds at the end, its updates laid over one another."""
        changes = [event for event in self.events if isinstance(event, CardChanged)]
        held: dict[str, object] = {}
        for event in self.events:
            if isinstance(event, CardOpened):
                held.update(title=event.title, kind=event.kind)
        for change in changes:
            for name in ("title", "kind", "content", "locations", "raw_input", "raw_output"):
                value = getattr(change.card, name)
                if value is not None:
                    held[name] = value
        return Card(**held)  # type: ignore[arg-type]


def stage(
    folder: Path,
    script: Script | None = None,
    *,
    tools: Sequence[Tool] = (),
    limits: Limits | None = None,
    new_watcher: NewWatcher | None = None,
) -> Stage:
    """A fresh project under `folder`."""
    project, state = folder / "project", folder / "state"
    project.mkdir(exist_ok=True)
    state.mkdir(exist_ok=True)
    provider = ScriptedProvider(script or [])
    count = iter(range(1, 10**6))
    runner = TurnRunner(
        Providers([provider]),
        Tools([MemoryTool(), *tools]),
        Memories(lambda directory: Memory.open(directory, state_dir=state)),
        lambda: f"id-{next(count)}",
        limits=limits or Limits(),
        new_watcher=new_watcher,
    )
    return Stage(project, state, provider, Person(), runner)
