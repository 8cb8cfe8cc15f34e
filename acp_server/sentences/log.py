"""What the agent writes to its own log, on standard error."""

from __future__ import annotations

AGENT_BROKE = "The agent broke."
TURN_BROKE = "A turn broke."
EVENT_AFTER_THE_END = "A turn went on after its end; dropped: %s"
NOT_JSON = "A message holds what JSON can't say; null stands for it."
SUMMARIES_PAUSE = "Summaries pause: %s"
NOT_WATCHED = "Some notes aren't watched for now, each turn looks at them all the same: %s"
LOOK_FAILED = "A look at the notes between turns failed: %s"
LOOK_BROKE = "Looking at notes between turns broke."
LINE_TRIED_AGAIN = "A summary line is tried again later: %s"
LEDGER_WAITS = "The ledger can't be written for now; what requests cost is kept and written later: %s"
LEDGER_LOST = "What %d requests cost could not be entered in the ledger."
LEDGER_SET_ASIDE = "The ledger was damaged; it is kept as %s and a new one begins."
INDEX_UNUSABLE = "The index of sessions can't be used for now: %s"
MODELS_NOT_LISTED = "The models of %s at %s can't be listed (%s), so what is known beforehand stays."
NO_TITLE = "No model made a title, so the first words stay: %s"
