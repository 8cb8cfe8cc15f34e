"""`test/scripted` as a model behind a server of the test: its address and its wire come from the environment.

Waits between attempts take a hundredth of their time, so that a minute is over soon; everything else is the real thing.
"""

from __future__ import annotations

import asyncio
import os

from acp_server.models.values import Endpoint, Model, Wire
from acp_server.providers.http import Http
from acp_server.providers.interface import Provider
from acp_server.providers.remote import RemoteProvider
from acp_server.providers.watch import Timeouts


async def soon(seconds: float) -> None:
    """Wait a hundredth of it; where the test wants to see a wait, for ever."""
    await asyncio.sleep(3600 if os.environ.get("CAUDRA_TEST_LONG_WAITS") else seconds / 100)


def providers() -> dict[str, Provider]:
    """The one model."""
    environ = os.environ
    endpoint = Endpoint(
        provider="tester",
        wire=Wire(environ["CAUDRA_TEST_WIRE"]),
        base_url=f"{environ['CAUDRA_TEST_SERVER']}/v1",
        key=lambda: environ.get("TESTER_API_KEY"),
        key_name="TESTER_API_KEY",
    )
    model = Model("test/scripted", "the-model", endpoint)
    silence = float(environ.get("CAUDRA_TEST_SILENCE", "300"))
    return {"remote": RemoteProvider(model, Http(Timeouts(silence=silence, first_byte=silence)), sleep=soon)}
