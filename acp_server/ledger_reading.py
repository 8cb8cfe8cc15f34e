"""The ledger as sums: what was spent, by purpose, model, day or project."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from acp_server import agent_database
from acp_server.spend import MICRO, GroupBy

if TYPE_CHECKING:
    import aiosqlite


_KEYS = {
    GroupBy.PURPOSE: "purpose",
    GroupBy.MODEL: "model",
    GroupBy.DAY: "date(when_ms / 1000, 'unixepoch')",
    GroupBy.PROJECT: "project",
}
_ORDERS = {GroupBy.DAY: "key"}
_BY_SIZE = "total(input) + total(output) DESC, key"
_SUMS = """
    SELECT {key} AS key, count(*), sum(outcome = 'failed'), sum(outcome = 'cancelled'),
        sum(input IS NULL AND outcome <> 'failed'), sum(input IS NOT NULL AND micro_dollars IS NULL),
        coalesce(sum(input), 0), coalesce(sum(cached), 0), coalesce(sum(cache_write), 0),
        coalesce(sum(output), 0), coalesce(sum(reasoning), 0), coalesce(sum(micro_dollars), 0)
    FROM request GROUP BY key ORDER BY {order}
"""


@dataclass(frozen=True, slots=True)
class Sum:
    """Requests together: `untold` ended without a word of tokens, `unpriced` told tokens whose price nobody knows.

    `input` counts cached tokens once; `micro_dollars` is the money of those whose price is known.
    """

    key: str
    requests: int
    failed: int
    cancelled: int
    untold: int
    unpriced: int
    input: int
    cached: int
    cache_write: int
    output: int
    reasoning: int
    micro_dollars: int

    @property
    def hit_rate(self) -> float | None:
        """The part of the input that came from the provider's cache, None where there was no input."""
        return self.cached / self.input if self.input else None

    @property
    def dollars(self) -> float | None:
        """The known part of the money; None where nothing of it is known."""
        priced = self.requests - self.unpriced - self.untold - self.failed
        return None if self.unpriced and priced <= 0 and not self.micro_dollars else self.micro_dollars / MICRO


@dataclass(frozen=True, slots=True)
class Usage:
    """The sums by their key, and all of them together."""

    group_by: GroupBy
    groups: tuple[Sum, ...]
    total: Sum


async def read(state_dir: str, group_by: GroupBy) -> Usage:
    """The whole ledger in sums; one that isn't there yet is empty. Raises DatabaseRefused."""
    path = agent_database.path_in(state_dir)
    if not os.path.exists(path):
        return Usage(group_by, (), _EMPTY)
    db = await agent_database.connect(state_dir)
    try:
        with agent_database.mapped(path):
            groups = await _sums(db, _SUMS.format(key=_KEYS[group_by], order=_ORDERS.get(group_by, _BY_SIZE)))
            total = await _sums(db, _SUMS.format(key="''", order="key"))
    finally:
        await db.close()
    return Usage(group_by, groups, total[0] if total else _EMPTY)


async def _sums(db: aiosqlite.Connection, query: str) -> tuple[Sum, ...]:
    async with db.execute(query) as cursor:
        return tuple([Sum(*row) async for row in cursor])


_EMPTY = Sum("", *(0 for _ in fields(Sum)[1:]))
