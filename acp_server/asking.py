"""Asking the person for a permission through the client (`seams.Asker`). What isn't clearly a yes approves
nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from acp_server.calls import CallFailed, Calls
from acp_server.providers.interface import JsonObject, JsonValue
from acp_server.seams import PermissionOption


class ClientAsker:
    """Sends `session/request_permission` and reads the answer."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def ask(self, session_id: str, tool_call: JsonObject, options: Sequence[PermissionOption]) -> str | None:
        """The chosen `option_id`, or None for anything that isn't one of `options`."""
        buttons: list[JsonValue] = [
            {"optionId": option.option_id, "name": option.name, "kind": option.kind} for option in options
        ]
        params: JsonObject = {"sessionId": session_id, "toolCall": tool_call, "options": buttons}
        try:
            result = await self._calls.call("session/request_permission", params)
        except CallFailed:
            return None
        return chosen(result, {option.option_id for option in options})


def chosen(result: JsonValue, offered: Collection[str]) -> str | None:
    """The option that a client's result selects, where it was offered; None for all else."""
    outcome = result.get("outcome") if isinstance(result, dict) else None
    if not isinstance(outcome, dict) or outcome.get("outcome") != "selected":
        return None
    option_id = outcome.get("optionId")
    return option_id if isinstance(option_id, str) and option_id in offered else None
