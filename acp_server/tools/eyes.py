"""What the tools that only look have in common: the session's workspace, their faults as results, a note taken for a
file.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from acp_server.card_blocks import sentence_card
from acp_server.markdown import shown
from acp_server.sentences import workspace as say
from acp_server.tools.registry import Outcome, ToolContext
from acp_server.workspace.faults import WorkspaceFault
from acp_server.workspace.places import Place, Workspace, workspace_of

PATIENCE_S = 10.0
"""How long a disk may take."""


@dataclass(frozen=True, slots=True)
class Look:
    """A call's view of the project; `closed` are the agent's own places."""

    workspace: Workspace
    memory_folder: str | None

    def place(self, given: str) -> Place:
        """The place that a path names. Raises WorkspaceFault."""
        folder = self.memory_folder
        if (
            folder is not None
            and os.path.isabs(given)
            and os.path.realpath(given).startswith(os.path.realpath(folder) + os.sep)
        ):
            raise WorkspaceFault(*say.a_note(given))
        return self.workspace.place(given)

    def or_a_note(self, given: str, fault: WorkspaceFault) -> WorkspaceFault:
        """What to say of a path that isn't there: it may be the name of a note."""
        folder = self.memory_folder
        if folder is None or os.path.isabs(given) or "\0" in given:
            return fault
        name = given if given.endswith(".md") else f"{given}.md"
        return WorkspaceFault(*say.a_note(given)) if os.path.isfile(os.path.join(folder, name)) else fault


def look_of(context: ToolContext, closed: tuple[str, ...]) -> Look:
    """The view of a call."""
    session = context.session
    memory = context.memory
    workspace = workspace_of(session.cwd, session.additional_directories, closed)
    return Look(workspace, None if memory is None else memory.folder)


async def told(name: str, work: Callable[[], Awaitable[Outcome]]) -> Outcome:
    """The outcome of the work, or its fault as a failed one; `name` is what was looked at."""
    try:
        return await work()
    except WorkspaceFault as fault:
        return failed(str(fault))
    except TimeoutError:
        return failed(say.took_too_long(name, PATIENCE_S))
    except OSError as error:
        return failed(say.system_says(name, error.strerror or type(error).__name__))


def failed(sentence: str) -> Outcome:
    """A call that came to nothing, for the model and on its card."""
    return Outcome(shown(f"error: {sentence}"), failed=True, card=sentence_card(sentence))
