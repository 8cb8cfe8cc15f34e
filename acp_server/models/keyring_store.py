"""The system's keyring, where there is a real one: the optional package `keyring`, asked as late as possible.

A keyring may ask the person to unlock it and answer only then, so it is read on a thread of its own and waited for a
little; what it gave is kept for the life of the process, what it didn't give is asked for again.
"""

from __future__ import annotations

import importlib
import threading
from typing import Protocol, cast

SERVICE = "caudra-acp"
WAIT_SECONDS = 5.0
"""How long a request to a model waits for the keyring; the person may be typing its password."""


class KeyringFault(Exception):
    """The keyring refused; `reason` is its kind of error, never a value."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Backend(Protocol):
    """What a keyring does, as the package `keyring` has it."""

    @property
    def priority(self) -> float:
        """Above 0 for one that keeps what it is given."""
        ...

    def get_password(self, service: str, username: str) -> str | None:
        """What is kept, None for nothing."""
        ...

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep it."""
        ...

    def delete_password(self, service: str, username: str) -> None:
        """Keep it no longer."""
        ...


def backend() -> Backend | None:
    """This system's keyring, None where the package isn't installed or finds none."""
    try:
        found = cast("Backend", importlib.import_module("keyring").get_keyring())
        return found if found.priority > 0 else None
    except ImportError:
        return None
    except Exception as error:  # noqa: BLE001 -- whatever a backend of the system raises while it is looked for
        raise KeyringFault(type(error).__name__) from None


def store(keyring: Backend, provider: str, key: str) -> None:
    """Keep a provider's key, and look whether it is there. Raises KeyringFault."""
    try:
        keyring.set_password(SERVICE, provider, key)
        kept = keyring.get_password(SERVICE, provider)
    except Exception as error:  # noqa: BLE001 -- each system's keyring has errors of its own
        raise KeyringFault(type(error).__name__) from None
    if kept != key:
        raise KeyringFault("KeyNotKept")


def remove(provider: str) -> None:
    """Keep a provider's key no longer. Raises KeyringFault."""
    keyring = backend()
    try:
        if keyring is not None and keyring.get_password(SERVICE, provider) is not None:
            keyring.delete_password(SERVICE, provider)
    except Exception as error:  # noqa: BLE001 -- each system's keyring has errors of its own
        raise KeyringFault(type(error).__name__) from None


class KeyringReader:
    """Reads keys for a process."""

    def __init__(self) -> None:
        self._keys: dict[str, str] = {}
        self._faults: dict[str, KeyringFault] = {}
        self._asking: dict[str, threading.Thread] = {}

    def get(self, provider: str, wait_seconds: float = WAIT_SECONDS) -> str | None:
        """A provider's key, None where the keyring has none. Raises KeyringFault where it refuses, as a locked one
        does, or doesn't answer in time.
        """
        if provider not in self._keys:
            asking = self.ask(provider)
            asking.join(wait_seconds)
            if asking.is_alive():
                raise KeyringFault(TimeoutError.__name__)
            if fault := self._faults.get(provider):
                raise KeyringFault(fault.reason)
        return self._keys.get(provider)

    def ask(self, provider: str) -> threading.Thread:
        """Begin to read a key, so that it is there when it is needed."""
        running = self._asking.get(provider)
        if running is None or not running.is_alive():
            running = threading.Thread(target=self._read, args=(provider,), name="keyring", daemon=True)
            self._asking[provider] = running
            running.start()
        return running

    def _read(self, provider: str) -> None:
        try:
            keyring = backend()
            key = keyring.get_password(SERVICE, provider) if keyring else None
        except KeyringFault as fault:
            self._faults[provider] = fault
            return
        except Exception as error:  # noqa: BLE001 -- each system's keyring has errors of its own; a request says it
            self._faults[provider] = KeyringFault(type(error).__name__)
            return
        self._faults.pop(provider, None)
        if key:
            self._keys[provider] = key


READER = KeyringReader()
"""The process's own: a keyring that asks a person to unlock it asks once."""
