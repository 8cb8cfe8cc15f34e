"""Which session a chat is about: a new one, the newest of its directory, or one by its id."""

from __future__ import annotations

from dataclasses import dataclass

from acp_server.chat_client import AgentError, Client, as_objects, as_text
from acp_server.jsonrpc import NOT_FOUND
from acp_server.providers.interface import JsonObject
from acp_server.sentences import chat as say


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was asked for: `newest` or a `session_id` goes on with a session, neither begins one. `model` answers in it,
    where that was said.
    """

    newest: bool = False
    session_id: str | None = None
    model: str | None = None


class NotOpened(Exception):
    """There is no such session, or it can't be opened; the text is a sentence for a person."""


def begin(client: Client, project: str, wanted: Wanted, *, drawn: bool) -> str:
    """The id of the session, which the agent has then; an older one is shown again where it should be `drawn`. Raises
    NotOpened, and as `Client.request`.
    """
    place: JsonObject = {"cwd": project, "mcpServers": []}
    session_id = _newest(client, project) if wanted.newest else wanted.session_id
    if session_id is None:
        return as_text(client.request("session/new", place).get("sessionId"))
    opened = place | {"sessionId": session_id}
    try:
        client.request("session/load" if drawn else "session/resume", opened)
        if wanted.model is not None:
            choice: JsonObject = {"sessionId": session_id, "configId": "model", "value": wanted.model}
            client.request("session/set_config_option", choice)
    except AgentError as error:
        gone = error.code == NOT_FOUND
        raise NotOpened(say.unknown_session(session_id) if gone else error.sentence) from error
    return session_id


def _newest(client: Client, project: str) -> str:
    sessions = as_objects(client.request("session/list", {"cwd": project}).get("sessions"))
    if not sessions:
        raise NotOpened(say.no_session(project))
    return as_text(sessions[0].get("sessionId"))
