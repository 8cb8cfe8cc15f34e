"""`memory forget` as a person and as a script use it: real processes, a real terminal, another process that reads."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_server.exits import Exit
from acp_server.sentences import cli as say_cli
from acp_server.sentences import forget as say
from acp_server.session_files.index import Index, Row

ROOT = Path(__file__).resolve().parents[2]
SECRET = b"# The key is hunter2xyzzy\n"


class Shell:
    """The program in a project with two notes and a session file that holds one of them."""

    def __init__(self, home: Path) -> None:
        self.project, self.state = home / "project", home / "state"
        self.project.mkdir()
        self.environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(home)}
        self.environment["CAUDRA_STATE_DIR"] = str(self.state)
        self.run("write", "key", said=SECRET)
        self.run("write", "other", said=b"# Other\n")
        folder = next((self.state / "projects").iterdir()) / "sessions"
        folder.mkdir()
        self.session = folder / "s1.jsonl"
        self.session.write_text(json.dumps({"text": "I read key.md"}), encoding="utf-8")
        self.copy = self.state / "acp-state.db.before-2"
        self.copy.write_bytes(SECRET)

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-P", "-m", "acp_server", "memory", *words]

    def run(self, *words: str, said: bytes = b"", **more: str) -> subprocess.CompletedProcess[bytes]:
        environment = {**self.environment, **more}
        return subprocess.run(
            self.command(*words), input=said, capture_output=True, cwd=self.project, env=environment, timeout=60
        )

    def json(self, *words: str, code: int) -> dict[str, Any]:
        done = self.run(*words, "--json")
        assert done.returncode == code, done
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def type(self, *answers: str) -> tuple[int, str]:
        """Forget at a terminal with these answers; the exit code and what was shown."""
        master, slave = pty.openpty()
        asked = subprocess.Popen(
            self.command("forget", "key"),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=self.project,
            env={**self.environment, "TERM": "dumb"},
        )
        os.close(slave)
        os.write(master, "".join(f"{answer}\n" for answer in answers).encode())
        shown = b""
        while part := _read(master):
            shown += part
        os.close(master)
        return asked.wait(60), shown.decode("utf-8")

    @property
    def holds_secret(self) -> bool:
        return any(b"hunter2" in path.read_bytes() for path in self.state.rglob("*") if path.is_file())


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # how Linux says that the other side is gone
        return b""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.mark.report("M41", "M43")
def test_a_script_says_yes_and_nothing_is_left(shell: Shell) -> None:
    assert shell.holds_secret
    found = shell.json("forget", "key", "--yes", code=Exit.OK)
    assert (found["type"], found["names"], found["versions"], found["purged"]) == ("memory.forget", ["key.md"], 1, True)
    assert found["sessions"] == [str(shell.session)]
    assert found["removed"] == found["copies"] == [str(shell.copy)]
    assert not shell.holds_secret
    assert shell.run("read", "other").stdout == b"# Other\n"


def test_session_files_go_too_where_the_script_says_so(shell: Shell) -> None:
    assert str(shell.session) in shell.json("forget", "key", "--yes", "--sessions", code=Exit.OK)["removed"]
    assert not shell.session.exists()


def test_a_script_is_told_how_session_files_that_stay_can_go(shell: Shell) -> None:
    kept = shell.run("forget", "key", "--yes").stdout.decode().splitlines()
    assert kept[-2:] == [f"  {shell.session}", say.DELETES_SESSIONS]
    gone = shell.run("forget", "key", "--yes", "--sessions").stdout.decode()
    assert say.DELETES_SESSIONS not in gone


def test_session_files_can_still_go_once_the_note_was_forgotten(shell: Shell) -> None:
    other = shell.session.with_name("s2.jsonl")
    other.write_text("{}", encoding="utf-8")
    shell.json("forget", "key", "--yes", code=Exit.OK)
    refused = shell.run("forget", "key", "--yes")
    assert refused.returncode == Exit.WRONG
    assert b"key.md was forgotten before" in refused.stderr and b"memory forget key.md --sessions" in refused.stderr
    again = shell.json("forget", "key", "--yes", "--sessions", code=Exit.OK)
    assert (again["notes"], again["versions"], again["removed"]) == (0, 0, [str(shell.session)])
    assert not shell.session.exists() and other.exists()
    done = shell.run("forget", "key", "--yes", "--sessions")
    assert (done.returncode, done.stdout.decode()) == (Exit.OK, say.DONE_AGAIN + "\n")


def test_a_name_that_was_never_kept_is_still_refused_with_sessions(shell: Shell) -> None:
    assert shell.run("forget", "nope", "--yes", "--sessions").returncode == Exit.WRONG
    assert shell.session.exists()


@pytest.mark.parametrize(("answer", "code"), [("y", Exit.OK), ("n", Exit.WRONG)])
def test_a_person_is_asked_for_the_session_files_of_a_note_that_was_forgotten(
    shell: Shell, answer: str, code: Exit
) -> None:
    shell.run("forget", "key", "--yes")
    ended, shown = shell.type(answer)
    assert ended == code
    assert say.forgotten_before("key.md") in shown and str(shell.session) in shown
    assert shell.session.exists() == (answer == "n")


def test_a_person_hears_where_nothing_is_left_of_a_note(shell: Shell) -> None:
    shell.run("forget", "key", "--yes", "--sessions")
    code, shown = shell.type("y")
    assert code == Exit.WRONG
    assert say.NO_SESSIONS in shown


def test_the_title_of_a_session_goes_with_its_file_and_is_told_while_that_stays(shell: Shell) -> None:
    index = shell.state / "sessions.db"

    async def title() -> None:
        opened = Index(str(shell.state))
        row = Row("s1", "/a", "/a", (), "The key is hunter2xyzzy", "2026-01-01T00:00:00Z", str(shell.session))
        await opened.put([row])
        await opened.close()

    asyncio.run(title())
    shell.run("write", "second", said=b"# I read key.md\n")
    assert shell.json("forget", "key", "--yes", code=Exit.OK)["index"] == str(index)
    assert shell.json("forget", "second", "--yes", "--sessions", code=Exit.OK)["index"] is None
    assert not shell.holds_secret


def test_without_a_person_or_yes_nothing_is_forgotten(shell: Shell) -> None:
    done = shell.run("forget", "key", said=b"y\n")
    assert (done.returncode, done.stderr.decode()) == (Exit.REFUSED, say.NEEDS_PERSON + "\n")
    assert shell.json("forget", "key", code=Exit.REFUSED)["message"] == say.NEEDS_PERSON
    assert shell.run("read", "key").stdout == SECRET


def test_the_agents_own_commands_forget_nothing(shell: Shell) -> None:
    done = shell.run("forget", "key", "--yes", CAUDRA_AGENT="1")
    assert (done.returncode, done.stderr.decode()) == (Exit.REFUSED, say_cli.AGENT_MAY_NOT + "\n")
    assert shell.run("read", "key").stdout == SECRET


@pytest.mark.report("M43")
def test_one_unknown_name_refuses_all(shell: Shell) -> None:
    done = shell.run("forget", "key", "othr", "--yes")
    assert done.returncode == Exit.WRONG
    assert b"Near it: other.md" in done.stderr
    assert shell.run("read", "key").stdout == SECRET


@pytest.mark.parametrize("answers", [("",), ("n",), ("\x04",)])
def test_a_person_who_does_not_agree_leaves_all_as_it_is(shell: Shell, answers: tuple[str, ...]) -> None:
    code, shown = shell.type(*answers)
    assert code == Exit.WRONG
    assert say.LEFT in shown
    assert shell.run("read", "key").stdout == SECRET
    assert shell.copy.exists() and shell.session.exists()


@pytest.mark.parametrize("also", ["y", "n"])
def test_a_person_sees_the_counts_agrees_and_decides_on_session_files(shell: Shell, also: str) -> None:
    code, shown = shell.type("y", also)
    assert code == Exit.OK
    for sentence in (say.versions("key.md", 1), say.lines(0, 0), say.copies(1), say.sessions(1), str(shell.copy)):
        assert sentence in shown
    assert say.done(1, 1, 1) in shown
    assert shell.session.exists() == (also == "n")
    assert not shell.holds_secret


def test_while_another_process_reads_it_says_so_with_a_code_of_its_own(shell: Shell) -> None:
    reader = subprocess.Popen(
        [sys.executable, "-c", READ, str(shell.state / "acp-state.db")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with reader:
        assert reader.stdin is not None and reader.stdout is not None
        assert reader.stdout.readline() == b"reading\n"
        found = shell.json("forget", "key", "--yes", code=Exit.TRACES)
        assert (found["purged"], found["traces"]) == (False, "process")
        assert found["message"].startswith("Blanked; traces remain in the database file until")
        reader.stdin.close()
    shell.run("view")
    assert not shell.holds_secret


READ = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN")
db.execute("SELECT count(*) FROM entry").fetchone()
print("reading", flush=True)
sys.stdin.read()
"""
