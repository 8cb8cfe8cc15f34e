"""One of many processes on one project. Prints a JSON report: what it wrote, the lines it stored, what it saw.

Arguments: project, state directory, a number that tells the workers apart, how many rounds, and the kind of work:
`write` (notes alone) or `mixed` (writes, rewrites, deletes, looks, searches, lines, edits of files).
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

from memory_core import Memory
from memory_core.exceptions import NoSuchNote
from memory_core.results import Origin, OriginKind
from memory_core.storing import Text

LONG = "word " * 130


def main(project: str, state: str, number: str, rounds: str, kind: str) -> None:
    rng = random.Random(int(number))
    report: dict[str, list[object]] = {"entries": [], "lines": [], "texts": []}
    origin = Origin(OriginKind.SESSION, f"worker-{number}")
    with Memory.open(project, state_dir=state) as memory:
        memory.reconcile()
        for turn in range(int(rounds)):
            own = f"w{number}-{turn}" if kind == "write" else f"w{number}-{turn % 12}"
            text = f"# {own} {turn}\n{LONG}"
            report["entries"].append(memory.write(own, text, origin=origin).entry)
            report["texts"].append(text)
            if kind == "mixed":
                mix(memory, rng, number, turn, report)
    json.dump(report, sys.stdout)


def mix(memory: Memory, rng: random.Random, number: str, turn: int, report: dict[str, list[object]]) -> None:
    memory.reconcile()
    view = memory.view()
    assert len(view.text.encode()) <= view.budget
    memory.search("word")
    claimed = memory.claim_lines(number, 4)
    texts = [Text(line.address, f"{line.address} by {number} {'x' * 300}", "m") for line in claimed]
    report["lines"] += memory.store_claimed(number, texts)
    if rng.random() < 0.2:
        path = Path(memory.project.memories) / f"shared-{rng.randrange(4)}.md"
        path.write_text(f"# outside {number} {turn}\n", encoding="utf-8")
    if rng.random() < 0.2:
        try:
            memory.delete(f"shared-{rng.randrange(4)}")
        except NoSuchNote:
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
