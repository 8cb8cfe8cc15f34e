"""`caudra-acp setup`: a provider is chosen, its key is given, tried and stored. An editor's sign-in runs it too.

A key comes from a hidden input or from standard input, goes to the provider's server once to be tried, and is then kept
in the system's keyring where there is one, else in a file that only its owner can read. It is never shown.
"""

from __future__ import annotations

import asyncio
import getpass
import os
import re
import sys
from dataclasses import dataclass

from acp_server.caller import run_by_agent
from acp_server.exits import Exit
from acp_server.models import credentials, keyring_store
from acp_server.models.credentials import Stored
from acp_server.models.presets import PRESETS
from acp_server.models.servers import FROM_KEYRING
from acp_server.models.shelf import Look, Shelf
from acp_server.models.trial import Trial, TrialFailed
from acp_server.models.urls import Address, address_of, ollama_url
from acp_server.places import config_directory_of
from acp_server.sentences import cli as say_cli
from acp_server.sentences import setup as say
from acp_server.terminal import Output, complain

MAX_KEY_CHARS = 4096
_KEY = re.compile(r"[\x21-\x7e]+")


@dataclass(frozen=True, slots=True)
class Asked:
    """The command as it was typed."""

    provider: str | None = None
    key_stdin: bool = False
    base_url: str | None = None
    model: str | None = None
    test: bool = True
    remove: bool = False


class _Stop(Exception):
    """Setup ends here: a sentence, and the exit code."""

    def __init__(self, sentence: str, code: Exit = Exit.USAGE) -> None:
        super().__init__(sentence)
        self.code = code


def run(asked: Asked, out: Output) -> Exit:
    """Set a provider up, or remove what is stored of it."""
    try:
        if run_by_agent():
            raise _Stop(say_cli.AGENT_MAY_NOT, Exit.REFUSED)
        _Setup(asked, out).run()
    except _Stop as stop:
        complain(str(stop))
        return stop.code
    return Exit.OK


class _Setup:
    def __init__(self, asked: Asked, out: Output) -> None:
        self._asked = asked
        self._out = out
        self._shelf = Shelf(os.environ, config_directory_of(os.environ))
        self._look = self._shelf.look()
        self._path = credentials.path_in(self._shelf.config_dir)

    def run(self) -> None:
        """All steps. Raises _Stop."""
        provider = self._provider()
        if self._asked.remove:
            self._remove(provider)
            return
        base_url, key = self._address(provider), self._key(provider)
        before = self._look.stored.of(provider)
        stored = Stored(key or before.key, in_keyring=before.in_keyring and not key, base_url=base_url)
        if self._asked.test:
            self._try(provider, stored)
        if key and self._in_keyring(provider, key):
            stored = Stored(in_keyring=True, base_url=base_url)
        self._write({**credentials.read(self._shelf.config_dir).providers, provider: stored})
        self._tell_where(provider, stored)
        self._tell_what_follows(provider)

    def _say(self, sentence: str) -> None:
        self._out.write(f"{sentence}\n")
        self._out.flush()

    def _provider(self) -> str:
        known = {**{name: preset.title for name, preset in PRESETS.items()}, **_of_config(self._look)}
        name = self._asked.provider
        if name is None:
            name = self._choose(known)
        if name not in known:
            raise _Stop(say.unknown_provider(name, ", ".join(known)))
        return name

    def _choose(self, known: dict[str, str]) -> str:
        _need_terminal()
        self._say(say.WHICH)
        names = list(known)
        for number, name in enumerate(names, start=1):
            server = self._look.server(name)
            note = say.has_key(server.key_from) if server.has_key else ""
            self._say(say.numbered(number, name, known[name], note))
        typed = _typed(say.NUMBER).lower()
        return names[int(typed) - 1] if typed.isdecimal() and 0 < int(typed) <= len(names) else typed

    def _address(self, provider: str) -> str:
        """The address where it isn't the provider's usual one, "" where it is."""
        preset, given = PRESETS.get(provider), self._asked.base_url
        asks = preset is not None and (preset.local or not preset.base_url)
        if given is None and asks and _at_terminal():
            usual = preset.base_url if preset else ""
            given = _typed(f"{say.ADDRESS}{f' [{usual}]' if usual else ''}: ") or usual
        if given is None and preset is not None and preset.local:
            given = preset.base_url
        if not given:
            if preset is not None and not preset.base_url and not self._look.server(provider).base_url:
                raise _Stop(say.NO_ADDRESS)
            return self._look.stored.of(provider).base_url
        given = ollama_url(given) if provider == "ollama" else given.strip()
        address = address_of(given)
        if not isinstance(address, Address):
            raise _Stop(say.bad_address(address))
        return given

    def _key(self, provider: str) -> str:
        """The key; "" where the server needs none."""
        preset = PRESETS.get(provider)
        optional = preset is None or not preset.keys or self._asked.base_url is not None
        if self._asked.key_stdin:
            key = sys.stdin.buffer.read(MAX_KEY_CHARS + 2).decode("utf-8", "replace").strip()
        elif optional and not _at_terminal():
            return ""
        else:
            _need_terminal()
            key = getpass.getpass(say.KEY_OPTIONAL if optional else say.KEY).strip()
        if not key and (self._asked.key_stdin or not optional):
            raise _Stop(say.NO_KEY_GIVEN)
        if key and (len(key) > MAX_KEY_CHARS or not _KEY.fullmatch(key)):
            raise _Stop(say.NOT_A_KEY)
        return key

    def _try(self, provider: str, stored: Stored) -> None:
        self._say(say.TRYING)
        try:
            sentence = asyncio.run(Trial(self._shelf, provider, stored).run(self._asked.model, complain))
        except TrialFailed as failed:
            title = PRESETS[provider].title if provider in PRESETS else provider
            told = f"{say.trial_failed(title, failed.sentence)}\n{say.NOTHING_STORED}"
            raise _Stop(told, Exit.MODEL_FAILED) from None
        self._say(sentence)

    def _tell_where(self, provider: str, stored: Stored) -> None:
        title = self._look.server(provider).title
        if stored.in_keyring:
            self._say(say.kept_in_keyring(title))
        elif stored.key:
            self._say(say.kept_in_file(title, self._path))
        if stored.base_url:
            self._say(say.address_kept(title, self._path))
        if not self._asked.test:
            self._say(say.STORED_UNTRIED)

    def _in_keyring(self, provider: str, key: str) -> bool:
        """Whether the system's keyring has the key now."""
        try:
            keyring = keyring_store.backend()
            if keyring is None:
                return False
            keyring_store.store(keyring, provider, key)
        except keyring_store.KeyringFault as fault:
            complain(say.keyring_refused(fault.reason))
            return False
        return True

    def _write(self, providers: dict[str, Stored]) -> None:
        try:
            credentials.write(self._shelf.config_dir, credentials.Credentials(providers))
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise _Stop(say.cannot_store(self._path, reason), Exit.UNAVAILABLE) from None

    def _remove(self, provider: str) -> None:
        title = self._look.server(provider).title
        stored = credentials.read(self._shelf.config_dir).providers
        if provider not in stored:
            self._say(say.nothing_to_remove(title))
            return
        if stored[provider].in_keyring:
            try:
                keyring_store.remove(provider)
            except keyring_store.KeyringFault as fault:
                raise _Stop(say.keyring_kept(fault.reason), Exit.UNAVAILABLE) from None
        self._write({name: each for name, each in stored.items() if name != provider})
        self._say(say.removed(title))

    def _tell_what_follows(self, provider: str) -> None:
        look = self._shelf.look()
        server = look.server(provider)
        hiding = next((name for name in server.keys if os.environ.get(name, "").strip()), "")
        if hiding and (look.stored.of(provider).key or server.key_from == FROM_KEYRING):
            self._say(say.goes_first(hiding))
        choice = look.choice()
        if choice.model.startswith(f"{provider}/") or look.first_of(server) or not server.usable:
            self._say(say.begins_with(choice.model))
        else:
            self._say(say.choose(provider))


def _of_config(look: Look) -> dict[str, str]:
    return {entry.provider: entry.provider for entry in look.settings.models.values() if entry.provider not in PRESETS}


def _at_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _need_terminal() -> None:
    if not _at_terminal():
        raise _Stop(say.NEEDS_A_TERMINAL)


def _typed(prompt: str) -> str:
    try:
        return input(prompt).strip()
    except EOFError:
        raise _Stop(say.NO_KEY_GIVEN) from None
