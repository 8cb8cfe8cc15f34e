"""Several projects in one state directory, each note with a token of its own in its text, its lines and the index."""

from __future__ import annotations

import random
from pathlib import Path

from bytes_on_disk import token

from memory_core import Memory
from memory_core.results import Pending
from memory_core.storing import Text

PROJECTS = 4


class World:
    """`tokens[project][name]` is the token that only this note, and what was made from it, holds."""

    def __init__(self, directory: Path, notes: int) -> None:
        rng = random.Random(notes)
        self.state = directory / "state"
        self.database = self.state / "acp-state.db"
        self.projects = [directory / f"project-{number}" for number in range(PROJECTS)]
        self.tokens = [{f"n{number}": token(rng) for number in range(notes)} for _ in self.projects]
        for project in self.projects:
            project.mkdir()
        memories = [self.open(number) for number in range(PROJECTS)]
        for memory, tokens in zip(memories, self.tokens, strict=True):
            for name, secret in tokens.items():
                Path(memory.project.memories, f"{name}.md").write_text(text(name, secret), encoding="utf-8")
            memory.reconcile()
        busy = list(memories)
        while busy:
            busy = [memory for memory in busy if _work(memory)]
        for memory in memories:
            memory.close()

    def open(self, number: int) -> Memory:
        return Memory.open(self.projects[number], state_dir=self.state)

    def chosen(self, project: int, count: int) -> list[str]:
        """Some of a project's notes, spread over its journal."""
        return random.Random(project).sample(sorted(self.tokens[project]), count)


def text(name: str, secret: str) -> str:
    return f"# {name} {secret}\n" + f"Some words about {secret.upper()}, again and again. " * 14


def _work(memory: Memory) -> bool:
    """An idle step and some lines: the projects' rows lie interleaved in the file."""
    more = memory.idle_step()
    claimed = memory.claim_lines("worker", 64)
    memory.store_claimed("worker", [_line(pending) for pending in claimed])
    return more or bool(claimed)


def _line(pending: Pending) -> Text:
    """A line that quotes what it folds, as far as it fits."""
    words = [word.strip(",.") for half in pending.halves for word in half.split() if any(map(str.isdigit, word))]
    return Text(pending.address, f"{' '.join(dict.fromkeys(words))[:480]} {'.' * 20}", "model/m")
