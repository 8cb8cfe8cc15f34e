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
