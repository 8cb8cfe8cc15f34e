"""Sends prepared updates through the agent's transport, one by one, and does nothing else: a floor for a load."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from acp_server import jsonrpc
from acp_server.desk import Desk
from acp_server.handover import HandOver
from acp_server.lines import LineReader
from acp_server.stdio import claim
from acp_server.transport import StdioTransport
from acp_server.world import world_of_process


async def main(path: str) -> None:
    """Answer each `session/list` with an empty result, and each `session/load` with the updates before it."""
    updates = json.loads(Path(path).read_text(encoding="utf-8"))
    stdio = claim()
    handed = HandOver(stdio, LineReader(stdio.input), [], Desk(world_of_process()))
    transport = StdioTransport(handed, _no_turns)
    while (request := await transport.receive()) is not None:
        if request["method"] == "session/load":
            for update in updates:
                await transport.send(jsonrpc.session_update("long", update))
        await transport.send(jsonrpc.result_reply(request["id"], {}))


async def _no_turns() -> None:
    """There are none to end."""


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
