"""Session files: `projects/<id>/sessions/<sessionId>.jsonl`, one typed record a line. Light: the fast path
writes one.

The first record is the session's own. A file appears whole (temporary file, then rename) and is not synced:
a session without a turn is worth nothing after a power cut.
"""

from __future__ import annotations

import json
import os

from acp_server.world import iso_utc
from memory_core.paths import project_home, project_identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from acp_server.providers.interface import JsonObject
    from acp_server.session import Session

RECORD_VERSION = 1
PRIVATE_DIRECTORY = 0o700
PRIVATE_FILE = 0o600


def session_path(state_dir: str, cwd: str, session_id: str) -> str:
    """Where the file of a session lies."""
    home = project_home(state_dir, project_identity(cwd))
    return os.path.join(home, "sessions", f"{session_id}.jsonl")


def first_record(session: Session, created_ns: int) -> JsonObject:
    """The record that opens a session file."""
    return {
        "type": "session",
        "version": RECORD_VERSION,
        "sessionId": session.session_id,
        "cwd": session.cwd,
        "additionalDirectories": list(session.additional_directories),
        "model": session.model,
        "client": session.client,
        "created": iso_utc(created_ns),
    }


def create_session_file(path: str, record: JsonObject) -> None:
    """Write a new session file. Raises OSError, and ValueError for a path that no disk can hold."""
    folder, name = os.path.split(path)
    os.makedirs(folder, mode=PRIVATE_DIRECTORY, exist_ok=True)
    temporary = os.path.join(folder, f".{name}.new")
    line = json.dumps(record, separators=(",", ":")).encode("ascii") + b"\n"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE_FILE)
    try:
        with os.fdopen(descriptor, "wb") as file:  # writes all of it, or raises
            file.write(line)
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise
