"""How a person gives the agent a key, as the protocol offers it: in a terminal, or beside the client. Light.

The key itself never passes the client: it comes from the environment or from what `caudra-acp setup` stored.
"""

from __future__ import annotations

from acp_server.sentences import models as say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from acp_server.providers.interface import JsonObject, JsonValue

BESIDE = "key"
"""The agent's method: whether there is a key by now."""

IN_TERMINAL = "setup"
"""The terminal method; its arguments are appended to the agent's own command."""

META_TERMINAL = "terminal-auth"
"""What some clients declare and read where the protocol's own terminal method didn't exist yet."""


def methods(capabilities: JsonValue) -> list[JsonValue]:
    """The `authMethods` for a client that declares these capabilities."""
    beside: JsonObject = {
        "id": BESIDE,
        "name": say.AUTH_AGENT_NAME,
        "description": say.AUTH_AGENT_DESCRIPTION,
    }
    terminal, meta = _declares(capabilities, "auth", "terminal"), _declares(capabilities, "_meta", META_TERMINAL)
    if not terminal and not meta:
        return [beside]
    setup: JsonObject = {
        "id": IN_TERMINAL,
        "name": say.AUTH_TERMINAL_NAME,
        "description": say.AUTH_TERMINAL_DESCRIPTION,
    }
    if terminal:
        setup |= {"type": "terminal", "args": ["setup"], "env": {}}
    if meta:
        setup["_meta"] = {META_TERMINAL: _command()}
    return [setup, beside]


def _command() -> JsonObject:
    """How a terminal runs setup, whatever the agent was started by."""
    import sys

    args: list[JsonValue] = ["-P", "-m", "acp_server", "setup"]
    return {"label": say.AUTH_TERMINAL_NAME, "command": sys.executable, "args": args, "env": {}}


def _declares(capabilities: JsonValue, part: str, name: str) -> bool:
    inner = capabilities.get(part) if isinstance(capabilities, dict) else None
    return isinstance(inner, dict) and inner.get(name) is True
