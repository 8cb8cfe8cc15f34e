"""What summarizing a whole import costs: a call a line, never more within an hour than the cap, then nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from test_summarizing import LONG, Scripted, Time, run, summarizer
from turn_support import stage

from acp_server.line_writers import Written
from acp_server.pace import HOUR_MS
from memory_core.results import Pending


class Priced(Scripted):
    """A writer whose lines never fit together word for word, and cost the same each; it notes when it was asked."""

    tokens = 1000

    def __init__(self, time: Time) -> None:
        super().__init__()
        self.time = time
        self.moments: list[int] = []

    async def write(self, line: Pending, context: Sequence[str]) -> Written:
        await super().write(line, context)
        self.moments.append(self.time.now)
        return Written(f"{line.address} {'x' * 400}", "test/model", tokens=self.tokens)


@pytest.mark.report("M63")
async def test_an_import_of_five_hundred_notes_costs_a_call_a_line_within_the_cap_and_then_nothing(
    tmp_path: Path,
) -> None:
    scene = stage(tmp_path)
    with scene.door() as door:
        for number in range(500):
            path = Path(door.project.memories) / f"n{number}.md"
            path.write_text(LONG.format(number), encoding="utf-8")
    time = Time()
    writer = Priced(time)
    made = summarizer(writer, time, cap=100 * Priced.tokens)
    await run(scene, made)
    lines = [f"{start}+{1 << size}" for size in range(9) for start in range(0, 500 - (1 << size) + 1, 1 << size)]
    assert sorted(writer.asked) == sorted(lines)
    for when in writer.moments:
        assert sum(when <= other < when + HOUR_MS for other in writer.moments) <= 101  # a second worker is on its way
    await run(scene, made)
    assert len(writer.asked) == len(lines)
    await scene.runner.close()
