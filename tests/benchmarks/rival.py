"""Another process that wants to write to a database again and again, and remembers its longest wait.

As a program (`python rival.py DATABASE`) it says `ready` after its first transaction, goes on until its input ends
and then prints the longest wait for the lock in milliseconds.
"""

from __future__ import annotations

import os
import select
import sqlite3
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from types import TracebackType

PATIENCE_S = 60.0
PAUSE_S = 0.002
"""Between two transactions: a writer that never let go would measure itself."""


class Rival:
    """The process, from the outside: it writes inside the `with`, and afterwards `longest_ms` is known."""

    def __init__(self, database: Path) -> None:
        self.longest_ms = 0.0
        self._process = subprocess.Popen(
            [sys.executable, __file__, os.fspath(database)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Rival:
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        said, _ = self._process.communicate("")
        if kind is None:
            self.longest_ms = float(said)


def longest_wait_ms(database: str) -> float:
    """Take the write lock again and again until standard input ends."""
    db = sqlite3.connect(database, timeout=PATIENCE_S, isolation_level=None)
    longest = _wait(db)
    print("ready", flush=True)
    while not select.select([sys.stdin], [], [], PAUSE_S)[0]:
        longest = max(longest, _wait(db))
    db.close()
    return longest * 1000


def _wait(db: sqlite3.Connection) -> float:
    asked = perf_counter()
    db.execute("BEGIN IMMEDIATE")
    waited = perf_counter() - asked
    db.execute("ROLLBACK")
    return waited


if __name__ == "__main__":
    print(longest_wait_ms(sys.argv[1]))
