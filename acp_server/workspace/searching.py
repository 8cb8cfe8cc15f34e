"""Lines of files that match an expression: run as a program of its own, `python -m acp_server.workspace.searching JOB`.

An expression may take for ever on a line, and nothing but the end of its process stops it; so the agent starts this,
reads its findings as they come, one JSON object a line, and kills it at a deadline or a cancel. The last line has the
figures. No link is followed. Light: a search starts it anew.
"""

from __future__ import annotations

import codecs
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice

from acp_server.workspace.guarded import may_hold_secrets
from acp_server.workspace.ignoring import ALWAYS_LEFT_OUT, Rule, glob_pattern, is_ignored, rules_of
from acp_server.workspace.places import Folder, file_in, folder_in, is_folder_in, leave, top_folder

MAX_FILE_BYTES = 8 * 1024 * 1024
"""A larger file is searched up to here."""
MAX_LINE_CHARACTERS = 64 * 1024
"""A longer line is searched up to here."""
MAX_SHOWN_CHARACTERS = 300
MAX_DEPTH = 64
MAX_IGNORE_BYTES = 1024 * 1024
MAX_MARKS = 20


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be found: `root` a real path, `parts` where to begin below it, `closed` real paths left out, `most`
    the lines that are wanted.
    """

    root: str
    parts: tuple[str, ...]
    closed: tuple[str, ...]
    query: str
    regex: bool
    ignore_case: bool
    glob: str
    most: int


@dataclass(slots=True)
class Figures:
    """What was searched, and what wasn't."""

    files: int = 0
    binary: int = 0
    secret: int = 0
    unreadable: int = 0
    large: int = 0
    deep: int = 0
    more: bool = False
    error: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """A line that matches: `line` from 1 on, `text` the part of it that is shown, `marks` [start, end) in it."""

    parts: tuple[str, ...]
    line: int
    text: str
    marks: tuple[tuple[int, int], ...]


class Search:
    """One search."""

    def __init__(self, job: Job) -> None:
        """Raises re.error, RecursionError, OverflowError."""
        flags = re.IGNORECASE if job.ignore_case else 0
        self.job = job
        self.figures = Figures()
        self._expression = re.compile(job.query if job.regex else re.escape(job.query), flags)
        self._names = glob_pattern(job.glob) if job.glob else None

    def run(self) -> Iterator[Hit]:
        """The lines, file by file in the order of their names. Raises OSError."""
        hits = self._start()
        yield from islice(hits, self.job.most)
        self.figures.more = next(hits, None) is not None

    def _start(self) -> Iterator[Hit]:
        """Go down to where the search begins, taking the rules of `.gitignore` along."""
        parts = self.job.parts
        folder = top_folder(self.job.root)
        rules: list[Rule] = []
        try:
            for depth, part in enumerate(parts):
                rules += self._rules(folder, parts[:depth])
                if depth == len(parts) - 1 and not is_folder_in(folder, part):
                    yield from self._file(folder, parts)
                    return
                if part in ALWAYS_LEFT_OUT or is_ignored(parts[: depth + 1], rules, folder=True):
                    rules = []  # who names a folder that is left out means it
                inner = folder_in(folder, part)
                leave(folder)
                folder = inner
            yield from self._folder(folder, parts, rules)
        finally:
            leave(folder)

    def _folder(self, folder: Folder, parts: tuple[str, ...], above: Sequence[Rule]) -> Iterator[Hit]:
        rules = [*above, *self._rules(folder, parts)]
        for name, is_folder in self._entries(folder):
            inner = (*parts, name)
            if is_folder:
                yield from self._inner(folder, inner, rules)
            elif not is_ignored(inner, rules, folder=False) and self._wanted(inner):
                yield from self._file(folder, inner)

    def _inner(self, folder: Folder, parts: tuple[str, ...], rules: Sequence[Rule]) -> Iterator[Hit]:
        if parts[-1] in ALWAYS_LEFT_OUT or is_ignored(parts, rules, folder=True) or self._closed(parts):
            return
        if len(parts) - len(self.job.parts) > MAX_DEPTH:
            self.figures.deep += 1
            return
        try:
            inner = folder_in(folder, parts[-1])
        except OSError:
            self.figures.unreadable += 1
            return
        try:
            yield from self._folder(inner, parts, rules)
        finally:
            leave(inner)

    def _entries(self, folder: Folder) -> list[tuple[str, bool]]:
        """Files and folders by name, files first; links and all else are left out."""
        try:
            with os.scandir(folder) as entries:
                found = [
                    (entry.name, entry.is_dir(follow_symlinks=False))
                    for entry in entries
                    if entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False)
                ]
        except OSError:
            self.figures.unreadable += 1
            return []
        return sorted(found, key=lambda each: (each[1], each[0]))

    def _wanted(self, parts: Sequence[str]) -> bool:
        start = len(self.job.parts)
        return self._names is None or self._names.fullmatch("/".join(parts[start:])) is not None

    def _closed(self, parts: Sequence[str]) -> bool:
        return bool(self.job.closed) and os.path.join(self.job.root, *parts) in self.job.closed

    def _rules(self, folder: Folder, parts: tuple[str, ...]) -> tuple[Rule, ...]:
        try:
            with os.fdopen(file_in(folder, ".gitignore"), "rb") as stream:
                return rules_of(stream.read(MAX_IGNORE_BYTES).decode("utf-8", "replace"), parts)
        except OSError:
            return ()

    def _file(self, folder: Folder, parts: tuple[str, ...]) -> Iterator[Hit]:
        if may_hold_secrets(parts):
            self.figures.secret += 1
            return
        try:
            with os.fdopen(file_in(folder, parts[-1]), "rb") as stream:
                data = stream.read(MAX_FILE_BYTES + 1)
        except OSError:
            self.figures.unreadable += 1
            return
        text = text_of(data[:MAX_FILE_BYTES])
        if text is None:
            self.figures.binary += 1
            return
        self.figures.files += 1
        self.figures.large += len(data) > MAX_FILE_BYTES
        for number, line in enumerate(text.split("\n"), start=1):
            if (hit := self._line(parts, number, line)) is not None:
                yield hit

    def _line(self, parts: tuple[str, ...], number: int, line: str) -> Hit | None:
        line = line[:MAX_LINE_CHARACTERS].removesuffix("\r")
        first = self._expression.search(line)
        if first is None:
            return None
        start = max(0, first.start() - MAX_SHOWN_CHARACTERS // 3) if len(line) > MAX_SHOWN_CHARACTERS else 0
        text = line[start : start + MAX_SHOWN_CHARACTERS]
        marks: list[tuple[int, int]] = []
        for found in self._expression.finditer(line, first.start()):
            if found.start() - start >= len(text) or len(marks) == MAX_MARKS:
                break
            marks.append((found.start() - start, min(found.end() - start, len(text))))
        return Hit(parts, number, text, tuple(marks))


def text_of(data: bytes) -> str | None:
    """The text of a file's bytes, None where they are none."""
    for bom, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if data.startswith(bom):
            return data[len(bom) :].decode(encoding, "replace")
    if b"\0" in data[:8192]:
        return None
    return data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")


def job_of(text: str) -> Job:
    """A job from its JSON."""
    fields = json.loads(text)
    return Job(**{**fields, "parts": tuple(fields["parts"]), "closed": tuple(fields["closed"])})


def main(text: str) -> None:
    """Write the findings to standard output."""
    figures = Figures()
    try:
        search = Search(job_of(text))
        figures = search.figures
        for hit in search.run():
            _tell(asdict(hit))
    except (re.error, RecursionError, OverflowError) as error:
        figures.error = str(error) or type(error).__name__
    except OSError:
        figures.unreadable += 1
    _tell({"figures": asdict(figures)})


def _tell(value: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
