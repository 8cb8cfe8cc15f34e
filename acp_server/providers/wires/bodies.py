"""The body of a request as bytes, and text that UTF-8 can hold. Pure.

The same body gives the same bytes, and each wire puts what grows, the conversation, last: the body of a request begins
with the bytes of the one before it, which is what a provider's cache compares.
"""

from __future__ import annotations

import json

from acp_server.jsonclean import clean, mended
from acp_server.providers.interface import JsonValue, Purpose

THINKING_ROOM = 8_192
"""Tokens that a bound on the answer leaves for thinking, which servers count as output."""

GROWING = frozenset({Purpose.CHAT, Purpose.COMPACTION})
"""The purposes whose conversation another request goes on with, so that its turns are worth a place in a cache."""


def encoded(body: JsonValue) -> bytes:
    """The body as compact JSON in UTF-8. Halves of surrogate pairs become U+FFFD, whole pairs one character; a number
    that JSON can't hold becomes null.
    """
    try:
        text = _json(body)
    except ValueError:
        text = _json(clean(body))
    return mended(text).encode()


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class Joined:
    """Pieces of a text as they arrive: a pair of surrogates that was cut between two of them is joined again."""

    def __init__(self) -> None:
        self._half = ""

    def add(self, piece: str) -> str:
        """What can be shown now."""
        whole = self._half + piece
        self._half = ""
        if whole and "\ud800" <= whole[-1] <= "\udbff":
            whole, self._half = whole[:-1], whole[-1]
        return mended(whole)

    def rest(self) -> str:
        """What the end of the text leaves: "" or the one character that was never finished."""
        half, self._half = self._half, ""
        return mended(half)


def cache_key(session: str) -> str:
    """A session's id as a key for the provider's cache, which takes 64 characters."""
    return session[-64:]
