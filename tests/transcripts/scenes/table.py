"""The table of scenes, and how a function becomes one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.transcripts.client import Client
from tests.transcripts.world import Settings

SCRIPTED = "scripted_model.py"
MODEL = "test/scripted"


@dataclass(frozen=True)
class Scene:
    """What is played, and with which agent."""

    play: Callable[[Client], None]
    settings: Settings


USUAL = Settings()
SCENES: dict[str, Scene] = {}


def scene(settings: Settings = USUAL) -> Callable[[Callable[[Client], None]], Callable[[Client], None]]:
    """Put a function into the table under its name, with hyphens."""

    def keep(play: Callable[[Client], None]) -> Callable[[Client], None]:
        SCENES[play.__name__.replace("_", "-")] = Scene(play, settings)
        return play

    return keep
