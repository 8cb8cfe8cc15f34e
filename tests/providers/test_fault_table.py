"""The table of faults and the waits: pure rules."""

from __future__ import annotations

import re

import pytest

from acp_server.providers.faults import (
    PATIENCE_SECONDS,
    RULES,
    FaultKind,
    Place,
    WireFault,
    kind_of_status,
    retried,
    sentence_of,
    waiting_sentence,
)
from acp_server.providers.redacting import MAX_DETAIL_CHARS, detail_of, redacted
from acp_server.providers.retry_after import asked_wait
from acp_server.providers.retrying import Retries
from acp_server.sentences import providers as say

PLACE = Place("openrouter", "some/model", "models.example:8443", "OPENROUTER_API_KEY")
NOON = 1_700_000_000.0  # Tue, 14 Nov 2023 22:13:20 GMT


def test_every_kind_has_its_row_and_its_sentence() -> None:
    assert set(RULES) == set(FaultKind) == {FaultKind(name) for name in say.FAULTS}
    assert set(say.WAITS) == set(retried())


@pytest.mark.parametrize("kind", FaultKind)
def test_what_a_person_reads_is_one_sentence_that_names_the_place_and_what_to_do(kind: FaultKind) -> None:
    told = sentence_of(WireFault(kind), PLACE, "")
    assert re.fullmatch(r"[A-Z\w][^\n{}]*[;,] [^\n{}]*\.", told)
    assert any(name in told for name in (PLACE.provider, PLACE.model, PLACE.host))


@pytest.mark.parametrize("kind", retried())
def test_a_wait_says_why_and_how_long(kind: FaultKind) -> None:
    told = waiting_sentence(kind, PLACE, 3.6)
    assert told.endswith("; trying again in 4 seconds.")
    assert PLACE.provider in told or PLACE.host in told


def test_what_the_server_said_is_shown_where_it_helps() -> None:
    assert sentence_of(WireFault(FaultKind.BAD_REQUEST), PLACE, "no such field").endswith(" (it said: no such field).")
    assert "said" not in sentence_of(WireFault(FaultKind.KEY_REFUSED), PLACE, "wrong key sk-…abcd")


def test_a_limit_that_names_its_time_is_told_with_it() -> None:
    told = sentence_of(WireFault(FaultKind.RATE_LIMITED, wait_seconds=1200.0), PLACE, "")
    assert told == "openrouter asks to wait 20 minutes; ask again then, or choose another model."


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (300, FaultKind.REDIRECTED),
        (308, FaultKind.REDIRECTED),
        (400, FaultKind.BAD_REQUEST),
        (401, FaultKind.KEY_REFUSED),
        (402, FaultKind.NO_CREDIT),
        (403, FaultKind.FORBIDDEN),
        (404, FaultKind.NOT_FOUND),
        (407, FaultKind.PROXY_FAILED),
        (408, FaultKind.REQUEST_TIMEOUT),
        (413, FaultKind.TOO_LARGE),
        (418, FaultKind.BAD_REQUEST),
        (422, FaultKind.BAD_REQUEST),
        (429, FaultKind.RATE_LIMITED),
        (500, FaultKind.SERVER_ERROR),
        (503, FaultKind.OVERLOADED),
        (504, FaultKind.SERVER_ERROR),
        (529, FaultKind.OVERLOADED),
        (599, FaultKind.SERVER_ERROR),
    ],
)
def test_a_status_alone_says_its_kind(status: int, kind: FaultKind) -> None:
    assert kind_of_status(status) is kind


@pytest.mark.parametrize("kind", FaultKind)
@pytest.mark.parametrize("chance", [0.0, 1.0])
@pytest.mark.parametrize("answering_seconds", [0.0, 5.0])
def test_whatever_goes_on_for_ever_ends_within_a_minute(
    kind: FaultKind, chance: float, answering_seconds: float
) -> None:
    retries, passed, waits = Retries(lambda: chance), answering_seconds, []
    while (wait := retries.after(WireFault(kind), passed)) is not None:
        waits.append(wait)
        passed += wait + answering_seconds
    assert len(waits) <= RULES[kind].retries
    assert waits == sorted(waits)
    assert passed <= 60.0


def test_the_waits_double_and_chance_moves_them_by_a_quarter() -> None:
    def waits(chance: float) -> list[float | None]:
        retries = Retries(lambda: chance)
        return [retries.after(WireFault(FaultKind.RATE_LIMITED), 0.0) for _ in range(6)]

    assert waits(0.5) == [1.0, 2.0, 4.0, 8.0, 16.0, None]
    assert waits(0.0) == [0.75, 1.5, 3.0, 6.0, 12.0, None]
    assert waits(1.0) == [1.25, 2.5, 5.0, 10.0, 20.0, None]


def test_a_server_that_names_a_time_gets_at_least_that_and_no_more_than_there_is() -> None:
    def wait(asked: float, chance: float = 0.0) -> float | None:
        return Retries(lambda: chance).after(WireFault(FaultKind.RATE_LIMITED, wait_seconds=asked), 0.0)

    assert (wait(30.0), wait(30.0, 1.0)) == (30.0, 30.5)
    assert wait(0.0, 0.5) == 1.0
    assert wait(PATIENCE_SECONDS + 1) is None


def test_a_server_that_advises_against_a_retry_is_heard() -> None:
    assert Retries(lambda: 0.5).after(WireFault(FaultKind.SERVER_ERROR, final=True), 0.0) is None


def test_the_time_of_an_attempt_that_worked_long_before_it_failed_is_not_counted() -> None:
    retries = Retries(lambda: 0.5)
    assert retries.after(WireFault(FaultKind.CONNECTION_LOST), 3600.0) == 1.0
    assert retries.after(WireFault(FaultKind.CONNECTION_LOST), 3600.0 + PATIENCE_SECONDS) is None


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:50 GMT"}, 30.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:50 -0000"}, 30.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "1e9"}, None),
        ({"retry-after": "9" * 400}, None),
        ({"retry-after": "Tue, 14 Nov 99999999999 22:13:50 GMT"}, None),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"retry-after-ms": "x", "retry-after": "2"}, 2.0),
        (
            {
                "anthropic-ratelimit-requests-remaining": "0",
                "anthropic-ratelimit-requests-reset": "2023-11-14T22:14:00Z",
                "anthropic-ratelimit-tokens-remaining": "500",
                "anthropic-ratelimit-tokens-reset": "2023-11-14T23:00:00Z",
            },
            40.0,
        ),
        ({"anthropic-ratelimit-tokens-remaining": "0", "anthropic-ratelimit-tokens-reset": "later"}, None),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m2.5s"}, 62.5),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "120ms"}, 0.12),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1700000000000"}, None),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": f"{'9' * 400}s"}, None),
        ({"x-ratelimit-remaining-tokens": "9", "x-ratelimit-reset-tokens": "1h"}, None),
    ],
)
def test_how_long_the_headers_ask_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert asked_wait(headers, NOON) == (None if seconds is None else pytest.approx(seconds))


SECRET = "sk-proj-abcdefgh12345678"


@pytest.mark.parametrize(
    "text",
    [
        f"Incorrect API key provided: {SECRET}.",
        "Incorrect API key provided: sk-proj-****5678.",
        f"Authorization: Bearer {SECRET}",
        f"GET https://host/v1?api_key={SECRET}&x=1 failed",
        "https://user:abcdefgh12345678@host/v1 failed",
        "key AIzaSyAbcdefgh12345678 refused",
        "header Basic dXNlcjphYmNkZWZnaDEyMzQ1Njc4",
        "invalid key plain-12345678-words",
    ],
)
def test_what_a_server_repeats_of_a_key_is_blanked(text: str) -> None:
    shown = redacted(text, [SECRET, "plain-12345678-words"])
    assert not re.search("5678|dXNl", shown)
    assert re.search(r"redacted|://host", shown)


@pytest.mark.parametrize(
    "text", ["The key api_key_invalid was refused", "max_tokens must be at most 8192", "see https://host/docs?id=7&x=a"]
)
def test_ordinary_words_stay(text: str) -> None:
    assert redacted(text, ["", "max"]) == text


def test_a_detail_is_one_short_line_without_control_characters() -> None:
    assert detail_of("one\r\n  two\x1b[31m.\n") == "one two␛[31m"
    assert len(detail_of("word " * 1000)) <= MAX_DETAIL_CHARS
