"""What the tools say: to the model in their descriptions and results, to the person on buttons and
receipts.
"""

from __future__ import annotations

import shlex

MEMORY_DESCRIPTION = (
    "The project's memory: notes that earlier sessions kept, and the journal of every version. "
    "view shows the live view; zoom opens a line id+n into its two halves, with n = 1 an entry whole; "
    "search finds current notes by word; read returns a note; write keeps a whole note; "
    "delete removes a note that is wrong."
)
ARGUMENTS = {
    "command": "What to do.",
    "id": "zoom: the first entry of the line, the number before the plus.",
    "n": "zoom: how many entries the line covers, the number after the plus.",
    "query": "search: the words to look for.",
    "path": "read, write, delete: the note's name, such as flaky-tests.md or ci/cache.md.",
    "content": "write: the whole text of the note in Markdown, beginning with a heading.",
}

INDEX_INCOMPLETE = "(the word index is still being built)"
DELETES_THE_NOTE = "This entry deletes the note."


def no_command(given: str, commands: str) -> tuple[str, str]:
    """A command that the memory tool doesn't have."""
    return f"The memory tool has no command {given!r}.", f"The commands are {commands}."


def command_missing(commands: str) -> tuple[str, str]:
    """A call without a command."""
    return "The call names no command.", f"The commands are {commands}."


def argument_missing(command: str, name: str, needed: str) -> tuple[str, str]:
    """A call that lacks an argument."""
    return f"{command} needs {name}.", f"It takes {needed}."


def argument_not_text(command: str, name: str) -> tuple[str, str]:
    """An argument that is not a string."""
    return f"{name} of {command} is not a text.", "Send it as a JSON string."


def argument_not_number(command: str, name: str) -> tuple[str, str]:
    """An argument that is not a whole number."""
    return f"{name} of {command} is not a whole number.", "For line 368+8 send id 368 and n 8."


def query_empty() -> tuple[str, str]:
    """A search without words."""
    return "The query is empty.", "Send the words to look for."


def unknown_tool(name: str, known: str) -> str:
    """The model asked for a tool that doesn't exist."""
    return f"error: There is no tool {name!r}. The tools are: {known}."


def broken_arguments(name: str, reason: str) -> str:
    """The arguments of a call are no JSON object."""
    return f"error: The arguments of {name} are not one whole JSON object ({reason}). Send the call again."


def tool_broke(name: str, kind: str) -> str:
    """A tool raised what it must not raise."""
    return f"error: The tool {name} failed ({kind}). Go on without it, or try once more."


ARGUMENTS_NOT_OBJECT = "they hold something else than an object"
ARGUMENTS_TOO_DEEP = "they are nested too deeply"
ARGUMENTS_TOO_LONG_NUMBER = "a number in them has too many digits"
CARD_BROKEN_ARGUMENTS = "The model's call was not complete, so nothing was done; it was told to send it again."
CARD_CUT_CALL = "The model's answer ended in the middle of this call, so nothing was done."
CARD_TOOL_BROKE = "The tool failed from within; the agent's log has the details."
CARD_CANCELLED = "Cancelled before it was done."
RESULT_CANCELLED = "error: The person cancelled the turn before this call was done."
RESULT_NOT_RUN = "error: The turn ended before this call was run."


CARD_NOBODY_THERE = "Nobody could be asked, and no rule allows it, so nothing was changed."


GO_ON = " Go on without it; don't retry."
"""For a model's ears alone."""


def nobody_there(rule: str | None) -> str:
    """For the model: the run has no person, and `rule`, the one that would allow the call, doesn't hold."""
    why = "only a person could allow it" if rule is None else f"no rule of this project allows {rule}"
    return f"error: Nobody can be asked in this run, and {why}, so nothing was changed.{GO_ON}"


def card_unknown_tool(name: str) -> str:
    """For the person: a tool that doesn't exist."""
    return f"The model asked for a tool {name} that does not exist; it was told which there are."


def output_cut(shown: int, size: int) -> str:
    """The last line of a result that is longer than the limit."""
    return f"[cut: the first {shown:,} of {size:,} bytes are shown; ask for a smaller part]"


def refused(action: str, name: str) -> str:
    """The person said no, or nobody said yes."""
    return f"The person refused this {action}; {name} is unchanged."


def changed_meanwhile() -> str:
    """Above a diff that is shown again."""
    return "The note changed since the last question; this is the change against its newest text."


def notes_lie_in(folder: str) -> str:
    """After the first write of a project."""
    return f"The notes of this project lie in {folder}."


def undo_by_delete(name: str) -> str:
    """How a new note is undone."""
    return f"To undo it, ask to delete {name}."


def undo_by_rewrite(name: str, entry: int) -> str:
    """How a change is undone: an entry of the journal holds the older text, and a command brings it back."""
    ask = f"To undo it, ask to write the text of entry {entry} to {name} again; it holds the older text."
    return f"{ask} In a terminal, caudra-acp memory restore {shlex.quote(f'{name}@{entry}')} does the same."


def wrote(name: str, entry: int) -> str:
    """The receipt of a write."""
    return f"Wrote {name} as entry {entry}."


def deleted(name: str, entry: int) -> str:
    """The receipt of a delete."""
    return f"Deleted {name}, entry {entry}."


SAVE_ONCE = "Save this note"
SAVE_ALWAYS = "Always save notes in this session"
SAVE_NOT = "Don't save"
DELETE_ONCE = "Delete this note"
DELETE_ALWAYS = "Always delete notes in this session"
DELETE_NOT = "Keep the note"
