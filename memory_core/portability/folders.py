"""Markdown from elsewhere as notes: files, folders of them, and what other agents keep as their memory.

A folder's notes are named by their paths in it; `.mdc` and `.markdown` become `.md`, and folders that start with a dot
lose it where they are known to hold an agent's notes. Anything else that starts with a dot is passed over, as are
symbolic links. Nothing here reads the memory or changes a file.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memory_core import entry, notes, sentences
from memory_core.exceptions import BadArchive, BadName
from memory_core.names import SUFFIX, note_name
from memory_core.portability.archive import EntryRow
from memory_core.results import EntryKind, Origin, OriginKind
from memory_core.sentences import portability as say

SUFFIXES = (SUFFIX, ".mdc", ".markdown")
AGENT_FOLDERS = frozenset(
    (
        ".agents",
        ".amazonq",
        ".augment",
        ".claude",
        ".clinerules",
        ".codex",
        ".continue",
        ".cursor",
        ".gemini",
        ".github",
        ".goose",
        ".junie",
        ".kiro",
        ".opencode",
        ".qwen",
        ".roo",
        ".trae",
        ".windsurf",
    )
)
"""Folders in which agents keep their notes and rules."""
AGENT_FILES = {
    ".clinerules": "clinerules.md",
    ".cursorrules": "cursorrules.md",
    ".goosehints": "goosehints.md",
    ".roorules": "roorules.md",
    ".windsurfrules": "windsurfrules.md",
}
"""Files without a suffix in which agents keep their notes."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file that may become a note: `problem` says why it can't ("" where it can)."""

    source: str
    name: str
    size: int
    created_ms: int
    problem: str = ""


def find(paths: Iterable[str]) -> list[Found]:
    """What the files and folders hold, oldest first, problems too. Raises BadArchive for a path that isn't there
    or can't be listed."""
    found = sorted((each for path in paths for each in _under(path)), key=lambda each: (each.created_ms, each.source))
    first: dict[str, str] = {}
    checked: list[Found] = []
    for each in found:
        other = first.setdefault(each.name, each.source) if not each.problem else each.source
        problem = each.problem or ("" if other == each.source else say.same_name(other))
        checked.append(Found(each.source, each.name, each.size, each.created_ms, problem))
    return checked


def load(found: Iterable[Found]) -> Iterator[tuple[Found, EntryRow]]:
    """The notes among what was found, read one by one. Raises BadArchive where one can't be read any more."""
    for each in found:
        if each.problem:
            continue
        try:
            raw = notes.read(*os.path.split(os.path.abspath(each.source))).raw
        except (OSError, notes.TooLarge, notes.Unsteady) as error:
            why = sentences.reason(error) if isinstance(error, OSError) else type(error).__name__
            raise BadArchive(*say.unreadable(each.source, why)) from error
        hides = entry.may_have_front_matter(raw) and bool(entry.split_front_matter(entry.decode(raw))[0])
        yield each, EntryRow(-1, EntryKind.NOTE, each.name, raw, Origin(OriginKind.IMPORT), each.created_ms, hides)


def _under(path: str) -> Iterator[Found]:
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            yield from _walk(path, "")
        else:
            yield _file(path, os.path.basename(path), os.stat(path))
    except OSError as error:
        raise BadArchive(*say.unreadable(path, sentences.reason(error))) from error


def _walk(root: str, prefix: str) -> Iterator[Found]:
    with os.scandir(os.path.join(root, prefix)) as items:
        for item in sorted(items, key=lambda each: each.name):
            path = prefix + item.name
            if item.is_dir(follow_symlinks=False):
                if not item.name.startswith(".") or item.name in AGENT_FOLDERS:
                    yield from _walk(root, f"{path}/")
            elif item.is_file(follow_symlinks=False) and _is_text(item.name):
                yield _file(item.path, path, item.stat(follow_symlinks=False))


def _is_text(name: str) -> bool:
    return name in AGENT_FILES or (not name.startswith(".") and name.lower().endswith(SUFFIXES))


def _file(source: str, path: str, status: os.stat_result) -> Found:
    name, problem = path, ""
    try:
        name = note_name(_named(path))
        if status.st_size > notes.MAX_KEPT_BYTES:
            problem = say.TEXT_TOO_LONG
    except BadName as error:
        problem = error.message
    return Found(source, name, status.st_size, status.st_mtime_ns // 1_000_000, problem)


def _named(path: str) -> str:
    """The note's name of a path in a folder."""
    folder, _, last = path.rpartition("/")
    folders = (
        [part.removeprefix(".") if part in AGENT_FOLDERS else part for part in folder.split("/")] if folder else []
    )
    last = AGENT_FILES.get(last, last)
    suffix = next((each for each in SUFFIXES if last.lower().endswith(each)), "")
    stem = last[: len(last) - len(suffix)] if suffix else last
    return unicodedata.normalize("NFC", "/".join([*folders, stem + SUFFIX]))
