"""Before many notes are summarized by a paid model, what that will take is said, from what is really there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from jobs_support import PRICE, Worker, hands, meter, model
from turn_support import Stage, ends, stage

from acp_server.estimates import Estimates, is_paid
from acp_server.events import Notice
from acp_server.hands import Hand
from acp_server.metering import Facts
from acp_server.model_writer import model_writers
from acp_server.models.values import Model, Price
from acp_server.providers.interface import Usage
from acp_server.sentences.summaries import rounded
from acp_server.spend import micro_dollars
from acp_server.summarizing import Summarizer
from acp_server.summary_estimate import BYTES_PER_TOKEN, MANY_NOTES, estimate
from memory_core.extractive import summarize

LONG = "# Deploy {0}\n\n" + "The deploy key number {0} rotates on Mondays, and the pipeline waits. " * 12


def test_what_fits_word_for_word_costs_nothing() -> None:
    assert estimate([]).lines == estimate([(200, False), (200, False)]).lines == 0


def test_each_long_note_and_each_parent_over_what_does_not_fit_is_a_line() -> None:
    assert [estimate([(2000, True)] * count).lines for count in (1, 2, 3, 4, 256)] == [1, 3, 4, 7, 511]
    assert estimate([(300, False)] * 256).lines == 255


def test_lines_that_are_there_are_not_counted_again() -> None:
    parents = [(end, n) for end in range(1, 257) for n in (2, 4, 8, 16, 32, 64, 128, 256) if end % n == 0]
    assert estimate([(2000, False)] * 256, parents).lines == 0
    assert estimate([(2000, False)] * 256 + [(2000, True)], parents).lines == 1
    assert estimate([(2000, False)] * 255 + [(2000, True)], parents[:-8]).lines == 9


async def test_what_was_written_since_is_left_out(scene: Stage) -> None:
    import_notes(scene, 16)
    scene.runner.summarizer = Summarizer(summarize)
    await scene.say()
    await scene.runner.summarizer.idle()
    with scene.door() as door:
        assert estimate(door.leaf_sizes(), door.parents_there()).lines == 0
        assert estimate(door.leaf_sizes()).lines == 15
        assert door.waiting_notes(5) == 0


async def test_short_notes_wait_for_the_lines_of_their_pairs(scene: Stage) -> None:
    with scene.door() as door:
        for number in range(40):
            door.write(f"n{number}.md", "# Short\n" + "It is short. " * 30)
        assert door.waiting_notes(100) == 41
        assert door.waiting_notes(10) == 10


def test_a_request_reads_at_most_what_a_request_reads() -> None:
    found = estimate([(16 * 1024 * 1024, True)])
    assert found.input_tokens * BYTES_PER_TOKEN < 200_000


def test_money_is_said_only_where_both_prices_are_known() -> None:
    found = estimate([(2000, True)] * 300)
    dollars = found.dollars(PRICE)
    assert dollars == pytest.approx(found.input_tokens * 3e-6 + found.output_tokens * 15e-6)
    assert found.dollars(Price(input=3.0)) is None


@pytest.mark.parametrize(("count", "text"), [(7, "7"), (99, "99"), (101, "110"), (4_612_345, "4,700,000")])
def test_a_number_has_two_digits_that_say_something(count: int, text: str) -> None:
    assert rounded(count) == text


@pytest.mark.parametrize(
    ("found", "paid"),
    [
        (model(), True),
        (model(price=Price()), True),
        (model(price=Price(0.0, 0.0)), False),
        (model(price=Price(), needs_key=False), False),
    ],
)
def test_a_model_on_a_server_without_keys_is_ones_own(found: Model, paid: bool) -> None:
    assert is_paid(found) is paid


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Stage]:
    made = stage(tmp_path)
    made.provider.script[:] = [ends()]
    notes = made.project / "notes"
    notes.mkdir()
    yield made
    await made.runner.close()


def import_notes(scene: Stage, count: int) -> None:
    with scene.door() as door:
        folder = Path(door.project.memories)
    for number in range(count):
        (folder / f"n{number:03}.md").write_text(LONG.format(number), encoding="utf-8")


def told(scene: Stage) -> list[str]:
    return [event.text for event in scene.events if isinstance(event, Notice) and "wait for their" in event.text]


@pytest.mark.report("M63")
async def test_a_first_import_of_many_notes_is_told_once_with_tokens_and_money(scene: Stage) -> None:
    scene.runner.estimates = Estimates(hands(Worker([""]), model()))
    import_notes(scene, MANY_NOTES + 1)
    await scene.say()
    (text,) = told(scene)
    assert "lab/fast will write 398 lines" in text
    assert "tokens, about $" in text and "set summarize_memory = false" in text
    await scene.say()
    await scene.say(session="s2")
    assert told(scene) == []


@pytest.mark.parametrize("found", [None, "unresolved", model(price=Price(), needs_key=False)])
async def test_nothing_is_told_of_what_costs_nothing(scene: Stage, found: Model | str | None) -> None:
    scene.runner.estimates = Estimates(hands(Worker([""]), found))
    import_notes(scene, MANY_NOTES + 1)
    await scene.say()
    assert told(scene) == []


async def test_few_notes_are_summarized_without_a_word(scene: Stage) -> None:
    scene.runner.estimates = Estimates(hands(Worker([""]), model()))
    import_notes(scene, MANY_NOTES)
    await scene.say()
    assert told(scene) == []


async def test_the_estimate_is_an_upper_bound_of_what_the_requests_really_hold(scene: Stage, tmp_path: Path) -> None:
    class Counting(Worker):
        async def stream(self, request):  # type: ignore[no-untyped-def,override]
            size = len(request.system.encode()) + sum(len(item.text.encode()) for item in request.items)
            self.usage = Usage(size // BYTES_PER_TOKEN, 0, 80)
            async for event in super().stream(request):
                yield event

    line = "n: " + "a line as long as lines are. " * 13
    worker = Counting([line])
    spending = meter(tmp_path, Facts(PRICE, 100_000))
    scene.runner.summarizer = Summarizer(
        summarize, choose=model_writers(lambda *_: Hand(worker, model()), spending), max_tokens_per_hour=10**9
    )
    import_notes(scene, 40)
    await scene.say()
    await scene.runner.summarizer.idle()
    with scene.door() as door:
        found = estimate(((size, True) for size, _ in door.leaf_sizes()))
    total = [
        sum(len(item.text.encode()) for item in request.items) + len(request.system.encode())
        for request in worker.requests
    ]
    assert len(worker.requests) == found.lines
    assert sum(total) // BYTES_PER_TOKEN <= found.input_tokens <= 1.5 * sum(total) / BYTES_PER_TOKEN
    assert micro_dollars(PRICE, Usage(found.input_tokens, 0, found.output_tokens)) is not None
    await spending.close()
