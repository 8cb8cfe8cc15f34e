"""The seam between the wire and the turn: what each side gives the other. Values and protocols, no I/O.

Rules of the seam
1. The wire runs one `Runner.run` per prompt in a task of its own and awaits it. Prompts of one session
   never overlap; those of different sessions may.
2. Everything that happens goes through `emit`, in order. `run` *returns* `TurnEnded` and never emits it;
   after it returned, nothing of that turn is emitted. The wire answers the prompt with what was returned.
3. A cancel is `task.cancel()` on that task. `run` does not raise `CancelledError`: it lets a write that was
   approved reach its receipt, emits the end of every open card (`failed`, or the receipt), and returns
   `TurnEnded("cancelled")`. A second cancel changes nothing.
4. A permission is asked with `Asker.ask`; the wire sends `session/request_permission` with `tool_call` as
   it is. It answers with the `option_id` that the client chose, or None for anything else (outcome
   cancelled, an id that was not offered, an error, a client that is gone, a question withdrawn). None
   approves nothing. If the prompt is cancelled while `ask` waits, `ask` is cancelled like any other await.
5. A card starts with `CardOpened` (a `tool_call`), goes on with `CardChanged` (a `tool_call_update`) and
   ends `completed` or `failed` before `run` returns. The `tool_call` of a permission updates the card too;
   `emit` does not repeat what it carried, but a later `content` replaces it whole, as ACP says.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from acp_server.events import TurnEnded, TurnEvent, UsageChanged
from acp_server.providers.interface import JsonObject

if TYPE_CHECKING:
    from acp_server.session_files.keeping import Kept
    from acp_server.session_files.restoring import Restored

Emit = Callable[[TurnEvent], Awaitable[None]]

OptionKind = Literal["allow_once", "allow_always", "reject_once", "reject_always"]


@dataclass(frozen=True, slots=True)
class PermissionOption:
    """One button of a permission request, at most one of each kind."""

    option_id: str
    name: str
    kind: OptionKind


class NobodyThere(Exception):
    """Nobody can be asked here, and no rule allows it; `rule` is the one that would, None where none can.

    A tool lets it pass: the call fails, nothing is done, and the model is told so.
    """

    def __init__(self, rule: str | None) -> None:
        super().__init__(rule or "")
        self.rule = rule


class Asker(Protocol):
    """Asks the person."""

    async def ask(self, session_id: str, tool_call: JsonObject, options: Sequence[PermissionOption]) -> str | None:
        """The chosen `option_id`, or None for anything that isn't one of `options` (rule 4). Raises NobodyThere."""
        ...


class SessionState(Protocol):
    """What a turn needs to know of a session; read anew at the start of each turn."""

    @property
    def session_id(self) -> str:
        """The session's id."""
        ...

    @property
    def cwd(self) -> str:
        """The session's absolute working directory."""
        ...

    @property
    def model(self) -> str:
        """The chosen model, `provider/model`."""
        ...

    @property
    def client(self) -> str | None:
        """The client's name as it gave it, or None."""
        ...

    @property
    def additional_directories(self) -> tuple[str, ...]:
        """The roots beside the working directory."""
        ...

    @property
    def memory(self) -> bool:
        """Whether the session uses the project's memory."""
        ...

    @property
    def path(self) -> str | None:
        """Where the session's file is, None where it isn't kept."""
        ...


@dataclass(frozen=True, slots=True)
class SessionThen:
    """A session as it stood when its turn or its task began: options that change meanwhile hold from the next one."""

    session_id: str
    cwd: str
    model: str
    client: str | None
    additional_directories: tuple[str, ...]
    memory: bool
    path: str | None = None


def session_now(session: SessionState) -> SessionThen:
    """The session as it stands now."""
    return SessionThen(
        session.session_id,
        session.cwd,
        session.model,
        session.client,
        session.additional_directories,
        session.memory,
        session.path,
    )


class Runner(Protocol):
    """Runs turns. `acp_server.assembly.create_runner` makes the real one."""

    async def prepare(self, session: SessionState) -> None:
        """Open what the first turn needs (memory on its threads). Optional, may run beside a turn, never
        raises.
        """
        ...

    async def run(
        self,
        session: SessionState,
        prompt_text: str,
        emit: Emit,
        asker: Asker,
        blocks: Sequence[JsonObject] = (),
    ) -> TurnEnded:
        """One turn (rules 1 to 5); `blocks` is the prompt as the client sent it, for whoever draws it again."""
        ...

    async def restore(self, session: SessionState, restored: Restored, kept: Kept) -> None:
        """A session comes from its file: its next turn goes on from there."""
        ...

    def usage(self, session: SessionState) -> UsageChanged | None:
        """The session's usage as it was last told, None where it never was."""
        ...

    async def option_changed(self, session: SessionState, option: str, value: str | bool) -> None:
        """An option of the session was changed: its file says so now, or will where another window has it."""
        ...

    async def forget_session(self, session_id: str) -> None:
        """The session was closed: let its conversation and its "always" rules go."""
        ...

    async def close(self) -> None:
        """Stop background work and close every memory. An approved write ends first."""
        ...
