"""One of many processes on one project: works for a while, then tells what it did and when, as JSON.

Arguments: project, state directory, number of the member, kind of work, how much of it. `write` makes so many notes,
`mixed` does everything that a session, a person and the background do, for so many seconds; `read` asks only, and any
statement of its that would write is refused and raises.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from memory_core import Memory
from memory_core.exceptions import NoSuchNote
from memory_core.results import Origin, OriginKind
from memory_core.storing import Text
from tests.memory_core.bytes_on_disk import token
from tests.reliability.crowd import readonly
from tests.reliability.crowd.reports import Report, Span, Stored, Written

LONG = "word " * 130
OWN_NOTES = 12
SHARED_NOTES = 4
ASKED = "word"


class Member:
    """The work of one process, and its report."""

    def __init__(self, memory: Memory, number: int) -> None:
        self._memory = memory
        self._number = number
        self._rng = random.Random(number)
        self._turn = 0
        self.report = Report()

    def write_all(self, count: int) -> None:
        """Writes so many notes of its own."""
        for turn in range(count):
            self._write(f"w{self._number}-{turn}")

    def mix(self, seconds: float) -> None:
        """Does everything, by chance, until the time is over."""
        work = self._rng.choices(*zip(*self._table, strict=True), k=100)
        self._until(seconds, work)

    def read_all(self, seconds: float) -> None:
        """Asks for everything, by chance, until the time is over; nothing that it does may write."""
        readonly.refuse_writes(self._memory)
        self._until(seconds, [self._view, self._zoom, self._read, self._search, self._log])
        assert not readonly.locked

    def _until(self, seconds: float, work: list[Callable[[], None]]) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            do = self._rng.choice(work)
            began = time.monotonic_ns()
            try:
                do()
            except NoSuchNote:
                self.report.absent += 1  # another process was as quick
            self.report.took(do.__name__.strip("_"), time.monotonic_ns() - began)
            self._turn += 1

    @property
    def _table(self) -> tuple[tuple[Callable[[], None], int], ...]:
        return (
            (self._write_own, 25),
            (self._write_shared, 10),
            (self._delete, 5),
            (self._edit, 8),
            (self._look, 10),
            (self._lines, 20),
            (self._forget, 2),
            (self._idle, 3),
            (self._view, 5),
            (self._zoom, 4),
            (self._read, 4),
            (self._search, 4),
        )

    def _write(self, name: str) -> None:
        mark = token(self._rng)
        origin = Origin(OriginKind.SESSION, f"member-{self._number}")
        began = time.monotonic_ns()
        receipt = self._memory.write(name, f"# {name} {mark}\n{LONG}", origin=origin)
        self.report.written.append(Written(receipt.entry, receipt.name, mark, Span(began, time.monotonic_ns())))

    def _write_own(self) -> None:
        self._write(f"w{self._number}-{self._turn % OWN_NOTES}")

    def _write_shared(self) -> None:
        self._write(self._shared())

    def _shared(self) -> str:
        return f"shared-{self._rng.randrange(SHARED_NOTES)}"

    def _delete(self) -> None:
        self._memory.delete(self._shared())

    def _edit(self) -> None:
        """An edit outside, of a file that nobody else edits; a look of this process or of another takes it in."""
        mark = token(self._rng)
        path = Path(self._memory.project.memories) / f"edited-{self._number}.md"
        path.write_text(f"# Outside {mark}\n" + "x" * self._rng.randrange(40), encoding="utf-8")
        self._look()
        self.report.edited.append(mark)

    def _look(self) -> None:
        self._memory.reconcile()

    def _lines(self) -> None:
        """Lines as a worker in the background writes them: claimed, thought about, renewed, stored."""
        owner = f"member-{self._number}"
        began = time.monotonic_ns()
        claimed = self._memory.claim_lines(owner, 4)
        if not claimed:
            return
        holds = time.monotonic_ns()
        time.sleep(self._rng.uniform(0, 0.004))
        self._memory.renew_lines(owner)
        texts = [Text(line.address, f"{line.address} by {owner} {'x' * 300}", "m") for line in claimed]
        held = Span(holds, time.monotonic_ns())
        stored = self._memory.store_claimed(owner, texts)
        self._memory.release_lines(owner)
        span = Span(began, time.monotonic_ns())
        self.report.stored += [Stored(address, span) for address in stored]
        self.report.held += [held] if stored else []

    def _forget(self) -> None:
        name = self._shared() if self._rng.random() < 0.5 else f"w{self._number}-{self._rng.randrange(OWN_NOTES)}"
        began = time.monotonic_ns()
        self._memory.forget(name)
        self.report.forgotten.append((f"{name}.md", Span(began, time.monotonic_ns())))

    def _idle(self) -> None:
        self._memory.idle_step()

    def _view(self) -> None:
        view = self._memory.view()
        assert len(view.text.encode()) <= view.budget

    def _zoom(self) -> None:
        entries = self._memory.view().entries
        n = 1 << self._rng.randrange(max(1, entries).bit_length())
        if n <= entries:
            self._memory.zoom(self._rng.randrange(entries // n) * n, n)

    def _read(self) -> None:
        self._memory.read(self._shared())

    def _search(self) -> None:
        self._memory.search(ASKED)

    def _log(self) -> None:
        rows = self._memory.log()
        for _ in range(20):
            next(rows, None)
        rows.close()  # type: ignore[attr-defined]  # a generator


KINDS: dict[str, Callable[[Member, float], None]] = {
    "write": lambda member, much: member.write_all(int(much)),
    "mixed": Member.mix,
    "read": Member.read_all,
}


def main(project: str, state: str, number: str, kind: str, much: str) -> None:
    """Works and prints the report."""
    with Memory.open(project, state_dir=state) as memory:
        memory.reconcile()
        member = Member(memory, int(number))
        KINDS[kind](member, float(much))
    json.dump(asdict(member.report), sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
