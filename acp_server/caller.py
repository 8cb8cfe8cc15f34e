"""Who runs this process: a person, or a command that the agent started. Standard library only."""

from __future__ import annotations

import os

VARIABLE = "CAUDRA_AGENT"


def run_by_agent() -> bool:
    """Whether the agent started the command that runs us: then nothing here may change the memory, by whatever door."""
    return os.environ.get(VARIABLE) == "1"
