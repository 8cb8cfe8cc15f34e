"""The scenes by name: functions that drive a client. Their order is that of a recording."""

from tests.transcripts.scenes import cancels, faults, looking, models, permissions, remembering, sessions, states
from tests.transcripts.scenes.table import SCENES, Scene

__all__ = [
    "SCENES",
    "Scene",
    "cancels",
    "faults",
    "looking",
    "models",
    "permissions",
    "remembering",
    "sessions",
    "states",
]
