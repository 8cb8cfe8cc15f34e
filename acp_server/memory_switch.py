"""Whether a session uses its project's memory: as the configuration says, then as its person chooses. Light.

The first answers ask this, so it reads the parsed file as it is; what is wrong there is told by `config.py` and counts
as not said.
"""

from __future__ import annotations

import os

from acp_server.sentences import wire as say
from memory_core.paths import project_identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from acp_server.providers.interface import JsonObject

MEMORY_OPTION = "memory"
ON, OFF = "on", "off"


def memory_on(raw: dict[str, object], directory: str) -> bool:
    """Whether the memory is on in the project of a directory."""
    section = raw.get("memory")
    if not isinstance(section, dict):
        return True
    off_in = section.get("off_in")
    if section.get("enabled") is False:
        return False
    named = [os.path.expanduser(each) for each in off_in if isinstance(each, str)] if isinstance(off_in, list) else []
    named = [each for each in named if os.path.isabs(each) and "\0" not in each]
    here = project_identity(directory) if named else ""
    return all(project_identity(each) != here for each in named)


def memory_option(on: bool) -> JsonObject:
    """The session's option as the protocol shows it."""
    return {
        "id": MEMORY_OPTION,
        "name": say.MEMORY_OPTION_NAME,
        "description": say.MEMORY_OPTION_DESCRIPTION,
        "type": "select",
        "currentValue": ON if on else OFF,
        "options": [
            {"value": ON, "name": say.MEMORY_ON, "description": say.MEMORY_ON_DESCRIPTION},
            {"value": OFF, "name": say.MEMORY_OFF, "description": say.MEMORY_OFF_DESCRIPTION},
        ],
    }
