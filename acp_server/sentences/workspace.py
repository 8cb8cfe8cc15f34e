"""What the tools that look at the project's files say: to the model in descriptions and results, to the person
on cards.
"""

from __future__ import annotations

from collections.abc import Sequence

from acp_server.sentences.cards import count

PIPE, SOCKET, DEVICE, FOLDER, FILE, SOMETHING = "a pipe", "a socket", "a device", "a folder", "a file", "no file"

READ_DESCRIPTION = (
    "Reads a text file of the project, with line numbers. Long files come in parts: go on with the line that the "
    "result names. Notes of the memory are not files of the project: the memory tool reads those."
)
LIST_DESCRIPTION = "Lists a folder of the project: its folders, its files with their sizes in bytes, its links."
SEARCH_DESCRIPTION = (
    "Finds lines in the project's text files, as path:line: text. Folders of version control and of installed packages "
    "and what .gitignore names are left out, unless path names them. The memory is searched with the memory tool."
)
READ_ARGUMENTS = {
    "path": "The file, relative to the working directory or absolute.",
    "line": "The first line to read, from 1 on; 1 where it is left out.",
    "limit": "How many lines to read at most; 2,000 where it is left out.",
}
LIST_ARGUMENTS = {"path": "The folder; the working directory where it is left out."}
SEARCH_ARGUMENTS = {
    "query": "The text to find, as it stands in one line; with regex a regular expression of Python.",
    "path": "A folder or a file to search in; the working directory where it is left out.",
    "glob": "Only files whose name matches, such as *.py or src/**/*.{ts,tsx}.",
    "regex": "true: query is a regular expression.",
    "ignore_case": "true: capitals and small letters are the same.",
}

READ_TITLE, LIST_TITLE, SEARCH_TITLE = "Read a file", "List a folder", "Search files"


def read_title(name: str, first: int | None = None, last: int | None = None) -> str:
    """The title of a read, with its lines where it is not the whole file."""
    if first is None:
        return f"Read {name}"
    return f"Read {name}, from line {first:,} on" if last is None else f"Read {name}, lines {first:,} to {last:,}"


def list_title(name: str) -> str:
    """The title of a list."""
    return f"List {name}"


def search_title(query: str) -> str:
    """The title while searching."""
    return f"Search files for {query}"


def found_title(lines: int, query: str, more: bool) -> str:
    """The title of a finished search."""
    found = f"{count(lines, 'line', 'lines')}{' and more' if more else ''}" if lines else "no lines"
    return f"Found {found} with {query}"


def no_path(given: str) -> str:
    """A path that no file can have."""
    return f"{given!r} is no path of a file."


def outside(given: str, roots: Sequence[str]) -> tuple[str, str]:
    """A path that leads out of the session's directories."""
    where = ", ".join(roots)
    return f"{given} lies outside of this session's directories.", f"What can be looked at lies in {where}."


def closed(given: str) -> str:
    """A place of the agent's own."""
    return f"{given} belongs to the agent itself and is closed to tools."


def a_note(given: str) -> tuple[str, str]:
    """A path that names a note of the memory."""
    return f"{given} is no file of the project but a note of its memory.", "Read it with the memory tool."


def is_a_folder(name: str) -> tuple[str, str]:
    """A folder where a file was wanted."""
    return f"{name} is a folder.", "list_directory lists it."


def is_a_file(name: str) -> tuple[str, str]:
    """A file where a folder was wanted."""
    return f"{name} is a file.", "read_file reads it."


def not_readable_kind(name: str, kind: str) -> str:
    """A pipe, a device or the like."""
    return f"{name} is {kind}, and only regular files can be read."


def missing(name: str, near: Sequence[str]) -> tuple[str, str]:
    """Nothing is there."""
    return f"There is no {name}.", _near(near)


def missing_folder(name: str, near: Sequence[str]) -> tuple[str, str]:
    """A folder on the way is not there."""
    return f"There is no folder {name}.", _near(near)


def _near(near: Sequence[str]) -> str:
    return f"Did you mean {' or '.join(near)}?" if near else ""


def not_allowed_by_system(name: str) -> str:
    """The system refuses."""
    return f"The system does not let the agent read {name}."


def link_in_the_way(name: str) -> str:
    """A link that leads nowhere, or one that came meanwhile."""
    return f"{name} is a link that leads nowhere, or changed while it was opened."


def system_says(name: str, reason: str) -> str:
    """Any other refusal of the system."""
    return f"{name} can't be read ({reason})."


def took_too_long(name: str, seconds: float) -> str:
    """A disk that doesn't answer."""
    return f"{name} could not be read within {seconds:g} seconds."


def argument_unknown(tool: str, name: str, known: str) -> tuple[str, str]:
    """An argument that the tool doesn't have."""
    return f"{tool} takes no {name}.", f"It takes {known}."


def argument_missing(tool: str, name: str) -> tuple[str, str]:
    """An argument that must be there."""
    return f"{tool} needs {name}.", ""


def argument_wrong(tool: str, name: str, wanted: str) -> tuple[str, str]:
    """An argument of another kind."""
    return f"{name} of {tool} is not {wanted}.", ""


TEXT, NUMBER, YES_OR_NO = "a text", "a whole number from 1 on", "true or false"


def binary(name: str, size: int) -> str:
    """A file without text."""
    return f"{name} is a binary file of {size:,} bytes, so there is no text to show."


def past_the_end(name: str, line: int, total: int) -> str:
    """A first line that the file doesn't have."""
    return f"{name} has {count(total, 'line', 'lines')}, so line {line:,} is past its end."


def empty_file(name: str) -> str:
    """Nothing in it."""
    return f"{name} is empty."


def window(name: str, first: int, last: int, total: int | None, size: int) -> str:
    """The first line of what a read shows."""
    of = f" of {total:,}" if total is not None else f" of a file of {size:,} bytes"
    return f"{name}, lines {first:,} to {last:,}{of}"


def go_on(line: int) -> str:
    """The last line of a part."""
    return f"[there is more; go on with line {line}]"


CRLF = "its line ends are CRLF"
ODD_BYTES = "it is not all UTF-8, and bytes that are not are shown as \ufffd"
BOM = "it begins with a byte order mark"
CUT_LINES = "lines longer than 2,000 characters are cut"


def in_encoding(name: str) -> str:
    """Another encoding than UTF-8."""
    return f"its encoding is {name}"


def card_cut(lines: int) -> str:
    """The card shows less than the model reads."""
    return f"Here are the first {lines:,} lines; the link opens the file."


def listed(name: str, folders: int, files: int) -> str:
    """The first line of a list."""
    return f"{name}, {count(folders, 'folder', 'folders')} and {count(files, 'file', 'files')}"


def and_more(number: int, complete: bool) -> str:
    """What a list leaves out."""
    return f"[and {'' if complete else 'at least '}{number:,} more]"


def no_lines(query: str, where: str) -> str:
    """Nothing was found."""
    return f"No line in {where} holds {query}."


def found(lines: int, files: int) -> str:
    """The first line of what a search found."""
    return f"{count(lines, 'line', 'lines')} in {count(files, 'file', 'files')}"


def links(uri: str) -> str:
    """How a model links to what was found."""
    return f"(a link to line 3 of a.py is {uri}/a.py#L3:3)"


def bad_regex(reason: str) -> tuple[str, str]:
    """A regular expression that isn't one."""
    return f"The query is no regular expression ({reason}).", "Leave regex out to find it as plain text."


TOO_MANY = "[there are more lines; ask for a smaller part or with another word]"
SEARCH_BROKE = "The search broke off from within; try it again, or with another query."


def out_of_time(seconds: float) -> str:
    """The search was stopped."""
    return f"[stopped after {seconds:g} seconds, so there may be more; ask for a smaller part or a simpler expression]"


def left_out(binaries: int, secrets: int, unreadable: int, large: int, deep: int) -> str:
    """What a search did not look into; "" where it was nothing."""
    parts = [
        (binaries, "binary", "binary"),
        (
            secrets,
            "that may hold secrets (read_file asks the person)",
            "that may hold secrets (read_file asks the person)",
        ),
        (unreadable, "that can't be read", "that can't be read"),
        (large, "searched in its first part only", "searched in their first part only"),
        (deep, "folder too deep", "folders too deep"),
    ]
    told = [f"{number:,} {one if number == 1 else many}" for number, one, many in parts if number]
    return f"[not searched: {', '.join(told)}]" if told else ""


READ_SECRET, READ_SECRET_ALWAYS, READ_SECRET_NOT = "Read this file", "Always read such files", "Don't read it"


def may_hold_secrets(name: str) -> str:
    """What the person is asked."""
    return f"{name} may hold passwords or keys; what it holds would be sent to the model."


def refused(name: str) -> str:
    """The person said no."""
    return f"The person refused to have {name} read. Go on without it."
