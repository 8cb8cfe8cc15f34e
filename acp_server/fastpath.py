"""The first answers, from the standard library alone; then the hand-over to the rest of the agent. Light.

An editor waits for `initialize` and `session/new`, and importing the protocol's library takes twenty times
as long as a Python start. So this loop answers them while a thread imports.

Rules
1. Imports begin when `session/new` is flushed, when a message waits for them, or 300 ms after the start or
   the last byte read.
2. Once one message waits, all behind it wait in order, bad lines included. As many wait as may be unanswered
   later; then reading stops until the hand-over.
3. Handed over are the line reader, the lines that wait, and the desk with its sessions; nothing else.
"""

from __future__ import annotations

import os
import select
import signal

from acp_server import jsonrpc, wire
from acp_server.desk import Desk
from acp_server.handover import END_SIGNALS, MAX_UNANSWERED, HandOver, end_broken
from acp_server.lines import LineReader
from acp_server.sentences import wire as sentences
from acp_server.stdio import GONE, HAS_POLL, Stdio, claim, write_promptly
from acp_server.world import world_of_process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from acp_server.lines import Line

    StartImports = Callable[[int], None]

IDLE_MS = 300
MAX_HELD_BYTES = 64 * 1024 * 1024


class FirstLoop:
    """Reads and answers on the main thread until the imports are done."""

    def __init__(self, stdio: Stdio, desk: Desk, start_imports: StartImports) -> None:
        self.stdio = stdio
        self.desk = desk
        self.reader = LineReader(stdio.input)
        self.held: list[Line] = []
        self._held_bytes = 0
        self._start_imports = start_imports
        self._importing = False
        self._opened_session = False
        self._woken, self._wake = os.pipe()
        self._poller = select.poll()
        self._poller.register(stdio.input, select.POLLIN)
        self._poller.register(stdio.output, 0)
        self._poller.register(self._woken, select.POLLIN)
        self._reading = True

    def run(self) -> HandOver | None:
        """What is handed over, or None when the client left before there was anything to hand over."""
        while True:
            events = dict(self._poller.poll(None if self._importing else IDLE_MS))
            if events.get(self.stdio.output, 0) & GONE:
                return None
            if self._woken in events:
                return self._hand_over()
            if self.stdio.input in events and not self._read():
                return None
            if not events or self.held or self._opened_session:
                self._begin_imports()

    def _read(self) -> bool:
        """Take in what one read brings; False when the client is gone and nobody waits."""
        answers = [answer for line in self.reader.read() if (answer := self._take(line))]
        if answers and not write_promptly(self.stdio, b"".join(answers)):
            return False
        full = len(self.held) >= MAX_UNANSWERED or self._held_bytes >= MAX_HELD_BYTES
        if self._reading and (self.reader.ended or full):
            self._poller.unregister(self.stdio.input)
            self._reading = False
        return bool(self.held) or not self.reader.ended

    def _take(self, line: Line) -> bytes | None:
        """The bytes that answer a line at once, or None where it waits or wants no answer (rule 2)."""
        if self.held:
            self._hold(line)
            return None
        match wire.read(line):
            case wire.Refusal(reply=reply):
                return jsonrpc.encode(reply)
            case wire.Request(method=method) as request if method in wire.LOCAL_REQUESTS:
                self._opened_session |= method == "session/new"
                return self.desk.answer(request)
            case wire.Request():
                self._hold(line)
            case _:
                pass  # nothing runs yet that a notification or a response could mean
        return None

    def _hold(self, line: Line) -> None:
        self.held.append(line)
        self._held_bytes += len(line or b"")

    def _begin_imports(self) -> None:
        if not self._importing:
            self._importing = True
            self._start_imports(self._wake)

    def _hand_over(self) -> HandOver:
        os.close(self._woken)
        os.close(self._wake)
        return HandOver(self.stdio, self.reader, self.held, self.desk)


def serve(start_imports: StartImports | None = None) -> int:
    """Serve an editor until it leaves; the exit code. `start_imports` writes a byte to its descriptor when
    done.
    """
    for name in END_SIGNALS:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _leave)
    try:
        at_a_terminal = os.isatty(0)
        stdio = claim()
    except OSError:
        return 0  # started without input or output: there is no client
    if at_a_terminal:
        os.write(2, sentences.AT_A_TERMINAL.encode() + b"\n")
    handed = _first_answers(stdio, start_imports or import_beside)
    if handed is None:
        _leave()  # a thread may be in the middle of an import: no orderly end for the interpreter
    try:
        from acp_server.serving import run
    except ImportError as error:
        end_broken(error)
    return run(handed)


def import_beside(wake: int) -> None:
    """Import the rest of the agent on a thread of its own, then write a byte to `wake`."""
    import threading  # on the main thread: the first import decides which thread counts as the main one

    def load() -> None:
        try:
            _import_the_rest()
        except ImportError:
            pass  # it shows at the hand-over, where the same import is tried again
        finally:
            os.write(wake, b"\0")

    threading.Thread(target=load, name="imports", daemon=True).start()


def _import_the_rest() -> None:
    """Import what serves. The library's 280 models are built when they are first used, which is a handful: the setting
    is taken back before any model of ours is made.
    """
    from acp_server.garbage import importing  # late, as all that the first answers don't need

    with importing():
        from pydantic import BaseModel

        BaseModel.model_config["defer_build"] = True
        import acp  # noqa: F401  (loaded for its effect)

        del BaseModel.model_config["defer_build"]
        import acp_server.serving  # noqa: F401  (loaded for its effect)


def _first_answers(stdio: Stdio, start_imports: StartImports) -> HandOver | None:
    desk = Desk(world_of_process())
    if not HAS_POLL:
        return HandOver(stdio, LineReader(stdio.input), [], desk)
    return FirstLoop(stdio, desk, start_imports).run()


def _leave(*_: object) -> NoReturn:
    """Nothing runs yet: the process can go at once."""
    os._exit(0)
