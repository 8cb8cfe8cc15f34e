"""What `/memory` says to a person."""

from __future__ import annotations

from acp_server.sentences.quoting import short

OFF = (
    "The memory is off in this session: the model sees no notes and writes none. `/memory on`, or the session's option "
    "Memory, turns it on; `enabled` and `off_in` under `[memory]` in `config.toml` say what holds for new sessions."
)
TURNED_OFF = (
    "The memory is off in this session from your next message on: the model sees no notes and writes none. The notes "
    "stay where they are, and other sessions go on using them; `/memory on` turns it on again."
)
TURNED_ON = "The memory is on in this session from your next message on, and the view is taken then."
ON_ALREADY = "The memory is on in this session already."
OFF_FOR_THE_MODEL = "The person has turned the project's memory off for this session: nothing of it is known here."
OFF_FOR_THE_TOOL = "The memory is off in this session."
NOT_FROZEN = "This session has frozen no view yet: that happens with its first message."
FROZEN_NONE = "This session has had no view of the memory so far: it is taken with the next message."
NOTHING_SINCE = "Nothing came since."
REBUILD_WAITS = "The view is taken anew with the next message."
SUMMARIES_OFF = "Summarizing is off: `summarize_memory` under `[agent]` in `config.toml` is false."
SUMMARIES_LATER = "Summaries are written while an editor or a chat runs the agent."
SUMMARIES_DONE = "No summary is waiting."
REMINDER = "reminder"
NOT_YET = "comes with the next message"
WRITTEN_HERE = "written here"
FORGOTTEN = "(forgotten)"


def header(entries: int, lines: int, size: int, budget: int) -> str:
    """The counts of the live view."""
    shown = f"{_count(lines, 'line', 'lines')} over {_count(entries, 'entry', 'entries')}"
    return f"**Memory**: {shown}, {size:,} of {budget:,} bytes ({100 * size // budget} %)."


def frozen(entries: int) -> str:
    """What this session's view holds."""
    return f"This session froze its view at {_count(entries, 'entry', 'entries')}."


def since(count: int) -> str:
    """Before the entries that came since the view was frozen."""
    return f"Since then {_count(count, 'entry', 'entries')}:"


def more(count: int) -> str:
    """Entries that aren't listed."""
    return f"and {count:,} more before these"


def waiting(count: int, writing: int) -> str:
    """Lines of the view that wait for their summaries."""
    return f"{_count(count, 'line', 'lines')} of the view wait for a summary, {writing:,} of them being written now."


def pause(reason: str) -> str:
    """Why no summary is written."""
    return f"Summaries pause: {reason}"


def unknown_word(words: str) -> str:
    """A word behind /memory that means nothing."""
    return f"/memory takes rebuild, on, off or nothing, not {short(words)}; nothing was done."


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
