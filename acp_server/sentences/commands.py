"""What is said of slash commands and by them. Light to import, it is on the fast path."""

from __future__ import annotations

COMPACT = "Make the conversation shorter: a summary stands for its older part"
COMPACT_HINT = "what to keep above all"
CLEAR = "Begin anew in this session: the model forgets the conversation, not the memory"
MEMORY = "Show the memory, take this session's view of it anew, or turn it on or off"
MEMORY_HINT = "rebuild, on or off"
SESSIONS = "List the sessions of this directory"
RENAME = "Give this session a title"
RENAME_HINT = "title"
HELP = "List these commands"

HELP_HEAD = "What can be typed here:"
CLEARED = "The model begins anew with your next message; what was said stays here and in the session."
NOTHING_TO_CLEAR = "There is nothing to clear yet."
NO_SESSIONS = "No session of this directory is on disk yet."
SESSIONS_HEAD = "Sessions of this directory, the newest first:"
THIS_ONE = "this one"
UNTITLED = "(no title yet)"
OPEN_ANOTHER = (
    "To go on with another one, open it from your editor's list of sessions, or in a terminal with "
    "`caudra-acp chat --resume ID`."
)
NOT_KEPT = "This run keeps no session, so nothing was done; the command is of use in an editor or in the chat."
TITLE_EMPTY = "A title needs a letter or a sign that shows; type /rename and the title."


def needs_words(name: str, hint: str) -> str:
    """A command without the words that it needs."""
    return f"/{name} needs a {hint} behind it, so nothing was done; type /{name} and the {hint}."


def takes_no_words(name: str) -> str:
    """A command with words that it doesn't take."""
    return f"/{name} takes no words, so nothing was done; type /{name} alone, or ask without the slash."


def too_many_words(name: str, limit: int) -> str:
    """A command with far too many words."""
    return f"The words behind /{name} are longer than {limit:,} characters, so nothing was done; say it in fewer."


def slip(word: str, nearest: str) -> str:
    """A name that was mistyped."""
    return f"There is no command /{word}, so nothing was done; the nearest is /{nearest}, and /help lists all."


def unknown(word: str, nearest: str) -> str:
    """A word that is no command; it goes to the model."""
    return f"There is no command /{word} (the nearest is /{nearest}), so this goes to the model as it is."


def renamed(title: str) -> str:
    """The session has a new title."""
    return f"This session is called {title} now."


def sessions_unreadable(reason: str) -> str:
    """The list of sessions can't be made."""
    return f"The sessions can't be listed ({reason}); try again."


def more_sessions(shown: int) -> str:
    """There are more sessions than are shown."""
    return f"The {shown} newest are shown; your editor's list has the rest."
