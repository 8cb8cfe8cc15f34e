"""Memory results as a person reads them in a terminal: a gutter of addresses, headings, marked words."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from acp_server.harmless import BOLD, CYAN, DIM, one_line, printable
from acp_server.sentences import cli as say
from acp_server.terminal import Output
from memory_core.results import Entry, Hit, Line, Note, Receipt, SearchResult, Verified, View, Zoom
from memory_core.results_json import iso_utc


def _gutter(lines: Sequence[Line], out: Output) -> None:
    """Each line beside its address, addresses right-aligned as line numbers are."""
    width = max((len(line.address) for line in lines), default=0)
    for line in lines:
        out.line(f"{out.style(line.address.rjust(width), DIM)} │ {printable(line.text)}")


def _notices(notices: Iterable[str], out: Output) -> None:
    for notice in notices:
        out.line(out.style(notice, DIM))


def view(result: View, out: Output) -> None:
    """The live view; the sentence about what is left out stands first, as the model sees it."""
    if result.entries == 0:
        out.line(say.NOTHING_YET)
        return
    heading = say.view_heading(len(result.lines), result.entries, result.bytes, result.budget)
    out.line(out.style(heading, BOLD))
    if result.left_out is not None:
        out.line(printable(result.left_out))
    _gutter(result.lines, out)


def zoom(result: Zoom | Entry, out: Output) -> None:
    """A line opened into its halves, or an entry whole."""
    if isinstance(result, Zoom):
        _gutter(result.lines, out)
    else:
        _entry(result, out)


def _entry(entry: Entry, out: Output) -> None:
    out.line(out.style(say.entry_heading(entry.name, entry.seq, entry.status.value), BOLD))
    by = say.who(entry.origin.kind.value, entry.origin.client, entry.origin.session)
    facts = say.entry_facts(entry.kind.value, iso_utc(entry.created_ms), by, entry.replaced_by)
    out.line(out.style(one_line(facts), DIM))
    _notices(entry.notices, out)
    if entry.text:
        out.line()
        out.write(entry.text)
        out.fresh_line()


def _marked(hit: Hit, out: Output) -> str:
    """The line that matched, the searched words in bold where styles are shown."""
    pieces, done = [], 0
    for start, end in hit.marks:
        pieces += [printable(hit.line[done:start]), out.style(hit.line[start:end], BOLD)]
        done = end
    return "".join([*pieces, printable(hit.line[done:])])


def search(result: SearchResult, out: Output) -> None:
    """The hits, best first: where each is, its heading, and the line that matched."""
    out.line(printable(say.found(len(result.hits), result.query)))
    for number, hit in enumerate(result.hits, start=1):
        where = f"{hit.name}:{hit.line_number}"
        out.line(f"{number:2}. {out.style(where, CYAN)}  {out.style(hit.address, DIM)}  {printable(hit.heading)}")
        out.line(f"      {_marked(hit, out)}")
    if not result.complete:
        out.line(say.INDEX_BUILDING)


def note(result: Note, out: Output, *, raw: bool) -> None:
    """A note's text; on a terminal it ends with a newline even where the note doesn't."""
    if raw:
        out.send(result.text)
        return
    _notices(result.notices, out)
    out.write(result.text)
    if out.colour:
        out.fresh_line()


def undo(result: Receipt) -> str:
    """How a person takes a change back: the version before comes back, or a new note goes."""
    name = shlex.quote(result.name if result.replaced is None else f"{result.name}@{result.replaced}")
    name = f"-- {name}" if name.startswith("-") else name  # else the command takes it for an option
    return say.undo("delete" if result.replaced is None else "restore", name)


def receipt(result: Receipt, out: Output) -> None:
    """What a write or delete did, and what a person may want to know of it."""
    out.line(printable(say.receipt(result.action, result.name, result.entry)))
    out.line(out.style(result.path, DIM))
    out.line(out.style(undo(result), DIM))
    if result.similar:
        out.line(printable(say.similar(", ".join(result.similar))))
    _notices(result.notices, out)


def verified(result: Verified, out: Output) -> None:
    """Each thing that is wrong, a line each, or that nothing is."""
    if result.ok:
        out.line(say.all_right(result.entries, result.notes, result.lines))
    for problem in result.problems:
        out.line(printable(problem))
