"""What a proof gives: figures with what is wanted of them, and where and how they were measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tests.benchmarks.machine import Machine


@dataclass(frozen=True, slots=True)
class Settings:
    """How a proof is run. `folder` is its own and empty; `short` is the form that every run of the tests has too."""

    folder: Path
    short: bool


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure. Of the two bounds each may be absent; a figure with none is told and held to nothing."""

    what: str
    value: float
    unit: str = ""
    at_least: float | None = None
    at_most: float | None = None

    @property
    def met(self) -> bool:
        """Whether the value lies within its bounds."""
        low, high = self.at_least, self.at_most
        return (low is None or self.value >= low) and (high is None or self.value <= high)


def exactly(what: str, value: float, wanted: float, unit: str = "") -> Figure:
    """A figure that has to be one number."""
    return Figure(what, value, unit, wanted, wanted)


@dataclass(frozen=True, slots=True)
class Grid:
    """A table beside the figures: how they came about. Its cells are shown as they are."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one run of a proof came to."""

    figures: tuple[Figure, ...]
    grids: tuple[Grid, ...] = ()

    @property
    def met(self) -> bool:
        """Whether every figure is as wanted."""
        return all(figure.met for figure in self.figures)


@dataclass(frozen=True, slots=True)
class Record:
    """An outcome with what it depends on: the machine and the time, the release, and the command that repeats it."""

    machine: Machine
    version: str
    command: str
    seconds: float
    outcome: Outcome


class Proof(Protocol):
    """A module of a proof. Its texts are Markdown, for readers who use the program."""

    TITLE: str
    CLAIM: str
    """What is claimed, in one paragraph."""
    METHOD: str
    """What is done and measured, in one paragraph or list."""
    measure: Callable[[Settings], Outcome]
    """Runs it. What breaks the claim raises; what is counted comes back."""


class Text(Protocol):
    """A module of a section that is told and not measured: its text is made from a table of its own."""

    TITLE: str
    text: Callable[[], str]
    """The section's Markdown, without its heading."""
