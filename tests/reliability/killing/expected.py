"""What must be there after a kill: a plain model of files and journal, and the states that a step may leave behind."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.memory_core.bytes_on_disk import token
from tests.reliability.killing.steps import Step


def new_text(rng: random.Random) -> str:
    """A text with a token of its own; some are their own line, some are too long for it."""
    return f"# About {token(rng)}\n" + "some words of a note " * rng.choice((0, 1, 5, 40))


def token_of(text: str) -> str:
    """The token of a text."""
    return text.split()[2]


@dataclass(slots=True)
class Expected:
    """The texts of the files by name, how often each text stands in the journal, whose it is, and forgotten tokens."""

    files: dict[str, str] = field(default_factory=dict)
    copies: Counter[str] = field(default_factory=Counter)
    owners: dict[str, str] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)

    def copy(self) -> Expected:
        """Another one of the same."""
        return Expected(dict(self.files), self.copies.copy(), dict(self.owners), set(self.gone))

    def put(self, name: str, text: str) -> None:
        """A note got a text, from whomever."""
        self.files[name] = text
        self.copies[text] += 1
        self.owners[text] = name

    def remove(self, name: str) -> None:
        """A note was deleted, by whomever."""
        del self.files[name]

    def forget(self, name: str) -> None:
        """Every text that the note ever had is gone."""
        self.files.pop(name, None)
        for text in [text for text, owner in self.owners.items() if owner == name]:
            self.gone.add(token_of(text))
            del self.copies[text], self.owners[text]

    def clear(self) -> None:
        """Nothing is left."""
        for name in set(self.owners.values()):
            self.forget(name)

    def apply(self, step: Step) -> None:
        """What an acknowledged step has done."""
        match step.verb:
            case "write" | "restore":
                self.put(step.names[0], step.text)
            case "delete":
                self.remove(step.names[0])
            case "forget":
                for name in step.names:
                    self.forget(name)
            case "join":
                for row in step.rows:
                    self.put(*row)
            case "clear":
                self.clear()

    def possible(self, step: Step | None) -> Iterator[Expected]:
        """The whole states that a step which was cut off may leave, once the memory was opened and looked again."""
        if step is None or step.verb != "clear":  # a directory that was removed clears, now or then
            yield self
        if step is not None and step.verb == "join":
            grown = self.copy()
            for row in step.rows[:-1]:
                grown.put(*row)
                yield grown.copy()
        if step is not None:
            after = self.copy()
            after.apply(step)
            yield after

    def difference(self, files: dict[str, str], texts: Counter[str]) -> str:
        """What differs between this and what was found; empty where nothing does."""
        found = []
        for name in sorted(self.files.keys() | files.keys()):
            if self.files.get(name) != files.get(name):
                found.append(f"{name} holds {_short(files.get(name))}, not {_short(self.files.get(name))}")
        for text in self.copies.keys() | texts.keys():
            if self.copies[text] != texts[text]:
                found.append(f"{_short(text)} is {texts[text]} times in the journal, not {self.copies[text]}")
        return "; ".join(found)


def _short(text: str | None) -> str:
    return "nothing" if text is None else repr(text[:30])
