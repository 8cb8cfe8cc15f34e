"""How fast sessions of the disk come back: a long one drawn again, and thousands listed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from time import perf_counter

from acp_server.session_files import records
from acp_server.session_files.records import (
    AnswerRecord,
    CallObject,
    CardEndRecord,
    CardRecord,
    EndRecord,
    MessageRecord,
    Record,
    ResultRecord,
    SessionRecord,
    TitleRecord,
    TurnRecord,
)
from acp_server.session_files.replay import replay
from memory_core.paths import project_home, project_identity
from tests.benchmarks import echo_agent, raw_sender
from tests.benchmarks.client import Spawned
from tests.benchmarks.installation import install
from tests.benchmarks.model_server import ModelServer
from tests.benchmarks.shape import Measured, Sample, Settings, Side, Statistic

TURNS, TURNS_QUICK = 2000, 60
CARDS_EVERY = 4
MANY, MANY_QUICK = 10_000, 300
FEW = 100
LARGE_BYTES, LARGE_BYTES_QUICK = 50_000_000, 1_000_000
ROUNDS = 11
ENDLESS = 10_000_000
"""Chunks of an answer that no measurement sees the end of."""
LOAD_LIMIT = 2.0
FIRST_LIMIT = 1.2
LIST_LIMIT = 2.0
AT = "2026-01-01T00:00:00.000Z"
ECHO = "the first chunk of a bare echo agent on the protocol's library"
RAW = "the same updates sent through the same transport"


def measure(settings: Settings) -> list[Measured]:
    """A load whole, its first update, and a page of a list."""
    server = ModelServer()
    try:
        return _measured(settings, Sessions(settings, server))
    finally:
        server.kill()


def _measured(settings: Settings, bench: Sessions) -> list[Measured]:
    turns = settings.size_of(TURNS, TURNS_QUICK)
    found: dict[str, list[Sample]] = {name: [] for name in ("load", "first", "list", "list-busy")}
    for _ in range(settings.rounds_of(ROUNDS)):
        found["load"] += [bench.raw(), bench.loaded()]
        found["first"] += [bench.echo_chunk(), bench.first_update()]
        found["list"] += [bench.listed(Side.FLOOR), bench.listed(Side.OURS)]
        found["list-busy"] += [bench.listed(Side.FLOOR, busy=True), bench.listed(Side.OURS, busy=True)]
    many = settings.size_of(MANY, MANY_QUICK)
    what = f"Draw a session of {turns:,} turns and {turns // CARDS_EVERY:,} cards again"
    page, few = f"First page of {many:,} sessions, one of 50 MB", f"of {FEW} sessions"
    return [
        _row("load", what, RAW, LOAD_LIMIT, found["load"]),
        _row("first", "Spawn to the first update of that load", ECHO, FIRST_LIMIT, found["first"]),
        _row("list", page, few, LIST_LIMIT, found["list"]),
        _row("list-busy", f"{page}, while a prompt runs", few, LIST_LIMIT, found["list-busy"]),
    ]


def _row(name: str, what: str, floor: str, limit: float, samples: list[Sample]) -> Measured:
    return Measured(f"sessions.{name}", what, floor, "ms", Statistic.MINIMUM, limit, tuple(samples))


class Sessions:
    """State directories with sessions in them, and the agents that are asked for them."""

    def __init__(self, settings: Settings, server: ModelServer) -> None:
        """Write the sessions; `server` answers the prompts that run meanwhile."""
        self._server = server
        self._folder = settings.folder
        self._project = settings.folder / "project"
        self._project.mkdir()
        self._python = str(install(settings.folder / "venv"))
        self._long = _session(self._project, "long", settings.size_of(TURNS, TURNS_QUICK))
        for session, kept in (("long", self._long), ("short", _session(self._project, "short", 1))):
            _keep(self._state("one"), self._project, session, kept)
        few = _session(self._project, "few", 1)
        for name, count in (("few", FEW), ("many", settings.size_of(MANY, MANY_QUICK))):
            for number in range(count):
                session = f"s{number:06}"
                _keep(self._state(name), self._project, session, [_opening(self._project, session), *few[1:]])
        size = settings.size_of(LARGE_BYTES, LARGE_BYTES_QUICK)
        _keep(self._state("many"), self._project, "large", [*_session(self._project, "large", 1), _large(size)])
        self._updates = settings.folder / "updates.json"
        self._updates.write_text(json.dumps(list(replay(self._long))), encoding="utf-8")
        for name in ("few", "many"):
            with self._agent(name) as agent:
                agent.initialize()
                agent.request("session/list", {})

    def loaded(self) -> Sample:
        """A load in an agent that is in use."""
        with self._agent("one") as agent:
            agent.initialize()
            agent.request("session/load", self._load("short"))
            agent.prompt("short", "Hello")()
            began = perf_counter()
            agent.request("session/load", self._load())
            return Sample(Side.OURS, (perf_counter() - began) * 1000)

    def raw(self) -> Sample:
        """The same updates, put out as they are."""
        with Spawned([self._python, raw_sender.__file__, str(self._updates)], self._environ("one")) as sender:
            sender.request("session/list", {})
            began = perf_counter()
            sender.request("session/load", self._load())
            return Sample(Side.FLOOR, (perf_counter() - began) * 1000)

    def first_update(self) -> Sample:
        """Spawn to the first update of a load."""
        with self._agent("one") as agent:
            agent.initialize()
            agent.first_update("session/load", self._load())
            return Sample(Side.OURS, agent.elapsed_ms)

    def echo_chunk(self) -> Sample:
        """Spawn to the first chunk of the echo."""
        with Spawned([self._python, echo_agent.__file__], self._environ("one")) as agent:
            agent.initialize()
            agent.prompt(agent.new_session(str(self._project)), "Hello")
            return Sample(Side.FLOOR, agent.elapsed_ms)

    def listed(self, side: Side, *, busy: bool = False) -> Sample:
        """The second list of a process: the first opens the index. A `busy` one streams an answer meanwhile."""
        model = self._server.environ() if busy else {}
        with self._agent("few" if side is Side.FLOOR else "many", model) as agent:
            agent.initialize()
            agent.request("session/list", {})
            if busy:
                agent.prompt(agent.new_session(str(self._project)), str(ENDLESS))
            began = perf_counter()
            agent.request("session/list", {})
            return Sample(side, (perf_counter() - began) * 1000)

    def _load(self, session: str = "long") -> dict[str, object]:
        return {"sessionId": session, "cwd": str(self._project), "mcpServers": []}

    def _agent(self, state: str, model: Mapping[str, str] | None = None) -> Spawned:
        return Spawned([self._python, "-m", "acp_server"], {**self._environ(state), **(model or {})})

    def _environ(self, state: str) -> dict[str, str]:
        home = str(self._folder)
        return {"PATH": "/usr/bin:/bin", "HOME": home, "CAUDRA_STATE_DIR": str(self._state(state))}

    def _state(self, name: str) -> Path:
        return self._folder / f"state-{name}"


def _keep(state: Path, project: Path, session: str, kept: list[Record]) -> None:
    sessions = Path(project_home(str(state), project_identity(str(project)))) / "sessions"
    sessions.mkdir(parents=True, exist_ok=True)
    (sessions / f"{session}.jsonl").write_bytes(b"".join(map(records.line_of, kept)))


def _session(project: Path, session: str, turns: int) -> list[Record]:
    opening = _opening(project, session)
    return [opening, *(record for number in range(turns) for record in _turn(number)), TitleRecord(title="A long talk")]


def _opening(project: Path, session: str) -> SessionRecord:
    return SessionRecord(session_id=session, cwd=str(project), model="embedded/librarian", created=AT)


def _turn(number: int) -> Iterator[Record]:
    words = f"What do we know of the retries of test {number}, and who decided it?"
    yield TurnRecord(message_id=f"p{number}", prompt=({"type": "text", "text": words},), text=words, at=AT)
    if number % CARDS_EVERY == 0:
        call = CallObject(id=f"c{number}", name="memory", arguments='{"command": "read", "path": "retries.md"}')
        yield CardRecord(call_id=call.id, title="Memory", kind="read")
        yield AnswerRecord(text="", calls=(call,), at=AT)
        yield _card(call.id)
        yield ResultRecord(call_id=call.id, name="memory", text="# Retries\n\nRetries are off.\n", failed=False)
    answer = f"Retries are off since entry {number}: " + "a flaky test is quarantined instead. " * 12
    yield MessageRecord(kind="text", message_id=f"m{number}", text=answer)
    yield AnswerRecord(text=answer, at=AT)
    yield EndRecord(stop_reason="end_turn", at=AT)


def _card(call_id: str) -> CardEndRecord:
    text = "# Retries\n\n" + "Retries are off, since they hid a race in the queue. " * 20
    note = {"type": "memory.note", "version": 1, "name": "retries.md", "path": "/n/retries.md", "seq": 3, "text": text}
    block = {"type": "content", "content": {"type": "text", "text": text}}
    return CardEndRecord(
        call_id=call_id, status="completed", title="Read retries.md", kind="read", content=(block,), raw_output=note
    )


def _large(size: int) -> ResultRecord:
    return ResultRecord(call_id="x", name="memory", text="x" * size, failed=False)
