"""The headers of a request. Pure; the key comes in at each request and goes nowhere else."""

from __future__ import annotations

from acp_server.models.values import Model

BEARER = "authorization"


def heads(model: Model, key: str | None, header: str) -> dict[str, str]:
    """Headers by their names in small letters: the key in `header`, unless the server's quirks name another, and what
    the endpoint adds.
    """
    found = {"accept": "text/event-stream", "content-type": "application/json"}
    if key:
        chosen = (model.endpoint.quirks.key_header or header).lower()
        found[chosen] = f"Bearer {key}" if chosen == BEARER else key
    return found | {name.lower(): value for name, value in model.endpoint.headers.items()}
