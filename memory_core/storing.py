"""How the text of a waiting line is stored: by whoever comes where nobody holds it, or by the worker that leased it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from memory_core import address, database, entry, faults, frontier, leases, lines, rewriting, sentences
from memory_core.exceptions import NotWaiting
from memory_core.ground import Ground
from memory_core.head import Head
from memory_core.lines import Stored
from memory_core.results import LineState


@dataclass(frozen=True, slots=True)
class Text:
    """A text for a waiting line: its address, the text, the model that wrote it, and whether it was cut to fit."""

    address: str
    text: str
    model: str
    cut: bool = False


def store(ground: Ground, text: Text) -> None:
    """Stores the text of a waiting line, with all that follows in tree and view; takes the lease if nobody holds it.

    The text is trimmed and holds 1 to 512 bytes. Raises BadAddress; NotWaiting, which says why the line can't be
    stored.
    """
    start, n = address.parse(text.address)
    line = _checked(text)
    with database.writing(ground.writer) as db:
        head = ground.head(db)
        before = head.version
        address.check(start, n, head.entries)
        if (start, n) in leases.live(db, head, ground.now_ms()):
            raise NotWaiting(*sentences.line_leased(address.text(start, n)))
        _store_one(ground, db, head, start, n, line)
        ground.store(db, head)
        faults.reach("line.stored")
    ground.known.committed(head, before)


def store_claimed(ground: Ground, owner: str, texts: Sequence[Text]) -> tuple[str, ...]:
    """Stores the texts of lines that a worker claimed, in one transaction; gives the addresses that were stored.

    A line whose lease was taken over, revoked or ran out is passed over: its text may be of a note forgotten since.
    Raises NotWaiting where a text is empty or too long.
    """
    wanted = {address.parse(text.address): _checked(text) for text in texts}
    stored: list[str] = []
    with database.writing(ground.writer) as db:
        head = ground.head(db)
        before = head.version
        for start, n in list(leases.held_by(db, head, owner, wanted, ground.now_ms())):
            _store_one(ground, db, head, start, n, wanted[start, n])
            stored.append(address.text(start, n))
        ground.store(db, head)
        faults.reach("line.stored")
    ground.known.committed(head, before)
    return tuple(stored)


def _store_one(ground: Ground, db: sqlite3.Connection, head: Head, start: int, n: int, line: Stored) -> None:
    if not rewriting.replace(ground, db, head, start, n, line):
        _check_waiting(db, head, start, n)
        _insert(ground, db, head, start, n, line)
    db.execute("DELETE FROM lease WHERE journal = ? AND n = ? AND start = ?", (head.journal, n, start))


def _checked(text: Text) -> Stored:
    trimmed = text.text.strip()
    if not trimmed:
        raise NotWaiting(*sentences.line_empty(text.address))
    size = len(trimmed.encode("utf-8", "replace"))
    if size > entry.MAX_LINE_BYTES:
        raise NotWaiting(*sentences.line_too_long(text.address, size, entry.MAX_LINE_BYTES))
    return Stored(trimmed, LineState.WRITTEN, pure=False, model=text.model, cut=text.cut)


def _insert(ground: Ground, db: sqlite3.Connection, head: Head, start: int, n: int, line: Stored) -> None:
    size = lines.insert(db, head.journal, start, n, line)
    if n == 1:
        db.execute("UPDATE entry SET pending = 0 WHERE journal = ? AND seq = ?", (head.journal, start))
        frontier.resize(db, head, start, n, size)
    else:
        db.execute("DELETE FROM work WHERE journal = ? AND n = ? AND start = ?", (head.journal, n, start))
    lines.appeared(db, head, start, n, line)
    frontier.settle(db, head, ground.budget)


def _check_waiting(db: sqlite3.Connection, head: Head, start: int, n: int) -> None:
    name = address.text(start, n)
    found = lines.find(db, head.journal, start, n)
    if found is not None:
        verbatim = found.state is LineState.VERBATIM
        raise NotWaiting(
            *(sentences.line_not_waiting_verbatim(name) if verbatim else sentences.line_not_waiting_written(name))
        )
    if n > 1 and any(lines.find(db, head.journal, *half) is None for half in address.halves(start, n)):
        raise NotWaiting(*sentences.line_not_waiting_halves(name))
