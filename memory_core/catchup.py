"""What is done when nobody waits: a purge is finished, the word index catches up and is merged, fresh fingerprints are
stored.

Each step is bounded; texts are analyzed outside the lock.
"""

from __future__ import annotations

from memory_core import analyzer, database, entry, faults, index, purge
from memory_core.ground import Ground

STEP_ENTRIES = 400
STEP_BYTES = 512 * 1024
MERGE_EVERY = 16
"""Entries after which an idle moment merges the word index's segments."""


def step(ground: Ground) -> bool:
    """Indexes some of the notes that the word index lacks; gives whether there is more to do."""
    head = ground.head(ground.writer)
    if head.indexed >= head.entries:
        return False
    version, upto, size = head.version, head.indexed, 0
    prepared: list[index.Prepared] = []
    rows = ground.writer.execute(
        "SELECT e.seq, m.name, e.heading, e.raw, m.newest = e.seq AND m.live FROM entry e"
        " JOIN name m ON m.id = e.name_id WHERE e.journal = ? AND e.seq >= ? ORDER BY e.seq LIMIT ?",
        (head.journal, head.indexed, STEP_ENTRIES),
    )
    for seq, name, heading, raw, current in rows:
        if current:
            prepared.append(index.prepare(seq, name, heading, entry.body(entry.decode(raw))))
            size += len(raw)
        upto = seq + 1
        if size > STEP_BYTES:
            break
    rows.close()
    with database.writing(ground.writer) as db:
        head = ground.head(db)
        if head.version != version:
            return True
        index.add_prepared(db, head.journal, prepared)
        head.indexed = upto
        ground.store(db, head)
        faults.reach("index.stored")
    ground.known.committed(head, version)
    return head.indexed < head.entries


def idle(ground: Ground) -> bool:
    """One bounded step of what can wait; gives whether there is more to do."""
    purge.attempt(ground, purge.IDLE)
    if step(ground):
        return True
    if ground.known.fresh or ground.opened:
        with database.writing(ground.writer) as db:
            head = ground.head(db)
            before = head.version
            ground.store(db, head)
        ground.known.committed(head, before)
    head = ground.head(ground.writer)
    if head.entries - ground.merged_at < MERGE_EVERY:
        return False
    with database.writing(ground.writer) as db:
        more = index.merge_step(db, ground.head(db).journal)
    if not more:
        ground.merged_at = head.entries
    return more


def renew(ground: Ground) -> None:
    """Empties a word index that an older analyzer made, so that it catches up anew."""
    if ground.head(ground.writer).analyzer == analyzer.VERSION:
        return
    with database.writing(ground.writer) as db:
        head = ground.head(db)
        if head.analyzer == analyzer.VERSION:
            return
        index.drop(db, head.journal)
        index.create(db, head.journal)
        head.indexed = 0
        head.analyzer = analyzer.VERSION
        ground.store(db, head)
