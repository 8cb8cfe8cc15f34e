"""Archives to import: one of a few notes that another memory lacks, and one of a memory whole."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from pathlib import Path

from memory_core import Memory
from memory_core.portability import archive
from memory_core.results import EntryKind, Origin, OriginKind
from tests.reliability.killing.steps import BUDGET, VERBS, Step


def joined(path: Path, rows: Sequence[tuple[str, str]]) -> Path:
    """An archive of these notes, written by hand: names and texts."""
    now = time.time_ns() // 1_000_000
    origin = Origin(OriginKind.CLI)
    entries = [
        archive.EntryRow(seq, EntryKind.NOTE, name, text.encode(), origin, now + seq, hides=False)
        for seq, (name, text) in enumerate(rows)
    ]
    objects: list[archive.Object] = [
        archive.header_object(archive.Header(0, len(rows), "elsewhere-0", "/elsewhere", ())),
        *map(archive.entry_object, entries),
        {"type": "view", "lines": [[seq, 1] for seq in range(len(rows))]},
    ]
    raw = b"".join(map(archive.dump, objects))
    end = archive.dump({"type": "end", "rows": len(objects), "sha256": hashlib.sha256(raw).hexdigest()})
    path.write_bytes(raw + end)
    return path


def whole(folder: Path, texts: Sequence[tuple[str, str]]) -> Path:
    """The archive of a memory that was written note by note, with lines and a delete."""
    project = folder / "project"
    project.mkdir(parents=True)
    with Memory.open(project, state_dir=folder / "state", budget=BUDGET) as memory:
        for number, (name, text) in enumerate(texts):
            memory.write(name, text)
            if number % 4 == 0:
                VERBS["lines"](memory, Step("lines"))
        memory.delete(texts[0][0])
        path = folder / "archive"
        path.write_bytes(b"".join(memory.archive()))
    return path
