"""Tries a key before it is stored: one short request to the server that it is for."""

from __future__ import annotations

from collections.abc import Callable

from acp_server.models.credentials import Credentials, Stored
from acp_server.models.finding import Models
from acp_server.models.listing import NotListed, list_models
from acp_server.models.presets import PRESETS
from acp_server.models.remotes import Remotes
from acp_server.models.settings import Entry
from acp_server.models.shelf import Look, Shelf, Unfit
from acp_server.providers.interface import ProviderFault, Purpose, Request, UserItem, Waiting
from acp_server.sentences import setup as say

OUTPUT_TOKENS = 64
"""Enough for one word; a model that thinks may stop at the bound, which is an answer as well."""


class TrialFailed(Exception):
    """The server couldn't be asked; `sentence` says why and holds no secret."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class _TrialShelf(Shelf):
    """A shelf on which one provider has what is to be tried, whatever the environment says of its key."""

    def __init__(self, shelf: Shelf, provider: str, stored: Stored) -> None:
        own = PRESETS[provider].keys if provider in PRESETS else ()
        environ = {name: value for name, value in shelf.environ.items() if name not in own or not stored.key}
        if stored.base_url:
            hidden = PRESETS[provider].base_urls if provider in PRESETS else ()
            environ = {name: value for name, value in environ.items() if name not in hidden}
        super().__init__(environ, shelf.config_dir, testing=shelf.testing)
        self._provider = provider
        self._stored = stored

    def look(self) -> Look:
        """Everything as it is now, with what is tried in its place."""
        look = super().look()
        look.stored = Credentials({**look.stored.providers, self._provider: self._stored})
        return look


class Trial:
    """One trial of `stored` as what a provider has."""

    def __init__(self, shelf: Shelf, provider: str, stored: Stored) -> None:
        self._shelf = _TrialShelf(shelf, provider, stored)
        self._provider = provider
        self._models = Models(self._shelf)

    async def run(self, model: str | None, waiting: Callable[[str], None]) -> str:
        """What was found out, as a sentence; `waiting` is told of each wait. Raises TrialFailed."""
        remotes = Remotes(self._models)
        try:
            value = self._value(model) or await self._listed(remotes)
            if not value:
                return say.LISTED
            await self._ask(remotes, value, waiting)
        finally:
            await remotes.close()
        return say.ANSWERED

    def _value(self, model: str | None) -> str:
        """The model to ask, "" where the server must be asked for one first."""
        if model is not None:
            return model if model.startswith(f"{self._provider}/") else f"{self._provider}/{model}"
        look = self._shelf.look()
        if entry := self._entry(look):
            return entry.value
        server = look.server(self._provider)
        first = look.first_of(server)
        return f"{self._provider}/{first}" if first else ""

    def _entry(self, look: Look) -> Entry | None:
        entries = look.settings.models.values()
        return next((entry for entry in entries if entry.provider == self._provider), None)

    async def _listed(self, remotes: Remotes) -> str:
        """The first model that the server lists, "" where it lists none."""
        server = self._shelf.look().server(self._provider)
        if server.problem:
            raise TrialFailed(server.problem)
        if not PRESETS[self._provider].lists:
            raise TrialFailed(say.NAME_A_MODEL)
        try:
            listed = await list_models(self._models.endpoint_of(server), remotes)
        except NotListed as fault:
            raise TrialFailed(say.not_listed(fault.reason)) from None
        return f"{self._provider}/{listed[0].id}" if listed else ""

    async def _ask(self, remotes: Remotes, value: str, waiting: Callable[[str], None]) -> None:
        plan = self._shelf.look().plan(value)
        if isinstance(plan, Unfit):
            raise TrialFailed(plan.reason)
        request = Request(
            model=plan.value,
            system=say.TRIAL_SYSTEM,
            tools=(),
            items=(UserItem(say.TRIAL_WORDS),),
            purpose=Purpose.CHAT,
            max_output_tokens=OUTPUT_TOKENS,
        )
        try:
            async for event in remotes.provider_of(self._models.model_of(plan)).stream(request):
                if isinstance(event, Waiting):
                    waiting(event.sentence)
        except ProviderFault as fault:
            raise TrialFailed(fault.sentence) from None
