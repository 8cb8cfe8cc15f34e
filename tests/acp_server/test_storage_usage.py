"""`caudra-acp storage usage`: what was spent, in sums, with what isn't known said."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_server.agent_database import FILE_NAME
from acp_server.exits import Exit
from acp_server.ledger import Ledger
from acp_server.providers.interface import Usage
from acp_server.spend import Outcome, Spent

ROOT = Path(__file__).resolve().parents[2]
DAY_MS = 86_400_000


def storage(state: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(state)}
    return subprocess.run(
        [sys.executable, "-P", "-m", "acp_server", "storage", *words],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**environment, "CAUDRA_STATE_DIR": str(state)},
        timeout=60,
    )


def usage(state: Path, *words: str) -> Any:
    done = storage(state, "usage", "--json", *words)
    assert done.returncode == Exit.OK, done
    return json.loads(done.stdout)


def spent(purpose: str, day: int = 0, **fields: Any) -> Spent:
    held: dict[str, Any] = {
        "when_ms": 1_700_000_000_000 + day * DAY_MS,
        "project": "shop-1",
        "session": "s1",
        "model": "lab/large",
        "purpose": purpose,
        "outcome": Outcome.ANSWERED,
        "usage": Usage(1000, 800, 50),
        "micro_dollars": 2_500,
    }
    return Spent(**{**held, **fields})


async def record(state: Path, *rows: Spent) -> None:
    ledger = Ledger(str(state), lambda: 1)
    for row in rows:
        ledger.record(row)
    await ledger.close()


@pytest.fixture
def state(tmp_path: Path) -> Path:
    rows = [
        spent("chat"),
        spent("chat", day=1, usage=Usage(3000, 2400, 100), micro_dollars=4_000_000),
        spent("memory", model="local/tiny", project="blog-2", usage=Usage(500, 0, 40), micro_dollars=None),
        spent("chat", outcome=Outcome.CANCELLED, usage=None, micro_dollars=None),
        spent("title", outcome=Outcome.FAILED, usage=None, micro_dollars=None),
    ]
    asyncio.run(record(tmp_path, *rows))
    return tmp_path


def test_the_table_lists_each_purpose_and_the_total_and_says_what_is_unknown(state: Path) -> None:
    done = storage(state, "usage")
    assert done.returncode == Exit.OK
    assert done.stdout == (
        "Tokens and money by purpose, 5 requests\n"
        "        requests  input  cached  hits  output     cost\n"
        "chat           3  4,000   3,200   80%     150    $4.00\n"
        "memory         1    500       0    0%      40  unknown\n"
        "title          1      0       0             0    $0.00\n"
        "total          5  4,500   3,200   71%     190    $4.00\n"
        "The price of 1 request is unknown, so the cost leaves it out.\n"
        "The tokens of 1 request are unknown: the server told none, or the answer was stopped.\n"
        "1 request failed.\n"
    )


@pytest.mark.parametrize(
    ("group_by", "keys"),
    [
        ("purpose", ["chat", "memory", "title"]),
        ("model", ["lab/large", "local/tiny"]),
        ("day", ["2023-11-14", "2023-11-15"]),
        ("project", ["shop-1", "blog-2"]),
    ],
)
def test_sums_are_made_by_purpose_model_day_or_project(state: Path, group_by: str, keys: list[str]) -> None:
    found = usage(state, "--group-by", group_by)
    assert [group["key"] for group in found["groups"]] == keys
    assert sum(group["input"] for group in found["groups"]) == found["total"]["input"] == 4500


def test_a_program_gets_tokens_cache_hits_and_money(state: Path) -> None:
    found = usage(state)
    assert (found["type"], found["version"], found["group_by"]) == ("storage.usage", 1, "purpose")
    assert found["groups"][0] == {
        "key": "chat",
        "requests": 3,
        "failed": 0,
        "cancelled": 1,
        "untold": 1,
        "unpriced": 0,
        "input": 4000,
        "cached": 3200,
        "cache_write": 0,
        "output": 150,
        "reasoning": 0,
        "micro_dollars": 4_002_500,
        "hit_rate": 0.8,
        "dollars": 4.0025,
    }
    assert found["groups"][1]["dollars"] is None


def test_nothing_spent_is_said_and_makes_no_file(tmp_path: Path) -> None:
    assert storage(tmp_path, "usage").stdout == (
        "Nothing was spent yet: no request to a model's server is on record.\n"
    )
    assert usage(tmp_path)["groups"] == []
    assert not (tmp_path / FILE_NAME).exists()


def test_an_unknown_key_is_refused_with_those_there_are(tmp_path: Path) -> None:
    done = storage(tmp_path, "usage", "--group-by", "week")
    assert done.returncode == Exit.USAGE
    assert "choose one of purpose, model, day, project" in done.stderr


def test_a_damaged_ledger_is_set_aside_and_said(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"no database " * 1000)
    done = storage(tmp_path, "usage")
    assert (done.returncode, done.stdout.startswith("Nothing was spent yet")) == (Exit.OK, True)
    assert "was damaged; it is kept as" in done.stderr


def test_one_that_can_not_be_read_is_one_sentence_and_an_object(state: Path) -> None:
    with contextlib.closing(sqlite3.connect(state / FILE_NAME)) as db:
        db.execute("PRAGMA user_version = 99")
    done = storage(state, "usage", "--json")
    assert done.returncode == Exit.UNAVAILABLE
    assert "newer release" in done.stderr
    assert json.loads(done.stdout)["type"] == "memory.error"
