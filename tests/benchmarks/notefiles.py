"""Directories of note files for the benchmarks, and a memory over them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memory_core import Memory
from tests.benchmarks.corpus import notes

WRITTEN_NS = 1_700_000_000_000_000_000
"""When the first file was changed. Files changed in the last two seconds would be read at each look."""

STEP_NS = 1_000_000_000


def write_notes(folder: Path, count: int) -> None:
    """Write `count` notes of 1 to 2 kB into a new, flat `folder`, one a second, long ago."""
    folder.mkdir()
    for number, note in enumerate(notes(count)):
        path = folder / note.name.replace("/", "-")
        path.write_text(note.text, encoding="utf-8")
        changed_ns = WRITTEN_NS + number * STEP_NS
        os.utime(path, ns=(changed_ns, changed_ns))


@contextmanager
def new_memory(root: Path, folder: Path) -> Iterator[Memory]:
    """A memory of a new project, whose notes directory is `folder` until it is closed; nothing is imported yet."""
    project = root / "project"
    project.mkdir(parents=True)
    with Memory.open(project, state_dir=root / "state") as memory:
        memories = Path(memory.project.memories)
        memories.rmdir()
        folder.rename(memories)
        try:
            yield memory
        finally:
            memories.rename(folder)
