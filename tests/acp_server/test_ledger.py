"""The ledger: every request that ended is in it, and nobody waits for it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from acp_server.agent_database import APPLICATION_ID, FILE_NAME
from acp_server.ledger import Ledger
from acp_server.models.values import Price
from acp_server.providers.interface import Usage
from acp_server.spend import Outcome, Spent, Total, in_window, micro_dollars

ROOT = Path(__file__).resolve().parents[2]
USAGE = Usage(1000, 600, 50, cache_write_tokens=100, reasoning_tokens=20)


def spent(number: int = 1, usage: Usage | None = USAGE, money: int | None = 7) -> Spent:
    return Spent(number, "shop-1", "s1", "lab/large", "chat", Outcome.ANSWERED, usage, money)


def rows(state: Path, query: str = "SELECT * FROM request ORDER BY id") -> list[tuple[object, ...]]:
    with contextlib.closing(sqlite3.connect(state / FILE_NAME)) as db:
        return db.execute(query).fetchall()


@pytest.fixture
async def ledger(tmp_path: Path) -> AsyncIterator[Ledger]:
    made = Ledger(str(tmp_path), lambda: 77)
    yield made
    await made.close()


@contextlib.contextmanager
def locked(state: Path) -> Iterator[sqlite3.Connection]:
    """Somebody else holds the database for themselves."""
    with contextlib.closing(sqlite3.connect(state / FILE_NAME, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("BEGIN EXCLUSIVE")
        yield db
        if db.in_transaction:
            db.execute("ROLLBACK")


async def test_a_request_is_a_row_once_it_is_settled(ledger: Ledger, tmp_path: Path) -> None:
    ledger.record(spent())
    await ledger.settled()
    assert rows(tmp_path) == [(1, 1, "shop-1", "s1", "lab/large", "lab", "chat", "answered", 1000, 600, 100, 50, 20, 7)]


async def test_what_no_server_told_is_null_and_not_nought(ledger: Ledger, tmp_path: Path) -> None:
    ledger.record(spent(usage=None, money=None))
    await ledger.settled()
    assert rows(tmp_path, "SELECT input, cached, output, micro_dollars FROM request") == [(None,) * 4]


async def test_nothing_is_opened_before_there_is_something_to_write(ledger: Ledger, tmp_path: Path) -> None:
    await ledger.settled()
    assert list(tmp_path.iterdir()) == []


async def test_only_its_owner_reads_it(ledger: Ledger, tmp_path: Path) -> None:
    ledger.record(spent())
    await ledger.settled()
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.glob(f"{FILE_NAME}*")} == {0o600}


async def test_while_it_is_locked_rows_are_kept_and_written_later(tmp_path: Path) -> None:
    ledger = Ledger(str(tmp_path), lambda: 77)
    ledger.record(spent(1))
    await ledger.settled()
    with locked(tmp_path):
        ledger.record(spent(2))
        await ledger.settled()
        ledger.record(spent(3))
        await ledger.settled()
        assert len(rows(tmp_path)) == 1
    await ledger.close()
    assert [row[1] for row in rows(tmp_path)] == [1, 2, 3]


async def test_what_can_not_be_written_for_a_while_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ledger = Ledger(str(tmp_path), lambda: 77)
    ledger.record(spent(1))
    await ledger.settled()
    with locked(tmp_path):
        ledger.record(spent(2))
        await ledger.settled()
        assert caplog.text == ""
        for number in (3, 4):
            ledger.record(spent(number))
            while "written later" not in caplog.text:
                await asyncio.sleep(0.01)
    await ledger.close()
    assert caplog.text.count("written later") == 1


async def test_what_can_not_be_written_until_the_end_is_said_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ledger = Ledger(str(tmp_path / "not-there"), lambda: 77)
    ledger.record(spent())
    await ledger.settled()
    await ledger.close()
    assert [record.getMessage().partition(". ")[0] for record in caplog.records] == [
        "The cost of some requests could not be entered in the ledger: 1 of them"
    ]
    assert "not-there" in caplog.text
    assert not (tmp_path / "not-there").exists()


@pytest.mark.parametrize(
    "content", [b"this is no database, it only lies where one belongs" * 99, b"SQLite format 3\0" * 300]
)
async def test_a_damaged_file_is_set_aside_and_said_once(tmp_path: Path, ledger: Ledger, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    ledger.record(spent())
    await ledger.settled()
    assert len(rows(tmp_path)) == 1
    aside = tmp_path / f"{FILE_NAME}.damaged-77"
    assert aside.read_bytes() == content
    assert ledger.notices == [
        f"The record of what requests cost was damaged; it is kept as {aside}, and a new one begins."
    ]


async def test_a_file_that_is_damaged_while_it_is_open_is_set_aside(tmp_path: Path, ledger: Ledger) -> None:
    for number in range(200):
        ledger.record(spent(number))
    await ledger.settled()
    with contextlib.closing(sqlite3.connect(tmp_path / FILE_NAME)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    size = (tmp_path / FILE_NAME).stat().st_size
    os.truncate(tmp_path / FILE_NAME, 4096)
    os.truncate(tmp_path / FILE_NAME, size)
    ledger.record(spent(1000))
    await ledger.settled()
    ledger.record(spent(1001))
    await ledger.settled()
    assert [row[1] for row in rows(tmp_path)][-1] == 1001
    assert len(ledger.notices) == 1


async def test_a_file_that_another_process_set_aside_is_left_and_the_new_one_used(
    tmp_path: Path, ledger: Ledger
) -> None:
    ledger.record(spent(1))
    await ledger.settled()
    for suffix in ("-wal", "-shm", ""):
        os.replace(tmp_path / f"{FILE_NAME}{suffix}", tmp_path / f"aside{suffix}")
    ledger.record(spent(2))
    await ledger.settled()
    assert [row[1] for row in rows(tmp_path)] == [2]
    assert ledger.notices == []


@pytest.mark.parametrize("change", ["PRAGMA application_id = 5", "PRAGMA user_version = 99"])
async def test_a_database_that_is_not_ours_or_newer_is_left_alone(tmp_path: Path, ledger: Ledger, change: str) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / FILE_NAME)) as db:
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute("CREATE TABLE theirs (x)")
        db.execute(change)
        db.commit()
    before = (tmp_path / FILE_NAME).read_bytes()
    ledger.record(spent())
    await ledger.settled()
    assert (tmp_path / FILE_NAME).read_bytes() == before


WRITER = """
import asyncio, sys
from acp_server.ledger import Ledger
from acp_server.spend import Outcome, Spent

async def main():
    ledger = Ledger(sys.argv[1], lambda: 1)
    for number in range(25):
        ledger.record(Spent(number, "p", sys.argv[2], "lab/m", "chat", Outcome.ANSWERED))
        await ledger.settled()
    await ledger.close()

asyncio.run(main())
"""


def test_several_processes_write_one_ledger_from_its_first_row_on(tmp_path: Path) -> None:
    environment = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}
    running = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), name], env=environment) for name in "abcd"
    ]
    assert [process.wait(60) for process in running] == [0] * 4
    assert rows(tmp_path, "SELECT session, count(*) FROM request GROUP BY session") == [(n, 25) for n in "abcd"]


def test_money_needs_every_price_that_the_request_needs() -> None:
    price = Price(input=3.0, output=15.0, cached=0.3, cache_write=3.75)
    assert micro_dollars(price, USAGE) == 300 * 3 + 600 * 0.3 + 100 * 3.75 + 50 * 15
    assert micro_dollars(Price(input=3.0, output=15.0), Usage(10, 0, 1)) == 45
    assert micro_dollars(Price(input=3.0, output=15.0), Usage(10, 5, 1)) is None
    assert micro_dollars(Price(), Usage(10, 0, 1)) is None
    assert micro_dollars(Price(), Usage(0, 0, 0)) is None
    assert micro_dollars(Price(0.0, 0.0, 0.0, 0.0), USAGE) == 0


def test_a_total_is_unknown_once_one_of_its_prices_is() -> None:
    total = Total().plus(spent(money=1_500_000))
    assert total.dollars == 1.5
    assert total.plus(spent(usage=None, money=None)).dollars == 1.5
    assert total.plus(spent(money=None)).dollars is None


def test_cached_tokens_are_in_the_window_once() -> None:
    assert in_window(USAGE) == 1050


async def test_a_wait_for_the_ledger_can_be_cancelled(ledger: Ledger) -> None:
    ledger.record(spent())
    waiting = asyncio.create_task(ledger.settled())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await ledger.settled()
