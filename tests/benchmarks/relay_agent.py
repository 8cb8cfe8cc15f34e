"""A plain agent on the protocol's library that forwards a model's words with httpx. A floor for our own agent."""

from __future__ import annotations

import asyncio
import json
import os
from typing import cast

import acp
import httpx
from acp.schema import InitializeResponse, NewSessionResponse, PromptResponse, TextContentBlock


class Relay:
    """Answers three methods; each prompt is one request without a history."""

    def __init__(self, url: str) -> None:
        self._client: acp.Client | None = None
        self._url = url
        self._http = httpx.AsyncClient(timeout=None, trust_env=False)

    def on_connect(self, conn: acp.Client) -> None:
        """Remember whom to speak to."""
        self._client = conn

    async def initialize(self, protocol_version: int, **_: object) -> InitializeResponse:
        """Nothing is offered."""
        return InitializeResponse(protocol_version=protocol_version)

    async def new_session(self, cwd: str, **_: object) -> NewSessionResponse:
        """One session is enough."""
        return NewSessionResponse(session_id="relay")

    async def prompt(self, session_id: str, prompt: list[TextContentBlock], **_: object) -> PromptResponse:
        """Ask the server, send on what it says."""
        assert self._client is not None
        messages = [{"role": "user", "content": prompt[0].text}]
        body = {"model": "m", "messages": messages, "stream": True}
        async with self._http.stream("POST", f"{self._url}/chat/completions", json=body) as response:
            async for line in response.aiter_lines():
                if line.startswith("data: {") and (text := json.loads(line[6:])["choices"][0]["delta"].get("content")):
                    await self._client.session_update(session_id, acp.update_agent_message_text(text))
        return PromptResponse(stop_reason="end_turn")


if __name__ == "__main__":
    asyncio.run(acp.run_agent(cast("acp.Agent", Relay(os.environ["RELAY_URL"]))))
