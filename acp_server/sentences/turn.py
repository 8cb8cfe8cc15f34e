"""What a turn says to the person beside the model's answer, and to the model about the memory's state."""

from __future__ import annotations

from collections.abc import Sequence

NO_MEMORY = "This session has no memory for now."


def memory_unavailable(reason: str) -> str:
    """Once, before the first answer of a session that has no memory."""
    return f"{NO_MEMORY} {reason}"


def memory_back() -> str:
    """Once the memory could be opened after all."""
    return "The memory could be opened again, and this session sees it from here on."


def view_taken_anew() -> str:
    """The memory was cleared, or its database lost, since the session's view was taken."""
    return "The project's journal began anew, so this session goes on with the memory as it is now."


def imported(count: int) -> str:
    """The first look at a project with notes."""
    notes = "1 note that was" if count == 1 else f"{count:,} notes that were"
    return f"The memory took in {notes} already there."


NAMES_LISTED = 3


def changed_elsewhere(names: Sequence[str]) -> str:
    """Others wrote or deleted notes; the model was told."""
    distinct = list(dict.fromkeys(names))
    more = len(distinct) - NAMES_LISTED
    listed = ", ".join(distinct[:NAMES_LISTED]) + (f" and {more} more" if more > 0 else "")
    return (
        f"1 note changed elsewhere: {listed}."
        if len(distinct) == 1
        else f"{len(distinct)} notes changed elsewhere: {listed}."
    )


STREAM_BROKE_OFF = "The model's answer broke off before its end; try again."


def no_such_model(model: str, known: str) -> str:
    """A model that no provider offers."""
    return f"There is no model {model!r}; choose one of {known}."


RESULT_LEFT_OUT = "This result was left out to make room; call the tool again if you need it."


def compacted_history(summary: str) -> str:
    """The first message of a history that was made shorter, as the model reads it."""
    return f"# Earlier in this conversation\n\nA summary stands for what was said and done before:\n\n{summary}\n"
