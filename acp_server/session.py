"""The record of one session, and the table of those that this process has. Light to import."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Session:
    """One session, as `seams.SessionState` asks. `path` is its file, `notices` what the first turn has to
    say, `fallback` what it says of a model that nobody chose, unless somebody does meanwhile, `title` the newest one,
    `memory` whether it uses the memory.
    """

    __slots__ = (
        "additional_directories",
        "client",
        "cwd",
        "fallback",
        "memory",
        "model",
        "notices",
        "path",
        "session_id",
        "title",
    )

    def __init__(
        self,
        session_id: str,
        cwd: str,
        additional_directories: tuple[str, ...],
        model: str,
        client: str | None,
        *,
        memory: bool = True,
    ) -> None:
        self.session_id = session_id
        self.cwd = cwd
        self.additional_directories = additional_directories
        self.model = model
        self.client = client
        self.memory = memory
        self.path: str | None = None
        self.notices: list[str] = []
        self.fallback = ""
        self.title: str | None = None


class Sessions:
    """The sessions of this process by id."""

    def __init__(self) -> None:
        self._by_id: dict[str, Session] = {}

    def add(self, session: Session) -> None:
        """Take a new session in."""
        self._by_id[session.session_id] = session

    def get(self, session_id: str) -> Session | None:
        """The session, or None where this process doesn't have it."""
        return self._by_id.get(session_id)

    def remove(self, session_id: str) -> None:
        """Let a session go."""
        del self._by_id[session_id]

    def __iter__(self) -> Iterator[Session]:
        """All of them, as they are now."""
        return iter(list(self._by_id.values()))
