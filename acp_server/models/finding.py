"""`Models`: a chosen name becomes a model that can be asked, and a job finds its model."""

from __future__ import annotations

from collections.abc import Mapping

from acp_server.models.catalog import catalog
from acp_server.models.facts import Facts
from acp_server.models.keyring_store import READER, KeyringReader
from acp_server.models.quirks import quirks_of
from acp_server.models.servers import FROM_KEYRING, Server, key_in
from acp_server.models.shelf import Look, Plan, Shelf, Unfit
from acp_server.models.values import Endpoint, Job, Model, Price, Wire
from acp_server.providers.interface import ProviderFault
from acp_server.sentences import models as say

FOLLOWS = {Job.MEMORY: Job.COMPACTION, Job.COMPACTION: Job.CHAT}
"""Whose model an unbound job takes (specification: "Summaries and spend"); Fast has a rule of its own."""


class Models:
    """Finds models, each time anew: a key or an address that changed counts from the next request on.

    `bindings` are those of `[jobs]` when the process began, by job; a change of the file counts after a restart, one
    that is made here counts at once (specification: "Summaries and spend").
    """

    def __init__(self, shelf: Shelf, keyring: KeyringReader = READER) -> None:
        """`shelf` is what there is to choose from; `keyring` reads keys that the system keeps."""
        self._shelf = shelf
        self._keyring = keyring
        self.bindings = dict(shelf.look().settings.jobs)

    def find(self, value: str) -> Model:
        """The model that a value chooses. Raises ProviderFault where it can't be asked as it was meant.

        A key that is missing shows when the model is asked: until then it may appear.
        """
        plan = self._shelf.look().plan(value)
        if isinstance(plan, Unfit):
            raise ProviderFault(plan.reason)
        return self.model_of(plan)

    def model_of(self, plan: Plan) -> Model:
        """The model of a plan."""
        facts, server = plan.facts, plan.server
        if server.key_from == FROM_KEYRING:
            self._keyring.ask(server.provider)
        return Model(
            value=plan.value,
            id=plan.model_id,
            endpoint=self._endpoint(plan),
            name=facts.name,
            description=say.model_description(server.title, facts.context_window, facts.price, facts.up_to_tokens),
            context_window=facts.context_window,
            max_output=facts.max_output,
            price=_price(facts),
            thinks=facts.thinks,
        )

    def for_job(self, job: Job, session_model: str) -> Model | str | None:
        """The model of a job beside a session's; None for the embedded model, which isn't asked over a network; a
        sentence where the binding can't be resolved.
        """
        look = self._shelf.look()
        value = _bound(look, self.bindings, job, session_model)
        if isinstance(value, Unfit):
            return value.reason
        if value in look.own:
            return None
        plan = look.plan(value)
        if isinstance(plan, Unfit):
            return say.job_unresolved(job.value, plan.reason)
        return say.job_unresolved(job.value, plan.lacks_key) if plan.lacks_key else self.model_of(plan)

    def endpoint_of(self, server: Server) -> Endpoint:
        """A server without a model, as it is asked what it has."""
        return self._endpoint_at(server, server.base_url)

    def _endpoint(self, plan: Plan) -> Endpoint:
        return self._endpoint_at(plan.server, plan.server.base_url_for(plan.model_id), plan)

    def _endpoint_at(self, server: Server, base_url: str, plan: Plan | None = None) -> Endpoint:
        return Endpoint(
            provider=server.provider,
            wire=Wire(server.wire),
            base_url=base_url,
            key=lambda: self._key(server.provider, plan),
            key_name=server.keys[0] if server.keys else "",
            needs_key=server.needs_key,
            query={"api-version": server.api_version} if server.api_version else {},
            quirks=quirks_of(server.provider, elsewhere=not server.official),
        )

    def _key(self, provider: str, plan: Plan | None) -> str | None:
        """The key as it is now: the environment's, else what setup stored, else the keyring's."""
        look = self._shelf.look()
        server = look.server(provider, plan.entry if plan else None)
        if key := key_in(look.environ, server.keys):
            return key
        if server.key_from == FROM_KEYRING:
            return self._keyring.get(provider)
        return look.stored.of(provider).key or None if server.key_from else None


def _bound(look: Look, bindings: Mapping[str, str], job: Job, session_model: str) -> str | Unfit:
    """The value that a job is bound to, through other jobs where it is bound to one."""
    passed = [job]
    while job is not Job.CHAT:
        binding = bindings.get(job.value, "")
        following = Job(binding) if binding in set(Job) else None if binding else FOLLOWS.get(job)
        if binding and following is None:
            return binding
        if following is None:
            return _fast(look, session_model)
        if following in passed:
            return Unfit(say.jobs_in_a_circle([each.value for each in (*passed, following)]))
        passed.append(following)
        job = following
    return session_model


def _fast(look: Look, session_model: str) -> str:
    """The cheap model of the session's provider where one is known, else the session's own."""
    plan = None if session_model in look.own else look.plan(session_model)
    if not isinstance(plan, Plan) or plan.entry is not None or not plan.server.official:
        return session_model
    known = catalog().fast(plan.server.provider)
    return f"{plan.server.provider}/{known.id}" if known else session_model


def _price(facts: Facts) -> Price:
    price = facts.price
    return Price(
        input=price.get("input"),
        output=price.get("output"),
        cached=price.get("cached"),
        cache_write=price.get("cache_write"),
        up_to_tokens=facts.up_to_tokens,
    )
