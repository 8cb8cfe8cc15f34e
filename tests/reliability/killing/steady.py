"""A project that lives on while its writers are killed, one after another: what one leaves is the next one's past."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.reliability.killing import archives
from tests.reliability.killing.child import At, Ended, Moment, Ready, run
from tests.reliability.killing.expected import Expected, new_text
from tests.reliability.killing.places import Lost, Place, recovered
from tests.reliability.killing.plan import STEADY, Aim
from tests.reliability.killing.steps import Step

NAMES = tuple(f"{folder}n{number}.md" for folder in ("", "deep/er/") for number in range(6))
MOMENT_SECONDS = {"forget": 0.08, "clear": 0.08, "repair": 0.03, "join": 0.05}
"""About as long as the steps take that take longer than a write."""
WRITE_SECONDS = 0.008
LOST_RENAME = 0.15
"""How often the last rename or removal that was acknowledged is taken back, as a power cut may do it."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A file as it was before a step changed it, under another name of its own: `step` is that step's number."""

    step: int
    name: str
    link: Path


class Steady:
    """One project, from empty on. `kills` counts how many writers were killed."""

    def __init__(self, folder: Path, rng: random.Random, ready: Ready) -> None:
        self._folder = folder
        self._rng = rng
        self._ready = ready
        project = folder / "project"
        project.mkdir(parents=True)
        self.place = Place(project, folder / "state")
        self.expected = Expected()
        self.lost_renames = self.edits = 0
        with self.place.open() as memory:
            for name in NAMES[:8]:
                text = new_text(rng)
                memory.write(name, text)
                self.expected.put(name, text)
            memory.reconcile()
            self._entries = list(memory.export())

    def round(self, aim: Aim) -> Ended:
        """Edits notes outside, has a writer killed, looks what is there. Raises Lost."""
        edited = self._edit(3 if aim.verb == "look" else self._rng.randint(1, 2))
        steps, at = self._steps(aim, edited)
        kept = self._keep(steps, edited)
        if aim.verb == "clear":
            shutil.rmtree(self.place.memories)
        ended = run(self.place.project, self.place.state, steps, self._when(aim, steps, at), self._ready)
        self._check(steps, ended, kept)
        return ended

    def _when(self, aim: Aim, steps: list[Step], at: int) -> At | Moment:
        if aim.point:
            return At(at, aim.point, aim.times)
        verb = steps[at].verb if at < len(steps) else "write"
        return Moment(at, MOMENT_SECONDS.get(verb, WRITE_SECONDS))

    def _edit(self, count: int) -> list[str]:
        """Notes that are changed, added or removed outside; those that are changed come first."""
        rng, root = self._rng, self.place.memories
        chosen = rng.sample(NAMES, count)
        removed = [name for name in chosen[1:] if name in self.expected.files and rng.random() < 0.3]
        for name in chosen:
            self.edits += 1
            if name in removed:
                (root / name).unlink()
                self.expected.remove(name)
                continue
            text = new_text(rng)
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            _put(root / name, text, replace=rng.random() < 0.5)
            self.expected.put(name, text)
        return [name for name in chosen if name not in removed]

    def _steps(self, aim: Aim, edited: list[str]) -> tuple[list[Step], int]:
        """A few steps that come through, the one that is cut off, and its number. A clearing comes first and alone."""
        if aim.verb == "clear":
            return [Step("clear")], 0
        ahead = self.expected.copy()
        steps: list[Step] = []
        any_verb = aim.verb == "any"
        before = aim.times - 1 if any_verb else self._rng.choice((0, 0, 1, 2))
        for _ in range(before + 4 if any_verb else before):
            steps.append(self._step(self._rng.choice(("write", "write", *STEADY)), ahead, []))
        if not any_verb:
            steps.append(self._step(aim.verb, ahead, edited if aim.times > 1 else []))
        return steps, before

    def _step(self, verb: str, ahead: Expected, wanted: list[str]) -> Step:
        """A step of a kind, on a note that is `wanted` if any is; a write where the kind has no note to work on."""
        rng = self._rng
        live = [name for name in wanted if name in ahead.files] or sorted(ahead.files)
        versions = [each for each in self._entries if each.raw is not None and each.name in live]
        versions = [each for each in versions if ahead.copies[(each.raw or b"").decode()]]
        step = Step("write", (rng.choice(wanted or NAMES),), new_text(rng))
        if verb == "delete" and live:
            step = Step(verb, (rng.choice(live),))
        elif verb == "restore" and versions:
            version = rng.choice(versions)
            step = Step(verb, (version.name,), (version.raw or b"").decode(), version.seq)
        elif verb == "forget" and len(known := sorted({each.name for each in versions})) > 3:
            step = Step(verb, tuple(rng.sample(known, rng.randint(1, 2))))
        elif verb == "join":
            rows = tuple((f"from/{rng.randrange(10**9)}.md", new_text(rng)) for _ in range(12))
            step = Step(verb, path=str(archives.joined(self._folder / f"{rng.randrange(10**9)}", rows)), rows=rows)
        elif verb in ("look", "lines", "idle", "repair", "refuse"):
            step = Step(verb)
        ahead.apply(step)
        return step

    def _keep(self, steps: list[Step], edited: Iterable[str]) -> Kept | None:
        """Now and then a hard link of the file that a step is going to replace or remove, if no other touches it."""
        touched = [name for step in steps for name in step.names] + list(edited)
        for number, step in enumerate(steps):
            name = step.names[0] if step.names else ""
            path = self.place.memories / name
            alone = touched.count(name) == 1 and step.verb in ("write", "delete", "restore") and path.is_file()
            if alone and self._rng.random() < LOST_RENAME:
                link = self._folder / "kept.md"
                link.unlink(missing_ok=True)
                os.link(path, link)
                return Kept(number, name, link)
        return None

    def _check(self, steps: list[Step], ended: Ended, kept: Kept | None) -> None:
        done, cut = steps[: ended.acknowledged], steps[ended.acknowledged :]
        for step in done:
            self.expected.apply(step)
        if kept is not None and kept.step < len(done) and "clear" not in {step.verb for step in steps}:
            self.lost_renames += 1
            target = self.place.memories / kept.name
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(kept.link, target)
        in_flight = cut[0] if cut and ended.opened else None
        try:
            found = recovered(self.place, self.expected.possible(in_flight))
        except Lost as error:
            raise Lost(f"after {done}, cut off in {in_flight}, taken back {kept}: {error}") from error
        self.expected = found.expected
        self._entries = found.entries


def _put(path: Path, text: str, *, replace: bool) -> None:
    """Writes a file as one editor does, over the old one, or as another does, with a new one in its place."""
    if not replace:
        path.write_text(text, encoding="utf-8")
        return
    other = path.with_name(".editor~")
    other.write_text(text, encoding="utf-8")
    os.replace(other, path)
