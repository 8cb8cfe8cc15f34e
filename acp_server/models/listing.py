"""Asks servers which models they have: after a session began, in the background, for a bounded time.

A server that can't be reached or answers something else is a line in the log and nothing in the chat: what is known
beforehand stays. What a server said is kept for the process and asked for again after `KEPT_SECONDS`.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

from acp_server.models.facts import Facts
from acp_server.models.finding import Models
from acp_server.models.listed import models_of
from acp_server.models.presets import PRESETS
from acp_server.models.remotes import Remotes
from acp_server.models.servers import Server
from acp_server.models.shelf import Shelf
from acp_server.models.urls import redacted
from acp_server.models.values import Endpoint, Model
from acp_server.providers.faults import WireFault
from acp_server.sentences.log import MODELS_NOT_LISTED

LISTING_SECONDS = 10.0
KEPT_SECONDS = 3600.0
MAX_BYTES = 8 * 1024 * 1024

_log = logging.getLogger(__name__)


class NotListed(Exception):
    """A server didn't list its models; `reason` is a kind of fault or a status, never a text of the server."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


async def list_models(endpoint: Endpoint, remotes: Remotes) -> tuple[Facts, ...]:
    """What one server lists. Raises NotListed."""
    from acp_server.providers.http import Refused
    from acp_server.providers.keys import key_of
    from acp_server.providers.wires import WIRES

    try:
        key = await key_of(endpoint)
        url, headers = listing_url(endpoint), WIRES[endpoint.wire].headers(Model("", "", endpoint), key)
        async with asyncio.timeout(LISTING_SECONDS):
            return models_of(await remotes.http().get(url, headers, MAX_BYTES))
    except TimeoutError:
        raise NotListed("timeout") from None
    except Refused as refused:
        raise NotListed(str(refused.status)) from None
    except WireFault as fault:
        raise NotListed(fault.kind.value) from None
    except (ValueError, RecursionError):
        raise NotListed("answer") from None


def listing_url(endpoint: Endpoint) -> str:
    """Where a server lists its models."""
    from urllib.parse import urlencode

    base, query = endpoint.base_url, dict(endpoint.query)
    if endpoint.provider == "anthropic":
        base, query = f"{base.removesuffix('/v1')}/v1", {**query, "limit": "1000"}
    return f"{base}/models{'?' if query else ''}{urlencode(query)}"


class Lister:
    """Keeps `shelf.listed` filled."""

    def __init__(self, shelf: Shelf, now: Callable[[], float] = time.monotonic) -> None:
        """`now` is in seconds."""
        self._shelf = shelf
        self._models = Models(shelf)
        self._now = now
        self._asked: dict[tuple[str, str, str], float] = {}

    async def refresh(self) -> bool:
        """Ask each server that can be asked and wasn't lately; whether what can be chosen changed."""
        due = [server for server in self._shelf.look().servers() if self._is_due(server)]
        if not due:
            return False
        before = dict(self._shelf.listed)
        remotes = Remotes(self._models)
        try:
            await asyncio.gather(*(self._list(server, remotes) for server in due))
        finally:
            await remotes.close()
        return {key: _ids(models) for key, models in before.items()} != {
            key: _ids(models) for key, models in self._shelf.listed.items()
        }

    def _is_due(self, server: Server) -> bool:
        if not PRESETS[server.provider].lists:
            return False
        key = (server.provider, server.base_url, server.key_from)
        asked = self._asked.get(key)
        if asked is not None and self._now() - asked < KEPT_SECONDS:
            return False
        self._asked[key] = self._now()
        return True

    async def _list(self, server: Server, remotes: Remotes) -> None:
        endpoint = self._models.endpoint_of(server)
        try:
            models = await list_models(endpoint, remotes)
        except NotListed as fault:
            _log.warning(MODELS_NOT_LISTED, server.provider, redacted(server.base_url), fault.reason)
            return
        if models:
            self._shelf.listed[server.provider, server.base_url] = models


def _ids(models: tuple[Facts, ...]) -> tuple[str, ...]:
    return tuple(facts.id for facts in models)
