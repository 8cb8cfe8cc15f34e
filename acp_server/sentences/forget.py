"""What `memory forget` says to a person before it is done, and after."""

from __future__ import annotations

from memory_core.sentences import plural

HELP_YES = "do it without asking"
HELP_SESSIONS = "delete the session files that hold a note, too"
ASK = "Forget for good? Type y for yes; anything else leaves all as it is."
ASK_SESSIONS = "Delete these session files, too? Type y for yes; anything else keeps them."
LEFT = "Nothing was forgotten."
NO_SESSIONS = "No session file names it."
DELETES_SESSIONS = "The same command with --sessions deletes these session files, too."
DONE_AGAIN = "No version was left to forget; the session files were gone through."
NEEDS_PERSON = "Forgetting can't be undone, so a person is asked at a terminal; a script says --yes."


def versions(names: str, count: int) -> str:
    """What will be blanked."""
    return f"{plural(count, 'version')} will be blanked, of {names}."


def forgotten_before(names: str) -> str:
    """Notes without a text that could be blanked."""
    return f"No version is left of {names}: it was forgotten before."


def lines(count: int, hidden: int) -> str:
    """What has to be written again, and what the view lacks until then."""
    again = f"{plural(count, 'summary line')} will have to be written again"
    if not hidden:
        return f"{again}."
    return f"{again}; until then the view leaves out its {plural(hidden, 'oldest entry', 'oldest entries')}."


def copies(count: int) -> str:
    """Copies of the database, which will be deleted."""
    return f"{plural(count, 'copy of the database', 'copies of the database')} may hold them and will be deleted:"


def sessions(count: int) -> str:
    """Session files that hold a note."""
    return f"{plural(count, 'session file holds', 'session files hold')} some of them:"


def done(notes: int, versions: int, lines: int) -> str:
    """A forget that is done, purged or not."""
    counts = f"{plural(versions, 'version')} blanked, {plural(lines, 'line')} dropped"
    return f"Forgot {plural(notes, 'note')}: {counts}."


def removed(count: int) -> str:
    """Files that were deleted besides."""
    return f"{plural(count, 'file')} deleted besides:"


def kept(count: int) -> str:
    """Files that still hold a note."""
    return f"{plural(count, 'file still holds', 'files still hold')} some of it:"
