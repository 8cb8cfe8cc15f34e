"""Every sentence of the memory that a person or a model reads, and nothing else.

Errors are pairs: what was wrong, what would be right. The rest are notices and the few fixed rows of the view.
"""

from __future__ import annotations

from collections.abc import Sequence

Pair = tuple[str, str]


def plural(count: int, one: str, many: str | None = None) -> str:
    """The count with its noun, such as `1 note` or `2 notes`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


# Addresses (zoom)


def address_unreadable(text: str) -> Pair:
    """An address that isn't of the form id+n."""
    return f"{text!r} is not an address.", "An address is written id+n, such as 368+8."


def address_size(n: int) -> Pair:
    """A size that is no power of two."""
    return f"n = {n} is not a power of two.", "A line covers 1, 2, 4, 8, … entries."


def address_start(id: int, n: int) -> Pair:
    """A start that isn't a multiple of the size."""
    return (
        f"id = {id} is not a multiple of n = {n}.",
        f"The line of that size around entry {id} is {id - id % n}+{n}.",
    )


def address_negative(id: int) -> Pair:
    """A start below zero."""
    return f"id = {id} is below 0.", "Entries are numbered from 0."


def address_past_end(id: int, n: int, entries: int) -> Pair:
    """A line that reaches past the journal's last entry."""
    if entries == 0:
        return f"{id}+{n} does not exist.", "The journal has no entries yet."
    return (
        f"{id}+{n} reaches past the end of the journal.",
        f"It has {plural(entries, 'entry', 'entries')}, so the last one is {entries - 1}+1.",
    )


# Names and texts

NAME_HINT = "A name is a relative path such as flaky-tests.md or ci/cache.md."


def name_empty() -> Pair:
    """No name at all."""
    return "The note has no name.", NAME_HINT


def name_absolute(name: str) -> Pair:
    """A path from the root, or with a drive letter."""
    return f"{name!r} is an absolute path.", NAME_HINT


def name_backslash(name: str) -> Pair:
    """A backslash in the name."""
    return f"{name!r} holds a backslash.", "Folders in a name are parted by /."


def name_control(name: str) -> Pair:
    """A control or separator character in the name."""
    return f"{name!r} holds a control or separator character.", NAME_HINT


def name_part_empty(name: str) -> Pair:
    """Two slashes in a row, or one at the end."""
    return f"{name!r} has an empty part.", "Parts are joined by one / each, with none at the end."


def name_part_dots(name: str, part: str) -> Pair:
    """A part that is or starts with a dot."""
    return f"{name!r} has the part {part!r}, which starts with a dot.", NAME_HINT


def name_part_end(name: str, part: str) -> Pair:
    """A part that ends in a dot or a space."""
    return f"{name!r} has the part {part!r}, which ends in a dot or a space.", NAME_HINT


def name_device(name: str, part: str) -> Pair:
    """A part that Windows reserves for a device."""
    return f"{name!r} has the part {part!r}, which Windows keeps for a device.", "Choose another word."


def name_long(name: str, size: int, limit: int) -> Pair:
    """A name over the limit of bytes."""
    return f"The name {name[:40]!r}… is {size} bytes long.", f"A name has at most {limit} bytes with its .md."


def name_not_text() -> Pair:
    """A name that UTF-8 can't express."""
    return "The name can't be written in UTF-8.", NAME_HINT


def name_below_note(name: str, parent: str) -> Pair:
    """A path whose parent is a file."""
    return f"{parent!r} is a file, so {name!r} can't lie in it.", "Choose a name outside it."


def name_is_folder(name: str) -> Pair:
    """A path that is a folder."""
    return f"{name!r} is a folder.", "Choose another name, or a name inside it."


def name_is_special(name: str) -> Pair:
    """A path that is a pipe, a socket or a device."""
    return f"{name!r} is no plain file.", "Choose another name."


def name_is_link(name: str, part: str) -> Pair:
    """A path through a symbolic link."""
    return (
        f"{part!r} is a symbolic link, which the memory does not follow for {name!r}.",
        "Choose another name.",
    )


def text_too_long(size: int, limit: int) -> Pair:
    """A text over the limit of a tool's write."""
    return (
        f"The text is {size:,} bytes long.",
        f"One note holds at most {limit:,} bytes; split it in several notes.",
    )


def text_surrogate(position: int) -> Pair:
    """A text that UTF-8 can't express."""
    return (
        f"The text holds a lone surrogate at character {position}, which UTF-8 can't hold.",
        "Send whole characters.",
    )


NO_SUCH_NOTE = "There is no note "
"""How the sentence about a missing note begins; the embedded model knows it by that."""


def no_such_note(name: str, near: Sequence[str]) -> Pair:
    """No current note of that name; names that come near."""
    if near:
        return f"{NO_SUCH_NOTE}{name!r}.", f"Near it: {', '.join(near)}."
    return f"{NO_SUCH_NOTE}{name!r}.", "Search finds notes by their words."


def note_changed(name: str, newest: int | None) -> Pair:
    """A newer entry came between the proposal and the lock."""
    how = "was deleted" if newest is None else f"has the newer entry {newest}"
    return f"{name} {how} since the change was proposed, so nothing was written.", "Propose it again."


# Lines


def line_not_waiting_written(address: str) -> Pair:
    """A line that has its text."""
    return f"The line {address} is already written.", "Only lines that are waiting can be stored."


def line_not_waiting_verbatim(address: str) -> Pair:
    """A line that is kept word for word."""
    return f"The line {address} is kept word for word.", "Only lines that are waiting can be stored."


def line_not_waiting_halves(address: str) -> Pair:
    """A line whose halves have no text yet."""
    return f"The line {address} can't be written yet.", "Its two halves have to be written first."


def line_leased(address: str) -> Pair:
    """A line that somebody else is writing."""
    return f"The line {address} is being written by another process.", "It is free again when its lease ends."


def line_too_long(address: str, size: int, limit: int) -> Pair:
    """A line's text over its limit."""
    return f"The text for line {address} is {size} bytes long.", f"A line holds at most {limit} bytes."


def line_empty(address: str) -> Pair:
    """A line without text."""
    return f"The text for line {address} is empty.", "A line holds 1 to 512 bytes of text."


# Rows of the view


def left_out(count: int) -> str:
    """The first line of a view that can't show its oldest entries."""
    if count == 1:
        return "(the oldest entry is left out until its summary is written; memory search finds it)"
    return f"(the {count} oldest entries are left out until their summaries are written; memory search finds them)"


PENDING = "(not summarized yet)"


def pending_leaf(name: str, heading: str) -> str:
    """A leaf without its summary."""
    return f"{PENDING} note {name}: {heading}" if heading else f"{PENDING} note {name}"


def pending_parent(n: int) -> str:
    """A line above leaves without its summary."""
    return f"{PENDING} {n} entries, zoom to read them"


# Notices


def front_matter_left_out() -> str:
    """The front matter block of an import isn't in the text that is shown."""
    return "The front matter block at the top of the file is left out here; the file keeps it."


def front_matter_kept() -> str:
    """A write kept the block of an imported note."""
    return "The front matter block at the top of the file was kept."


def not_utf8() -> str:
    """A note that isn't UTF-8."""
    return "The file is not UTF-8; what could not be read is shown as �, and the file is kept as it is."


def forgotten_text() -> str:
    """An entry whose text was forgotten."""
    return "This entry was forgotten; its text is gone."


def stale(name: str, replaced: int, *, deleted: bool = False) -> str:
    """A session replaced or deleted a version that it had not read."""
    done = "deleted" if deleted else "replaced"
    return f"This {done} entry {replaced} of {name}, which this session had not read; zoom {replaced}+1 shows it."


def outside_edit_found(name: str, entry: int) -> str:
    """A write found an edit made outside and kept it in the journal first."""
    return f"An edit of {name} made outside was kept first, as entry {entry}."


def name_meant(asked: str, name: str) -> str:
    """A name that differs in case only from the note it means."""
    return f"{asked} is the note {name}."


def file_bad_name(path: str, reason: str) -> str:
    """A file in the notes directory whose name breaks a rule."""
    return f"The file {path!r} is not a note: {reason}"


def file_too_large(path: str, size: int, limit: int) -> str:
    """A file too large to keep."""
    return f"The file {path!r} has {size:,} bytes, over the {limit:,} that the memory keeps; it is left alone."


def file_no_note(name: str, size: int, limit: int) -> Pair:
    """A note is asked for whose file is too large to keep."""
    return f"The file {name} has {size:,} bytes, over the {limit:,} of a note.", "Its text is in the file alone."


def file_unreadable(path: str, reason: str) -> str:
    """A file that can't be read."""
    return f"The file {path!r} can't be read ({reason}); it is left alone until it can."


def file_same_name(path: str, other: str) -> str:
    """Two files whose names are one after normalisation."""
    return f"The files {path!r} and {other!r} have one name; only the second is kept as a note."


def rename_restored(name: str, entry: int) -> str:
    """The disk lost a rename; the journal's text was written again."""
    return f"The disk showed an older {name}, lost with the power; entry {entry} was written to it again."


def journal_cleared(entries: int) -> str:
    """The notes directory was removed."""
    return f"The notes directory was removed, so the journal was cleared of {plural(entries, 'entry', 'entries')}."


# State


def state_unwritable(path: str, reason: str) -> Pair:
    """The state directory can't be made or written."""
    return (
        f"The memory can't be kept in {path} ({reason}).",
        "Free space there or make it writable, or name another directory in CAUDRA_STATE_DIR.",
    )


def database_foreign(path: str) -> Pair:
    """A database of another program."""
    return (
        f"{path} belongs to another program and was not touched.",
        "Move it away, or name another directory in CAUDRA_STATE_DIR.",
    )


def database_not_one(path: str) -> Pair:
    """A file that is no database, or a damaged one."""
    return (
        f"{path} is damaged or not a database, and was not touched.",
        "Move it aside; the notes are imported again from their files.",
    )


def database_damaged(path: str) -> Pair:
    """A database of ours that is damaged."""
    return (
        f"The memory's database {path} is damaged.",
        "Once nothing else has it open, the next look sets it aside and keeps what can be read.",
    )


def database_salvaged(aside: str) -> str:
    """A damaged database was set aside."""
    return f"The memory's database was damaged; what could be read was carried over, and the damaged file is {aside}."


def database_newer(path: str, found: int, known: int) -> Pair:
    """A database of a newer release."""
    return (
        f"{path} was written by a newer release (schema {found}; this one knows {known}).",
        "Update this program.",
    )


def database_failed(path: str, reason: str) -> Pair:
    """SQLite refused for another reason."""
    return f"The memory's database {path} can't be used ({reason}).", "Free space or permissions may help."


def place_failed(path: str, reason: str) -> Pair:
    """The system refused something that is needed of a file or directory."""
    return f"The memory can't use {path} ({reason}).", "Free space or permissions may help."


def state_gone(path: str) -> Pair:
    """The state directory was there when the memory was opened."""
    return (
        f"The state directory {path} is not there any more; nothing was cleared.",
        "Mount or restore it, or start the agent anew with an empty memory.",
    )


def database_busy(path: str) -> Pair:
    """Another process held the lock too long."""
    return f"Another process holds the memory's database {path}.", "Try again in a moment."


def notes_unreadable(path: str, reason: str) -> Pair:
    """The notes directory can't be listed."""
    return f"The notes in {path} can't be read ({reason}); nothing was changed.", "Make them readable."


def notes_gone(path: str) -> Pair:
    """The notes directory and the directories above it are gone."""
    return f"The directory {path} is not there; nothing was cleared.", "Mount or restore it."


def project_missing(path: str) -> Pair:
    """A project directory that doesn't exist."""
    return f"{path} is not a directory.", "Name the project's directory."


ROW_GONE = "the project was removed from it meanwhile"


# Reminders


def more_rows(count: int) -> str:
    """The last row of a reminder that could not list every entry."""
    return f"and {plural(count, 'more entry', 'more entries')}; the memory tool's view shows them"


def file_is_link(path: str) -> str:
    """A symbolic link in the notes directory."""
    return f"{path!r} in the notes directory is a symbolic link, which the memory does not follow."


def file_in_the_way(name: str, size: int) -> Pair:
    """A write would replace a file too large to keep."""
    return (
        f"The file {name} has {size:,} bytes and isn't in the journal, so it was not replaced.",
        "Move it away first.",
    )


def note_unsteady(name: str) -> Pair:
    """The file changes while it is read."""
    return f"The file {name} is being written by another program, so nothing was changed.", "Try again."


def reason(error: OSError) -> str:
    """The system's own words for what failed."""
    return error.strerror or type(error).__name__
