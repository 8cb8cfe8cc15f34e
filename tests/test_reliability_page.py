"""The reliability page says what its records say, and a figure is met or missed by its bounds alone."""

from __future__ import annotations

import pytest

from tests.benchmarks.machine import Machine
from tests.reliability import page, sections
from tests.reliability.shape import Figure, Grid, Outcome, Record, exactly

MACHINE = Machine("0123456789ab", "2024-02-29 12:00 UTC", "A CPU", 2, "CPython 3.11.0", "3.40.1", "Linux 6", "ext4")


@pytest.fixture
def name(monkeypatch: pytest.MonkeyPatch) -> str:
    """A proof of this test's own, beside those that there are."""
    monkeypatch.setitem(sections.PROOFS, "own", __name__)
    return "own"


TITLE = "A proof of the test"
CLAIM = "Something holds."
METHOD = "It is tried."


def record(*figures: Figure) -> Record:
    grid = Grid(("point", "kills"), (("a", "1"), ("b", "2")))
    return Record(MACHINE, "0.1.0", "python -m tests.reliability own", 12.5, Outcome(figures, (grid,)))


def test_the_page_in_docs_is_rendered_from_the_records_beside_it() -> None:
    assert (page.DOCS / page.PAGE).read_text(encoding="utf-8") == page.page(page.read(page.DOCS))


def test_the_records_of_the_page_in_docs_are_as_they_were_dumped() -> None:
    text = (page.DOCS / page.RAW).read_text(encoding="utf-8")
    assert page.dumped(page.loaded(text)) == text


def test_records_in_docs_are_of_long_runs_that_met_what_is_wanted() -> None:
    records = page.read(page.DOCS)
    assert [name for name, record in records.items() if "--short" in record.command or not record.outcome.met] == []


def test_every_section_has_a_title_of_its_own_and_every_proof_its_claim() -> None:
    proofs = [sections.proof(name) for name in sections.PROOFS]
    titles = [each.TITLE for each in (*proofs, *map(sections.text, sections.TEXTS))]
    assert len(titles) == len(set(titles))
    assert all(each.CLAIM.strip() and each.METHOD.strip() for each in proofs)


@pytest.mark.parametrize(
    ("figure", "met"),
    [
        (exactly("a", 3, 3), True),
        (exactly("a", 4, 3), False),
        (Figure("a", 60.0, "%", at_least=60), True),
        (Figure("a", 59.9, "%", at_least=60), False),
        (Figure("a", 2, at_most=2), True),
        (Figure("a", 3, at_most=2), False),
        (Figure("a", 3), True),
    ],
)
def test_a_figure_is_held_to_its_bounds(figure: Figure, met: bool) -> None:
    assert figure.met is met
    assert record(figure).outcome.met is met


def test_a_figure_that_falls_short_is_called_missed(name: str) -> None:
    found = page.page({name: record(exactly("lost", 1, 0), Figure("kills", 300, at_least=300), Figure("seconds", 9))})
    assert found.count("**missed**") == 1
    assert found.count("| met |") >= 1
    assert "| seconds | 9 | – | – |" in found
    assert "| lost | 1 | 0 | **missed** |" in found


def test_a_proof_without_a_record_says_so(name: str) -> None:
    assert "No long run is recorded yet." in page.page({}).partition(TITLE)[2]


def test_records_survive_their_json(name: str) -> None:
    records = {name: record(exactly("lost", 0, 0), Figure("share", 61.25, "%", at_least=60))}
    assert page.loaded(page.dumped(records)) == records
