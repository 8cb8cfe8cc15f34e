"""What is said to the model that writes summary lines, and to the person about them."""

from __future__ import annotations

NO_LINES_BEFORE = "(no line comes before)"
WRITE_IT = "Write the line now. The ruler is 512 characters long; stay shorter than it."


def left_out(size: int) -> str:
    """Where the middle of a long note stood."""
    return f"[{size:,} bytes are left out here]"


def too_long(size: int, limit: int, fits: str) -> str:
    """The answer was longer than a line may be; `fits` is how much of it fits."""
    return (
        f"That line is {size:,} bytes of UTF-8, {size - limit:,} more than the {limit} that a line may have. "
        f"Of it, only this much fits:\n<memory-fits>\n{fits}\n</memory-fits>\n"
        "Write the whole line again, shorter by more than that: drop the least important, and say the rest in fewer "
        "words. Answer with the line and nothing else."
    )


def capped(limit: int, until: str) -> str:
    """The cap on spend holds the lines back; `until` is a time in ISO 8601."""
    return (
        f"Summary lines took the {limit:,} tokens that [memory] max_summary_tokens_per_hour allows; "
        f"they go on at {until}."
    )


def summaries_will_take(lines: int, tokens: int, dollars: float | None, model: str) -> str:
    """Before many notes are summarized with a model that costs something."""
    cost = "its price isn't known here" if dollars is None else f"about ${dollars:,.2f} at full price"
    return (
        f"Many notes wait for their summaries. {model} will write {lines:,} lines in the background with at most "
        f"{rounded(tokens)} tokens, {cost}. To spend less, bind the memory job to a cheaper model under [jobs] in the "
        "configuration; to write none, set summarize_memory = false under [agent]."
    )


def rounded(count: int) -> str:
    """A number of which two digits are enough."""
    step = 10 ** max(0, len(str(count)) - 2)
    return f"{-(-count // step) * step:,}"
