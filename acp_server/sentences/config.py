"""What is said of the configuration: where something is wrong, what, and what would be right."""

from __future__ import annotations

NO_TEXT = "it isn't UTF-8"
TOO_DEEP = "its lists or tables are nested too deeply"
TOO_LONG_NUMBER = "a number in it has too many digits"

NO_DIRECTORY = "it must be a directory from the root or from the home directory on, such as /home/me/diary or ~/diary"

KINDS = {
    "bool_parsing": "it must be true or false",
    "bool_type": "it must be true or false",
    "int_from_float": "it must be a whole number",
    "int_parsing": "it must be a whole number",
    "int_type": "it must be a whole number",
    "missing": "it must be there",
    "model_type": "it must be a table",
    "string_type": "it must be a text in quotes",
    "tuple_type": "it must be a list",
}
"""What would be right, by the checker's kind of error, where its own words are none that a person writes TOML in."""


def unreadable(path: str, reason: str) -> str:
    """The configuration can't be read or parsed."""
    return f"The configuration {path} can't be read ({reason}), so the defaults hold."


def wrong(path: str, line: int | None, where: str, reason: str) -> str:
    """A setting that is wrong; it alone is left out."""
    place = path if line is None else f"{path}, line {line}"
    return f"In the configuration {place}, {where} is left out: {reason.rstrip('.')}."


def must_be(kind: str, message: str) -> str:
    """What would be right, as the end of our sentence; `message` is the checker's own."""
    return KINDS.get(kind) or message.replace("Input should be", "it must be").rstrip(".")


def unknown(known: tuple[str, ...]) -> str:
    """A setting that doesn't exist."""
    return f"there is no setting of that name; there are {', '.join(known)}"
