"""Slash commands: which there are, and when a prompt is one. Light: they are announced with each session.

Rules
1. A command is the whole prompt: one text block of one line that begins with `/` and an exact name, then a space and
   words for it, or nothing. Whatever else there is (more blocks or lines, a space before, a path) is meant for the
   model.
2. A word that stands alone behind `/` and is no name is told with the nearest one; it goes to the model all the same,
   unless it is a slip of a name.
3. Nothing is lost: what runs no command reaches the model, or the person is told what to type.
"""

from __future__ import annotations

import re

from acp_server.sentences import commands as say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_server.providers.interface import JsonObject, JsonValue

MAX_WORDS_CHARS = 2000
SLIP = 2
"""Letters by which a slip differs from the name that was meant, at most."""

_COMMAND = re.compile(r"/([A-Za-z][A-Za-z0-9_-]*)(?:[ \t]+(\S.*?))?[ \t]*\n?")
_LONGEST_WORD = 40


class Command:
    """One command: `hint` says what follows the name, "" for nothing; `needs` whether something must."""

    __slots__ = ("description", "hint", "name", "needs")

    def __init__(self, name: str, description: str, hint: str = "", *, needs: bool = False) -> None:
        self.name = name
        self.description = description
        self.hint = hint
        self.needs = needs

    @property
    def usage(self) -> str:
        """How it is typed; what may be left out stands in brackets."""
        shown = self.hint if self.needs else f"[{self.hint}]"
        return f"/{self.name} {shown}" if self.hint else f"/{self.name}"


COMMANDS = (
    Command("compact", say.COMPACT, say.COMPACT_HINT),
    Command("clear", say.CLEAR),
    Command("memory", say.MEMORY, say.MEMORY_HINT),
    Command("sessions", say.SESSIONS),
    Command("rename", say.RENAME, say.RENAME_HINT, needs=True),
    Command("help", say.HELP),
)
"""Each has its handler in `command_handlers.py`."""

BY_NAME = {command.name: command for command in COMMANDS}


class Typed:
    """A command that was typed, with the words behind its name."""

    __slots__ = ("command", "words")

    def __init__(self, command: Command, words: str) -> None:
        self.command = command
        self.words = words

    @property
    def refusal(self) -> str:
        """Why it can't run as it was typed, "" where it can."""
        if self.command.needs and not self.words:
            return say.needs_words(self.command.name, self.command.hint)
        if self.words and not self.command.hint:
            return say.takes_no_words(self.command.name)
        return say.too_many_words(self.command.name, MAX_WORDS_CHARS) if len(self.words) > MAX_WORDS_CHARS else ""


class Unknown:
    """A word behind `/` that is no name: the `nearest` one, and whether it was a `slip` of that."""

    __slots__ = ("nearest", "slip", "word")

    def __init__(self, word: str, nearest: str, slip: bool) -> None:
        self.word = word
        self.nearest = nearest
        self.slip = slip

    @property
    def sentence(self) -> str:
        """What the person is told."""
        return say.slip(self.word, self.nearest) if self.slip else say.unknown(self.word, self.nearest)


def typed(text: str, blocks: Sequence[JsonObject] = ()) -> Typed | Unknown | None:
    """The command that a prompt is; None where it is meant for the model. Without `blocks` the text is all there is."""
    if len(blocks) > 1 or not text.startswith("/") or (blocks and blocks[0].get("type") != "text"):
        return None
    found = _COMMAND.fullmatch(text)
    if found is None:
        return None
    name, words = found[1], found[2] or ""
    if name in BY_NAME:
        return Typed(BY_NAME[name], words)
    if len(name) > _LONGEST_WORD:
        return None
    from acp_server.slips import distance  # late: announcing the commands needs none of it

    nearest = min(BY_NAME, key=lambda known: distance(name.lower(), known))
    away = distance(name.lower(), nearest)
    if words:
        return Unknown(name, nearest, slip=True) if away <= 1 else None
    return Unknown(name, nearest, slip=away <= SLIP)


def announced() -> list[JsonValue]:
    """The commands as the protocol announces them."""
    rows: list[JsonValue] = []
    for command in COMMANDS:
        row: JsonObject = {"name": command.name, "description": command.description}
        rows.append(row | {"input": {"hint": command.hint}} if command.hint else row)
    return rows
