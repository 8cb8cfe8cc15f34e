"""Names of models as a person writes them: `provider/model`. Pure and light."""

from __future__ import annotations

import re

from acp_server.sentences import models as say

MAX_NAME_CHARS = 256
MAX_SHOWN_CHARS = 80

_KEY = re.compile(r"(?:sk-|xai-|gsk_|hf_|AIza)[A-Za-z0-9_-]{20,}")
"""How keys of providers begin."""

PROVIDER = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?")
"""What a provider may be called: it is a word of the configuration, and stands before the first slash."""


def split(value: str) -> tuple[str, str] | str:
    """The provider and what its server calls the model (which may hold slashes itself), or what is wrong.

    Odd signs within a model's name are the server's business; what can't be shown or sent isn't taken.
    """
    provider, slash, model = value.partition("/")
    if _KEY.fullmatch(value.strip()) or _KEY.fullmatch(model.strip()):
        return say.NAME_IS_A_KEY
    if len(value) > MAX_NAME_CHARS:
        return say.name_too_long(shown(value), MAX_NAME_CHARS)
    if not value.isprintable() or value != value.strip() or " " in value:
        return say.name_odd(shown(value))
    if not slash or not model or not PROVIDER.fullmatch(provider):
        return say.name_without_provider(shown(value))
    return provider, model


def shown(value: str) -> str:
    """A name of any origin as a sentence may hold it: one line, cut, nothing that a terminal obeys."""
    from acp_server.harmless import picture  # not on the way to the first answers

    line = "".join(each if each.isprintable() else picture(each) for each in value)
    return line if len(line) <= MAX_SHOWN_CHARS else f"{line[:MAX_SHOWN_CHARS]}…"


def nearest(value: str, known: tuple[str, ...]) -> str:
    """The known name that is meant most likely, "" where none is near."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(value, known, n=1, cutoff=0.75)), "")
