"""A runner that does what a prompt says, so that the wire is tried without a model, a memory or a tool.

`say X`, `stream N`, `sleep`, `spin`, `ask`, `card`, `where`, `child`, `orphan`, `print`, `raise`, `fail`, `late`,
`nan`, `big N`
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import warnings
from collections.abc import Awaitable, Callable, Sequence

from acp_server.children import Children
from acp_server.events import Card, CardChanged, CardOpened, TextChunk, TitleChanged, TurnEnded
from acp_server.providers.interface import JsonObject
from acp_server.seams import Asker, Emit, PermissionOption, Runner, SessionState
from acp_server.session_files.keeping import Kept
from acp_server.session_files.restoring import Restored
from acp_server.world import World

OPTIONS = (
    PermissionOption("yes", "Allow", "allow_once"),
    PermissionOption("always", "Always allow", "allow_always"),
    PermissionOption("no", "Reject", "reject_once"),
)


def runner(world: World) -> Runner:
    """The door."""
    return WireRunner(world)


class Turn:
    """One turn's tools of the trade."""

    def __init__(self, world: World, session: SessionState, emit: Emit, asker: Asker, rest: str) -> None:
        self.world, self.session, self.emit, self.asker, self.rest = world, session, emit, asker, rest
        self.message = world.ids()

    async def say(self, text: str) -> None:
        await self.emit(TextChunk(self.message, text))


class WireRunner:
    """`seams.Runner` by script."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.children = Children()
        self.late: set[asyncio.Task[None]] = set()
        self.steps: dict[str, Callable[[Turn], Awaitable[None]]] = {
            name.removeprefix("do_"): getattr(self, name) for name in dir(self) if name.startswith("do_")
        }

    async def prepare(self, session: SessionState) -> None:
        pass

    async def restore(self, session: SessionState, restored: Restored, kept: Kept) -> None:
        pass

    def usage(self, session: SessionState) -> None:
        return None

    async def option_changed(self, session: SessionState, option: str, value: str | bool) -> None:
        pass

    async def forget_session(self, session_id: str) -> None:
        pass

    async def close(self) -> None:
        await self.children.end_all()

    async def run(
        self, session: SessionState, prompt_text: str, emit: Emit, asker: Asker, blocks: Sequence[JsonObject] = ()
    ) -> TurnEnded:
        word, _, rest = prompt_text.partition(" ")
        turn = Turn(self.world, session, emit, asker, rest)
        if word == "fail":
            return TurnEnded("end_turn", error="The model is not there; choose another.")
        try:
            await self.steps[word](turn)
        except asyncio.CancelledError:
            return TurnEnded("cancelled")
        return TurnEnded("end_turn")

    async def do_say(self, turn: Turn) -> None:
        await turn.say(turn.rest)

    async def do_stream(self, turn: Turn) -> None:
        for number in range(int(turn.rest)):
            await turn.say(f"w{number} ")
        await turn.emit(TitleChanged("Streaming"))

    async def do_big(self, turn: Turn) -> None:
        await turn.say("x" * int(turn.rest))

    async def do_length(self, turn: Turn) -> None:
        await turn.say(str(len(turn.rest)))

    async def do_where(self, turn: Turn) -> None:
        await turn.say(f"{turn.session.cwd} {turn.session.model} {turn.session.client}")

    async def do_sleep(self, turn: Turn) -> None:
        await turn.say("asleep")
        await asyncio.Event().wait()

    async def do_spin(self, turn: Turn) -> None:
        await turn.say("spinning")
        while True:
            pass

    async def do_ask(self, turn: Turn) -> None:
        call = f"call-{self.world.ids()}"
        await turn.emit(CardOpened(call, "Write a file", "edit"))
        choice = await turn.asker.ask(turn.session.session_id, {"toolCallId": call, "status": "pending"}, OPTIONS)
        await turn.emit(CardChanged(call, "completed" if choice in ("yes", "always") else "failed", Card()))
        await turn.say(f"chosen {choice}")

    async def do_card(self, turn: Turn) -> None:
        await turn.emit(CardOpened("left-open", "Wait for ever", "other"))
        await asyncio.Event().wait()

    async def do_nan(self, turn: Turn) -> None:
        await turn.emit(CardOpened("odd", "Odd numbers", "other"))
        await turn.emit(CardChanged("odd", "completed", Card(raw_output=float("nan"))))

    async def do_surrogate(self, turn: Turn) -> None:
        await turn.say("half \ud83d of a pair")

    async def do_print(self, turn: Turn) -> None:
        print("printed by a tool")
        sys.stdout.flush()
        os.write(1, b"written by a tool\n")
        await asyncio.to_thread(subprocess.run, ["echo", "echoed by a child"], check=True)
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn("warned by a library", stacklevel=1)
        await turn.say(f"read {os.read(0, 10)!r}")

    async def do_raise(self, turn: Turn) -> None:
        await turn.emit(CardOpened("broken", "Break", "other"))
        raise ValueError("internal words, api_key=abcdef1234567890")

    async def do_late(self, turn: Turn) -> None:
        async def after() -> None:
            await asyncio.sleep(0.05)
            await turn.say("too late")

        self.late.add(asyncio.create_task(after()))

    async def do_child(self, turn: Turn) -> None:
        await self.child(turn, "sleep 600 & echo $! $$; wait")

    async def do_orphan(self, turn: Turn) -> None:
        await self.child(turn, "setsid sh -c 'echo $$; exec sleep 600' & wait")

    async def child(self, turn: Turn, script: str) -> None:
        child = await self.children.start(["sh", "-c", script], cwd=turn.session.cwd, environ=self.world.environ)
        try:
            assert child.process.stdout is not None
            pids = (await child.process.stdout.readline()).decode()
            await turn.say(f"pids {pids}")
            await asyncio.Event().wait()
        finally:
            await self.children.end(child)

    async def do_sleep_until_late(self, turn: Turn) -> None:
        await asyncio.gather(*self.late)
