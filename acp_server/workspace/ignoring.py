"""What `.gitignore` leaves out, by git's own rules. Pure.

Git itself isn't asked: a repository's settings can make it run programs.

A pattern with a slash at its start or in its middle is anchored at its file's folder; one without matches at any depth;
a slash at its end means folders only; `!` takes back. The last pattern that matches decides, and those of a deeper file
come later.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

ALWAYS_LEFT_OUT = frozenset(
    (
        *(".git", ".hg", ".svn", ".jj", "node_modules", "bower_components", ".venv", "venv", "__pycache__"),
        *(".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox", ".nox", ".gradle", ".terraform", ".agent-shell"),
    )
)
"""Folders that hold no text of the project."""

_SPECIAL = re.compile(r"\*\*|\*|\?|\[(?P<class>!?\^?\]?[^\]]*)\]|\\(?P<literal>.)|(?P<other>.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Rule:
    """One pattern: `base` is its file's folder as parts below the workspace's directory."""

    pattern: re.Pattern[str]
    folders_only: bool
    takes_back: bool
    base: tuple[str, ...]


def rules_of(text: str, base: Sequence[str]) -> tuple[Rule, ...]:
    """The rules of one `.gitignore`. A pattern that is none is left out, as git does."""
    rules = (_rule(line, tuple(base)) for line in text.removeprefix("\ufeff").split("\n"))
    return tuple(rule for rule in rules if rule is not None)


def is_ignored(parts: Sequence[str], rules: Iterable[Rule], *, folder: bool) -> bool:
    """Whether the rules, outermost first, leave out what lies at `parts`. A folder above it that is left out is the
    caller's to know.
    """
    ignored = False
    for rule in rules:
        if (folder or not rule.folders_only) and rule.takes_back == ignored and _matches(rule, parts):
            ignored = not rule.takes_back
    return ignored


def glob_pattern(glob: str) -> re.Pattern[str]:
    """The pattern of names to be searched: with a slash of the whole path, without one of the last part alone."""
    body = "|".join(_regex(each.strip("/")) for each in _alternatives(glob))
    return re.compile(f"(?:{body})" if "/" in glob.strip("/") else f"(?:.*/)?(?:{body})", re.DOTALL)


def _matches(rule: Rule, parts: Sequence[str]) -> bool:
    base = rule.base
    return tuple(parts[: len(base)]) == base and rule.pattern.fullmatch("/".join(parts[len(base) :])) is not None


def _rule(line: str, base: tuple[str, ...]) -> Rule | None:
    line = _without_spaces(line.removesuffix("\r"))
    if not line or line.startswith("#"):
        return None
    takes_back = line.startswith("!")
    line = line.removeprefix("!")
    folders_only = line.endswith("/")
    body = line.removesuffix("/")
    if not body.strip("/"):
        return None
    anywhere = "" if "/" in body else "(?:.*/)?"
    try:
        pattern = re.compile(anywhere + _regex(body.removeprefix("/")), re.DOTALL)
    except re.error:
        return None
    return Rule(pattern, folders_only, takes_back, base)


def _without_spaces(line: str) -> str:
    """The line without the spaces at its end, but for one that is escaped."""
    stripped = line.rstrip(" ")
    escaped = (len(stripped) - len(stripped.rstrip("\\"))) % 2
    return line[: len(stripped) + 1] if escaped and len(stripped) < len(line) else stripped


def _regex(glob: str) -> str:
    """A glob as a regular expression for `fullmatch` of a path with slashes."""
    glob = re.sub(r"(?<![^/])\*\*(?:/\*\*)+(?![^/])", "**", glob)
    if glob == "**":
        return ".+"
    out, rest = "", glob
    if rest.startswith("**/"):
        out, rest = "(?:.*/)?", rest[3:]
    end = ""
    if rest.endswith("/**"):
        rest, end = rest[:-3], "/.+"
    return out + "(?:/|/.*/)".join(map(_part, rest.split("/**/"))) + end


def _part(glob: str) -> str:
    return "".join(_piece(found) for found in _SPECIAL.finditer(glob))


def _piece(found: re.Match[str]) -> str:
    if found[0] in ("*", "**"):
        return "[^/]*"
    if found[0] == "?":
        return "[^/]"
    if (inside := found["class"]) is not None:
        negated = inside[:1] in ("!", "^") and len(inside) > 1
        body = (inside[1:] if negated else inside).replace("\\", "\\\\").replace("[", "\\[").replace("^", "\\^")
        return f"(?!/)[{'^' if negated else ''}{body.replace(']', chr(92) + ']')}]"
    return re.escape(found["literal"] or found["other"])


def _alternatives(glob: str) -> list[str]:
    """A glob with braces, `*.{ts,tsx}`, as those it stands for; one pair of braces at most."""
    before, brace, rest = glob.partition("{")
    inside, end, after = rest.partition("}")
    return [before + each + after for each in inside.split(",")] if brace and end else [glob]
