"""Tools that look at files, run over a real project as a turn runs them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from turn_support import Stage, asks, call, ends, stage

from acp_server.children import Children
from acp_server.client_files import ClientFiles
from acp_server.events import Card
from acp_server.providers.interface import ToolItem
from acp_server.tools.list_directory import ListDirectory
from acp_server.tools.read_file import ReadFile
from acp_server.tools.search_text import SearchText


def looking(folder: Path, *, seconds: float = 10.0, closed: tuple[str, ...] = ()) -> Stage:
    """A stage whose model has the tools that look."""
    eyes = (ReadFile(ClientFiles(), closed), ListDirectory(closed), SearchText(Children(), closed, seconds))
    return stage(folder, tools=eyes)


async def use(scene: Stage, name: str, **arguments: Any) -> ToolItem:
    """The result of one call."""
    await scene.say("look", script=[asks(*call(arguments, name)), ends()])
    return scene.results[-1]


async def card_of(scene: Stage, name: str, **arguments: Any) -> Card:
    """The card of one call."""
    await use(scene, name, **arguments)
    return scene.card()


def put(scene: Stage, name: str, data: str | bytes) -> Path:
    """A file of the project."""
    path = scene.project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


async def cancelled_at(scene: Stage, name: str, reached: asyncio.Event, **arguments: Any) -> str:
    """The stop reason of a turn that is cancelled in its call, once `reached` is set."""
    turn = asyncio.create_task(scene.say("look", script=[asks(*call(arguments, name)), ends()]))
    await reached.wait()
    turn.cancel()
    return (await turn).stop_reason
