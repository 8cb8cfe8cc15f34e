"""The look at the files: what was changed outside becomes entries of the journal.

Files are listed and read outside the lock; the lock is taken only where something differs, and each file is looked
at again under it, so that nothing is appended twice. Deletes come first, by name; then changed files by
modification time, then name. The first look imports: oldest first, in short transactions, resumed after a crash.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from memory_core import (
    bulk,
    clearing,
    database,
    entry,
    faults,
    forgetting,
    journal,
    names,
    notes,
    outside,
    sentences,
)
from memory_core.exceptions import BadName, StateUnavailable
from memory_core.ground import Ground
from memory_core.head import Head
from memory_core.journal import Draft, NameRow
from memory_core.known import Difference, name_at
from memory_core.notes import Fingerprint
from memory_core.outside import Read
from memory_core.results import OriginKind, Reconciled

BATCH_FILES = 2000
"""As many files as are appended in some 70 ms. Another writer asks again after 25 to 50 ms: the reading of the next
batch, outside the lock, takes longer than that, so it surely gets its turn."""
BATCH_SINGLY = 200
"""The same where each is appended with its words, as after an import."""
BATCH_BYTES = 8 * 1024 * 1024
MAX_ASKED_SINGLY = 100

Ready = dict[str, bulk.Prepared]
"""New notes by the path that the disk spells."""


@dataclass(slots=True)
class _Found:
    """What one look came to, gathered over its batches. `rows` are names that had a row when it began."""

    rows: set[str]
    appended: int = 0
    imported: int = 0
    notices: list[str] = field(default_factory=list)


def look(ground: Ground, *, clears: bool = True) -> Reconciled:
    """Looks at the files and appends what was changed outside. Raises StateUnavailable.

    No difference, no write statement (specification: "Notes and the journal"). Without `clears` a directory that is
    gone changes nothing: a person may be about to put another in its place.
    """
    head = ground.head(ground.writer)
    ground.known.load(ground.writer, head)
    try:
        listing = notes.scan(ground.project.memories, ground.known.files)
    except FileNotFoundError:
        return clearing.clear(ground) if clears else Reconciled()
    except OSError as error:
        raise StateUnavailable(*sentences.notes_unreadable(ground.project.memories, sentences.reason(error))) from error
    difference = ground.known.compare(listing)
    found = _Found(_names_with_rows(ground, head, list(map(name_at, difference.changed))))
    for path in listing.links:
        found.notices += ground.once(sentences.file_is_link(path))
    if difference or not head.imported:
        with database.rare_checkpoints(ground.writer):
            _take_over(ground, head, difference, listing.files, found)
    return Reconciled(found.appended, False, found.imported, tuple(found.notices))


def _take_over(
    ground: Ground, head: Head, difference: Difference, files: dict[str, Fingerprint], found: _Found
) -> None:
    """Appends what differs, batch by batch, and ends the import where this was one."""
    for gone in _slices(sorted(difference.gone)):
        _append_gone(ground, gone, found)
    limit = BATCH_SINGLY if head.imported else BATCH_FILES
    for reads in _batches(ground, _notes_among(ground, difference.changed, files, found), limit, found):
        _append_changed(ground, reads, found)
    if not head.imported:
        _finish_import(ground)


def _notes_among(
    ground: Ground, changed: dict[str, Fingerprint], files: dict[str, Fingerprint], found: _Found
) -> Iterator[tuple[str, str]]:
    """The changed files that are notes, as (path, name), in the order of their entries."""
    taken: dict[str, str] = {}
    for path, _ in sorted(changed.items(), key=lambda item: (item[1][1], item[0])):
        try:
            name = names.note_name(path)
        except BadName as error:
            found.notices += ground.once(sentences.file_bad_name(_printable(path), error.message))
            continue
        if name != path and (name in files or taken.setdefault(name, path) != path):
            found.notices += ground.once(sentences.file_same_name(_printable(path), taken.get(name, name)))
            continue
        yield path, name


def _batches(ground: Ground, wanted: Iterable[tuple[str, str]], limit: int, found: _Found) -> Iterator[list[Read]]:
    """The files' contents, in batches of bounded number and size."""
    batch: list[Read] = []
    size = 0
    for path, name in wanted:
        read = _read(ground, path, name, found)
        if read is None:
            continue
        batch.append(read)
        size += len(read.content.raw)
        if len(batch) == limit or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _read(ground: Ground, path: str, name: str, found: _Found) -> Read | None:
    looked_ns = ground.clock()
    try:
        return Read(path, name, notes.read(ground.project.memories, path), looked_ns)
    except (FileNotFoundError, notes.Unsteady):
        return None
    except notes.TooLarge as error:
        found.notices += ground.once(sentences.file_too_large(path, error.size, notes.MAX_KEPT_BYTES))
    except OSError as error:
        found.notices += ground.once(sentences.file_unreadable(path, sentences.reason(error)))
    return None


def _append_gone(ground: Ground, paths: list[str], found: _Found) -> None:
    with database.writing(ground.writer) as db:
        head = ground.head(db)
        before = head.version
        forgetting.settle(ground, db, head)
        for path in paths:
            row = _row_at(ground, head, path)
            if row is None or not row.live or row.disk != path or notes.is_listed(ground.project.memories, path):
                continue
            if row.file == journal.NO_FILE:  # imported, and not placed yet
                continue
            journal.append(db, head, outside.removed(ground, row), ground.budget)
            found.appended += 1
            faults.reach("reconcile.appended")
        ground.store(db, head)
        faults.reach("reconcile.stored")
    for path in paths:
        ground.known.stored(path, None, None)
    ground.known.committed(head, before)


def _append_changed(ground: Ground, reads: list[Read], found: _Found) -> None:
    """Appends what is new in a batch. Where every file is as the journal has it, nothing is written."""
    if found.rows:
        reads = [read for read in reads if not _known_equal(ground, read, found)]
    if not reads:
        return
    ready = _prepared(ground, reads)
    with database.writing(ground.writer) as db:
        head = ground.head(db)
        before = head.version
        forgetting.settle(ground, db, head)
        kind = OriginKind.OUTSIDE if head.imported else OriginKind.IMPORT
        if not ground.known.is_current(head):
            found.rows = _names_with_rows(ground, head, [read.name for read in reads])
        drafts = list(_drafts(ground, head, reads, ready, found))
        _append_all(ground, head, drafts, ready, found)
        ground.store(db, head)
        faults.reach("reconcile.stored")
    for draft in drafts:
        ground.known.stored(draft.disk, draft.file, draft.looked_ns)
    ground.known.committed(head, before)
    found.rows.update(draft.name for draft in drafts)
    found.appended += len(drafts)
    found.imported += len(drafts) if kind is OriginKind.IMPORT else 0


def _prepared(ground: Ground, reads: list[Read]) -> Ready:
    """The notes of an import, looked at before the lock is taken; none once the import is over."""
    if ground.head(ground.writer).imported:
        return {}
    drafts = (outside.draft(ground, read, OriginKind.IMPORT) for read in reads)
    return {draft.disk: bulk.prepare(draft) for draft in drafts}


def _drafts(ground: Ground, head: Head, reads: list[Read], ready: Ready, found: _Found) -> Iterator[Draft]:
    """The entries to append, each file looked at once more under the lock."""
    memories = ground.project.memories
    for read in reads:
        if notes.look(memories, read.disk) != read.content.fingerprint:
            continue
        row = journal.name_row(ground.writer, head.journal, read.name) if read.name in found.rows else None
        if row is not None and row.disk != read.disk:
            journal.respell(ground.writer, row.id, read.disk)
            ground.known.stored(row.disk, None, None)
        if row is not None and outside.same_text(row, read.content):
            ground.known.equal(read.disk, read.content.fingerprint, read.looked_ns)
        elif row is not None and outside.lost_rename(row, read.content):
            found.notices.append(outside.mend(ground, ground.writer, head.journal, row))
        elif head.imported or read.disk not in ready:
            yield outside.draft(ground, read, OriginKind.OUTSIDE if head.imported else OriginKind.IMPORT)
        else:
            yield ready[read.disk].draft


def _append_all(ground: Ground, head: Head, drafts: list[Draft], ready: Ready, found: _Found) -> None:
    """Appends in order: at once where all names are new and the word index may lag, else one by one."""
    db = ground.writer
    if not head.imported and not any(draft.name in found.rows for draft in drafts):
        all_new = (ready.get(draft.disk) or bulk.prepare(draft) for draft in drafts)
        bulk.Bulk(db, head, ground.budget).append_all(all_new)
        faults.reach("import.appended")
        return
    for draft in drafts:
        journal.append(db, head, draft, ground.budget)
        faults.reach("reconcile.appended")


def _known_equal(ground: Ground, read: Read, found: _Found) -> bool:
    """Whether the journal has the file's text already; then its fingerprint is noted in memory alone."""
    if read.name not in found.rows:
        return False
    row = journal.name_row(ground.writer, ground.known.journal, read.name)
    if row is None or row.disk != read.disk or not outside.same_text(row, read.content):
        return False
    if notes.look(ground.project.memories, read.disk) == read.content.fingerprint:
        ground.known.equal(read.disk, read.content.fingerprint, read.looked_ns)
    return True


def _names_with_rows(ground: Ground, head: Head, wanted: list[str]) -> set[str]:
    """Which of the names have a row; many are asked for at once."""
    if len(wanted) <= MAX_ASKED_SINGLY:
        wanted = [name for name in wanted if name.isascii() or entry.is_text(name)]
        return {name for name in wanted if journal.name_row(ground.writer, head.journal, name) is not None}
    return {name for (name,) in ground.writer.execute("SELECT name FROM name WHERE journal = ?", (head.journal,))}


def _finish_import(ground: Ground) -> None:
    with database.writing(ground.writer) as db:
        head = ground.head(db)
        before = head.version
        head.imported = True
        ground.store(db, head)
    ground.known.committed(head, before)


def _row_at(ground: Ground, head: Head, path: str) -> NameRow | None:
    """The row of the note whose file is spelled `path` on the disk."""
    return journal.name_row(ground.writer, head.journal, name_at(path))


def _slices(items: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(items), BATCH_SINGLY):
        yield items[start : start + BATCH_SINGLY]


def _printable(path: str) -> str:
    return path.encode("utf-8", "replace").decode("utf-8")
