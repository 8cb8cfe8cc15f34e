"""The directed model beside one more tool, as a release with another list of tools has it."""

from __future__ import annotations

from acp_server.events import Card
from acp_server.providers.interface import JsonObject, ToolSpec
from acp_server.tools.registry import Outcome, Tool, ToolContext
from tests.doors.directed_model import providers as providers


class Nod(Tool):
    """Does nothing."""

    spec = ToolSpec("nod", "Nods.", {"type": "object", "properties": {}})
    opening = Card(title="Nod", kind="other")

    def describe(self, arguments: JsonObject) -> Card:
        return self.opening

    async def run(self, arguments: JsonObject, context: ToolContext) -> Outcome:
        return Outcome("Nodded.")


def tools() -> list[Tool]:
    """The door for tools."""
    return [Nod()]
