"""What the memory answers: one frozen value a call.

Each result has three readers (the model, the card in the editor, a program), and each reader makes what it
needs from the same value. `as_json` gives the object a program reads.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class LineState(StrEnum):
    """How a line of the tree came by its text."""

    WRITTEN = "written"
    VERBATIM = "verbatim"
    PENDING = "pending"
    WRITING = "writing"


class EntryKind(StrEnum):
    """What an entry of the journal records."""

    NOTE = "note"
    DELETE = "delete"
    FORGOTTEN = "forgotten"


class EntryStatus(StrEnum):
    """Where an entry stands among the versions of its note."""

    CURRENT = "current"
    REWRITTEN = "rewritten"
    DELETED = "deleted"
    FORGOTTEN = "forgotten"


class OriginKind(StrEnum):
    """Who appended an entry."""

    SESSION = "session"
    OUTSIDE = "outside"
    IMPORT = "import"
    CLI = "cli"


@dataclass(frozen=True, slots=True)
class Origin:
    """Who appends: the kind, the session's id where there is one, and the client's name as it gave it."""

    kind: OriginKind = OriginKind.CLI
    session: str | None = None
    client: str | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in the journal: its generation, how many entries it had, and how many forgets the project had."""

    generation: int
    entries: int
    forgets: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the tree as it is shown: `text` is framed and follows the bar."""

    id: int
    n: int
    state: LineState
    text: str
    model: str | None = None
    cut: bool = False

    @property
    def address(self) -> str:
        """The line's address, `id+n`."""
        return f"{self.id}+{self.n}"

    @property
    def rendered(self) -> str:
        """The line as the view holds it, `id+n|text`."""
        return f"{self.id}+{self.n}|{self.text}"


@dataclass(frozen=True, slots=True)
class View:
    """The live view: the lines that are shown, and the sizes behind them.

    `bytes` counts all rendered lines with a newline each, `hidden` the oldest entries left out of `lines`,
    `left_out` the sentence that stands first where some are (else None). `next_merges` holds addresses of
    parents, most due first, at most 128.
    """

    entries: int
    generation: int
    hidden: int
    bytes: int
    budget: int
    lines: tuple[Line, ...]
    next_merges: tuple[str, ...]
    left_out: str | None = None
    forgets: int = 0

    @property
    def mark(self) -> Mark:
        """The place in the journal at which this view was taken."""
        return Mark(self.generation, self.entries, self.forgets)

    @property
    def text(self) -> str:
        """What the system prompt carries between the memory tags: the shown lines, one newline after each."""
        first = [] if self.left_out is None else [self.left_out]
        return "".join(row + "\n" for row in [*first, *(line.rendered for line in self.lines)])


@dataclass(frozen=True, slots=True)
class Zoom:
    """A line opened into the two lines it was made from."""

    id: int
    n: int
    lines: tuple[Line, Line]

    @property
    def address(self) -> str:
        """The opened line's address, `id+n`."""
        return f"{self.id}+{self.n}"


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry whole. `path` is the note's absolute file path while the file exists, else None.

    `text` is unframed, without a front matter block that is left out (then `notices` says so). `created_ms`
    is in milliseconds since the epoch, UTC. `replaced_by` is the entry that rewrote or deleted it.
    """

    seq: int
    kind: EntryKind
    name: str
    heading: str
    text: str
    status: EntryStatus
    replaced_by: int | None
    origin: Origin
    created_ms: int
    path: str | None
    notices: tuple[str, ...] = ()

    @property
    def address(self) -> str:
        """The entry's own address, `seq+1`."""
        return f"{self.seq}+1"


@dataclass(frozen=True, slots=True)
class Hit:
    """A note that matched: `line` is the best matching line of the file, `line_number` is 1-based in the file.

    `marks` are half-open ranges in characters of `line`. `line` is at most 400 characters, cut around the
    first mark. `score` is higher for a better match. `path` is absolute.
    """

    seq: int
    name: str
    path: str
    heading: str
    created_ms: int
    line: str
    line_number: int
    marks: tuple[tuple[int, int], ...]
    score: float

    @property
    def address(self) -> str:
        """The address of the note's newest entry, `seq+1`."""
        return f"{self.seq}+1"


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Current notes that match a query, best first. `complete` is False while the word index is being built."""

    query: str
    words: tuple[str, ...]
    complete: bool
    hits: tuple[Hit, ...]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Note:
    """A note's current text, as the journal holds it. `path` is the absolute path of its file."""

    name: str
    path: str
    seq: int
    text: str
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a write or delete would do, for the diff that a person approves.

    `name` is the note's own name (that of an existing note where one is meant), `path` its file, `old_text`
    what the file would lose ("" for a new note), `new_text` what it would hold ("" for a delete), `newest`
    the newest entry of the name or None; pass it on as `expected` so that a change in between is noticed.
    """

    name: str
    path: str
    old_text: str
    new_text: str
    newest: int | None
    new_name: bool
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a write or delete did. `entry` is the number it appended, `replaced` the entry that was newest before.

    `first` is True for the first entry ever written to this project by a tool. `similar` names existing notes
    whose names differ only in case, separators or suffix. `notices` are sentences for model and person.
    """

    action: str
    name: str
    path: str
    entry: int
    replaced: int | None
    new_name: bool
    first: bool = False
    notices: tuple[str, ...] = ()
    similar: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What a look at the files found: entries appended, whether the journal was cleared, and notices."""

    appended: int = 0
    cleared: bool = False
    imported: int = 0
    notices: tuple[str, ...] = ()


class Traces(StrEnum):
    """Why traces of a blanked text remain in the database file for now."""

    PROCESS = "process"
    DISK = "disk"


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What a forget did: versions blanked, lines dropped, notes forgotten.

    `traces` is None once no byte is left in the database and its log, else why some are. `copies` are other copies of
    the database that may hold the texts, `sessions` session files that do, `removed` those of both that were deleted
    (all absolute paths).
    """

    versions: int = 0
    lines: int = 0
    notes: int = 0
    traces: Traces | None = None
    copies: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    @property
    def purged(self) -> bool:
        """Whether the database holds no trace any more."""
        return self.traces is None


@dataclass(frozen=True, slots=True)
class ForgetPreview:
    """What a forget would do: the notes' own names, versions to be blanked, lines to be written again afterwards,
    the oldest entries that the view leaves out until then, and the paths of copies and session files.
    """

    names: tuple[str, ...]
    versions: int
    lines: int
    hidden: int
    copies: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pending:
    """A line that could be written now. `halves` are the texts it folds; for a leaf it is the entry text alone."""

    id: int
    n: int
    halves: tuple[str, ...]

    @property
    def address(self) -> str:
        """The line's address, `id+n`."""
        return f"{self.id}+{self.n}"


@dataclass(frozen=True, slots=True)
class Row:
    """An entry as a reminder or a log lists it; `name` and `heading` are unframed."""

    seq: int
    kind: EntryKind
    name: str
    heading: str
    origin: Origin
    created_ms: int
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Exported:
    """One entry for an export: `raw` are the note's bytes (None for a delete or a forgotten note)."""

    seq: int
    kind: EntryKind
    name: str
    heading: str
    raw: bytes | None
    origin: Origin
    created_ms: int


@dataclass(frozen=True, slots=True)
class Verified:
    """What a check of every invariant found: how much was checked, and each thing that is wrong as a sentence."""

    entries: int
    notes: int
    lines: int
    problems: tuple[str, ...] = field(default=())

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems
