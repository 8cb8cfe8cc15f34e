"""An import: the archive is checked whole, then taken in by the way that fits, then the notes get their files."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from memory_core import catchup, journal, reconcile
from memory_core.ground import Ground
from memory_core.head import Head
from memory_core.portability import placing, staging
from memory_core.portability.archive import EntryRow
from memory_core.portability.checking import Reader, check
from memory_core.portability.joining import Fate, Imported, Joining, fate_of


def archive(ground: Ground, path: str) -> Imported:
    """Takes an archive in. Raises BadArchive before anything of it is taken in, StateUnavailable."""
    facts = check(path)
    if ground.head(ground.writer).entries == 0 and facts.header.entries:
        appended = staging.take_in(ground, path, facts)
        done = Imported(appended=appended, whole=True)
    else:
        staging.discard(ground)
        joining = Joining(ground, clashes=False)
        joining.take_in(row for row in Reader(path).records() if isinstance(row, EntryRow))
        done = joining.result
    _settle(ground)
    return done


def notes(ground: Ground, rows: Iterable[EntryRow]) -> Imported:
    """Takes notes from elsewhere in; one whose name is taken is left out. Raises StateUnavailable."""
    joining = Joining(ground, clashes=True)
    joining.take_in(rows)
    _settle(ground)
    return joining.result


def preview(db: sqlite3.Connection, head: Head, row: EntryRow) -> Fate:
    """What would become of a note from elsewhere."""
    here = journal.name_row(db, head.journal, row.name) or journal.meant(db, head.journal, row.name)
    return fate_of(db, head, row, here, frozenset(), clashes=True)


def _settle(ground: Ground) -> None:
    placing.finish(ground)
    ground.untold += reconcile.look(ground).notices
    while catchup.step(ground):
        pass
