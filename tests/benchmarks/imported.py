"""A memory that was imported from a generated export, by the command line, as a person would do it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

from memory_core import Memory
from tests.benchmarks import steps
from tests.benchmarks.archives import RARE, Prose, note_name, write_archive
from tests.benchmarks.machine import ROOT

APPENDS = 64
KB_PER_MB = 1024


@dataclass(frozen=True, slots=True)
class Bill:
    """What an import took: seconds, and the most memory that it had resident, in MB."""

    seconds: float
    peak_mb: float


@dataclass(frozen=True, slots=True)
class Weight:
    """Bytes: of the texts and lines that are kept, of the state database, and of the note files."""

    kept: int
    database: int
    files: int


class Imported:
    """`entries` entries over `live` notes in `folder`; what an earlier run left there is taken as it is."""

    def __init__(self, folder: Path, entries: int, live: int) -> None:
        self.entries, self.live = entries, live
        self.project, self.state = folder / "project", folder / "state"
        self.environ = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "CAUDRA_STATE_DIR": str(self.state)}
        self.project.mkdir(parents=True, exist_ok=True)
        bill = folder / "bill.json"
        if not bill.exists():
            made = self._import(folder / "export.jsonl")
            bill.write_text(json.dumps(asdict(made)), encoding="utf-8")
        self.bill = Bill(**json.loads(bill.read_text(encoding="utf-8")))

    def open(self) -> Memory:
        """The memory, in this process."""
        return Memory.open(self.project, state_dir=self.state)

    def steps(self) -> steps.Steps:
        """The steps of each operation, once what waits for an idle moment is done."""
        with self.open() as memory:
            memory.reconcile()
            while memory.idle_step():
                pass
            first = memory.mark().entries
            prose = Prose(first)
            versions = [(note_name(number), prose.version(number, first + number)) for number in range(APPENDS)]
            return steps.count(memory, RARE, versions)

    def weigh(self) -> Weight:
        """What all takes on the disk."""
        with self.open() as memory:
            db = memory._ground.reader
            (texts,) = db.execute("SELECT sum(length(raw)) FROM entry").fetchone()
            (lines,) = db.execute("SELECT sum(length(text)) FROM line").fetchone()
            notes = sum(path.stat().st_size for path in Path(memory.project.memories).rglob("*.md"))
        return Weight(texts + lines, (self.state / "acp-state.db").stat().st_size, notes)

    def _import(self, archive: Path) -> Bill:
        write_archive(archive, self.entries, self.live)
        began = perf_counter()
        command = [sys.executable, "-m", "acp_server", "memory", "import", str(archive)]
        process = subprocess.Popen(
            command, cwd=self.project, env={**self.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, "the import failed"
        archive.unlink()
        return Bill(perf_counter() - began, usage.ru_maxrss / KB_PER_MB)
