"""Journal, files and view against a plain model, through any order of writes, edits, crashes, clears and forgets."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from plain_model import PlainModel

from memory_core import Memory
from memory_core.exceptions import NoSuchNote
from memory_core.results import EntryKind

NAMES = st.sampled_from([f"{letter}.md" for letter in "abcdef"] + ["sub/x.md", "sub/y.md"])
WORDS = st.sampled_from(["deploy", "flaky", "cache", "retry", "naïve", "日本語"])
TEXTS = st.builds(
    lambda words, times: f"# {words[0]}\n" + " ".join(words * times),
    st.lists(WORDS, min_size=1),
    st.sampled_from([1, 5, 60]),
)
BUDGET = 1200


class WholeMemory(RuleBasedStateMachine):
    """The library beside the model; every rule does the same to both."""

    @initialize()
    def begin(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="whole-"))
        (self.root / "project").mkdir()
        self.model = PlainModel(BUDGET)
        self.outside: dict[str, str | None] = {}
        self.memory = self.opened()
        self.memory.reconcile()

    def opened(self) -> Memory:
        return Memory.open(self.root / "project", state_dir=self.root / "state", budget=BUDGET)

    @property
    def notes(self) -> Path:
        return Path(self.memory.project.memories)

    def look(self) -> None:
        """What a look at the files does: deletes first by name, then what changed, here one at a time."""
        for name, text in sorted(self.outside.items(), key=lambda item: item[1] is not None):
            if text is None and name in self.model.files:
                self.model.append("delete", name)
            elif text is not None and self.model.files.get(name) != text:
                self.model.append("note", name, text)
        self.outside.clear()

    @rule(name=NAMES, text=TEXTS)
    def write(self, name: str, text: str) -> None:
        pending = self.outside.pop(name, "")
        if pending is None and name in self.model.files:
            self.model.append("delete", name)
        elif pending and self.model.files.get(name) != pending:
            self.model.append("note", name, pending)
        self.model.append("note", name, text)
        assert self.memory.write(name, text).entry == len(self.model.versions) - 1

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        pending = self.outside.pop(name, "")
        if pending is None and name in self.model.files:
            self.model.append("delete", name)
        elif pending and self.model.files.get(name) != pending:
            self.model.append("note", name, pending)
        if name not in self.model.files:
            with pytest.raises(NoSuchNote):
                self.memory.delete(name)
            return
        self.model.append("delete", name)
        self.memory.delete(name)

    @precondition(lambda self: not self.outside)
    @rule(name=NAMES, text=TEXTS)
    def edit_outside(self, name: str, text: str) -> None:
        path = self.notes / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.outside[name] = text

    @precondition(lambda self: not self.outside)
    @rule(name=NAMES)
    def remove_outside(self, name: str) -> None:
        (self.notes / name).unlink(missing_ok=True)
        self.outside[name] = None

    @rule()
    def reconcile(self) -> None:
        self.look()
        self.memory.reconcile()

    @rule()
    def crash(self) -> None:
        """The process goes without a word; the next one finds what was committed."""
        self.memory.close()
        self.memory = self.opened()

    @rule(count=st.integers(1, 6), size=st.sampled_from([20, 200, 500]))
    def summarize(self, count: int, size: int) -> None:
        for line in self.memory.pending_lines(count):
            text = f"{line.address} {'s' * size}"
            self.model.store((line.id, line.n), text)
            self.memory.store_line(line.address, text, model="test/model")

    @rule(name=NAMES)
    def forget(self, name: str) -> None:
        self.reconcile()
        if not any(version.name == name and version.kind == "note" for version in self.model.versions):
            with pytest.raises(NoSuchNote):
                self.memory.forget(name)
            return
        self.model.forget(name)
        self.memory.forget(name)

    @rule()
    def clear(self) -> None:
        shutil.rmtree(self.notes)
        self.outside.clear()
        cleared = self.memory.reconcile().cleared
        assert cleared == bool(self.model.versions)
        self.model.clear()

    @rule()
    def repair(self) -> None:
        self.look()
        self.memory.repair()

    @invariant()
    def journal_is_the_models(self) -> None:
        if not hasattr(self, "memory"):
            return
        found = [(item.kind, item.name, (item.raw or b"").decode()) for item in self.memory.export()]
        assert found == [(EntryKind(one.kind), one.name, one.text) for one in self.model.versions]

    @invariant()
    def view_is_the_models(self) -> None:
        if not hasattr(self, "memory"):
            return
        view = self.memory.view()
        assert view.bytes == self.model.size()
        assert list(view.next_merges) == [f"{start}+{2 * n}" for start, n in self.model.pairs()[:128]]
        rendered = [self.model.rendered(address) for address in self.model.view]
        shown = [line.rendered for line in view.lines]
        assert shown == rendered[len(rendered) - len(shown) :]
        assert view.hidden == (view.lines[0].id if view.lines else len(self.model.versions))
        assert {(line.id, line.n) for line in self.memory.pending_lines(10_000)} == self.model.waiting()

    @invariant()
    def nothing_is_wrong(self) -> None:
        if not hasattr(self, "memory") or self.outside:
            return
        assert self.memory.verify().problems == ()
        on_disk = {
            path.relative_to(self.notes).as_posix(): path.read_text(encoding="utf-8")
            for path in self.notes.rglob("*.md")
        }
        assert on_disk == self.model.files

    def teardown(self) -> None:
        if hasattr(self, "memory"):
            self.memory.close()
            shutil.rmtree(self.root)


TestWholeMemory = WholeMemory.TestCase
TestWholeMemory.settings = settings(
    max_examples=25, stateful_step_count=30, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
