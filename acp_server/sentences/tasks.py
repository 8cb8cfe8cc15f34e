"""What is said of tasks: to the model that gives them, to the one that gets them, to the person on cards and in
questions.
"""

from __future__ import annotations

DESCRIPTION = (
    "Gives a task to a helper that works on its own and reports back in one message. Use it for looking through many "
    "files or notes where you need only what comes of it. The helper knows nothing of this conversation; it can read "
    "files and use the memory. Several tasks of one answer run at the same time."
)
ARGUMENTS = {
    "title": "What the task is, in a few words, for the person.",
    "prompt": "The task, with everything that the helper has to know, and what it is to report.",
}
OPENING = "Task"
RUNNING, FAILED = "…", "failed"


def title(label: str) -> str:
    """The title of a task's card."""
    return f"Task “{label}”"


def asked_by(what: str, label: str) -> str:
    """The title of a question that a task asks."""
    return f"{what}, asked by the task “{label}”"


def button(name: str, kind: str, number: int) -> str:
    """A button of such a question; an "always" holds for that task."""
    return f"Always allow such a change in task {number}" if kind == "allow_always" else f"{name} (task {number})"


def calls_before(number: int) -> str:
    """The first line on a task's card that has no room for all calls."""
    return f"{number} {'call' if number == 1 else 'calls'} before"


def provider_failed(sentence: str) -> str:
    """The model of a task could not be reached, or broke off."""
    return f"The task failed because its model did: {sentence}"


EMPTY = "The task ended without a report. Do it yourself, or give it again in other words."
REFUSED = "The model refused this task."
CUT = "[the report is cut: the model reached its limit of length]"
OUTGROWN = (
    "The task was stopped because what it read no longer fits into its model's window. Give a smaller one, or several."
)
FAILED_CALLS = "The task was stopped because its calls went on failing."


def out_of_requests(number: int) -> str:
    """A budget is spent."""
    return f"The task was stopped after {number} requests. Give a smaller one."


def out_of_tokens(number: int) -> str:
    """A budget is spent."""
    return f"The task was stopped after {number:,} tokens. Give a smaller one."


def out_of_time(seconds: float) -> str:
    """A budget is spent."""
    return f"The task was stopped after {seconds / 60:g} minutes. Give a smaller one."


LAST_WORDS = "Its last words were:"


def report_cut(shown: int, size: int) -> str:
    """The last line of a report that is longer than the limit."""
    return f"[cut: the first {shown:,} of {size:,} bytes of the report]"
