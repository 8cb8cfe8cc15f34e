"""Versions on the command line: log, diff and restore as real processes."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from test_cli import Shell

from acp_server.exits import Exit
from acp_server.harmless import columns


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    made = Shell(tmp_path)
    made.memory("write", "a b", said=b"# Keys\n\nMondays\n")
    made.memory("write", "a b", said=b"# Keys\n\nFridays\n")
    return made


def test_a_receipt_says_how_to_undo_it_in_words_that_a_shell_takes(shell: Shell) -> None:
    assert "caudra-acp memory restore 'a b.md@1'" in shell.memory("write", "a b", said=b"X")
    assert "caudra-acp memory delete new.md" in shell.memory("write", "new", said=b"X")
    assert "caudra-acp memory restore new.md@3" in shell.memory("delete", "new")
    assert "caudra-acp memory delete -- -rf.md" in shell.memory("write", "--", "-rf", said=b"X")
    shell.memory("delete", "--", "-rf.md")


def test_the_log_of_a_note_shows_who_wrote_what(shell: Shell) -> None:
    shown = shell.memory("log", "a b")
    assert [line.split()[0] for line in shown.splitlines()] == ["1", "-Mondays", "+Fridays", "0", "+#", "+", "+Mondays"]
    assert "+1 -1  (cli)  Keys" in shown
    newest = shell.json("log", "a b")["entries"][0]
    assert (newest["previous"], newest["added"], newest["removed"], newest["origin"]) == (0, 1, 1, "cli")


@pytest.mark.parametrize("words", [("log",), ("log", "long"), ("list",)], ids=" ".join)
def test_no_row_is_wider_than_the_terminal(shell: Shell, words: tuple[str, ...]) -> None:
    shell.memory("write", "long", said=("# " + "日本 word " * 9 + "\n\n" + "line " * 60 + "\n").encode())
    shown = at_terminal(shell, 80, *words)
    assert any("…" in line for line in shown)
    assert max(map(columns, shown)) <= 80
    whole = shell.memory(*words)
    assert "…" not in whole and max(map(columns, whole.splitlines())) > 80


def at_terminal(shell: Shell, width: int, *words: str) -> list[str]:
    """What a command draws on a terminal of this width, without styles."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    command = [sys.executable, "-P", "-m", "acp_server", "memory", *words]
    environment = {**shell.environment, "TERM": "dumb"}
    process = subprocess.Popen(command, stdout=slave, stdin=slave, cwd=shell.project, env=environment)
    os.close(slave)
    shown = b""
    with contextlib.suppress(OSError):  # how Linux says that the other side is gone
        while part := os.read(master, 65536):
            shown += part
    os.close(master)
    assert process.wait(60) == 0
    return shown.decode().replace("\r\n", "\n").splitlines()


def test_diff_shows_two_versions_of_one_note(shell: Shell) -> None:
    assert "-Mondays\n+Fridays\n" in shell.memory("diff", "a b.md@0", "a b@1")
    shell.memory("write", "other", said=b"X")
    shell.memory("diff", "a b@0", "other@2", code=Exit.USAGE)
    assert shell.json("diff", "a b@0", "a b@7", code=Exit.WRONG)["type"] == "memory.error"
    shell.memory("forget", "a b", "--yes")
    assert "Entry 0 of a b.md was forgotten" in shell.json("diff", "a b@0", "a b@1", code=Exit.WRONG)["message"]


def test_restore_appends_the_older_text(shell: Shell) -> None:
    assert shell.json("restore", "a b@0")["action"] == "restore"
    assert shell.memory("read", "a b") == "# Keys\n\nMondays\n"
    assert shell.json("verify")["ok"]


def test_the_agents_own_commands_restore_nothing(shell: Shell) -> None:
    shell.memory("restore", "a b@0", code=Exit.REFUSED, CAUDRA_AGENT="1")
