"""The headers of a request. Pure; the key comes in at each request and goes nowhere else."""

from __future__ import annotations

from acp_server.models.values import Model

BEARER = "Authorization"


def bearer(model: Model, key: str | None) -> dict[str, str]:
    """Headers with the key as a bearer's token, where the server's quirks name no other header."""
    return _headers(model, key, BEARER)


def plain(model: Model, key: str | None, header: str) -> dict[str, str]:
    """Headers with the key in a header of its own, where the server's quirks name no other."""
    return _headers(model, key, header)


def _headers(model: Model, key: str | None, header: str) -> dict[str, str]:
    chosen = model.endpoint.quirks.key_header or header
    found = {"Accept": "text/event-stream", "Content-Type": "application/json"}
    if key:
        found[chosen] = f"Bearer {key}" if chosen.lower() == BEARER.lower() else key
    return {**found, **model.endpoint.headers}
