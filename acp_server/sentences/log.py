"""What the agent writes to its own log, on standard error."""

from __future__ import annotations

AGENT_BROKE = "The agent broke."
TURN_BROKE = "A turn broke."
EVENT_AFTER_THE_END = "A turn went on after its end; dropped: %s"
NOT_JSON = "A message holds what JSON can't say; null stands for it."
SUMMARIES_PAUSE = "Summaries pause: %s"
LINE_TRIED_AGAIN = "A summary line is tried again later: %s"
