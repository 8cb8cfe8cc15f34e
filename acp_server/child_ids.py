"""Ids of those that work for a session: `<session>/task-1` is the first task's. Pure."""

from __future__ import annotations

_MARK = "/task-"


def child_id(session: str, number: int) -> str:
    """The id under which a session's task works."""
    return f"{session}{_MARK}{number}"


def client_session(session: str) -> str:
    """The session that the client knows: a session's own id, or that of the one it works for."""
    return session.partition(_MARK)[0]
