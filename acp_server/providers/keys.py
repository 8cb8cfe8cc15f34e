"""The key of a server, read beside the event loop: a keyring may ask the person first, and a disk may hang."""

from __future__ import annotations

from acp_server.aside import aside
from acp_server.models.keyring_store import KeyringFault
from acp_server.models.values import Endpoint
from acp_server.providers.faults import FaultKind, WireFault

MAX_SECONDS = 10.0
"""Longer than whoever reads keys waits for a keyring."""


async def key_of(endpoint: Endpoint) -> str | None:
    """The key as it is now, None where there is none or none comes in time. Raises WireFault where a keyring has one
    and doesn't give it.
    """
    try:
        return await aside(lambda _: endpoint.key(), MAX_SECONDS)
    except TimeoutError:
        return None
    except KeyringFault as fault:
        raise WireFault(FaultKind.KEY_LOCKED, fault.reason) from fault
