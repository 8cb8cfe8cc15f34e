"""What one of many processes tells of its work: what it did, and in which span of time, on the clock that all share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Span(NamedTuple):
    """From just before to just after, in ns of the monotonic clock."""

    began: int
    ended: int


class Written(NamedTuple):
    """An acknowledged write: its entry, the note, the token in its text."""

    entry: int
    name: str
    token: str
    span: Span


class Stored(NamedTuple):
    """A line that was stored: its address."""

    address: str
    span: Span


@dataclass(slots=True)
class Report:
    """One process's work. `edited` are the tokens of edits outside, `held` the spans in which leases surely stood,
    `absent` counts notes that another process had removed, `slow` is the longest time of each kind of work in ns,
    `counts` how often it was done."""

    written: list[Written] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)
    forgotten: list[tuple[str, Span]] = field(default_factory=list)
    stored: list[Stored] = field(default_factory=list)
    held: list[Span] = field(default_factory=list)
    absent: int = 0
    slow: dict[str, int] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def took(self, work: str, ns: int) -> None:
        """Counts a piece of work and keeps its time if it is the longest."""
        self.slow[work] = max(self.slow.get(work, 0), ns)
        self.counts[work] = self.counts.get(work, 0) + 1


def loaded(found: dict[str, Any]) -> Report:
    """The report that a process printed."""
    return Report(
        written=[Written(entry, name, token, Span(*span)) for entry, name, token, span in found["written"]],
        edited=found["edited"],
        forgotten=[(name, Span(*span)) for name, span in found["forgotten"]],
        stored=[Stored(address, Span(*span)) for address, span in found["stored"]],
        held=[Span(*span) for span in found["held"]],
        absent=found["absent"],
        slow=found["slow"],
        counts=found["counts"],
    )
