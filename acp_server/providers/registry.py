"""Which provider answers for a model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from acp_server.providers.interface import ModelInfo, Provider, ProviderFault
from acp_server.sentences.turn import no_such_model


class Remote(Protocol):
    """The models behind a network."""

    def find(self, model: str) -> Provider:
        """The provider of `provider/model`. Raises ProviderFault where it can't be asked."""
        ...

    async def close(self) -> None:
        """Close every connection."""
        ...


class Providers:
    """The providers in order; the first model of the first is the default. `remote` has all others."""

    def __init__(self, providers: Iterable[Provider], remote: Remote | None = None) -> None:
        """At least one provider."""
        self._providers = tuple(providers)
        self._remote = remote

    def models(self) -> tuple[ModelInfo, ...]:
        """Every model offered without a network, each value once."""
        offered = {model.value: model for provider in reversed(self._providers) for model in provider.models()}
        ordered = [model.value for provider in self._providers for model in provider.models()]
        return tuple(offered[value] for value in dict.fromkeys(ordered))

    def find(self, model: str) -> Provider:
        """The provider of `provider/model`. Raises ProviderFault where none has it, or it can't be asked."""
        for provider in self._providers:
            if any(offered.value == model for offered in provider.models()):
                return provider
        if self._remote is not None:
            return self._remote.find(model)
        raise ProviderFault(no_such_model(model, ", ".join(offered.value for offered in self.models())))

    async def close(self) -> None:
        """Close every connection."""
        if self._remote is not None:
            await self._remote.close()
