"""Ids of those that work for a session: `<session>/task-1` is the first task's, `task-1-…` are its cards'. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_NAME = "task-"
_MARK = f"/{_NAME}"
_MAX_DIGITS = 9


def child_id(session: str, number: int) -> str:
    """The id under which a session's task works."""
    return f"{session}{_MARK}{number}"


def client_session(session: str) -> str:
    """The session that the client knows: a session's own id, or that of the one it works for."""
    return session.partition(_MARK)[0]


def child_card(number: int, call_id: str) -> str:
    """The id of a card that a task has among those of its session."""
    return f"{_NAME}{number}-{call_id}"


def next_number(cards: Iterable[str], given: int) -> int:
    """The number of a session's next task, after those that its cards name and the `given` ones in its history: a
    history that was made shorter doesn't have them all.
    """
    return max(given, max(map(_number_in, cards), default=0)) + 1


def _number_in(card: str) -> int:
    number, mark, _ = card.removeprefix(_NAME).partition("-")
    named = card.startswith(_NAME) and mark and number.isascii() and number.isdecimal() and len(number) <= _MAX_DIGITS
    return int(number) if named else 0
