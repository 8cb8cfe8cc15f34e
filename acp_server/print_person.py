"""Who answers a permission in a headless run: the rules, and nobody else."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from acp_server.chat_person import rule_of
from acp_server.config import PermissionConfig
from acp_server.events import CardChanged, CardOpened, TurnEvent
from acp_server.providers.interface import JsonObject
from acp_server.seams import NobodyThere, PermissionOption
from memory_core.paths import project_identity


class Headless:
    """`seams.Asker` by rules: allows once what they cover, and asks nobody.

    A rule stands for more than one call, so it covers only what a person could have allowed for good: a text that
    looks like a secret has no such option, and needs a person.
    """

    def __init__(self, rules: frozenset[str], refused: Callable[[str | None], None]) -> None:
        """`refused` is told of each refusal, with the rule that would have allowed the call (None where none can)."""
        self._rules = rules
        self._refused = refused
        self._kinds: dict[str, str] = {}
        self._inputs: dict[str, JsonObject] = {}
        self.failed = False
        """Whether the last change that the model tried came to nothing."""

    def watch(self, event: TurnEvent) -> None:
        """Learn from the turn's events what each card is about."""
        match event:
            case CardOpened(call_id, _, kind):
                self._kinds[call_id] = kind
            case CardChanged(call_id, status, card):
                self._kinds[call_id] = card.kind or self._kinds.get(call_id, "")
                if isinstance(card.raw_input, dict):
                    self._inputs[call_id] = card.raw_input
                if status in ("completed", "failed") and self._rule(call_id) is not None:
                    self.failed = status == "failed"
            case _:
                pass

    async def ask(self, session_id: str, tool_call: JsonObject, options: Sequence[PermissionOption]) -> str | None:
        """Allow once where a rule covers the call. Raises NobodyThere."""
        del session_id
        by_kind = {option.kind: option.option_id for option in options}
        rule = self._rule(str(tool_call.get("toolCallId", ""))) if "allow_always" in by_kind else None
        if rule in self._rules and "allow_once" in by_kind:
            return by_kind["allow_once"]
        self._refused(rule)
        raise NobodyThere(rule)

    def _rule(self, card_id: str) -> str | None:
        return rule_of(self._kinds.get(card_id, ""), self._inputs.get(card_id, {}))


def stored_rules(permissions: Sequence[PermissionConfig], directory: str) -> frozenset[str]:
    """What the configuration allows in the project of a directory."""
    here = project_identity(directory)
    return frozenset(
        rule
        for each in permissions
        if each.project is None or project_identity(each.project) == here
        for rule in each.allow
    )
