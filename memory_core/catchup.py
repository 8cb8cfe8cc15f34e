"""The word index catches up with an import, a bounded step at a time."""

from __future__ import annotations

from memory_core import database, entry, faults, index
from memory_core.ground import Ground

STEP_ENTRIES = 400
STEP_BYTES = 1024 * 1024


def step(ground: Ground) -> bool:
    """Indexes some of the notes that the word index lacks; gives whether there is more to do."""
    head = ground.head(ground.writer)
    if head.indexed >= head.entries:
        return False
    with database.writing(ground.writer) as db:
        head = ground.head(db)
        before = head.version
        rows = db.execute(
            "SELECT e.seq, m.name, e.heading, e.raw, m.newest = e.seq AND m.live FROM entry e"
            " JOIN name m ON m.id = e.name_id WHERE e.journal = ? AND e.seq >= ? ORDER BY e.seq LIMIT ?",
            (head.journal, head.indexed, STEP_ENTRIES),
        )
        size = 0
        for seq, name, heading, raw, current in rows:
            if current:
                index.add(db, head.journal, seq, name, heading, entry.body(entry.decode(raw)))
                size += len(raw)
            head.indexed = seq + 1
            if size > STEP_BYTES:
                break
        ground.store(db, head)
        faults.reach("index.stored")
    ground.known.committed(head, before)
    return head.indexed < head.entries
