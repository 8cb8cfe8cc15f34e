"""What is said of sessions on disk: loaded, taken over, refused."""

from __future__ import annotations

CARD_CUT_OFF = "The agent ended before this call did."
RESULT_CUT_OFF = "The agent ended before this call did, so it may or may not have been done; look before you repeat it."


def session_newer(session_id: str) -> str:
    """A session with records that this build doesn't know."""
    return f"Session {session_id} was saved by a newer version of Caudra; update caudra-acp to open it."


def session_damaged(session_id: str, path: str, line: int) -> str:
    """A session file with something unreadable in it, or without a session."""
    return f"Session {session_id} can't be opened: line {line} of {path} is damaged; restore a copy, or delete it."


def session_unreadable(session_id: str, path: str, reason: str) -> str:
    """A session whose file, or a folder in which it may be, can't be read."""
    return f"Session {session_id} can't be opened ({reason}); make {path} readable and try again."


NO_PLAIN_FILE = "it is no plain file"
REPLACED = "another program put another file in its place"
CUT_SHORT = "another program cut its file short"


def session_foreign(session_id: str, path: str, found: str) -> str:
    """A session file that holds another session."""
    return f"Session {session_id} can't be opened: {path} holds session {found!r}; restore a copy, or delete it."


def sessions_unreadable(reason: str) -> str:
    """The folders of the sessions can't be looked into."""
    return f"The sessions can't be listed ({reason}); make the state directory readable and try again."


def session_undeletable(session_id: str, reason: str) -> str:
    """A session that can't be deleted."""
    return f"Session {session_id} can't be deleted ({reason}); make its folder writable and try again."


def session_unbranched(session_id: str, reason: str) -> str:
    """A branch of a session that can't be written."""
    return f"Session {session_id} can't be branched ({reason}); make room, or its folder writable, and try again."


BAD_CURSOR = "This cursor is none that session/list gave; leave it out to begin with the first page."

SESSION_FILE_GONE = "This session's file was removed, so what follows isn't kept; start a new session to keep it."


def session_unwritable(reason: str) -> str:
    """The session file can't be written any more."""
    return f"This session can't be kept on disk ({reason}), so a part of it may be missing when it is opened again."


def session_taken(client: str | None) -> str:
    """Another process took the session over while this one had it."""
    where = f"in {client}" if client else "in another window"
    return f"This session goes on {where} now, so what is said here isn't kept; open it again to take it back."


def take_over_question(client: str | None, since: str) -> str:
    """The title of the question whether to take a session over."""
    where = client or "another window"
    return f"Take this session over from {where}, which has had it open since {since}?"


TAKE_OVER = "Take it over"
LEAVE_IT = "Leave it there"


def left_there(client: str | None) -> str:
    """The person left the session where it is."""
    where = client or "the other window"
    return f"The session stays with {where}; go on there, or start a new one here."


def moved(old: str, new: str) -> str:
    """A session that was loaded in another directory than it was in."""
    return f"This session goes on in {new}; it was in {old} before."
