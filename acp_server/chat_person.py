"""Who answers a permission: the person at the terminal, or the command line's rules where nobody is there."""

from __future__ import annotations

import importlib
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

from acp_server.chat_client import as_text
from acp_server.chat_screen import Screen
from acp_server.providers.interface import JsonObject
from acp_server.sentences import chat as say

_KEYS = {"allow_once": "a", "allow_always": "A", "reject_once": "r", "reject_always": "R"}
_WORDS = {"y": "allow_once", "yes": "allow_once", "n": "reject_once", "no": "reject_once"}
"""What people type to a yes-or-no question, besides the keys: never an answer that lasts."""
_COMMANDS = {("edit", "write"): "memory.write", ("delete", "delete"): "memory.delete"}
"""(kind of the card, memory command of its input) -> the rule that covers it."""


def rule_of(kind: str, raw_input: JsonObject) -> str | None:
    """The rule of `--allow` that covers a call; None for calls that only a person can allow."""
    return _COMMANDS.get((kind, as_text(raw_input.get("command"))))


def option_of(options: list[JsonObject], *kinds: str) -> str | None:
    """The id of the first option of one of these kinds, tried in this order."""
    by_kind = {as_text(option.get("kind")): as_text(option.get("optionId")) for option in options}
    return next((by_kind[kind] for kind in kinds if kind in by_kind), None)


@contextmanager
def plain_interrupts() -> Iterator[None]:
    """While a line is typed, Ctrl-C raises KeyboardInterrupt."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class Person(Protocol):
    """Decides."""

    @property
    def was_needed(self) -> bool:
        """Whether something was refused for want of a person."""
        ...

    def decide(self, rule: str | None, options: list[JsonObject], screen: Screen) -> str | None:
        """The chosen option's id, or None to stop the turn."""
        ...


class Nobody:
    """Standard input is no terminal: everything that needs a person is refused."""

    def __init__(self) -> None:
        self.was_needed = False

    def decide(self, rule: str | None, options: list[JsonObject], screen: Screen) -> str | None:
        """Reject, and say how it could be allowed."""
        self.was_needed = True
        hint = "" if rule is None else " " + say.allow_hint(rule)
        screen.note(say.NOT_ALLOWED + hint)
        return option_of(options, "reject_once", "reject_always")


class AtTerminal:
    """Asks the person, a key and Enter."""

    was_needed = False

    def __init__(self) -> None:
        self.left = False
        """Whether the person ended the chat at a question."""

    def decide(self, rule: str | None, options: list[JsonObject], screen: Screen) -> str | None:
        """Ask until a key of an option is given; Ctrl-C stops the turn, Ctrl-D rejects and is the chat's end: whoever
        left rejects what the turn asks after that, too.
        """
        del rule
        if self.left:
            return option_of(options, "reject_once")
        by_kind = {kind: option for option in options if (kind := as_text(option.get("kind"))) in _KEYS}
        _forget_typed_ahead()
        screen.note(say.QUESTION)
        for kind, option in by_kind.items():
            screen.note(f"  [{_KEYS[kind]}] {as_text(option.get('name'))}")
        answers = {_KEYS[kind]: kind for kind in by_kind} | {w: kind for w, kind in _WORDS.items() if kind in by_kind}
        try:
            with plain_interrupts():
                kind = self._kind(answers, ", ".join(_KEYS[kind] for kind in by_kind), screen)
        except KeyboardInterrupt:
            screen.note("")
            return None
        return as_text(by_kind[kind].get("optionId")) if kind in by_kind else option_of(options, "reject_once")

    def _kind(self, answers: dict[str, str], keys: str, screen: Screen) -> str:
        """The kind of option that was typed; "" at the end of input."""
        while True:
            try:
                typed = input(say.PROMPT).strip()
            except EOFError:
                screen.note("")
                self.left = True
                return ""
            kind = answers.get(typed.lower() if typed.lower() in _WORDS else typed)
            if kind:
                return kind
            screen.note(say.not_a_key(keys))


def _forget_typed_ahead() -> None:
    """What was typed or pasted before a question was to be seen is no answer to it."""
    with suppress(ImportError, OSError, ValueError):
        termios = importlib.import_module("termios")  # where the system has terminals of this kind
        with suppress(termios.error):
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


class Allowed:
    """Approves what the command line's rules cover, and leaves the rest to `other`.

    A rule stands for more than one call, so it covers only what the agent itself would let a person allow for
    good: a request without such an option (a text that looks like a secret) is left to `other`.
    """

    def __init__(self, rules: frozenset[str], other: Person) -> None:
        self._rules = rules
        self._other = other

    @property
    def was_needed(self) -> bool:
        """Whether `other` refused something."""
        return self._other.was_needed

    def decide(self, rule: str | None, options: list[JsonObject], screen: Screen) -> str | None:
        """Allow once where a rule covers it."""
        once = option_of(options, "allow_once")
        lasting = option_of(options, "allow_always")
        if rule is None or rule not in self._rules or once is None or lasting is None:
            return self._other.decide(rule, options, screen)
        screen.note(say.allowed(rule))
        return once
