"""A project and its memory in a temporary folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from memory_core import Memory


@dataclass(frozen=True)
class Place:
    """Where a test's project and state live."""

    project: Path
    state: Path

    def open(self, budget: int = 32768) -> Memory:
        return Memory.open(self.project, state_dir=self.state, budget=budget)

    @property
    def memories(self) -> Path:
        return next((self.state / "projects").iterdir()) / "memories"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    project = tmp_path / "project"
    project.mkdir()
    return Place(project, tmp_path / "state")


@pytest.fixture
def memory(place: Place) -> Iterator[Memory]:
    with place.open() as opened:
        yield opened
        opened.reconcile()
        while opened.index_more():
            pass
        assert opened.verify().problems == ()
