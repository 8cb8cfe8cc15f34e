"""The barest agent that the protocol's library allows: it says what it was asked. A floor for our own agent."""

from __future__ import annotations

import asyncio
from typing import cast

import acp
from acp.schema import InitializeResponse, NewSessionResponse, PromptResponse, TextContentBlock


class Echo:
    """Answers three methods, and no others."""

    def __init__(self) -> None:
        self._client: acp.Client | None = None

    def on_connect(self, conn: acp.Client) -> None:
        """Remember whom to speak to."""
        self._client = conn

    async def initialize(self, protocol_version: int, **_: object) -> InitializeResponse:
        """Nothing is offered."""
        return InitializeResponse(protocol_version=protocol_version)

    async def new_session(self, cwd: str, **_: object) -> NewSessionResponse:
        """One session is enough."""
        return NewSessionResponse(session_id="echo")

    async def prompt(self, session_id: str, prompt: list[TextContentBlock], **_: object) -> PromptResponse:
        """Each text comes back as a chunk."""
        assert self._client is not None
        for block in prompt:
            await self._client.session_update(session_id, acp.update_agent_message_text(block.text))
        return PromptResponse(stop_reason="end_turn")


if __name__ == "__main__":
    asyncio.run(acp.run_agent(cast("acp.Agent", Echo())))
