"""What `caudra-acp setup` keeps: `credentials.json` in the configuration's directory, readable by its owner alone.

Light: it is read anew each time somebody asks, so that a key that has just been stored is there at once. For each
provider it holds the key, or that the system's keyring holds it, and the address where the person gave one.
"""

from __future__ import annotations

import json
import os

from acp_server.places import CREDENTIALS_NAME
from acp_server.sentences import models as say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from acp_server.providers.interface import JsonObject

VERSION = 1
MAX_BYTES = 1024 * 1024
PRIVATE_FILE = 0o600
PRIVATE_DIRECTORY = 0o700
OTHERS = 0o077


class Stored:
    """One provider's part: `key` is "" where the keyring holds it or there is none."""

    __slots__ = ("base_url", "in_keyring", "key")

    def __init__(self, key: str = "", *, in_keyring: bool = False, base_url: str = "") -> None:
        self.key = key
        self.in_keyring = in_keyring
        self.base_url = base_url

    def row(self) -> JsonObject:
        """As the file holds it."""
        row: JsonObject = {"keyring": True} if self.in_keyring else {"key": self.key} if self.key else {}
        return {**row, "base_url": self.base_url} if self.base_url else row


class Credentials:
    """All of them by provider; `problem` is a sentence where the file is there and can't be used."""

    __slots__ = ("problem", "providers")

    def __init__(self, providers: dict[str, Stored], problem: str = "") -> None:
        self.providers = providers
        self.problem = problem

    def of(self, provider: str) -> Stored:
        """A provider's part, empty where it has none."""
        return self.providers.get(provider) or Stored()


def path_in(config_dir: str) -> str:
    """Where the file lies."""
    return os.path.join(config_dir, CREDENTIALS_NAME)


def read(config_dir: str) -> Credentials:
    """What is stored now. No file is nothing stored."""
    path = path_in(config_dir)
    try:
        text, shared = _text(path)
    except FileNotFoundError:
        return Credentials({})
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else ""
        return Credentials({}, say.credentials_unreadable(path, reason or type(error).__name__))
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError):
        return Credentials({}, say.credentials_unreadable(path, say.NOT_JSON))
    rows = raw.get("providers") if isinstance(raw, dict) else None
    if not isinstance(rows, dict):
        return Credentials({}, say.credentials_unreadable(path, say.NOT_JSON))
    found = {name: _stored(row) for name, row in rows.items() if isinstance(row, dict)}
    return Credentials(found, say.credentials_shared(path) if shared else "")


def write(config_dir: str, credentials: Credentials) -> None:
    """Replace the file atomically; a link in its place is replaced, not followed. Raises OSError."""
    os.makedirs(config_dir, mode=PRIVATE_DIRECTORY, exist_ok=True)
    rows: JsonObject = {name: stored.row() for name, stored in sorted(credentials.providers.items()) if stored.row()}
    text = json.dumps({"version": VERSION, "providers": rows}, indent=2) + "\n"
    path = path_in(config_dir)
    temporary = f"{path}.{os.urandom(8).hex()}.new"
    # exclusive: what lies there under a name of that randomness was put there by somebody else, and isn't written to
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode("ascii"))
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _text(path: str) -> tuple[str, bool]:
    """What the file holds, and whether others may read it."""
    # not blocking: a pipe in the file's place must not hold the first answers up
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(descriptor, "rb") as file:
        shared = os.name == "posix" and bool(os.fstat(descriptor).st_mode & OTHERS)
        return file.read(MAX_BYTES).decode("utf-8"), shared


def _stored(row: JsonObject) -> Stored:
    key, base_url = row.get("key"), row.get("base_url")
    return Stored(
        key.strip() if isinstance(key, str) else "",
        in_keyring=row.get("keyring") is True,
        base_url="" if base_url is None else str(base_url),  # one that is wrong is said, not passed over
    )
