"""The ledger: one row for every request to a model's server, in the agent's own database.

Theory of operation
1. `record` takes a request and returns at once; a task writes it. `settled` waits until that was tried, at most
   `SETTLE_S`; the turn does so before its next request and at its end, so a crash loses at most the request in flight.
2. Where the database can't be written now (locked, full, read-only), the rows are kept and written later, and `settled`
   waits no more until a write succeeds: a locked ledger never holds a turn up.
3. A damaged database is set aside, a new one begins, and one sentence tells the person.
4. Another process may have set the file aside: before each write the path is compared with the file that is open.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from acp_server import agent_database
from acp_server.agent_database import DatabaseRefused
from acp_server.sentences import log as say_log
from acp_server.sentences import usage as say
from acp_server.spend import Spent

if TYPE_CHECKING:
    import aiosqlite

SETTLE_S = 0.5
RETRY_S = 1.0
CLOSE_S = 2.0
MAX_WAITING = 10_000
"""Rows that are kept while they can't be written; the oldest go first."""

_COLUMNS = (
    "when_ms, project, session, model, provider, purpose, outcome, input, cached, cache_write, output, reasoning, "
    "micro_dollars"
)
_INSERT = f"INSERT INTO request ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 -- no input

_log = logging.getLogger(__name__)


class Ledger:
    """Takes in what requests cost. One a process; used on one event loop."""

    def __init__(self, state_dir: str, now_ms: Callable[[], int]) -> None:
        """Opens nothing until there is something to write; `now_ms` names a file that is set aside."""
        self._state_dir = state_dir
        self._now_ms = now_ms
        self._waiting: list[Spent] = []
        self._lost = 0
        self._stuck = self._closing = False
        self._wake, self._written = asyncio.Event(), asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._db: aiosqlite.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._said = self._refused = ""
        self.notices: list[str] = []
        """What the person should hear once."""

    def record(self, spent: Spent) -> None:
        """Take a request in."""
        self._waiting.append(spent)
        if len(self._waiting) > MAX_WAITING:
            del self._waiting[0]
            self._lost += 1
        self._written.clear()
        self._wake.set()
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    async def settled(self) -> None:
        """Wait until what was recorded is written, or couldn't be just now."""
        if not self._waiting or self._stuck:
            return
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._written.wait(), SETTLE_S)

    async def close(self) -> None:
        """Write what is left, if that can be done soon, and close the database."""
        self._closing = True
        self._wake.set()
        if self._task is not None:
            _, slow = await asyncio.wait((self._task,), timeout=CLOSE_S)
            for task in slow:
                task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self._disconnect()
        if lost := self._lost + len(self._waiting):
            _log.warning(say_log.LEDGER_LOST, lost, self._refused)

    async def _run(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), RETRY_S if self._stuck else None)
            self._wake.clear()
            self._stuck = not await self._write()
            self._written.set()
            if self._closing and (self._stuck or not self._waiting):
                return

    async def _write(self) -> bool:
        """Write all that waits; whether it is written. Says once why it can't be, where it can't for a while."""
        batch = tuple(self._waiting)
        try:
            await self._insert(batch)
        except DatabaseRefused as refused:
            if refused.damaged and await self._set_aside():
                return await self._write()
            self._refused = str(refused)
            if self._stuck and not self._closing and self._said != self._refused:
                self._said = self._refused
                _log.warning(say_log.LEDGER_WAITS, refused)
            await self._disconnect()
            return False
        self._said = ""
        written = set(map(id, batch))
        self._waiting[:] = [spent for spent in self._waiting if id(spent) not in written]
        return True

    async def _insert(self, batch: Sequence[Spent]) -> None:
        with agent_database.mapped(agent_database.path_in(self._state_dir)):
            db = await self._connected()
            await db.execute("BEGIN IMMEDIATE")
            try:
                await db.executemany(_INSERT, [_row(spent) for spent in batch])
                await db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    await db.execute("ROLLBACK")
                raise

    async def _connected(self) -> aiosqlite.Connection:
        path = agent_database.path_in(self._state_dir)
        if self._db is not None and agent_database.identity(path) != self._file:
            await self._disconnect()
        if self._db is None:
            self._db = await agent_database.connect(self._state_dir)
            self._file = agent_database.identity(path)
        return self._db

    async def _disconnect(self) -> None:
        db, self._db = self._db, None
        if db is not None:
            with contextlib.suppress(sqlite3.Error):
                await db.close()

    async def _set_aside(self) -> bool:
        """Have the damaged file out of the way; whether a new one can begin."""
        path = agent_database.path_in(self._state_dir)
        damaged = self._file if self._db is not None else agent_database.identity(path)
        await self._disconnect()
        try:
            aside = agent_database.set_aside(self._state_dir, damaged, self._now_ms())
        except OSError:
            return False
        if aside is not None:
            _log.warning(say_log.LEDGER_SET_ASIDE, aside)
            self.notices.append(say.ledger_set_aside(aside))
        return agent_database.identity(path) != damaged


def _row(spent: Spent) -> tuple[str | int | None, ...]:
    usage = spent.usage
    tokens: tuple[int | None, ...] = (None,) * 5
    if usage is not None:
        tokens = (
            usage.input_tokens,
            usage.cached_tokens,
            usage.cache_write_tokens,
            usage.output_tokens,
            usage.reasoning_tokens,
        )
    head = (
        spent.when_ms,
        spent.project,
        spent.session,
        spent.model,
        spent.provider,
        spent.purpose,
        spent.outcome.value,
    )
    return (*head, *tokens, spent.micro_dollars)
