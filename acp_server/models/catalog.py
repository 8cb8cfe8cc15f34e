"""What is known of models beforehand: `catalog.json`, facts with their date. Light; the file is read when first asked.

A model that isn't here works too. Nothing is made up for it: without a price no cost is told, and of its window
only the shortening of a conversation assumes something.
"""

from __future__ import annotations

import json
import os

from acp_server.models.facts import PRICES, Facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from acp_server.providers.interface import JsonObject

FILE = os.path.join(os.path.dirname(__file__), "catalog.json")

ASSUMED_WINDOW = 128_000
"""Tokens that a conversation with a model of unknown window may grow to before it is shortened; never shown."""


class Catalog:
    """The models that are known, by provider, in the order in which they are offered."""

    def __init__(self, rows: list[JsonObject]) -> None:
        self._models: dict[str, list[Facts]] = {}
        for row in rows:
            self._models.setdefault(str(row["provider"]), []).append(_facts(row))

    def of(self, provider: str) -> tuple[Facts, ...]:
        """The known models of a provider."""
        return tuple(self._models.get(provider, ()))

    def find(self, provider: str, model_id: str) -> Facts | None:
        """What is known of a model."""
        return next((facts for facts in self.of(provider) if facts.id == model_id), None)

    def default(self, provider: str) -> Facts | None:
        """The model that a session begins with where nobody chose one."""
        return next((facts for facts in self.of(provider) if facts.default), None)

    def fast(self, provider: str) -> Facts | None:
        """The cheap one for small jobs."""
        return next((facts for facts in self.of(provider) if facts.fast), None)


_read: list[Catalog] = []


def catalog() -> Catalog:
    """The catalog of this installation."""
    if not _read:
        with open(FILE, encoding="utf-8") as file:
            _read.append(Catalog(json.load(file)["models"]))
    return _read[0]


def _facts(row: JsonObject) -> Facts:
    price = row.get("price")
    prices = price if isinstance(price, dict) else {}
    return Facts(
        str(row["id"]),
        str(row.get("name", "")),
        context_window=_whole(row.get("context_window")),
        max_output=_whole(row.get("max_output")),
        thinks=row.get("thinks") is True,
        price={key: float(each) for key in PRICES if isinstance(each := prices.get(key), int | float)},
        up_to_tokens=_whole(prices.get("up_to_tokens")),
        default=row.get("default") is True,
        fast=row.get("fast") is True,
    )


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
