"""Which provider answers for a model."""

from __future__ import annotations

from collections.abc import Iterable

from acp_server.providers.interface import ModelInfo, Provider, ProviderFault
from acp_server.sentences.turn import no_such_model


class Providers:
    """The providers in order; the first model of the first is the default."""

    def __init__(self, providers: Iterable[Provider]) -> None:
        """At least one provider."""
        self._providers = tuple(providers)

    def models(self) -> tuple[ModelInfo, ...]:
        """Every model offered now, each value once."""
        offered = {model.value: model for provider in reversed(self._providers) for model in provider.models()}
        ordered = [model.value for provider in self._providers for model in provider.models()]
        return tuple(offered[value] for value in dict.fromkeys(ordered))

    def find(self, model: str) -> Provider:
        """The provider of `provider/model`; raises ProviderFault where none offers it."""
        for provider in self._providers:
            if any(offered.value == model for offered in provider.models()):
                return provider
        raise ProviderFault(no_such_model(model, ", ".join(offered.value for offered in self.models())))
