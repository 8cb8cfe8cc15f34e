"""Kills that need a project of their own: a first look, an import into an empty memory, a migration, an opening.

A neighbour in the same state directory has notes, and one of them is edited outside before each kill.
"""

from __future__ import annotations

import os
import random
import shutil
import traceback
from collections.abc import Callable
from pathlib import Path

from memory_core.portability.archive import EntryRow
from memory_core.portability.checking import Reader
from memory_core.results import Exported
from tests.reliability.killing import archives
from tests.reliability.killing.child import At, Ended, Moment, Ready, run
from tests.reliability.killing.expected import Expected, new_text
from tests.reliability.killing.places import Lost, Place, recovered, texts_of
from tests.reliability.killing.plan import Aim
from tests.reliability.killing.steps import Step, next_release

FILES = 20
ARCHIVED = 30
SECONDS = {"first": 0.04, "stage": 0.15}
"""About as long as a first look or an import takes."""


class Fresh:
    """Projects that are made anew for each kill."""

    def __init__(self, folder: Path, rng: random.Random, ready: Ready) -> None:
        self._folder = folder
        self._rng = rng
        self._ready = ready
        self._count = self.edits = 0
        (folder / "neighbour").mkdir(parents=True)
        self._neighbour = Place(folder / "neighbour", folder / "template")
        self._notes = Expected()
        with self._neighbour.open() as memory:
            for number in range(6):
                text = new_text(rng)
                memory.write(f"n{number}", text)
                self._notes.put(f"n{number}.md", text)
        texts = [(f"a{number % 20}.md", new_text(rng)) for number in range(ARCHIVED)]
        self._archive = archives.whole(folder / "archived", texts)
        self._archived = [row for row in Reader(str(self._archive)).records() if isinstance(row, EntryRow)]

    def round(self, aim: Aim) -> Ended:
        """Makes a project, has its writer killed, looks what is there. Raises Lost."""
        self._count += 1
        folder = self._folder / str(self._count)
        (folder / "project").mkdir(parents=True)
        place = Place(folder / "project", folder / "state")
        ended = _ROUNDS[aim.verb](self, place, aim)
        shutil.rmtree(folder)
        return ended

    def _first(self, place: Place, aim: Aim) -> Ended:
        self._with_neighbour(place)
        expected = self._plant(place, FILES)
        ended = self._run(place, [Step("look")], aim)
        found = recovered(place, [expected]).entries
        if [each.created_ms for each in found] != sorted(each.created_ms for each in found):
            raise Lost("an import isn't in the order of the files' times")
        return ended

    def _open(self, place: Place, aim: Aim) -> Ended:
        expected = self._plant(place, 3)
        ended = self._run(place, [Step("look")], aim)
        recovered(place, [expected])
        return ended

    def _stage(self, place: Place, aim: Aim) -> Ended:
        neighbour, notes = self._with_neighbour(place)
        ended = self._run(place, [Step("stage", path=str(self._archive))], aim)
        with place.open() as memory:
            memory.reconcile()
            if memory.view().entries not in (0, len(self._archived)):
                raise Lost(f"{memory.view().entries} entries of {len(self._archived)} are shown")
        found = recovered(place, [self._whole()], lambda memory: memory.import_archive(str(self._archive)))
        if list(map(_same, found.entries)) != list(map(_same, self._archived)):
            raise Lost("an import that went on isn't the same as where it came from")
        recovered(neighbour, [notes])
        return ended

    def _migrate(self, place: Place, aim: Aim) -> Ended:
        neighbour, notes = self._with_neighbour(place)

        def ready() -> None:
            self._ready()
            next_release()

        ended = run(neighbour.project, neighbour.state, [Step("look")], At(-1, aim.point, 1), ready)
        with neighbour.open() as memory:  # today's release: the migration has not happened at all
            if texts_of(memory.export()) - notes.copies:
                raise Lost("a migration that was killed changed something")
        _in_next_release(lambda: recovered(neighbour, [notes]))
        return ended

    def _run(self, place: Place, steps: list[Step], aim: Aim) -> Ended:
        at = -1 if aim.verb == "open" else 0
        when = At(at, aim.point, aim.times) if aim.point else Moment(0, SECONDS[aim.verb])
        return run(place.project, place.state, steps, when, self._ready)

    def _with_neighbour(self, place: Place) -> tuple[Place, Expected]:
        """The neighbour in the same state directory, with an edit outside, and what it must hold."""
        shutil.copytree(self._neighbour.state, place.state)
        neighbour = Place(self._neighbour.project, place.state)
        notes = self._notes.copy()
        self._edit(neighbour, notes, "n1.md")
        return neighbour, notes

    def _plant(self, place: Place, count: int) -> Expected:
        """Files of a project that was never opened, each a minute older than the one before."""
        expected = Expected()
        place.memories.mkdir(parents=True)
        for number in range(count):
            self._edit(place, expected, f"f{number}.md")
            stamp = 1_600_000_000 - 60 * number
            os.utime(place.memories / f"f{number}.md", (stamp, stamp))
        return expected

    def _edit(self, place: Place, expected: Expected, name: str) -> None:
        text = new_text(self._rng)
        (place.memories / name).write_text(text, encoding="utf-8")
        expected.put(name, text)
        self.edits += 1

    def _whole(self) -> Expected:
        """What the archive holds."""
        expected = Expected()
        for row in self._archived:
            if row.raw is None:
                expected.remove(row.name)
            else:
                expected.put(row.name, row.raw.decode())
        return expected


_ROUNDS: dict[str, Callable[[Fresh, Place, Aim], Ended]] = {
    "first": Fresh._first,
    "open": Fresh._open,
    "stage": Fresh._stage,
    "migrate": Fresh._migrate,
}


def _same(row: EntryRow | Exported) -> tuple[object, ...]:
    return row.seq, row.kind, row.name, row.raw, row.origin, row.created_ms


def _in_next_release(check: Callable[[], object]) -> None:
    """Runs a check in a process of the next release, forked from this one."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            next_release()
            check()
            code = 0
        except Lost:
            traceback.print_exc()
        finally:
            os._exit(code)
    if os.waitpid(pid, 0)[1]:
        raise Lost("the next release doesn't find everything")
