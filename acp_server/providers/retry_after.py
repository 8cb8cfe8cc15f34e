"""How long a server asks to wait, from the headers of its answer. Pure.

In order: `retry-after-ms`, `retry-after` (seconds or a date), then the limits that have nothing left
(`anthropic-ratelimit-*` with times, `x-ratelimit-*` with durations): the longest of their waits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

ANTHROPIC_LIMITS = ("requests", "tokens", "input-tokens", "output-tokens")
OPENAI_LIMITS = ("requests", "tokens")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PART = re.compile(r"(\d{1,12}(?:\.\d+)?)(ms|[smhd])")
_NUMBER = re.compile(r"\d{1,12}(?:\.\d+)?")
"""A number of more digits is no time that anybody means."""


def asked_wait(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds from `now` (since the epoch) on, None where the headers say nothing; names are in lower case."""
    if (milliseconds := _number(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    if (stated := headers.get("retry-after", "").strip()) and (wait := _stated(stated, now)) is not None:
        return wait
    return max(_used_up(headers, now), default=None)


def _stated(value: str, now: float) -> float | None:
    seconds = _number(value)
    return seconds if seconds is not None else _until(_http_date(value), now)


def _used_up(headers: Mapping[str, str], now: float) -> Iterator[float]:
    """The waits of all limits that have nothing left."""
    for limit in ANTHROPIC_LIMITS:
        name = f"anthropic-ratelimit-{limit}"
        if headers.get(f"{name}-remaining", "").strip() == "0":
            wait = _until(_iso_date(headers.get(f"{name}-reset", "")), now)
            yield from () if wait is None else (wait,)
    for limit in OPENAI_LIMITS:
        if headers.get(f"x-ratelimit-remaining-{limit}", "").strip() == "0":
            wait = _duration(headers.get(f"x-ratelimit-reset-{limit}", ""))
            yield from () if wait is None else (wait,)


def _number(text: str) -> float | None:
    return float(text) if _NUMBER.fullmatch(text.strip()) else None


def _duration(text: str) -> float | None:
    """A duration such as `6m0.5s`."""
    parts = _PART.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text.strip():
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in parts)


def _http_date(text: str) -> datetime | None:
    try:
        return parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None


def _iso_date(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        return None


def _until(moment: datetime | None, now: float) -> float | None:
    if moment is None:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, aware.timestamp() - now)
