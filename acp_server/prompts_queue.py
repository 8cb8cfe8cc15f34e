"""The prompts of one session: they run one after another, and each is answered once.

Rules
1. At most eight prompts are unanswered, the running one among them; one more is refused.
2. `session/cancel` ends the running one and all that were received before it; they are answered in order. A
   prompt received after it runs.
3. `$/cancel_request` ends just its own, at once.
4. A prompt that was cancelled before its answer went out is answered `cancelled`, whatever its turn returned.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field

from acp_server.events import TurnEnded

MAX_PROMPTS = 8

CANCELLED = TurnEnded("cancelled")

Turn = Callable[[], Coroutine[object, object, TurnEnded]]


class QueueFull(Exception):
    """Rule 1."""


@dataclass(eq=False, slots=True)
class Prompt:
    """One prompt that was not answered yet."""

    serial: int
    turn: Turn
    first: asyncio.Event = field(default_factory=asyncio.Event)
    cancelled: bool = False
    task: asyncio.Task[TurnEnded] | None = None

    def cancel(self) -> None:
        """End it where it runs; where it waits it is answered when those before it are."""
        if not self.cancelled:
            self.cancelled = True
            if self.task is not None:
                self.task.cancel()

    def cancel_at_once(self) -> None:
        """End it without waiting for those before it."""
        self.cancel()
        self.first.set()


class PromptQueue:
    """The unanswered prompts of one session, the running one first."""

    def __init__(self) -> None:
        self._prompts: list[Prompt] = []

    def add(self, serial: int, turn: Turn) -> Prompt:
        """Take a prompt in. Raises QueueFull."""
        if len(self._prompts) >= MAX_PROMPTS:
            raise QueueFull
        prompt = Prompt(serial, turn)
        self._prompts.append(prompt)
        self._prompts[0].first.set()
        return prompt

    async def run(self, prompt: Prompt) -> TurnEnded:
        """Wait for the prompt's turn to come, run it, and say how it ended."""
        try:
            await prompt.first.wait()
            if prompt.cancelled:
                return CANCELLED
            prompt.task = asyncio.create_task(prompt.turn())
            return await _outcome(prompt)
        finally:
            self._prompts.remove(prompt)
            if self._prompts:
                self._prompts[0].first.set()

    def cancel(self) -> list[int]:
        """Cancel all that were received until now; their serial numbers."""
        for prompt in self._prompts:
            prompt.cancel()
        return [prompt.serial for prompt in self._prompts]


async def _outcome(prompt: Prompt) -> TurnEnded:
    ended = await _settled(prompt)
    return CANCELLED if prompt.cancelled else ended


async def _settled(prompt: Prompt) -> TurnEnded:
    """What the turn returned. A cancel of the waiting task is passed on to the turn, whose end is still
    awaited.
    """
    task = prompt.task
    assert task is not None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            prompt.cancel()
    return CANCELLED if task.cancelled() else task.result()
