"""What is said of sessions on disk: loaded, taken over, refused."""

from __future__ import annotations

CARD_CUT_OFF = "The agent ended before this call did."
RESULT_CUT_OFF = "The agent ended before this call did, so it may or may not have been done; look before you repeat it."


def session_newer(session_id: str) -> str:
    """A session with records that this build doesn't know."""
    return f"Session {session_id} was saved by a newer version of Caudra; update caudra-acp to open it."


def session_damaged(session_id: str, path: str, line: int) -> str:
    """A session file with something unreadable in its middle."""
    return f"Session {session_id} can't be opened: line {line} of {path} is damaged; mend it from a copy, or delete it."


def session_unreadable(session_id: str, reason: str) -> str:
    """A session file that can't be read."""
    return f"Session {session_id} can't be opened ({reason}); make its file readable and try again."


def session_empty(session_id: str, path: str) -> str:
    """A session file without a session in it."""
    return f"Session {session_id} can't be opened: {path} holds no session; delete it, or put a copy in its place."
