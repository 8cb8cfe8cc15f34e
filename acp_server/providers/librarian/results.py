"""What the memory tool answered, read back from its text. Text of notes in it is data and never looked at here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory_core.sentences import NO_SUCH_NOTE as NO_SUCH_NOTE

_NO_HITS = re.compile(r"No note matches ")
_HITS = re.compile(r"\d+ (?:note matches|notes match) ")
_HIT = re.compile(
    r"^\d+\. (?P<name>\S.*?\.md) \((?P<seq>\d+)\+1, (?P<day>[^)\n]+)\)[ ]?(?P<heading>[^\n]*)\n"
    r"   line (?P<number>\d+):[ ]?(?P<line>[^\n]*)\n   (?P<link>\S+)$",
    re.MULTILINE,
)
_READ = re.compile(r"(?P<name>\S.*\.md) \(entry (?P<seq>\d+)\)")
_ENTRY = re.compile(
    r"entry (?P<seq>\d+) \((?P<status>[a-z]+)(?: by entry (?P<by>\d+))?\) (?P<name>\S.*\.md), (?P<rest>[^\n]*)"
)
_DONE = re.compile(
    r"(?:Wrote (?P<wrote>\S.*\.md) as entry (?P<at>\d+)\.|Deleted (?P<deleted>\S.*\.md), entry (?P<on>\d+)\.)"
)
_REFUSED = re.compile(r"The person refused this (\w+); (?P<name>.+) is unchanged\.")
_VIEW = re.compile(r"VIEW: (?P<entries>\d+) entr(?:y|ies), (?P<bytes>\d+) of (?P<budget>\d+) bytes")
_LINE = re.compile(r"(?P<address>\d+\+\d+)\|(?P<text>.*)")
_CUT = re.compile(r"^\[cut: .*\]\Z", re.MULTILINE)
ERROR = "error: "


@dataclass(frozen=True, slots=True)
class Hit:
    """A note that a search found: `link` leads to `line`, the line that matched."""

    name: str
    seq: int
    heading: str
    line: str
    line_number: int
    link: str


@dataclass(frozen=True, slots=True)
class Text:
    """A note or an entry, read: `link` is "" once the file is gone; `whole` is False where the text is not exact."""

    name: str
    seq: int
    link: str
    text: str
    notices: tuple[str, ...]
    status: str = "current"
    by: int | None = None
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Done:
    """A receipt: `remarks` are its further lines, `link` is "" where it gives none."""

    action: str
    name: str
    entry: int
    remarks: tuple[str, ...]
    similar: tuple[str, ...]
    link: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """The view, or the halves of a line: addresses with their texts; the sizes only of a view."""

    lines: tuple[tuple[str, str], ...]
    entries: int = 0
    bytes: int = 0
    budget: int = 0
    left_out: str = ""


def failure(text: str) -> str | None:
    """What an error says, or None where the call did not fail."""
    return text.removeprefix(ERROR).strip() if text.startswith(ERROR) else None


def refused(text: str) -> str | None:
    """The name of the note whose change the person refused, or None."""
    found = _REFUSED.match(text)
    return found["name"] if found else None


def hits(text: str) -> tuple[Hit, ...]:
    """The notes a search found, best first."""
    return tuple(
        Hit(
            found["name"],
            int(found["seq"]),
            found["heading"].strip(),
            found["line"].strip(),
            int(found["number"]),
            found["link"],
        )
        for found in _HIT.finditer(text)
    )


def is_search(text: str) -> bool:
    """Whether the text is a search's result, with hits or without."""
    return bool(_HITS.match(text) or _NO_HITS.match(text))


def note(text: str) -> Text | None:
    """A note read, or an entry opened."""
    head, _, rest = text.partition("\n")
    found = _READ.fullmatch(head) or _ENTRY.fullmatch(head)
    if found is None:
        return None
    link, notices, body = _parts(rest)
    groups = found.groupdict()
    return Text(
        found["name"],
        int(found["seq"]),
        link,
        body,
        notices,
        groups.get("status") or "current",
        int(groups["by"]) if groups.get("by") else None,
        whole=not _CUT.search(text) and "\ufffd" not in body and "<\\" not in body,
    )


def _parts(rest: str) -> tuple[str, tuple[str, ...], str]:
    """Link, notices and text of what follows the first line."""
    top, _, body = rest.partition("\n\n") if not rest.startswith("\n") else ("", "", rest[1:])
    rows = top.split("\n") if top else []
    return _after("link ", rows), tuple(row for row in rows if row and not row.startswith("link ")), body


def done(text: str) -> Done | None:
    """The receipt of a write or delete."""
    head, *rows = text.split("\n")
    found = _DONE.fullmatch(head)
    if found is None:
        return None
    similar = _after("similar: ", rows)
    names = tuple(similar.split(", ")) if similar else ()
    remarks = tuple(row for row in rows if row and not row.startswith(("similar: ", "link ")))
    action, name, entry = ("write", found["wrote"], found["at"])
    if not name:
        action, name, entry = ("delete", found["deleted"], found["on"])
    return Done(action, name, int(entry), remarks, names, _after("link ", rows))


def _after(label: str, rows: Sequence[str]) -> str:
    """What follows the label on the first row that begins with it; "" where none does."""
    return next((row.removeprefix(label) for row in rows if row.startswith(label)), "")


def seen(text: str) -> Seen | None:
    """The view, or a line opened into its halves."""
    head, *rows = text.split("\n")
    view = _VIEW.fullmatch(head)
    lines = [found for row in ([] if view else [head]) + rows if (found := _LINE.fullmatch(row))]
    if view is None and not lines:
        return None
    pairs = tuple((found["address"], found["text"]) for found in lines)
    if view is None:
        return Seen(pairs)
    left_out = rows[0] if rows and rows[0].startswith("(") else ""
    return Seen(pairs, int(view["entries"]), int(view["bytes"]), int(view["budget"]), left_out)
