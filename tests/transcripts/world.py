"""The world around a transcript: its folders, its agent, and what happens outside between two messages.

Everything that a transcript shows is fixed here: the clock stands still, ids count, files are dated.
"""

from __future__ import annotations

import os
import re
import select
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acp_server.models.values import Wire
from memory_core.paths import project_home, project_identity
from tests.harness import DEADLINE_SECONDS, AgentProcess
from tests.transcripts import many_notes
from tests.transcripts.model import ModelServer

CLOCK = "2026-01-05T09:00:00Z"
"""When a transcript happens unless it says so; the agent's clock stands still, so that no race shows."""

FILES_DATED_NS = 1_767_500_000_000_000_000
"""The date of each file that is written from outside: 2026-01-04, the day before."""

Act = dict[str, Any]


@dataclass(frozen=True)
class Settings:
    """How the agent of a transcript is started: a file of `tests/doors`, the time, the first id, more environment."""

    doors: str | None = None
    clock: str = CLOCK
    ids: int = 1
    env: dict[str, str] = field(default_factory=dict)

    def row(self) -> dict[str, Any]:
        """What differs from the usual, as the first row of a transcript holds it."""
        usual = Settings()
        return {key: value for key, value in vars(self).items() if value != getattr(usual, key)}


class World:
    """The folders of one transcript."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.project, self.state = self.folder / "project", self.folder / "state"
        self.project.mkdir(parents=True, exist_ok=True)
        self.state.mkdir(exist_ok=True)
        home = project_home(str(self.state), project_identity(str(self.project)))
        self.notes = Path(home) / "memories"
        places = {
            "$NOTES": self.notes,
            "$STATE": self.state,
            "$PROJECT": self.project,
            "$CONFIG": self.folder / "config",
        }
        self._places = {placeholder: str(path) for placeholder, path in places.items()}
        assert re.fullmatch(r"[A-Za-z0-9/]+", str(self.folder)), "a path that no Markdown and no link escapes"
        self._meetings: dict[Path, int] = {}
        self._opened = ExitStack()

    def real(self, text: str) -> str:
        """Placeholders as this folder's paths."""
        for placeholder, path in self._places.items():
            text = text.replace(placeholder, path)
        return text

    def real_bytes(self, line: bytes) -> bytes:
        """Placeholders in a line of the wire as this folder's paths."""
        for placeholder, path in self._places.items():
            line = line.replace(placeholder.encode(), path.encode())
        return line

    def general(self, text: str) -> str:
        """This folder's paths as placeholders."""
        for placeholder, path in self._places.items():
            text = text.replace(path, placeholder)
        return text

    def start(self, settings: Settings) -> AgentProcess:
        """The transcript's agent."""
        env: dict[str, str | None] = {
            "CAUDRA_TEST_CLOCK": f"{many_notes.ns_of(settings.clock)},0",
            "CAUDRA_TEST_IDS": "seq" if settings.ids == 1 else f"seq,{settings.ids}",
            "CAUDRA_CONFIG_DIR": self._places["$CONFIG"],
            "TZ": "UTC",
        }
        extra = {key: self.real(value) for key, value in settings.env.items()}
        return AgentProcess(self.folder, doors=settings.doors, env=env | extra)

    def act(self, act: Act) -> None:
        """Let something happen outside the agent."""
        ACTS[act["do"]](self, act)

    def path(self, act: Act) -> Path:
        """The file or folder that an act is about."""
        return Path(self.real(act["path"]))

    def agree(self, path: Path) -> None:
        """Make a place where the agent's model leaves word."""
        os.mkfifo(path)
        self._meetings[path] = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def meet(self, path: Path) -> None:
        """Wait until the model left word."""
        ready, _, _ = select.select([self._meetings[path]], [], [], DEADLINE_SECONDS)
        assert ready and os.read(self._meetings[path], 1), "the model did not come"

    def serve(self, server: ModelServer) -> None:
        """Have the model's server run from now on; its address is a placeholder too."""
        self._opened.enter_context(server)
        self._places |= {"$SERVER": server.url, "$HOST": server.url.removeprefix("http://")}

    def close(self) -> None:
        """Free what acts opened."""
        self._opened.close()
        for descriptor in self._meetings.values():
            os.close(descriptor)


@contextmanager
def fresh_world() -> Iterator[World]:
    """A world in a temporary folder whose path is plain, whatever the system's usual ones look like."""
    parent = "/tmp" if os.name == "posix" else tempfile.gettempdir()
    folder = Path(parent).resolve() / f"transcript{os.urandom(8).hex()}"
    folder.mkdir(mode=0o700)
    world = World(folder)
    try:
        yield world
    finally:
        world.close()
        shutil.rmtree(folder)


def _write(world: World, act: Act) -> None:
    path = world.path(act)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(world.real(act["text"]).encode())
    os.utime(path, ns=(FILES_DATED_NS, FILES_DATED_NS))


def _remove(world: World, act: Act) -> None:
    world.path(act).unlink()


def _remove_folder(world: World, act: Act) -> None:
    shutil.rmtree(world.path(act))


def _agree(world: World, act: Act) -> None:
    world.agree(world.path(act))


def _meet(world: World, act: Act) -> None:
    world.meet(world.path(act))


def _many_notes(world: World, act: Act) -> None:
    many_notes.make(world.project, world.state, act["notes"])


def _model(world: World, act: Act) -> None:
    world.serve(ModelServer(Wire(act["wire"]), act["chat"], act["title"]))


def _play(world: World, act: Act) -> None:
    from tests.transcripts.player import play

    play(act["transcript"], world)


ACTS: dict[str, Callable[[World, Act], None]] = {
    "write": _write,
    "remove": _remove,
    "remove-folder": _remove_folder,
    "agree": _agree,
    "meet": _meet,
    "many-notes": _many_notes,
    "model": _model,
    "play": _play,
}
"""write a file `path` with `text`; remove one; remove a folder; make a pipe `path`; wait until the model wrote to it,
which it does where its script waits; make `notes` notes with their summaries; have a model's server run (`model.py`);
play another `transcript` first, in the same folders.
"""
