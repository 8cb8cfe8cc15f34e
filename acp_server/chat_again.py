"""The end of a session that is shown again: its last turns, and how many came before them."""

from __future__ import annotations

from collections import deque

from acp_server.chat_client import as_text
from acp_server.chat_screen import Screen
from acp_server.providers.interface import JsonObject
from acp_server.sentences import chat as say

LAST_TURNS = 20


class Again:
    """Takes in all updates of a load and keeps those of the last `LAST_TURNS` turns; a turn begins with what the person
    said.
    """

    def __init__(self) -> None:
        self._turns: deque[list[JsonObject]] = deque([[]], LAST_TURNS)
        self._count = 0
        self._said = ""

    def take(self, update: JsonObject) -> None:
        """One session update."""
        if update.get("sessionUpdate") == "user_message_chunk":
            said = as_text(update.get("messageId"))
            if said != self._said or not said:
                self._said = said
                self._count += 1
                self._turns.append([])
        self._turns[-1].append(update)

    def draw(self, screen: Screen) -> None:
        """Draw what was kept, below a word about what wasn't."""
        if self._count > LAST_TURNS:
            screen.note(say.earlier_turns(self._count - LAST_TURNS))
        for update in (update for turn in self._turns for update in turn):
            screen.update(update)
