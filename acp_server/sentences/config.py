"""What is said of the configuration: where something is wrong, what, and what would be right."""

from __future__ import annotations

NO_TEXT = "it isn't UTF-8"


def unreadable(path: str, reason: str) -> str:
    """The configuration can't be read or parsed."""
    return f"The configuration {path} can't be read ({reason}), so the defaults hold."


def wrong(path: str, line: int | None, where: str, reason: str) -> str:
    """A setting that is wrong; it alone is left out."""
    place = path if line is None else f"{path}, line {line}"
    return f"In the configuration {place}, {where} is left out: {reason}."


def must_be(message: str) -> str:
    """The checker's own words as the end of our sentence."""
    return message.replace("Input should be", "it must be").replace("Field required", "it must be there").rstrip(".")


def unknown(known: tuple[str, ...]) -> str:
    """A setting that doesn't exist."""
    return f"there is no setting of that name; there are {', '.join(known)}"
