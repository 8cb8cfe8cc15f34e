"""Summary lines are written in the background of a running agent, never while a turn runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from turn_support import Stage, ends, stage

from acp_server.line_writers import EMBEDDED, LineWriter, PassingFault, Refused, Written
from acp_server.pace import HOUR_MS, Pace
from acp_server.summarizing import RENEW_SECONDS, Summarizer
from memory_core.extractive import summarize
from memory_core.results import LineState, Pending

LONG = "# Deploy {0}\n\n" + "The deploy key number {0} rotates on Mondays, and the pipeline waits. " * 12


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Stage]:
    made = stage(tmp_path)
    made.runner.summarizer = Summarizer(summarize)
    with made.door() as door:
        for number in range(9):
            door.write(f"n{number}.md", LONG.format(number))
    yield made
    await made.runner.close()


async def test_all_that_is_pending_is_written_after_a_turn_and_marked(scene: Stage) -> None:
    assert scene.runner.summarizer is not None
    await scene.say()
    await scene.runner.summarizer.idle()
    with scene.door() as door:
        assert door.pending_lines() == ()
        lines = door.view().lines
    assert {(line.state, line.model) for line in lines} == {(LineState.WRITTEN, EMBEDDED)}
    assert all(len(line.text.encode()) <= 512 for line in lines)


async def test_nothing_is_written_while_a_turn_runs(scene: Stage) -> None:
    asked: list[Sequence[str]] = []

    def fold(halves: Sequence[str]) -> str:
        asked.append(halves)
        return summarize(halves)

    summarizer = scene.runner.summarizer = Summarizer(fold)
    await scene.runner.prepare(scene.session())
    memory = await scene.runner.memories.get(str(scene.project), "s1")
    reached = asyncio.Event()
    task = asyncio.create_task(scene.say(script=[[reached], ends()]))
    await reached.wait()
    summarizer.wake(memory)
    await memory.write(lambda _: None)
    await memory.read(lambda _: None)
    assert asked == []
    task.cancel()
    await task
    await summarizer.idle()
    assert len(asked) > 9


async def test_closing_stops_it_between_two_batches(scene: Stage) -> None:
    await scene.say()
    await scene.runner.close()
    with scene.door() as door:
        assert door.verify().ok


class Scripted:
    """A writer whose every call goes as scripted: a fault to raise, or tokens that a line cost."""

    at_once = 1
    workers = 2
    reads_context = True

    def __init__(self, *script: type[Exception] | int) -> None:
        self.script = list(script)
        self.asked: list[str] = []
        self.contexts: list[Sequence[str]] = []
        self.running = self.most_running = 0
        self.meeting = asyncio.Event()
        self.meeting.set()

    async def write(self, line: Pending, context: Sequence[str]) -> Written:
        self.asked.append(line.address)
        self.contexts.append(context)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        if self.running == 2:
            self.meeting.set()
        await self.meeting.wait()
        self.running -= 1
        step = self.script.pop(0) if self.script else 1
        if isinstance(step, int):
            return Written(f"line {line.address}", "test/model", tokens=step)
        raise step("scripted")


class Time:
    """A clock that moves only when somebody waits."""

    def __init__(self) -> None:
        self.now = 1_000_000_000
        self.waits: list[float] = []

    def now_ms(self) -> int:
        return self.now

    async def sleep(self, seconds: float) -> None:
        if seconds == RENEW_SECONDS:  # a renewal of leases: nothing here takes that long
            await asyncio.Event().wait()
        self.waits.append(seconds)
        self.now += int(seconds * 1000)
        await asyncio.sleep(0)


def summarizer(writer: LineWriter, time: Time, cap: int = 10**9) -> Summarizer:
    return Summarizer(summarize, writer, owner="p", now_ms=time.now_ms, sleep=time.sleep, max_tokens_per_hour=cap)


async def run(scene: Stage, made: Summarizer) -> None:
    scene.runner.summarizer = made
    await scene.say()
    await made.idle()


async def test_two_workers_at_most_write_and_each_line_is_written_once(scene: Stage) -> None:
    writer = Scripted()
    writer.meeting.clear()  # the first write waits for a second one beside it
    await run(scene, summarizer(writer, Time()))
    assert writer.most_running == 2
    assert len(writer.asked) == len(set(writer.asked)) == 9
    with scene.door() as door:
        assert door.pending_lines() == ()
        assert door.verify().ok


async def test_a_passing_failure_is_tried_again_ten_seconds_later(scene: Stage) -> None:
    writer, time = Scripted(PassingFault), Time()
    writer.workers = 1
    await run(scene, summarizer(writer, time))
    assert time.waits == [10.0]
    assert writer.asked[:2] == ["0+1", "0+1"]


async def test_after_five_failures_in_a_row_the_breaker_waits_twice_as_long_each_time(scene: Stage) -> None:
    writer, time = Scripted(*[PassingFault] * 13), Time()
    writer.workers = 1
    await run(scene, summarizer(writer, time))
    assert time.waits == [10, 10, 10, 10, 10, 20, 40, 80, 160, 320, 600, 600, 600]
    with scene.door() as door:
        assert door.pending_lines() == ()


async def test_a_line_refused_three_times_is_written_by_the_embedded_summarizer_and_marked(scene: Stage) -> None:
    writer = Scripted(Refused, Refused, Refused)
    writer.workers = 1
    await run(scene, summarizer(writer, Time()))
    with scene.door() as door:
        models = {line.model for line in door.view().lines}
        assert door.pending_lines() == ()
    assert models == {EMBEDDED, "test/model"}


async def test_a_note_that_is_forgotten_while_a_model_reads_it_comes_back_in_no_line(scene: Stage) -> None:
    class Slow(Scripted):
        """The first note is forgotten elsewhere between what the second call was sent and what it answers."""

        async def write(self, line: Pending, context: Sequence[str]) -> Written:
            found = await super().write(line, context)
            if len(self.asked) != 2:
                return found
            with scene.door() as door:
                door.forget("n0")
            return Written("what the model remembers of n0", "test/model", tokens=1)

    writer = Slow()
    writer.workers = 1
    await run(scene, summarizer(writer, Time()))
    assert writer.asked[1] == "1+1"
    assert "1+1" in writer.asked[2:]
    with scene.door() as door:
        assert door.pending_lines() == ()
        assert "remembers" not in door.view().text
        assert door.verify().ok
    files = [path for path in (scene.project.parent).rglob("*") if path.is_file()]
    assert [path for path in files if b"remembers of n0" in path.read_bytes()] == []


@pytest.mark.report("M63")
async def test_a_cap_on_tokens_an_hour_makes_summaries_wait(scene: Stage) -> None:
    writer, time = Scripted(*[60] * 9), Time()
    writer.workers = 1
    await run(scene, summarizer(writer, time, cap=100))
    assert sum(time.waits) >= 3 * HOUR_MS / 1000
    with scene.door() as door:
        assert door.pending_lines() == ()


async def test_a_model_reads_the_lines_before_its_own_without_addresses(scene: Stage) -> None:
    writer = Scripted()
    writer.workers = 1
    await run(scene, summarizer(writer, Time()))
    last = writer.contexts[writer.asked.index("8+1")]
    assert last[-1].startswith(("line", "(not summarized"))
    assert len(writer.contexts[writer.asked.index("0+1")]) == 0


def test_the_cap_lets_through_what_has_left_the_hour() -> None:
    pace = Pace(100).succeeded(0, 60).succeeded(1000, 60)
    assert pace.wait_ms(2000) == HOUR_MS - 2000
    assert pace.wait_ms(HOUR_MS + 1) == 0
    assert Pace(100).wait_ms(5) == 0
