"""The models that can be chosen now, and what a chosen name means. Light: `session/new` is answered from it.

It looks anew each time it is asked (environment, configuration, what setup stored), so a key that has just appeared
counts at once, and nothing is remembered of one that was missing. What servers list themselves is kept in `listed`,
put there in the background.
"""

from __future__ import annotations

from acp_server.models import credentials, names
from acp_server.models.catalog import catalog
from acp_server.models.facts import Facts
from acp_server.models.presets import PRESETS
from acp_server.models.servers import Server, server_of
from acp_server.models.settings import OWN_PROVIDERS, settings_of
from acp_server.sentences import models as say
from acp_server.sentences.wire import (
    LIBRARIAN_DESCRIPTION,
    LIBRARIAN_NAME,
    SCRIPTED_DESCRIPTION,
    SCRIPTED_NAME,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from acp_server.models.credentials import Credentials
    from acp_server.models.settings import Entry, Settings

MODEL_VARIABLE = "CAUDRA_MODEL"
EMBEDDED = "embedded/librarian"
SCRIPTED = "test/scripted"


class Plan:
    """A chosen model: where it is asked, what its server calls it, and what is known of it."""

    __slots__ = ("entry", "facts", "model_id", "server", "value")

    def __init__(self, value: str, model_id: str, server: Server, facts: Facts, entry: Entry | None = None) -> None:
        self.value = value
        self.model_id = model_id
        self.server = server
        self.facts = facts
        self.entry = entry

    @property
    def lacks_key(self) -> str:
        """The sentence that says which key is missing, "" where none is."""
        server = self.server
        if not server.needs_key or server.has_key:
            return ""
        return say.key_missing(names.shown(self.value), server.title, server.keys[0] if server.keys else "")


class Unfit:
    """A value that chooses no model; `reason` is the sentence that says why."""

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason


class Offer:
    """A model that a person can choose: `group` and `group_title` are its provider."""

    __slots__ = ("description", "group", "group_title", "name", "value")

    def __init__(self, value: str, name: str, description: str, group: str, group_title: str) -> None:
        self.value = value
        self.name = name
        self.description = description
        self.group = group
        self.group_title = group_title


class Choice:
    """What a new session begins with. `notice` is told in its first turn; `missing_key` refuses it; `unfit` says why it
    isn't the model that was bound, which a run that nobody watches doesn't put up with.
    """

    __slots__ = ("missing_key", "model", "notice", "unfit")

    def __init__(self, model: str, notice: str = "", missing_key: str = "", unfit: str = "") -> None:
        self.model = model
        self.notice = notice
        self.missing_key = missing_key
        self.unfit = unfit


class Look:
    """One look at everything, so that a list and a choice agree. `own` are the models that need no server."""

    def __init__(
        self,
        environ: Mapping[str, str],
        settings: Settings,
        stored: Credentials,
        listed: Mapping[tuple[str, str], tuple[Facts, ...]],
        testing: bool,
        raw: dict[str, object] | None = None,
    ) -> None:
        """`raw` is the whole configuration, parsed and unchecked, for settings that don't concern models."""
        self.environ = environ
        self.settings = settings
        self.stored = stored
        self.raw = raw or {}
        self._listed = listed
        self.own = (EMBEDDED, SCRIPTED) if testing else (EMBEDDED,)

    def server(self, provider: str, entry: Entry | None = None) -> Server:
        """The server of a provider, or of a model of the configuration."""
        return server_of(provider, self.environ, self.stored, entry)

    def servers(self) -> list[Server]:
        """The servers that can be asked now, in the order of the presets."""
        every = map(self.server, PRESETS)
        return [server for server in every if server.usable]

    def problems(self) -> list[str]:
        """What is wrong with servers that a person named and with the stored keys, a sentence each."""
        every = (self.server(name).problem for name in PRESETS)
        return [problem for problem in (self.stored.problem, *every) if problem]

    def plan(self, value: str) -> Plan | Unfit:
        """What a value (or the name of a model of the configuration) means, whether there is a key or not."""
        entry = self.settings.entry_of(value)
        if entry is not None:
            server = self.server(entry.provider, entry)
            facts = with_entry(self._facts(server, entry.model), entry)
            if server.problem:
                return Unfit(server.problem)
            return Plan(entry.value, entry.model, server, facts, entry)
        parts = names.split(value)
        if isinstance(parts, str):
            return Unfit(parts)
        provider, model_id = parts
        if provider not in PRESETS:
            return Unfit(self._unknown(value, provider))
        server = self.server(provider)
        if server.problem or not server.base_url:
            return Unfit(server.problem or say.address_missing(server.title, PRESETS[provider].base_urls))
        return Plan(value, model_id, server, self._facts(server, model_id))

    def resolved(self, value: str) -> str | Unfit:
        """The `provider/model` that a value chooses, where it can be asked now."""
        if value in self.own:
            return value
        plan = self.plan(value)
        if isinstance(plan, Unfit):
            return plan
        return Unfit(plan.lacks_key) if plan.lacks_key else plan.value

    def offers(self) -> list[Offer]:
        """Every model that can be chosen now, each value once."""
        found = {offer.value: offer for offer in (*self._of_servers(), *self._of_config())}
        return [*found.values(), *(_own_offer(value) for value in self.own)]

    def offer_of(self, value: str) -> Offer:
        """A model as a person sees it, offered or not."""
        if value in self.own:
            return _own_offer(value)
        plan = self.plan(value)
        return (
            Offer(value, value, "", "", "") if isinstance(plan, Unfit) else _offer(plan.server, plan.value, plan.facts)
        )

    def choice(self) -> Choice:
        """The model of a new session: the one that is bound, else the first provider's, else the embedded one."""
        if bound := self.environ.get(MODEL_VARIABLE, "").strip():
            return self._bound(bound, MODEL_VARIABLE)
        if bound := self.settings.jobs.get("chat", ""):
            return self._bound(bound, say.JOBS_CHAT)
        choice = self._unbound()
        return Choice(choice.model, " ".join(self.problems()) or choice.notice)

    def _bound(self, value: str, where: str) -> Choice:
        plan = None if value in self.own else self.plan(value)
        if isinstance(plan, Unfit):
            instead = self._unbound()
            return Choice(instead.model, say.bound_model_wrong(where, plan.reason, instead.model), unfit=plan.reason)
        return Choice(value) if plan is None else Choice(plan.value, missing_key=plan.lacks_key)

    def _unbound(self) -> Choice:
        servers = self.servers()
        for server in servers:
            if model := self.first_of(server):
                return Choice(f"{server.provider}/{model}")
        if offer := next(self._of_config(), None):
            return Choice(offer.value)
        return Choice(EMBEDDED, say.choose_a_model(servers[0].title) if servers else say.NO_MODEL)

    def first_of(self, server: Server) -> str:
        """The model that a server's sessions begin with, "" where that is the person's to say."""
        known = catalog().default(server.provider) if server.official else None
        offered = [facts.id for facts in self._models_of(server)]
        if known is not None and known.id in offered:
            return known.id
        return offered[0] if offered and server.official else ""

    def _of_servers(self) -> Iterator[Offer]:
        for server in self.servers():
            for facts in self._models_of(server):
                yield _offer(server, f"{server.provider}/{facts.id}", facts)

    def _of_config(self) -> Iterator[Offer]:
        for entry in self.settings.models.values():
            plan = self.plan(entry.name)
            if isinstance(plan, Plan) and not plan.lacks_key:
                yield _offer(plan.server, plan.value, plan.facts)

    def _models_of(self, server: Server) -> list[Facts]:
        """The known models of a server that it lists, in the catalog's order, then what else it lists."""
        known = catalog().of(server.provider) if server.official else ()
        listed = self._listed.get((server.provider, server.base_url))
        if listed is None:
            return list(known)
        ids = {facts.id for facts in listed}
        there = [facts for facts in known if facts.id in ids or any(_dated(each, facts.id) for each in ids)]
        shown = {facts.id for facts in there}
        dated = [each.id for each in listed if any(_dated(each.id, known_id) for known_id in shown)]
        rest = [each for each in listed if each.id not in shown and each.id not in dated]
        return [*there, *rest]

    def _facts(self, server: Server, model_id: str) -> Facts:
        """What the server lists of a model itself, else what the catalog knows, else its name alone."""
        known = catalog().find(server.provider, model_id) if server.official else None
        listed = self._listed.get((server.provider, server.base_url), ())
        live = next((facts for facts in listed if facts.id == model_id), None)
        return known or live or Facts(model_id)

    def _unknown(self, value: str, provider: str) -> str:
        known = tuple(dict.fromkeys([*PRESETS, *(entry.provider for entry in self.settings.models.values())]))
        if provider in OWN_PROVIDERS:
            return say.no_such_own_model(names.shown(value), ", ".join(self.own))
        return say.provider_unknown_in(names.shown(value), names.shown(provider), known, names.nearest(provider, known))


class Shelf:
    """Looks, as often as somebody asks. `listed` holds what servers listed, by provider and address."""

    def __init__(self, environ: Mapping[str, str], config_dir: str, *, testing: bool = False) -> None:
        self.environ = environ
        self.config_dir = config_dir
        self.testing = testing
        self.listed: dict[tuple[str, str], tuple[Facts, ...]] = {}

    def look(self) -> Look:
        """Everything as it is now."""
        raw = raw_config(self.config_dir)
        stored = credentials.read(self.config_dir)
        return Look(self.environ, settings_of(raw), stored, self.listed, self.testing, raw)


def raw_config(config_dir: str) -> dict[str, object]:
    """The configuration, parsed and unchecked; empty where there is none or it is none (the first turn says so)."""
    from acp_server.places import CONFIG_NAME

    path = f"{config_dir}/{CONFIG_NAME}"
    try:
        with open(path, "rb") as file:
            raw = file.read()
    except OSError:
        return {}
    from acp_server.toml_text import NoToml, parsed  # costs 7 ms, so only where there is a file

    try:
        return parsed(raw)[1]
    except NoToml:
        return {}


def with_entry(facts: Facts, entry: Entry) -> Facts:
    """What is known of a model, with what the configuration says instead."""
    return Facts(
        facts.id,
        entry.title or (facts.name if facts.name != facts.id else entry.name),
        context_window=entry.context_window or facts.context_window,
        max_output=entry.max_output or facts.max_output,
        thinks=facts.thinks if entry.thinks is None else entry.thinks,
        price=entry.price or facts.price,
        up_to_tokens=None if entry.price else facts.up_to_tokens,
    )


def _offer(server: Server, value: str, facts: Facts) -> Offer:
    description = say.model_description(server.title, facts.context_window, facts.price, facts.up_to_tokens)
    return Offer(value, facts.name, description, server.provider, server.title)


def _own_offer(value: str) -> Offer:
    if value == EMBEDDED:
        return Offer(value, LIBRARIAN_NAME, LIBRARIAN_DESCRIPTION, "embedded", say.EMBEDDED_TITLE)
    return Offer(value, SCRIPTED_NAME, SCRIPTED_DESCRIPTION, "test", say.TEST_TITLE)


def _dated(listed: str, known: str) -> bool:
    """Whether a listed id is a known one with the date of its version."""
    return listed.startswith(f"{known}-") and listed[len(known) :].replace("-", "").isdecimal()
