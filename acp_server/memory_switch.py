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
    """Whether the memory is on in a directory: nowhere where it is not `enabled`, and not in the projects of the
    directories that `off_in` names, nor below those.
    """
    section = raw.get("memory")
    if not isinstance(section, dict):
        return True
    if section.get("enabled") is False:
        return False
    off_in = section.get("off_in")
    given = [each for each in off_in if isinstance(each, str)] if isinstance(off_in, list) else []
    named = [place for each in given if (place := directory_of(each)) is not None]
    if not named:
        return True
    here, place = project_identity(directory), os.path.realpath(directory)
    return not any(project_identity(each) == here or _lies_in(place, os.path.realpath(each)) for each in named)


def directory_of(text: str) -> str | None:
    """The directory that a setting names, `~` expanded; None where it is none that means the same wherever the agent is
    started.
    """
    place = os.path.expanduser(text)
    return place if os.path.isabs(place) and "\0" not in place else None


def _lies_in(place: str, folder: str) -> bool:
    return place == folder or place.startswith(os.path.join(folder, ""))


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
