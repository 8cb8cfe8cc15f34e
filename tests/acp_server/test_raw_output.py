"""The JSON that a program reads is documented by models, and their schema is kept."""

from __future__ import annotations

import jsonschema
import pytest
from write_raw_output_schema import PATH, text

from acp_server.raw_output import schema
from memory_core.results import Entry, EntryKind, EntryStatus, Origin, OriginKind, Receipt, View
from memory_core.results_json import Result, as_json, iso_utc

RESULTS: list[Result] = [
    View(0, 0, 0, 0, 32768, (), ()),
    Entry(3, EntryKind.DELETE, "a.md", "", "", EntryStatus.CURRENT, None, Origin(OriginKind.OUTSIDE), 0, None),
    Receipt("write", "a.md", "/n/a.md", 4, None, True, True, ("x",), ("A.md",)),
]


def test_the_kept_schema_is_that_of_the_models() -> None:
    assert PATH.read_text(encoding="utf-8") == text()


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: type(result).__name__)
def test_results_are_what_the_schema_says(result: Result) -> None:
    jsonschema.validate(as_json(result), schema())


def test_a_field_that_is_not_documented_is_refused() -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**as_json(RESULTS[0]), "extra": 1}, schema())


@pytest.mark.parametrize(
    ("created_ms", "right"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1_796_193_000_007, "2026-12-02T06:30:00.007Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
    ],
)
def test_times_are_iso_8601_in_utc(created_ms: int, right: str) -> None:
    assert iso_utc(created_ms) == right
