"""What is said of projects: listed, removed, moved, adopted."""

from __future__ import annotations

from memory_core.sentences import Pair, plural

LIST_HINT = "memory projects lists all there are."


def no_such_project(what: str) -> Pair:
    """Neither an id nor a directory of a project."""
    return f"There is no memory of {what}.", LIST_HINT


def not_empty(path: str, entries: int) -> Pair:
    """A memory in the way of another."""
    return (
        f"{path} has a memory of its own with {plural(entries, 'entry', 'entries')}, so nothing was changed.",
        "Export the other memory and import it here: what is new is added.",
    )


def has_files(path: str) -> Pair:
    """Note files in the way of another memory."""
    return f"There are note files in {path}, so nothing was changed.", "Move them away first."


def same_place(path: str) -> Pair:
    """A move to where the memory is."""
    return f"The memory belongs to {path} already.", "Name the directory that it had and the one it has now."


def moved_away(directory: str, to: str) -> Pair:
    """The notes were moved to another project, and the move was cut off."""
    return f"The memory of {directory} is being moved to {to}.", "Open that project once; the move is then finished."


def cannot_move(path: str, reason: str) -> Pair:
    """The system refused to move or remove directories."""
    return f"{path} can't be moved or removed ({reason}).", "Close what uses it, or make it writable."


def nothing_to_adopt(path: str) -> Pair:
    """No other memory has this checkout's remote or first commit."""
    return f"No other memory belongs to a checkout like {path}.", LIST_HINT


def several_to_adopt(ids: str) -> Pair:
    """More than one memory fits."""
    return f"Several memories fit: {ids}.", "Name one of them."


def offer(name: str, path: str, notes: int, *, gone: bool) -> str:
    """Once, in the first turn of a checkout without notes whose repository had a memory elsewhere."""
    where = f"{path}, which is gone," if gone else path
    does = "brings them here" if gone else "copies them here"
    kept = plural(notes, "note")
    return f"This repository has a memory already: {name} in {where} has {kept}; `caudra-acp memory adopt` {does}."
