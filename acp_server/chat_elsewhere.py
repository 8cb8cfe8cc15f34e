"""A session that another window has: the person is asked before they type, and the agent's own question is answered so.

The agent asks at the first prompt of such a session, and what was typed would be lost at a "no". So the chat looks who
has the session, asks in the agent's words, and ends where it is to stay. Where another window takes it later, the
agent's question goes to the person.
"""

from __future__ import annotations

from acp_server.chat_client import as_text
from acp_server.chat_person import Person, option_of
from acp_server.chat_screen import Screen
from acp_server.chat_session import NotOpened
from acp_server.providers.interface import JsonObject
from acp_server.sentences import sessions as say
from acp_server.session_files.finding import find_session
from acp_server.session_files.ownership import Owner, owner_of

_TAKE, _LEAVE = "take", "leave"
_OPTIONS: list[JsonObject] = [
    {"optionId": _TAKE, "name": say.TAKE_OVER, "kind": "allow_once"},
    {"optionId": _LEAVE, "name": say.LEAVE_IT, "kind": "reject_once"},
]


class Elsewhere:
    """Asks, and remembers what the person said."""

    def __init__(self, state_dir: str, screen: Screen, person: Person) -> None:
        self._state_dir = state_dir
        self._screen = screen
        self._person = person
        self._agreed: str | None = None
        """The question that was answered with yes; it names the window and since when that has the session."""

    def ask(self, session_id: str) -> None:
        """Have it decided where another window has the session. Raises NotOpened where it stays there."""
        owner = self._owner(session_id)
        if owner is None:
            return
        title = say.take_over_question(owner.client, owner.since)
        self._screen.ask({"toolCallId": session_id, "title": title, "kind": "other"})
        if self._person.decide(None, _OPTIONS, self._screen) != _TAKE:
            raise NotOpened(say.left_there(owner.client))
        self._agreed = title

    def answer(self, tool_call: JsonObject, options: list[JsonObject]) -> str | None:
        """The option that answers the agent's question where it is the one that was agreed to, else None."""
        if self._agreed is None or as_text(tool_call.get("title")) != self._agreed:
            return None
        self._screen.hide(tool_call)
        return option_of(options, "allow_once")

    def _owner(self, session_id: str) -> Owner | None:
        """Who has the session; None also where that can't be seen: the agent says what is wrong, or asks."""
        try:
            path = find_session(self._state_dir, session_id)
        except OSError:
            return None
        return None if path is None else owner_of(path)
