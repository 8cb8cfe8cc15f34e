"""`[models.NAME]` and `[jobs]` of the configuration: what a person says of models. Pure and light.

The first answers read them as the full check of the configuration does, by this one function. A setting that is
wrong is left out with a reason; one without which a model can't be reached as it was meant takes the model with it.
"""

from __future__ import annotations

import re

from acp_server.models import names
from acp_server.models.presets import PRESETS, WIRES
from acp_server.models.urls import Address, address_of
from acp_server.sentences import models as say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

JOBS = ("chat", "fast", "compaction", "memory")
OWN_PROVIDERS = ("embedded", "test")
"""Providers that are no servers."""

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_VERSION = re.compile(r"[A-Za-z0-9._-]+")


class Problem:
    """What is wrong with the setting at `path`, and what would be right."""

    __slots__ = ("path", "reason")

    def __init__(self, path: tuple[str, ...], reason: str) -> None:
        self.path = path
        self.reason = reason


class Entry:
    """One `[models.NAME]`: `value` is what chooses it; what isn't said there is "" or None."""

    __slots__ = (
        "api_key_env", "api_version", "base_url", "context_window", "max_output", "model", "name", "price", "provider",
        "thinks", "title", "wire",
    )  # fmt: skip

    def __init__(self, name: str, provider: str, model: str) -> None:
        self.name = name
        self.provider = provider
        self.model = model
        self.title = self.base_url = self.api_version = self.api_key_env = self.wire = ""
        self.context_window: int | None = None
        self.max_output: int | None = None
        self.thinks: bool | None = None
        self.price: dict[str, float] = {}

    @property
    def value(self) -> str:
        """`provider/model`."""
        return f"{self.provider}/{self.model}"


class Settings:
    """What the configuration says of models, and what of it is wrong."""

    __slots__ = ("jobs", "models", "problems")

    def __init__(self) -> None:
        self.models: dict[str, Entry] = {}
        self.jobs: dict[str, str] = {}
        self.problems: list[Problem] = []

    def entry_of(self, value: str) -> Entry | None:
        """The entry that a value chooses: by its name, or by `provider/model`."""
        if value in self.models:
            return self.models[value]
        return next((entry for entry in self.models.values() if entry.value == value), None)


def settings_of(raw: dict[str, object]) -> Settings:
    """The settings in a parsed configuration."""
    settings = Settings()
    for name, row in _table(settings, raw, ("models",)).items():
        _model(settings, name, row)
    for job, value in _table(settings, raw, ("jobs",)).items():
        _job(settings, job, value)
    return settings


def _table(settings: Settings, raw: dict[str, object], path: tuple[str, ...]) -> dict[str, object]:
    value = raw.get(path[-1], {})
    if isinstance(value, dict):
        return value
    settings.problems.append(Problem(path, say.NOT_A_TABLE))
    return {}


def _model(settings: Settings, name: str, row: object) -> None:
    path = ("models", name)
    if not isinstance(row, dict):
        settings.problems.append(Problem(path, say.NOT_A_TABLE))
        return
    wrong = [Problem((*path, key), reason) for key, each in row.items() if (reason := _wrong(key, each))]
    settings.problems += wrong
    left_out = {problem.path[-1] for problem in wrong}
    if left_out & NEEDED:
        return
    entry = _entry(name, {key: each for key, each in row.items() if key not in left_out})
    if reason := _unreachable(settings, entry):
        settings.problems.append(Problem(path, reason))
    else:
        settings.models[name] = entry


def _entry(name: str, row: dict[str, object]) -> Entry:
    entry = Entry(name, str(row.get("provider", "")), str(row.get("model", name)))
    entry.title = str(row.get("name", ""))
    entry.api_key_env = str(row.get("api_key_env", ""))
    entry.wire = str(row.get("wire", ""))
    address = address_of(str(row.get("base_url", "")))
    if isinstance(address, Address):
        entry.base_url, entry.api_version = address.url, address.api_version
    entry.api_version = str(row.get("api_version", entry.api_version))
    for key, each in row.items():
        match each:
            case bool() if key == "thinks":
                entry.thinks = each
            case int() if key == "context_window":
                entry.context_window = each
            case int() if key == "max_output":
                entry.max_output = each
            case int() | float() if key.startswith("price_"):
                entry.price[key.removeprefix("price_")] = float(each)
    return entry


def _unreachable(settings: Settings, entry: Entry) -> str:
    """Why an entry can't be chosen, "" where it can."""
    if not entry.provider:
        return say.MODEL_WITHOUT_PROVIDER
    preset = PRESETS.get(entry.provider)
    if preset is None and not entry.base_url:
        return say.provider_unknown(names.shown(entry.provider), tuple(PRESETS))
    twin = settings.entry_of(entry.value)
    return say.same_model_twice(names.shown(entry.value), names.shown(twin.name)) if twin else ""


def _job(settings: Settings, job: str, value: object) -> None:
    if job not in JOBS:
        reason = say.setting_unknown(JOBS)
    elif not isinstance(value, str):
        reason = say.JOB_NOT_A_NAME
    elif value in settings.models or (value in JOBS and "chat" not in (job, value)) or value == "chat" != job:
        reason = ""
    else:
        parts = names.split(value)
        reason = parts if isinstance(parts, str) else ""
    if reason:
        settings.problems.append(Problem(("jobs", job), reason))
    else:
        settings.jobs[job] = str(value)


def _wrong(key: str, value: object) -> str:
    """What is wrong with one setting of a model, "" where nothing is."""
    if key in KEYS:
        return say.KEY_IN_CONFIG
    check = FIELDS.get(key)
    return say.setting_unknown(tuple(FIELDS)) if check is None else check(value)


def _provider(value: object) -> str:
    if not isinstance(value, str) or not names.PROVIDER.fullmatch(value):
        return say.PROVIDER_NOT_A_WORD
    return say.PROVIDER_IS_OURS if value in OWN_PROVIDERS else ""


def _model_id(value: object) -> str:
    if not isinstance(value, str) or not value:
        return say.NOT_A_TEXT
    parts = names.split(f"x/{value}")
    return parts if isinstance(parts, str) else ""


def _text(value: object) -> str:
    return "" if isinstance(value, str) and value.isprintable() else say.NOT_A_TEXT


def _url(value: object) -> str:
    address = address_of(value) if isinstance(value, str) else say.URL_SCHEME
    return address if isinstance(address, str) else ""


def _variable(value: object) -> str:
    return "" if isinstance(value, str) and _VARIABLE.fullmatch(value) else say.NOT_A_VARIABLE


def _version(value: object) -> str:
    return "" if isinstance(value, str) and _VERSION.fullmatch(value) else say.NOT_A_VERSION


def _tokens(value: object) -> str:
    good = isinstance(value, int) and not isinstance(value, bool) and 0 < value <= 1_000_000_000
    return "" if good else say.NOT_TOKENS


def _price(value: object) -> str:
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1_000_000
    return "" if good else say.NOT_A_PRICE


def _wire(value: object) -> str:
    return "" if value in WIRES else say.one_of(WIRES)


def _bool(value: object) -> str:
    return "" if isinstance(value, bool) else say.NOT_A_BOOL


FIELDS: dict[str, Callable[[object], str]] = {
    "provider": _provider,
    "model": _model_id,
    "name": _text,
    "base_url": _url,
    "api_version": _version,
    "api_key_env": _variable,
    "wire": _wire,
    "context_window": _tokens,
    "max_output": _tokens,
    "price_input": _price,
    "price_output": _price,
    "price_cached": _price,
    "price_cache_write": _price,
    "thinks": _bool,
}
"""Each setting of `[models.NAME]`, and what is wrong with a value of it."""

KEYS = frozenset({"api_key", "key", "token", "secret"})
"""What people write where no key belongs."""

NEEDED = frozenset({"provider", "model", "base_url", "api_version", "api_key_env", "wire"})
"""Without these as they were meant, a request would go elsewhere or with another key."""
