"""Which session a chat is about: a new one, the newest of its directory, or one by its id."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime

from acp_server.chat_client import AgentError, Client, as_objects, as_text
from acp_server.jsonrpc import NOT_FOUND
from acp_server.providers.interface import JsonObject
from acp_server.sentences import chat as say
from acp_server.session_files.finding import is_session_id

Shown = Callable[[str, str], AbstractContextManager[None]]
"""What an older session is loaded in where it is shown again; it is given the session's id and a heading. Raises
NotOpened where the person leaves it to another window.
"""


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


def begin(client: Client, project: str, wanted: Wanted, again: Shown | None = None) -> str:
    """The id of the session, which the agent has then; an older one is shown `again`. Raises NotOpened, and as
    `Client.request`.
    """
    place: JsonObject = {"cwd": project, "mcpServers": []}
    if not wanted.newest and wanted.session_id is None:
        return as_text(client.request("session/new", place).get("sessionId"))
    session_id, heading = _newest(client, project) if wanted.newest else _named(wanted.session_id or "")
    opened = place | {"sessionId": session_id}
    try:
        with nullcontext() if again is None else again(session_id, heading):
            client.request("session/resume" if again is None else "session/load", opened)
        if wanted.model is not None:
            choice: JsonObject = {"sessionId": session_id, "configId": "model", "value": wanted.model}
            client.request("session/set_config_option", choice)
    except AgentError as error:
        gone = error.code == NOT_FOUND
        raise NotOpened(say.unknown_session(session_id) if gone else say.not_opened(error.sentence)) from error
    return session_id


def _newest(client: Client, project: str) -> tuple[str, str]:
    """The id of the directory's newest session, and a heading for it."""
    sessions = as_objects(client.request("session/list", {"cwd": project}).get("sessions"))
    if not sessions:
        raise NotOpened(say.no_session(project))
    session_id, title, used = (as_text(sessions[0].get(key)) for key in ("sessionId", "title", "updatedAt"))
    return session_id, say.going_on(session_id, title, _utc(used))


def _named(session_id: str) -> tuple[str, str]:
    if not is_session_id(session_id):
        raise NotOpened(say.NO_SESSION_ID)
    return session_id, say.going_on(session_id)


def _utc(instant: str) -> str:
    """An instant as all dates and times are shown; "" for what is none."""
    try:
        return f"{datetime.fromisoformat(instant).astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    except (ValueError, OverflowError):
        return ""
