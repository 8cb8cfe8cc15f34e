"""What goes from the first loop to the rest of the agent, and the bounds that hold on both sides. Light."""

from __future__ import annotations

import os

from acp_server.sentences import wire as sentences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from acp_server.desk import Desk
    from acp_server.lines import Line, LineReader
    from acp_server.stdio import Stdio

MAX_UNANSWERED = 512
"""Requests that may wait for an answer; far more than an editor has open, few enough to keep."""

END_SIGNALS = ("SIGTERM", "SIGINT", "SIGHUP")


class HandOver:
    """The line reader, the lines that wait, and the desk with its sessions; nothing else."""

    __slots__ = ("desk", "held", "reader", "stdio")

    def __init__(self, stdio: Stdio, reader: LineReader, held: list[Line], desk: Desk) -> None:
        self.stdio = stdio
        self.reader = reader
        self.held = held
        self.desk = desk


def end_broken(error: ImportError) -> NoReturn:
    """A part of the agent can't be imported: say so on stderr and end with exit code 1, whatever still runs."""
    os.write(2, f"{sentences.BROKEN_INSTALLATION} ({error})\n".encode())
    os._exit(1)
