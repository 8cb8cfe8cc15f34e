"""`Memory`: the one door. Each operation of the memory is a method here, and nothing else is public.

The library is synchronous. One thread at a time may write (reconcile, write, delete, store_line, forget), and one
other may read meanwhile (view, zoom, search, read, log, since, export, propose_*): each side has its own connection.
Every error is a `MemoryFault` with a plain sentence.
"""

from __future__ import annotations

import os
import sqlite3
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import TracebackType
from typing import TypeVar

from memory_core import (
    adoption,
    catchup,
    database,
    forgetting,
    identity,
    leases,
    migrations,
    names,
    opening,
    project,
    purge,
    reading,
    reconcile,
    repair,
    rewriting,
    stats,
    storing,
    verifying,
    versions,
    waiting,
    writing,
)
from memory_core.exceptions import StateDamaged
from memory_core.ground import Clock, Ground, Ids
from memory_core.known import Known
from memory_core.portability import exporting, importing, placing
from memory_core.portability.archive import EntryRow, Header
from memory_core.portability.joining import Fate, Imported
from memory_core.project import Project
from memory_core.projects import Listed
from memory_core.results import (
    Entry,
    Exported,
    ForgetPreview,
    Forgotten,
    Mark,
    Note,
    Origin,
    Pending,
    Proposal,
    Receipt,
    Reconciled,
    Row,
    SearchResult,
    Verified,
    View,
    Zoom,
)
from memory_core.stats import Listing, Stats
from memory_core.view import BUDGET_BYTES
from memory_core.writing import UNSET, Condition, Unset

T = TypeVar("T")


def new_id() -> str:
    """An id that no other process makes."""
    return uuid.uuid4().hex


class Memory:
    """The memory of one project."""

    def __init__(self, ground: Ground, shown: Project | None = None) -> None:
        """Takes what `open` made; `shown` is the project that an empty memory stands for (`absent.py`)."""
        self._ground = ground
        self._shown = shown or ground.project

    @classmethod
    def open(
        cls,
        project_dir: str | os.PathLike[str],
        *,
        state_dir: str | os.PathLike[str] | None = None,
        budget: int = BUDGET_BYTES,
        clock: Clock = time.time_ns,
        ids: Ids = new_id,
    ) -> Memory:
        """The memory of the project that `project_dir` belongs to; its state is made where there is none.

        `state_dir` overrides where state lives, `budget` is the size of the view in bytes, `clock` gives nanoseconds
        since the epoch. Raises StateUnavailable.
        """
        where = project.locate(os.fspath(project_dir), None if state_dir is None else os.fspath(state_dir))
        with database.mapped(os.path.join(where.state_dir, database.FILE_NAME)):
            return cls(opening.open_ground(where, budget, clock, ids))

    def close(self) -> None:
        """Closes the connections; the memory can't be used afterwards."""
        self._ground.close()

    def __enter__(self) -> Memory:
        """The memory itself, closed at the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes the connections."""
        self.close()

    @property
    def project(self) -> Project:
        """The project, with its paths."""
        return self._shown

    def reconcile(self, *, clears: bool = True) -> Reconciled:
        """Looks at the files: imports, takes over outside edits, clears. Writes only where something differs.

        With `clears` False a notes directory that is gone is left to the next look. A damaged database is set aside
        first, and what can be read of it carried over. Raises StateUnavailable.
        """
        try:
            return self._look(clears)
        except StateDamaged:
            return self._look(clears)

    def _look(self, clears: bool = True) -> Reconciled:
        with self._mapped():
            opening.mend(self._ground)
        with self._writing():
            forgetting.finish(self._ground)
            placing.finish(self._ground)
            found = reconcile.look(self._ground, clears=clears)
            if 0 < found.imported <= catchup.STEP_ENTRIES:
                catchup.step(self._ground)
            return replace(found, notices=(*self._ground.tell(), *found.notices))

    def index_more(self) -> bool:
        """Lets the word index catch up a step; gives whether there is more to do."""
        with self._writing():
            return catchup.step(self._ground)

    def idle_step(self) -> bool:
        """Does a bounded step of what can wait for an idle moment; gives whether there is more to do."""
        with self._writing():
            return catchup.idle(self._ground)

    def view(self) -> View:
        """The live view (specification: "The view")."""
        return self._read(lambda db: reading.view_now(self._ground, db))

    def zoom(self, id: int, n: int) -> Zoom | Entry:
        """Line `id+n` as its two halves; with n = 1 the entry whole. Raises BadAddress."""
        return self._read(lambda db: reading.zoom(self._ground, db, id, n))

    def search(self, query: str, limit: int = 10) -> SearchResult:
        """Current notes by word, best first, at most `limit`."""
        return self._read(lambda db: reading.search(self._ground, db, query, limit))

    def read(self, name: str) -> Note:
        """A note's current text. Raises BadName, NoSuchNote."""
        return self._read(lambda db: reading.read(self._ground, db, name))

    def propose_write(self, name: str, text: str) -> Proposal:
        """What a write would do, for a diff. Raises BadName, BadText."""
        with self._reading():
            return writing.propose_write(self._ground, name, text)

    def propose_delete(self, name: str) -> Proposal:
        """What a delete would do, for a diff. Raises BadName, NoSuchNote."""
        with self._reading():
            return writing.propose_delete(self._ground, name)

    def write(
        self,
        name: str,
        text: str,
        *,
        origin: Origin = Origin(),  # noqa: B008 -- frozen, so one default serves all calls
        known: int | None = None,
        expected: int | Unset | None = UNSET,
    ) -> Receipt:
        """Writes a whole note and appends an entry, durably.

        `known` is the newest entry of the note that the session has read; another one adds a notice. `expected` is
        the entry that the approved diff was made of. Raises BadName, BadText, NoteChanged.
        """
        self._import_first()
        with self._writing():
            return writing.write(self._ground, name, text, origin, Condition(known, expected))

    def delete(
        self,
        name: str,
        *,
        origin: Origin = Origin(),  # noqa: B008 -- frozen, so one default serves all calls
        known: int | None = None,
        expected: int | Unset | None = UNSET,
    ) -> Receipt:
        """Deletes a note and appends a delete entry, durably. Raises BadName, NoSuchNote, NoteChanged."""
        self._import_first()
        with self._writing():
            return writing.delete(self._ground, name, origin, Condition(known, expected))

    def pending_lines(self, limit: int = 16) -> tuple[Pending, ...]:
        """Lines that could be written now, the oldest leaf and the most due parent in turns."""
        return self._read(lambda db: waiting.pending(self._ground, db, limit))

    def waiting_notes(self, limit: int) -> int:
        """About how many entries wait for a line of their own or of their pair, counted up to `limit`."""
        return self._read(lambda db: waiting.waiting_notes(db, self._ground.head(db), limit))

    def leaf_sizes(self) -> Iterator[tuple[int, bool]]:
        """Of each entry, oldest first: about how many bytes its text has, and whether it waits for its line."""
        return self._rows(lambda db: waiting.leaf_sizes(db, self._ground.head(db)))

    def parents_there(self) -> Iterator[tuple[int, int]]:
        """The parents that have their text, as (the entry after their last, n), as they come to be."""
        return self._rows(lambda db: waiting.parents_there(db, self._ground.head(db)))

    def store_line(self, address: str, text: str, *, model: str, cut: bool = False) -> None:
        """Stores the text of a waiting line; `cut` marks one that was cut to fit. Raises BadAddress, NotWaiting."""
        with self._writing():
            storing.store(self._ground, storing.Text(address, text, model, cut))

    def claim_lines(self, owner: str, limit: int = 1) -> tuple[Pending, ...]:
        """Leases at most `limit` waiting lines to the worker `owner` for 120 s; none while two others are at it."""
        with self._writing():
            return leases.claim(self._ground, owner, limit)

    def renew_lines(self, owner: str) -> int:
        """Prolongs the worker's leases; gives how many still stand."""
        with self._writing():
            return leases.renew(self._ground, owner)

    def release_lines(self, owner: str) -> None:
        """Gives back what the worker holds."""
        with self._writing():
            leases.release(self._ground, owner)

    def store_claimed(self, owner: str, texts: Sequence[storing.Text]) -> tuple[str, ...]:
        """Stores what the worker wrote, where its lease still stands; gives the stored addresses."""
        with self._writing():
            return storing.store_claimed(self._ground, owner, texts)

    def line_context(self, address: str, limit_bytes: int = BUDGET_BYTES) -> tuple[str, ...]:
        """The newest lines of the view that end at or before the line's first entry, without addresses, oldest first:
        what a model reads before it writes the line, at most `limit_bytes`. Raises BadAddress."""
        return self._read(lambda db: reading.context(self._ground, db, address, limit_bytes))

    def resummarize(self, model_prefix: str = "embedded/") -> int:
        """Has every line of such models, and every line that was cut to fit, written anew; gives how many."""
        with self._writing():
            return rewriting.mark_all(self._ground, model_prefix)

    def forget_preview(self, *wanted: str, sessions: bool = False) -> ForgetPreview:
        """What `forget` would do. Raises BadName, NoSuchNote."""
        with self._writing():
            return forgetting.preview(self._ground, wanted, forgetting.Also(sessions))

    def forget(self, *wanted: str, sessions: bool = False, copies: bool = False) -> Forgotten:
        """Blanks every version of the notes, drops the lines that may hold their text, and purges the database.

        All names are forgotten at once, or none: raises BadName, NoSuchNote. `sessions` deletes the session files that
        hold the notes too, and so takes names that were forgotten before; `copies` the copies of the database.
        """
        with self._writing():
            return forgetting.forget(self._ground, wanted, forgetting.Also(sessions, copies))

    def purge_pending(self) -> bool:
        """Whether traces of something forgotten remain in the database file; idle steps go on removing them."""
        return self._read(purge.is_pending)

    def mark(self) -> Mark:
        """Where the journal stands."""
        return self._read(lambda db: self._ground.head(db).mark)

    def since(self, mark: Mark, *, exclude_session: str | None) -> Iterator[Row]:
        """What came after `mark`: a row for each note forgotten since, then entries, oldest first, without those of one
        session."""
        rows = self._read(lambda db: list(reading.rows_since(db, self._ground.head(db), mark, exclude_session)))
        return iter(rows)

    def log(self, name: str | None = None) -> Iterator[Row]:
        """Entries, newest first, of one note or of all. Raises BadName, NoSuchNote."""
        wanted = None if name is None else names.note_name(name)
        return self._rows(lambda db: reading.log(db, self._ground.head(db), wanted))

    def history(self, name: str | None = None) -> Iterator[versions.Changed]:
        """Entries with what each changed, newest first, of one note or of all. Raises BadName, NoSuchNote."""
        wanted = None if name is None else names.note_name(name)
        return self._rows(lambda db: versions.history(db, self._ground.head(db), wanted))

    def version(self, name: str, entry: int) -> Exported:
        """One version of a note, deleted ones included. Raises BadName, NoSuchNote."""
        return self._read(lambda db: versions.version(db, self._ground.head(db), name, entry))

    def restore(self, name: str, entry: int, *, origin: Origin = Origin()) -> Receipt:  # noqa: B008 -- frozen
        """Appends an older version's bytes as a new entry, durably. Raises BadName, NoSuchNote, NoteChanged."""
        self._import_first()
        with self._writing():
            return versions.restore(self._ground, name, entry, origin)

    def export(self) -> Iterator[Exported]:
        """Every entry with its bytes, oldest first."""
        return self._rows(lambda db: reading.export(db, self._ground.head(db)))

    def archive(self) -> Iterator[bytes]:
        """The whole memory as the lines of a file that `import_archive` takes (`portability/archive.py`)."""
        where = self.project
        names = identity.load(where.home).names
        return self._rows(
            lambda db: exporting.export(
                db, head := self._ground.head(db), Header(head.generation, head.entries, where.id, where.root, names)
            )
        )

    def import_archive(self, path: str) -> Imported:
        """Takes an archive in: an empty memory becomes the same, another one gets what is new.

        Raises BadArchive before anything is taken in, StateUnavailable.
        """
        self._look()
        with self._writing():
            return importing.archive(self._ground, path)

    def preview_note(self, row: EntryRow) -> Fate:
        """What `import_notes` would make of a note from elsewhere."""
        return self._read(lambda db: importing.preview(db, self._ground.head(db), row))

    def import_notes(self, rows: Iterable[EntryRow]) -> Imported:
        """Takes notes from elsewhere in, of origin `import`; one whose name is taken is left out."""
        self._look()
        with self._writing():
            return importing.notes(self._ground, rows)

    def offer(self) -> str | None:
        """One sentence that offers a checkout without notes the memory that its repository had elsewhere; once."""
        with self._writing():
            return adoption.offer(self._ground)

    def adopt(self, wanted: str | None = None) -> Listed:
        """Takes over the memory of another checkout of the repository, or of the project named. Raises NotPossible."""
        self._look()
        with self._writing():
            return adoption.adopt(self._ground, wanted)

    def notes(self) -> Iterator[Listing]:
        """The current notes in figures, the one written last first."""
        return self._rows(lambda db: stats.notes(db, self._ground.head(db)))

    def stats(self) -> Stats:
        """The memory in figures."""
        return self._read(lambda db: stats.stats(db, self._ground.head(db)))

    def verify(self) -> Verified:
        """Checks every invariant of journal, files, tree, view and word index.

        Where nothing is wrong, copies of the database that were made before a migration are removed.
        """
        found = self._read(lambda db: verifying.verify(self._ground, db))
        if found.ok:
            migrations.drop_copies(self._ground.database)
        return found

    def repair(self) -> Reconciled:
        """Journals what the files hold, makes everything derived again, and fills the word index.

        A database that fails SQLite's own check is set aside first. Raises StateUnavailable.
        """
        with self._mapped():
            self._ground.damaged = self._ground.damaged or not database.is_sound(self._ground.writer)
            opening.mend(self._ground)
        with self._writing():
            forgetting.finish(self._ground)
            repair.repair(self._ground)
            self._ground.known = Known()
            found = reconcile.look(self._ground)
            while catchup.step(self._ground):
                pass
            return replace(found, notices=(*self._ground.tell(), *found.notices))

    def _import_first(self) -> None:
        """A write never comes before the import of the notes that are there."""
        with self._writing():
            imported = self._ground.head(self._ground.writer).imported
        if not imported:
            self.reconcile()

    def _read(self, ask: Callable[[sqlite3.Connection], T]) -> T:
        with self._reading(), database.reading(self._ground.reader) as db:
            return ask(db)

    def _rows(self, ask: Callable[[sqlite3.Connection], Iterator[T]]) -> Iterator[T]:
        """Rows as they come, in one read transaction that ends with them."""
        with self._mapped():
            connection = database.connect(self._ground.project.state_dir)
            try:
                with database.reading(connection) as db:
                    yield from ask(db)
            finally:
                connection.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """The writer's side: its errors are mapped, and a database that was replaced is opened anew."""
        with self._mapped():
            opening.renew_writer(self._ground)
            yield

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """The reader's side, likewise; its connection is not closed meanwhile."""
        with self._mapped(), self._ground.reader_lock:
            opening.renew_reader(self._ground)
            yield

    @contextmanager
    def _mapped(self) -> Iterator[None]:
        """Errors become sentences; damage is remembered, and mended at the next look."""
        try:
            with database.mapped(self._ground.database):
                yield
        except StateDamaged:
            self._ground.damaged = True
            raise
