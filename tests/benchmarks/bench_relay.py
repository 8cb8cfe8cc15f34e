"""How fast a model's words reach the editor, and what a long life costs: against a plain agent that forwards them."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from tests.benchmarks import relay_agent
from tests.benchmarks.client import Spawned
from tests.benchmarks.installation import install
from tests.benchmarks.model_server import ModelServer
from tests.benchmarks.shape import Measured, Sample, Settings, Side, Statistic

ROUNDS = 30
CHUNKS = 2000
CHUNKS_QUICK = 50
TURNS = 1000
TURNS_QUICK = 120
TURNS_BEFORE = 100
FORWARDER = "a plain agent on the protocol's library that forwards with httpx"
FIRST_LIMIT_MS = 5.0
CHUNKS_LIMIT = 1.3
GROWTH_LIMIT_MB = 2.0
SMALL = "lab/small"
CONFIG = """[models.small]
provider = "lab"
model = "small"
base_url = "{url}"
context_window = 8000
"""
"""A model whose window is full every twenty turns or so, where a turn has `PADDING`."""
PADDING = "Please go on with the work, and mind what was said before. " * 10


def measure(settings: Settings) -> list[Measured]:
    """First words, many words, and memory over many turns."""
    with Relays(settings) as relays:
        chunks, rounds = settings.size_of(CHUNKS, CHUNKS_QUICK), settings.rounds_of(ROUNDS)
        first = _in_turns(rounds, relays.first)
        many = _in_turns(rounds, lambda side: relays.all(side, chunks))
        turns = settings.size_of(TURNS, TURNS_QUICK)
        growth, shortened = relays.growth(turns), relays.growth(turns, SMALL, PADDING)
    return [
        _row("first", "Server's first byte to the first chunk", None, FIRST_LIMIT_MS, first, Statistic.MEDIAN),
        _row("first-beside", "Server's first byte to the first chunk", FORWARDER, 1.0, first, Statistic.MINIMUM),
        _row("chunks", f"A turn of {chunks:,} chunks", FORWARDER, CHUNKS_LIMIT, many, Statistic.MINIMUM),
        _growth_row("growth", turns, "", growth),
        _growth_row("growth-shortened", turns, ", the history made shorter near the window's end", shortened),
    ]


def _growth_row(name: str, turns: int, how: str, sample: Sample) -> Measured:
    what = f"Growth of resident memory from turn {TURNS_BEFORE} to turn {turns:,}{how}"
    return Measured(f"relay.{name}", what, None, "MB", Statistic.MAXIMUM, GROWTH_LIMIT_MB, (sample,))


def _in_turns(rounds: int, sample: Callable[[Side], Sample]) -> list[Sample]:
    """Both sides, turn by turn; each round another one goes first."""
    order = [list(Side), list(reversed(Side))]
    return [sample(side) for number in range(rounds) for side in order[number % 2]]


def _row(
    name: str, what: str, floor: str | None, limit: float, samples: list[Sample], statistic: Statistic
) -> Measured:
    kept = samples if floor else [sample for sample in samples if sample.side is Side.OURS]
    return Measured(f"relay.{name}", what, floor, "ms", statistic, limit, tuple(kept))


class Relays:
    """The server, and both agents in a session that has asked it before."""

    def __init__(self, settings: Settings) -> None:
        """Make the environment that both run in."""
        self._settings = settings
        self._python = str(install(settings.folder / "venv"))

    def __enter__(self) -> Relays:
        self._server = ModelServer()
        url = self._server.url
        folder = self._settings.folder
        config = folder / "config"
        config.mkdir()
        (config / "config.toml").write_text(CONFIG.format(url=url), encoding="utf-8")
        environ = {
            "CAUDRA_CONFIG_DIR": str(config),
            "PATH": "/usr/bin:/bin",
            "HOME": str(folder),
            "RELAY_URL": url,
            "CAUDRA_STATE_DIR": str(folder / "state"),
            **self._server.environ(),
        }
        commands = {
            Side.FLOOR: [self._python, relay_agent.__file__],
            Side.OURS: [self._python, "-m", "acp_server"],
        }
        self._agents = {side: Spawned(command, environ) for side, command in commands.items()}
        project = folder / "project"
        project.mkdir()
        self._sessions: dict[Side, str] = {}
        for side, agent in self._agents.items():
            agent.initialize()
            self._sessions[side] = agent.new_session(str(project))
            self.first(side)
        return self

    def __exit__(self, *_: object) -> None:
        for agent in self._agents.values():
            agent.__exit__(None, None, None)
        self._server.kill()

    def first(self, side: Side) -> Sample:
        """Milliseconds from the server's first byte to the editor's first chunk."""
        rest = self._agents[side].prompt(self._sessions[side], "1")
        came = perf_counter()
        rest()
        return Sample(side, (came - float(self._server.said())) * 1000)

    def all(self, side: Side, chunks: int) -> Sample:
        """Milliseconds from a prompt to its answer."""
        began = perf_counter()
        self._agents[side].prompt(self._sessions[side], str(chunks))()
        took = perf_counter() - began
        self._server.said()
        return Sample(side, took * 1000)

    def growth(self, turns: int, model: str | None = None, padding: str = "") -> Sample:
        """Megabytes that our agent grows by over many turns of one session, after the first."""
        agent = self._agents[Side.OURS]
        session = agent.new_session(str(self._settings.folder / "project"))
        if model is not None:
            option = {"sessionId": session, "configId": "model", "value": model}
            agent.request("session/set_config_option", option)
        before = 0.0
        for number in range(turns):
            agent.prompt(session, f"{padding}\n2")()
            self._server.said()
            before = agent.resident_mb() if number == TURNS_BEFORE else before
        return Sample(Side.OURS, agent.resident_mb() - before)
