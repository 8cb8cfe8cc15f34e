"""The models behind a network as providers. What speaks HTTP is loaded when the first of them is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_server.models.finding import Models
from acp_server.models.values import Model

if TYPE_CHECKING:
    from acp_server.providers.http import Http
    from acp_server.providers.interface import Provider


class Remotes:
    """`registry.Remote`: all of them over one ring, so that connections are used again."""

    def __init__(self, models: Models) -> None:
        """`models` finds what a name means."""
        self.models = models
        self._http: Http | None = None

    def find(self, model: str) -> Provider:
        """The provider of `provider/model`. Raises ProviderFault where it can't be asked."""
        return self.provider_of(self.models.find(model))

    def provider_of(self, model: Model) -> Provider:
        """The provider of a model that was found."""
        from acp_server.providers.remote import RemoteProvider

        return RemoteProvider(model, self.http())

    def http(self) -> Http:
        """The ring around the network."""
        if self._http is None:
            from acp_server.providers.http import Http

            self._http = Http()
        return self._http

    async def close(self) -> None:
        """Close every connection."""
        if self._http is not None:
            await self._http.aclose()
