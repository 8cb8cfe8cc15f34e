"""A project whose writers are killed: its folders, what is found in it afterwards, and whether that may be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from memory_core import Memory
from memory_core.project import locate
from memory_core.results import Exported
from tests.memory_core.bytes_on_disk import TAIL
from tests.reliability.killing.expected import Expected
from tests.reliability.killing.steps import BUDGET


class Lost(AssertionError):
    """Something isn't as it has to be after a kill."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a project and its state live."""

    project: Path
    state: Path

    def open(self) -> Memory:
        """Its memory."""
        return Memory.open(self.project, state_dir=self.state, budget=BUDGET)

    @property
    def home(self) -> Path:
        """The project's folder in the state directory."""
        return Path(locate(str(self.project), str(self.state)).home)

    @property
    def memories(self) -> Path:
        """The notes."""
        return self.home / "memories"

    def files(self) -> dict[str, str]:
        """The notes as they stand on the disk."""
        root = self.memories
        return {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in root.rglob("*.md")}


def texts_of(entries: Iterable[Exported]) -> Counter[str]:
    """How often each text stands in the journal."""
    return Counter(entry.raw.decode() for entry in entries if entry.raw is not None)


@dataclass(frozen=True, slots=True)
class Recovered:
    """The state that was found, and the journal's entries."""

    expected: Expected
    entries: list[Exported]


def recovered(
    place: Place, possible: Iterable[Expected], again: Callable[[Memory], object] = Memory.reconcile
) -> Recovered:
    """Opens the memory, looks, and gives which of the possible states is there. Raises Lost where none of them is.

    `again` does over what was cut off, where that is for a person to do.
    """
    with place.open() as memory:
        _require(not list((place.home / "tmp").glob("*")), "a temporary file is left")
        memory.reconcile()
        again(memory)
        _require(memory.reconcile().appended == 0, "a second look finds a difference")
        while memory.index_more():
            pass
        _require(not memory.purge_pending(), "traces remain though nobody reads")
        verified = memory.verify()
        _require(verified.ok, f"verify finds {verified.problems}")
        entries = list(memory.export())
    files, texts = place.files(), texts_of(entries)
    states = list(possible)
    differences = [state.difference(files, texts) for state in states]
    _require("" in differences, f"no state that may be: {[each[:400] for each in differences]}")
    found = states[differences.index("")]
    traces = files_with(place.state, found.gone)
    _require(not traces, f"forgotten bytes in {traces}")
    _require(
        not list(place.state.rglob("*.part")) and not list(place.state.rglob("*.tmp")), "an unfinished file is left"
    )
    return Recovered(found, entries)


def files_with(state: Path, tokens: Iterable[str]) -> set[str]:
    """The files under a state directory that hold any of the tokens."""
    tails = [token[-TAIL:].encode() for token in tokens]
    if not tails:
        return set()
    contents = {path: path.read_bytes().lower() for path in state.rglob("*") if path.is_file()}
    return {str(path) for path, content in contents.items() if any(tail in content for tail in tails)}


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise Lost(what)
