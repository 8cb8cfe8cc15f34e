"""What all tests share: their folder on the path, and an agent as a real process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import AgentProcess


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[AgentProcess]:
    """A fresh agent whose runner does what a prompt says (`doors/wire_runner.py`)."""
    with AgentProcess(tmp_path) as process:
        yield process
