"""Faults of the disk, made for real: no room, no permission, read-only; odd dates, ticks and clocks.

Whatever is refused is refused in one sentence; once the fault is over, all goes on and nothing was lost or cleared.
The long forms are `python -m tests.reliability disk`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest
from conftest import Place

from memory_core import Memory
from memory_core.exceptions import MemoryFault
from tests.reliability import disk_faults
from tests.reliability.disk_faults import NotHere, Room, denied
from tests.reliability.disk_trials import OPERATIONS, World, sweep

SHORT_STEP = 3


@pytest.fixture(params=["mounted", "limited"])
def room(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Room]:
    with ExitStack() as stack:
        try:
            yield stack.enter_context(getattr(disk_faults, request.param)(tmp_path / "disk"))
        except NotHere as reason:
            pytest.skip(str(reason))


@pytest.fixture
def anybody() -> Iterator[None]:
    """Root is held to permissions; anybody else is anyway."""
    with ExitStack() as stack:
        try:
            stack.enter_context(disk_faults.like_anybody())
        except NotHere as reason:
            if os.geteuid() == 0:
                pytest.skip(str(reason))
        yield


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_disk_that_is_full_at_any_step_loses_nothing_and_is_said_in_one_sentence(
    name: str, room: Room, tmp_path: Path
) -> None:
    world = World(room, tmp_path / "outside")
    count = sweep(world, name, SHORT_STEP)
    world.memory.close()
    assert count.done


PLACES: dict[str, Callable[[Place], Path]] = {
    "the notes": lambda place: place.memories,
    "a note": lambda place: place.memories / "kept.md",
    "a folder of notes": lambda place: place.memories / "folder",
    "the temporary files": lambda place: place.memories.parent / "tmp",
    "the project": lambda place: place.memories.parent,
    "all projects": lambda place: place.state / "projects",
    "the state directory": lambda place: place.state,
    "the database": lambda place: place.state / "acp-state.db",
    "the lock": lambda place: place.state / "state.lock",
}
BESIDE: dict[str, Callable[[Place], Path]] = {
    "the write-ahead log": lambda place: place.state / "acp-state.db-wal",
    "its index": lambda place: place.state / "acp-state.db-shm",
}
"""What is there while a process has the database open."""

CALLS: dict[str, Callable[[Memory], object]] = {
    "look": lambda memory: memory.reconcile(),
    "view": lambda memory: memory.view(),
    "read": lambda memory: memory.read("kept"),
    "search": lambda memory: memory.search("kept"),
    "write": lambda memory: memory.write("kept", "# Kept, written anew\n"),
    "write beside": lambda memory: memory.write("folder/new", "# New\n"),
    "delete": lambda memory: memory.delete("folder/gone"),
    "forget": lambda memory: memory.forget("secret"),
    "restore": lambda memory: memory.restore("kept", 0),
    "idle": lambda memory: memory.idle_step(),
    "verify": lambda memory: memory.verify(),
    "repair": lambda memory: memory.repair(),
    "offer": lambda memory: memory.offer(),
    "stats": lambda memory: memory.stats(),
}


def seed(place: Place) -> None:
    with place.open() as memory:
        memory.reconcile()
        for name in ("kept", "folder/gone", "folder/stays", "secret"):
            memory.write(name, f"# {name}\n")


def attempt(call: Callable[[], object]) -> None:
    """Done or refused, and refused in one sentence."""
    try:
        call()
    except MemoryFault as error:
        assert "\n" not in str(error) and error.message.endswith("."), str(error)


def goes_on(place: Place, memory: Memory) -> None:
    """Nothing was cleared, what was there is there, and the check finds nothing."""
    assert not memory.reconcile().cleared
    assert memory.read("kept").text in ("# kept\n", "# Kept, written anew\n")
    assert memory.read("folder/stays").text == "# folder/stays\n"
    assert (place.memories / "folder" / "stays.md").read_text(encoding="utf-8") == "# folder/stays\n"
    memory.write("afterwards", "# Afterwards\n")
    while memory.idle_step():
        pass
    assert memory.verify().problems == ()


@pytest.mark.parametrize("mode", [0, 0o400, 0o500])
@pytest.mark.parametrize("where", [*PLACES, *BESIDE])
def test_a_permission_lost_in_mid_session_and_given_back_loses_nothing(
    place: Place, anybody: None, where: str, mode: int
) -> None:
    seed(place)
    with place.open() as memory:
        memory.reconcile()
        for call in CALLS.values():
            with denied({**PLACES, **BESIDE}[where](place), mode):
                attempt(partial(call, memory))
            memory.reconcile()
        goes_on(place, memory)


@pytest.mark.parametrize("mode", [0, 0o400, 0o500])
@pytest.mark.parametrize("where", PLACES)
def test_a_permission_that_lacks_from_the_start_is_said_and_nothing_is_made_in_its_place(
    place: Place, anybody: None, where: str, mode: int
) -> None:
    seed(place)
    path = PLACES[where](place)
    for call in CALLS.values():
        with denied(path, mode):

            def opened(call: Callable[[Memory], object] = call) -> None:
                with place.open() as memory:
                    call(memory)

            attempt(opened)
    with place.open() as memory:
        goes_on(place, memory)


@pytest.mark.parametrize("where", BESIDE)
def test_what_a_reader_of_a_read_only_database_left_behind_is_writable_again_with_it(
    place: Place, anybody: None, where: str
) -> None:
    seed(place)
    with denied(PLACES["the database"](place), 0o400), place.open() as memory:
        assert memory.read("kept").text == "# kept\n"
        with pytest.raises(MemoryFault, match="make it writable"):
            memory.write("kept", "# Kept, written anew\n")
    assert BESIDE[where](place).exists()
    with place.open() as memory:
        goes_on(place, memory)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Place]:
    """A place whose state lies on a file system of its own."""
    (tmp_path / "project").mkdir()
    with ExitStack() as stack:
        try:
            room = stack.enter_context(disk_faults.mounted(tmp_path / "disk"))
        except NotHere as reason:
            pytest.skip(str(reason))
        yield Place(tmp_path / "project", room.folder / "state")


@pytest.mark.parametrize("call", CALLS)
def test_a_read_only_file_system_is_said_and_used_again_once_it_is_writable(disk: Place, call: str) -> None:
    seed(disk)
    root = disk.state.parent

    def opened() -> None:
        with disk.open() as memory:
            CALLS[call](memory)

    disk_faults.remount(root, writable=False)
    attempt(opened)
    disk_faults.remount(root, writable=True)
    with disk.open() as memory:
        goes_on(disk, memory)


def test_a_file_system_that_turned_read_only_in_mid_session_is_used_again_once_it_is_writable(disk: Place) -> None:
    """The system lets no file system become read-only while a file is open for writing, so it is laid over."""
    seed(disk)
    with disk.open() as memory, disk_faults.read_only_over(disk.memories):
        assert memory.reconcile().appended == 0
        with pytest.raises(MemoryFault, match="Read-only file system"):
            memory.write("kept", "# Kept, written anew\n")
        with pytest.raises(MemoryFault, match="Read-only file system"):
            memory.delete("kept")
        assert memory.read("kept").text == "# kept\n"
    with disk.open() as memory:
        goes_on(disk, memory)


@pytest.mark.parametrize("moment", ["before the memory is opened", "in mid-session"])
def test_notes_that_are_a_mount_of_their_own_on_the_same_device_are_written(place: Place, moment: str) -> None:
    """No rename leads from one mount to another, whatever the device: a container's volume."""
    seed(place)
    with ExitStack() as stack:
        memory = stack.enter_context(place.open())
        try:
            stack.enter_context(disk_faults.bound_over(place.memories))
        except NotHere as reason:
            pytest.skip(str(reason))
        if moment != "in mid-session":
            memory = stack.enter_context(place.open())
        assert memory.write("kept", "# Kept, written anew\n").entry == 4
        assert memory.restore("kept", 0).entry == 5
        goes_on(place, memory)
        assert list(place.memories.glob(".*")) == []
