"""A keyring of the tests, which the package `keyring` loads by its name: keeps keys in the file of `TEST_KEYRING`."""

from __future__ import annotations

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend
from keyring.errors import KeyringError


class FileKeyring(KeyringBackend):
    """`locked` in the file's name makes it refuse."""

    priority = 1  # type: ignore[assignment]

    @property
    def path(self) -> Path:
        return Path(os.environ["TEST_KEYRING"])

    def _kept(self) -> dict[str, str]:
        if "locked" in self.path.name:
            raise KeyringError("locked sk-never-shown")
        return dict(json.loads(self.path.read_text("utf-8"))) if self.path.exists() else {}

    def get_password(self, service: str, username: str) -> str | None:
        return self._kept().get(f"{service} {username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        kept = self._kept() | {f"{service} {username}": password}
        self.path.write_text(json.dumps(kept), "utf-8")

    def delete_password(self, service: str, username: str) -> None:
        kept = self._kept()
        del kept[f"{service} {username}"]
        self.path.write_text(json.dumps(kept), "utf-8")
