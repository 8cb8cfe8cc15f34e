"""What a headless run prints: the answer as text, or every event as JSON, one object a line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from acp_server import updates
from acp_server.events import CardOpened, Notice, TextChunk, TurnEnded, TurnEvent, UsageChanged, Wait
from acp_server.exits import Exit
from acp_server.providers.interface import JsonObject
from acp_server.terminal import Output, OutputFault

VERSION = 1


class Surface(Protocol):
    """Draws a run."""

    def began(self, session: str, model: str, project: str) -> None:
        """The run begins."""
        ...

    def show(self, event: TurnEvent) -> None:
        """One event of the turn."""
        ...

    def ended(self, ended: TurnEnded, refused: tuple[str, ...], code: Exit) -> None:
        """The run ended."""
        ...


class TextSurface:
    """The model's words alone on standard output, as they come; messages are parted by an empty line."""

    def __init__(self, out: Output, tell: Callable[[str], None]) -> None:
        """`tell` says a sentence beside the answer, on standard error."""
        self._out = out
        self._tell = tell
        self._message = ""

    def began(self, session: str, model: str, project: str) -> None:
        """Nothing."""

    def show(self, event: TurnEvent) -> None:
        """Text to the output, notices and waits beside it, and nothing of the rest."""
        match event:
            case Notice(text=text) | Wait(text=text):
                self._tell(text.strip())
            case TextChunk(message_id, text):
                if self._message not in ("", message_id):
                    self._out.empty_line()
                self._message = message_id
                self._out.write(text)
                self._out.flush()
            case _:
                pass

    def ended(self, ended: TurnEnded, refused: tuple[str, ...], code: Exit) -> None:
        """The last line gets its end."""
        del ended, refused, code
        self._out.fresh_line()
        self._out.flush()


class JsonSurface:
    """One JSON object a line: `start`, then `update`, `notice` and `usage` as they come, then `end`."""

    def __init__(self, out: Output) -> None:
        self._out = out

    def began(self, session: str, model: str, project: str) -> None:
        """`start`."""
        self._send({"type": "start", "version": VERSION, "session": session, "model": model, "project": project})

    def show(self, event: TurnEvent) -> None:
        """An event in the words of the protocol's own updates, but for notices and usage."""
        match event:
            case Notice(text=text):
                self._send({"type": "notice", "text": text.strip()})
            case UsageChanged(used, size, cost):
                self._send({"type": "usage", "used": used, "size": size, "cost": cost})
            case _:
                update = updates.update_of(event)
                if update is not None:
                    self._send({"type": "update", "update": update})

    def ended(self, ended: TurnEnded, refused: tuple[str, ...], code: Exit) -> None:
        """`end`."""
        self._send(
            {
                "type": "end",
                "stop_reason": ended.stop_reason,
                "error": ended.error,
                "refused": list(refused),
                "exit": code.value,
            }
        )

    def _send(self, value: JsonObject) -> None:
        self._out.json(value)
        self._out.flush()


class Emitting:
    """`seams.Emit` of a headless run. Where the output's reader is gone, the turn is stopped and the fault kept."""

    def __init__(self, surface: Surface, watch: Callable[[TurnEvent], None]) -> None:
        """`watch` is told of every event first; `stop` is set once there is a turn to stop."""
        self._surface = surface
        self._watch = watch
        self.stop: Callable[[], object] = lambda: None
        self.answered = False
        """Whether the model said or did anything."""
        self.fault: OutputFault | None = None

    async def __call__(self, event: TurnEvent) -> None:
        """Show an event."""
        self._watch(event)
        self.answered = self.answered or (isinstance(event, TextChunk | CardOpened) and not isinstance(event, Notice))
        if self.fault is not None:
            return
        try:
            self._surface.show(event)
        except OutputFault as fault:
            self.fault = fault
            self.stop()
