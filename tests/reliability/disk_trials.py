"""Trials on a full disk: an operation meets the end of the room at each of its steps, then there is room again.

Whatever happens, each file holds its old or its new text whole, the error is one sentence, nothing temporary stays
behind, the memory goes on, and its check finds nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from memory_core import Memory
from memory_core.exceptions import MemoryFault
from memory_core.storing import Text
from tests.benchmarks.archives import write_archive
from tests.reliability.disk_faults import Room

ENOUGH = 3
"""So many successes one after another, and more room makes no difference."""

MOST_PAGES = 4000
TEXT_BYTES = 9000
ARCHIVE_ENTRIES, ARCHIVE_NOTES = 60, 12

Files = dict[str, bytes]


@dataclass(slots=True)
class Count:
    """What the trials of one operation came to."""

    refused: int = 0
    done: int = 0
    sentences: set[str] = field(default_factory=set)

    @property
    def trials(self) -> int:
        """All of them."""
        return self.refused + self.done


class World:
    """A memory whose state lies on a disk that can be filled. `number` tells the trials apart."""

    def __init__(self, room: Room, outside: Path) -> None:
        self.room, self.outside, self.number = room, outside, 0
        self.archive = outside / "export.jsonl"
        outside.mkdir(parents=True, exist_ok=True)
        write_archive(self.archive, ARCHIVE_ENTRIES, ARCHIVE_NOTES)
        self.memory = self.open("project")
        self.memory.write("kept", self.text("kept"))

    def open(self, project: str) -> Memory:
        """The memory of a project."""
        where = self.outside / project
        where.mkdir(exist_ok=True)
        return Memory.open(where, state_dir=self.room.folder / "state")

    def text(self, name: str) -> str:
        """A text of this trial, which takes three pages."""
        return f"# {name} in trial {self.number}\n".ljust(TEXT_BYTES, ".") + "\nthe end\n"

    def files(self) -> Files:
        """Every note file of the memory, with its bytes."""
        folder = Path(self.memory.project.memories)
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.md")}


@dataclass(frozen=True, slots=True)
class Operation:
    """What is tried: `prepare` while there is room, `act` while there is none. `after` gives the files that it makes,
    None for one that it removes; `undone` says that where it is refused no file changed."""

    prepare: Callable[[World], None]
    act: Callable[[World], object]
    after: Callable[[World], dict[str, bytes | None]]
    undone: bool = False


def sweep(world: World, name: str, step: int) -> Count:
    """Trials of one operation with more and more room, `step` pages at a time, until it never fails any more."""
    count, successes = Count(), 0
    for pages in range(0, MOST_PAGES, step):
        refused = trial(world, OPERATIONS[name], pages)
        successes = 0 if refused else successes + 1
        count.refused += refused is not None
        count.done += refused is None
        count.sentences |= {refused} if refused else set()
        if successes == ENOUGH:
            return count
    raise AssertionError(f"{name} fails with any room")


def trial(world: World, operation: Operation, pages: int) -> str | None:
    """One trial with room for so many pages; what was said, where the operation was refused."""
    world.number += 1
    operation.prepare(world)
    before, after = world.files(), operation.after(world)
    world.room.leave(pages)
    try:
        operation.act(world)
        said = None
    except MemoryFault as error:
        said = str(error)
    finally:
        found = world.files()
        world.room.free()
    assert _whole(found, before, after), (pages, said)
    assert said is None or not operation.undone or found == before, (pages, said)
    assert said is None or ("\n" not in said and said.endswith(".")), said
    _goes_on(world)
    if said is None:
        assert all(world.files().get(name) == raw for name, raw in after.items()), pages
    return said


def _whole(files: Files, before: Files, after: dict[str, bytes | None]) -> bool:
    """Whether every file is as it was or as it should become, and no other is there."""
    names = {*files, *before, *after}
    return all(files.get(name) in (before.get(name), after.get(name, before.get(name))) for name in names)


def _goes_on(world: World) -> None:
    memory = world.memory
    memory.reconcile()
    text = f"# Afterwards {world.number}\n"
    memory.write("afterwards", text)
    while memory.idle_step():
        pass
    assert memory.read("afterwards").text == text
    assert memory.verify().problems == ()
    assert list((Path(memory.project.home) / "tmp").iterdir()) == []


def _nothing(world: World) -> None:
    """Nothing is needed."""


def _no_files(world: World) -> dict[str, bytes | None]:
    return {}


def _put_outside(world: World) -> None:
    Path(world.memory.project.memories, "outside.md").write_text(world.text("outside"), encoding="utf-8")


def _look(world: World) -> None:
    assert world.memory.reconcile().appended == 1
    assert world.memory.read("outside").text == world.text("outside")


def _lines(world: World) -> None:
    claimed = world.memory.claim_lines("worker", 8)
    world.memory.store_claimed("worker", [Text(line.address, f"{line.address} {'x' * 400}", "m") for line in claimed])


def _open(world: World) -> None:
    with world.open("project") as other:
        other.reconcile()


def _closed(world: World) -> None:
    """The first of all processes: the write-ahead log was removed, and has to be made again."""
    world.memory.close()


def _reopen(world: World) -> None:
    try:
        world.memory = world.open("project")
    except MemoryFault:
        world.room.free()
        world.memory = world.open("project")
        raise


@contextmanager
def _another(world: World) -> Iterator[Memory]:
    with world.open(f"project-{world.number}") as other:
        yield other


def _prepare_import(world: World) -> None:
    with _another(world) as other:
        other.reconcile()


def _import(world: World) -> None:
    """Into an empty memory of its own; what was cut off is finished once there is room."""
    with _another(world) as other:
        try:
            other.import_archive(str(world.archive))
        except MemoryFault:
            world.room.free()
            other.import_archive(str(world.archive))
            raise
        finally:
            world.room.free()
            other.reconcile()
            assert other.mark().entries == ARCHIVE_ENTRIES
            assert other.verify().problems == ()


OPERATIONS: dict[str, Operation] = {
    "write": Operation(
        _nothing,
        lambda world: world.memory.write("kept", world.text("kept")),
        lambda world: {"kept.md": world.text("kept").encode()},
        undone=True,
    ),
    "write under a new name": Operation(
        _nothing,
        lambda world: world.memory.write(f"new/{world.number}", world.text("new")),
        lambda world: {f"new/{world.number}.md": world.text("new").encode()},
        undone=True,
    ),
    "delete": Operation(
        lambda world: world.memory.write("gone", world.text("gone")) and None,
        lambda world: world.memory.delete("gone"),
        lambda world: {"gone.md": None},
        undone=True,
    ),
    "restore": Operation(
        lambda world: world.memory.write("older", world.text("older")) and None,
        lambda world: world.memory.restore("older", world.memory.mark().entries - 1),
        lambda world: {"older.md": world.text("older").encode()},
        undone=True,
    ),
    "forget": Operation(
        lambda world: world.memory.write("secret", world.text("secret")) and None,
        lambda world: world.memory.forget("secret"),
        lambda world: {"secret.md": None},
    ),
    "look after an outside edit": Operation(_put_outside, _look, _no_files),
    "lines of the tree": Operation(_nothing, _lines, _no_files),
    "second process": Operation(_nothing, _open, _no_files),
    "first process": Operation(_closed, _reopen, _no_files),
    "import": Operation(_prepare_import, _import, _no_files),
}
