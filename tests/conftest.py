"""What all tests share: their folder on the path, signals that end what they start, and an agent as a real process."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import AgentProcess

END_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


def pytest_configure() -> None:
    """Begin each process that tests start with the default of every signal that ends one.

    What a process ignores, its children ignore too, and rightly so: under `nohup`, or behind `&` in a script, the tests
    themselves run with signals ignored. A handler that does nothing protects this process as well, and no child has it.
    """
    for name in END_SIGNALS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[AgentProcess]:
    """A fresh agent whose runner does what a prompt says (`doors/wire_runner.py`)."""
    with AgentProcess(tmp_path) as process:
        yield process
