"""Asking a person, and what "always" covers.

Rules
1. "Always" holds for one tool and command, in this session only.
2. "Always" never covers a flagged change (one that looks like a secret): it is asked each time, and the
   question offers no "always".
3. Whatever isn't one of the offered approvals approves nothing.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from enum import Enum

from acp_server.seams import PermissionOption


class Verdict(Enum):
    """What came of a question."""

    REFUSED = "refused"
    ONCE = "once"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class Question:
    """A kind of question: `rule` is what an "always" is remembered by, the rest are the buttons' names."""

    rule: str
    once: str
    always: str
    reject: str


_ONCE, _ALWAYS, _REJECT = "allow_once", "allow_always", "reject_once"
_VERDICTS = {_ONCE: Verdict.ONCE, _ALWAYS: Verdict.ALWAYS}


def options(question: Question, *, flagged: bool) -> tuple[PermissionOption, ...]:
    """The buttons, at most one of each kind; a flagged change has no "always"."""
    once = PermissionOption(_ONCE, question.once, "allow_once")
    always = PermissionOption(_ALWAYS, question.always, "allow_always")
    reject = PermissionOption(_REJECT, question.reject, "reject_once")
    return (once, reject) if flagged else (once, always, reject)


def verdict(answer: str | None, offered: tuple[PermissionOption, ...]) -> Verdict:
    """What an answer means: only an approval that was offered approves."""
    if answer not in {option.option_id for option in offered}:
        return Verdict.REFUSED
    return _VERDICTS.get(answer or "", Verdict.REFUSED)


def covered(question: Question, always: Set[str], *, flagged: bool) -> bool:
    """Whether an earlier "always" of this session approves the change without a question."""
    return not flagged and question.rule in always
