"""What an answer to a question means, and what "always" covers."""

from __future__ import annotations

import pytest

from acp_server.permissions import Question, Verdict, covered, options, verdict
from acp_server.tools.memory_changes import DELETE, SAVE

QUESTION = Question("memory.write", "Save", "Always save", "Don't")


@pytest.mark.parametrize("question", [SAVE, DELETE])
@pytest.mark.parametrize("flagged", [True, False])
def test_there_is_at_most_one_button_of_a_kind(question: Question, flagged: bool) -> None:
    offered = options(question, flagged=flagged)
    assert len({option.kind for option in offered}) == len(offered)
    assert ("allow_always" in {option.kind for option in offered}) is not flagged


@pytest.mark.parametrize(
    ("answer", "flagged", "means"),
    [
        ("allow_once", False, Verdict.ONCE),
        ("allow_always", False, Verdict.ALWAYS),
        ("reject_once", False, Verdict.REFUSED),
        (None, False, Verdict.REFUSED),
        ("", False, Verdict.REFUSED),
        ("ALLOW_ONCE", False, Verdict.REFUSED),
        ("allow_once", True, Verdict.ONCE),
        ("allow_always", True, Verdict.REFUSED),
    ],
)
def test_only_an_approval_that_was_offered_approves(answer: str | None, flagged: bool, means: Verdict) -> None:
    assert verdict(answer, options(QUESTION, flagged=flagged)) is means


@pytest.mark.parametrize(
    ("rules", "flagged", "is_covered"),
    [
        (set(), False, False),
        ({"memory.delete"}, False, False),
        ({"memory.write"}, False, True),
        ({"memory.write"}, True, False),
    ],
)
def test_always_covers_its_own_rule_and_nothing_flagged(rules: set[str], flagged: bool, is_covered: bool) -> None:
    assert covered(QUESTION, rules, flagged=flagged) is is_covered
