"""What `caudra-acp chat` says to a person."""

from __future__ import annotations

ALLOWABLE = ("memory.write", "memory.delete")

HELP_CONTINUE = "go on with the newest session of this directory"
HELP_RESUME = "go on with this session; /sessions lists them"

PROMPT = "> "
GREETING = "Type a message and press Enter; /help lists commands, Ctrl-C stops an answer, Ctrl-D ends."
NOTHING_SAID = "Standard input held no text, so there was nothing to ask."
NOT_UTF8 = "Standard input is not UTF-8 text, so nothing was asked."
CANCELLED = "(stopped)"
STOPPING = "(stopping; press Ctrl-C again to end the agent)"
QUESTION = "Allow this?"
NOT_ALLOWED = "Not allowed: this needs a person, and standard input is not a terminal."
FAILED = "failed"
NO_LINE_END = "No line end here"
_WHICH = "/sessions, typed in a chat, lists them; --continue opens the newest one."
NO_SESSION_ID = f"This is no id of a session; {_WHICH}"
NOT_A_PROTOCOL = "The agent wrote something that is not the protocol, so the chat ended."


def no_session(project: str) -> str:
    """There is nothing to go on with."""
    return f"No session of {project} is kept yet, so there is none to go on with; start one without --continue."


def unknown_session(session_id: str) -> str:
    """No session has this id."""
    return f"There is no session {session_id}; {_WHICH}"


def not_opened(reason: str) -> str:
    """A session can't be opened; `reason` is a sentence."""
    return f"{reason} Without --continue and --resume the chat begins a new one; /sessions, typed in it, lists others."


def going_on(session_id: str, title: str = "", used: str = "") -> str:
    """The session that is shown again; `used` is when it was used last."""
    named = f"“{title}” (session {session_id})" if title else f"session {session_id}"
    return f"Going on with {named}, last used {used}." if used else f"Going on with {named}."


def earlier_turns(count: int) -> str:
    """A long session isn't shown whole."""
    return f"… {count:,} earlier turns are not shown" if count != 1 else "… 1 earlier turn is not shown"


def not_a_key(keys: str) -> str:
    """The question is still open; `keys` as they were shown."""
    return f"The agent waits for your answer: type one of {keys} and press Enter."


def allow_hint(rule: str) -> str:
    """How a script may allow what was refused."""
    return f"Run it in a terminal, or with --allow {rule}."


def allowed(rule: str) -> str:
    """A rule from the command line approved a request."""
    return f"Allowed by --allow {rule}."


def more_lines(count: int) -> str:
    """A card was too long to be drawn whole."""
    return f"… {count} more lines" if count != 1 else "… 1 more line"


def agent_gone(code: int | None, last_words: str) -> str:
    """The agent ended while something was asked of it."""
    how = "" if code is None else f" with exit code {code}"
    what = f": {last_words}" if last_words else ""
    return f"The agent ended unexpectedly{how}{what}."


def cannot_start(reason: str) -> str:
    """The agent's process couldn't be started."""
    return f"The agent could not be started: {reason}."


def agent_error(sentence: str) -> str:
    """The agent answered with an error."""
    return f"The agent answered with an error: {sentence}"
