"""What a server or a library said, made fit to be read: secrets blanked, one line, short. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from acp_server.harmless import printable

MAX_DETAIL_CHARS = 300
BLANK = "[redacted]"
_MIN_SECRET_CHARS = 4
"""A shorter key is no secret, and blanking it would blank half of any sentence."""

_USER_INFO = re.compile(r"(?<=://)[^\s/?#@\"'<>]*@")
_QUERY = re.compile(
    r"(?<=[?&])([^\s=&#\"'<>]*(?:key|token|secret|sig|auth|pass)[^\s=&#\"'<>]*=)[^\s&#\"'<>]+", re.IGNORECASE
)
_KEYS = re.compile(r"(?<![A-Za-z0-9])(?:(?:sk|pk|xai|gsk|hf)[-_][A-Za-z0-9_*.-]{6,}|AIza[A-Za-z0-9_-]{10,})")
_BEARER = re.compile(r"\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}", re.IGNORECASE)


def redacted(text: str, secrets: Iterable[str] = ()) -> str:
    """The text without these secrets, nor what looks like one: keys, credentials in addresses, keys in queries."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        if len(secret) >= _MIN_SECRET_CHARS:
            text = text.replace(secret, BLANK)
    text = _USER_INFO.sub("", text)
    text = _QUERY.sub(rf"\1{BLANK}", text)
    return _BEARER.sub(rf"\1 {BLANK}", _KEYS.sub(BLANK, text))


def detail_of(text: str, secrets: Iterable[str] = ()) -> str:
    """A server's words as the end of a sentence: redacted, on one line, cut at `MAX_DETAIL_CHARS`."""
    line = " ".join(printable(redacted(text, secrets)).split()).rstrip(".")
    return line if len(line) <= MAX_DETAIL_CHARS else f"{line[: MAX_DETAIL_CHARS - 1].rstrip()}…"
