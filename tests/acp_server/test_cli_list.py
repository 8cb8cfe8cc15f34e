"""What there is, how old and how large, who wrote it and whether it was ever used: seen, and deleted from there."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_cli import Shell

from acp_server.sentences import cli as say
from memory_core import Memory
from memory_core.results import Origin, OriginKind


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture
def used(shell: Shell) -> Shell:
    """A note that a session wrote and another opened, one of the command line, one that was deleted."""
    now = 1_700_000_000 * 10**9
    with Memory.open(shell.project, state_dir=shell.state, clock=lambda: now) as memory:
        memory.write("read-often", "# Read often\n", origin=Origin(OriginKind.SESSION, "s1", "Zed"))
        for _ in range(2):
            memory.read("read-often")
        memory.idle_step()
    shell.memory("write", "junk", said=b"# Junk\n\nWrong.\n")
    shell.memory("write", "gone", said=b"gone")
    shell.memory("delete", "gone")
    return shell


@pytest.mark.report("M27", "M30")
def test_each_note_is_listed_with_author_date_size_and_uses_and_can_be_deleted(used: Shell) -> None:
    junk, often = used.json("list")["notes"]
    assert (often["name"], often["bytes"], often["origin"], often["session"]) == ("read-often.md", 13, "session", "s1")
    assert (often["opened"], often["created"], often["last_opened"]) == (2, *["2023-11-14T22:13:20.000Z"] * 2)
    assert (junk["name"], junk["origin"], junk["opened"], junk["last_opened"]) == ("junk.md", "cli", 0, None)
    shown = used.memory("list")
    assert "2023-11-14          13  read-often.md  Read often\n" in shown
    assert "(session Zed s1, opened 2 times, last 2023-11-14)" in shown
    assert "(cli, never opened)" in shown
    used.memory("delete", junk["name"])
    assert [note["name"] for note in used.json("list")["notes"]] == ["read-often.md"]


@pytest.mark.report("M27")
def test_an_entry_a_log_and_a_hit_say_of_when_they_are(used: Shell) -> None:
    for words in (("zoom", "0+1"), ("log", "read-often")):
        assert "2023-11-14" in used.memory(*words)
    assert used.json("search", "often")["hits"][0]["created"].startswith("2023-11-14")


@pytest.mark.report("M39")
def test_a_view_says_how_large_it_is_in_lines_entries_bytes_and_tokens(used: Shell) -> None:
    first, *_ = used.memory("view").splitlines()
    size = used.json("view")["bytes"]
    assert first == f"Memory view, 4 lines over 4 entries, {size} of 32,768 bytes (about {(size + 3) // 4} tokens)"


def test_a_limit_holds_and_an_empty_memory_says_so(shell: Shell) -> None:
    assert shell.memory("list") == say.NOTHING_YET + "\n"
    assert shell.json("list")["notes"] == []
    for name in ("a", "b"):
        shell.memory("write", name, said=b"x")
    assert [note["name"] for note in shell.json("list", "--limit", "1")["notes"]] == ["b.md"]
