"""Phrasings and the command they have to lead to. What isn't plainly asked for never leads to a change."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from acp_server.providers.librarian.intents import (
    Ask,
    Delete,
    DeleteAbout,
    Extend,
    Find,
    Intent,
    OpenLine,
    Read,
    ReadAbout,
    Remember,
    Restore,
    Rewrite,
    Show,
    Substitute,
)
from acp_server.providers.librarian.understanding import understand

KNOWN = ("flaky-tests.md", "deploy-key.md", "ci/cache.md", "release-process.md")
COMMAND: dict[type, str] = {
    Remember: "write",
    Rewrite: "write",
    Extend: "write",
    Substitute: "write",
    Restore: "write",
    Delete: "delete",
    DeleteAbout: "delete",
    OpenLine: "zoom",
    Show: "view",
    Read: "read",
    ReadAbout: "read",
    Find: "search",
    Ask: "search",
}

TABLE_FILE = Path(__file__).with_name("phrasings.txt")


def _table() -> list[tuple[str, str]]:
    """Command and phrasing: one phrasing a line under the command's heading; ¶ stands for a line end."""
    rows: list[tuple[str, str]] = []
    wanted = ""
    for line in TABLE_FILE.read_text("utf-8").splitlines():
        if line.startswith("# "):
            wanted = line[2:]
        elif line:
            rows.append((wanted, line.replace("¶", "\n")))
    return rows


TABLE = _table()
ASKED = [row for row in TABLE if row[0] != "none"]
NOTHING = [phrase for wanted, phrase in TABLE if wanted == "none"]
LOOKING = [phrase for wanted, phrase in ASKED if wanted not in ("write", "delete")]


def command(intent: Intent) -> str:
    return COMMAND.get(type(intent), "none")


def test_the_table_holds_a_thousand_phrasings() -> None:
    assert len(set(TABLE)) == len(TABLE) > 1000
    assert len(NOTHING) > 200


@pytest.mark.parametrize("wanted", sorted({wanted for wanted, _ in ASKED}))
def test_each_phrasing_leads_to_its_command(wanted: str) -> None:
    phrases = [phrase for row, phrase in ASKED if row == wanted]
    assert [phrase for phrase in phrases if command(understand(phrase, KNOWN)) != wanted] == []


def _changing(phrases: Iterable[str], known: tuple[str, ...]) -> list[str]:
    return [phrase for phrase in phrases if command(understand(phrase, known)) in ("write", "delete")]


@pytest.mark.parametrize("known", [(), KNOWN])
def test_what_asks_for_no_change_leads_to_none(known: tuple[str, ...]) -> None:
    assert _changing(NOTHING, known) == []


@pytest.mark.parametrize("known", [(), KNOWN])
def test_looking_never_leads_to_a_change_whatever_notes_exist(known: tuple[str, ...]) -> None:
    assert _changing(LOOKING, known) == []


def test_a_file_of_the_project_is_a_note_only_where_notes_are_spoken_of_or_one_of_its_name_exists() -> None:
    phrase = "update README.md with: install with pip"
    assert command(understand(phrase, ())) == "none"
    assert command(understand(phrase, ("README.md",))) == "write"
    assert command(understand("make a note README.md: install with pip", ())) == "write"


@pytest.mark.parametrize("told", ['She said: "{}"', 'The page says "{}".', 'What does "{}" mean?', 'Is "{}" right?'])
def test_a_phrasing_in_somebody_elses_mouth_leads_to_no_change(told: str) -> None:
    phrases = [told.format(phrase) for _, phrase in TABLE if '"' not in phrase and "{" not in phrase]
    assert _changing(phrases, KNOWN) == []


@pytest.mark.parametrize("text", ["word " * 200_000, "to say " * 60_000, "- a, b; c\n" * 50_000])
@pytest.mark.parametrize("start", ["", "remember this: ", "change x to ", "update a.md with ", "add ", "what is "])
def test_very_long_messages_are_understood_as_well(start: str, text: str) -> None:
    assert understand(start + text, KNOWN) is not None
