"""A configuration's bytes as TOML: one way to read it for the first answers and for the full check. Pure."""

from __future__ import annotations

import tomllib

from acp_server.sentences import config as say

BYTE_ORDER_MARK = "\ufeff"
"""Some editors of Windows begin each file with it."""


class NoToml(ValueError):
    """The bytes are no TOML; its text says why, as the part of a sentence."""


def parsed(raw: bytes) -> tuple[str, dict[str, object]]:
    """The text and what it says. Raises NoToml."""
    try:
        text = raw.decode("utf-8").removeprefix(BYTE_ORDER_MARK)
    except UnicodeDecodeError:
        raise NoToml(say.NO_TEXT) from None
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise NoToml(str(error)) from None
    except RecursionError:
        raise NoToml(say.TOO_DEEP) from None
    except ValueError:  # Python reads no number of more than some thousand digits
        raise NoToml(say.TOO_LONG_NUMBER) from None
