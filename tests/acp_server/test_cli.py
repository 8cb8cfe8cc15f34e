"""The command line as scripts use it: real processes, a real state directory."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_server import __version__
from acp_server.cli import parser
from acp_server.exits import MEANINGS, Exit, exit_of
from acp_server.memory_cli import COMMANDS
from acp_server.sentences import cli as say
from memory_core import exceptions
from memory_core.exceptions import MemoryFault

ROOT = Path(__file__).resolve().parents[2]
Json = Any


class Shell:
    """Runs the program in a project with a state directory of its own."""

    def __init__(self, home: Path) -> None:
        self.project, self.state = home / "project", home / "state"
        self.project.mkdir()
        self.environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(home)}
        self.environment["CAUDRA_STATE_DIR"] = str(self.state)

    def run(self, *words: str | bytes, said: bytes = b"", **more: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-P", "-m", "acp_server", *words],
            input=said,
            capture_output=True,
            cwd=self.project,
            env={**self.environment, **more},
            timeout=60,
        )

    def memory(self, *words: str | bytes, said: bytes = b"", code: int = Exit.OK, **more: str) -> str:
        done = self.run("memory", *words, said=said, **more)
        assert done.returncode == code, done
        return done.stdout.decode("utf-8")

    def json(self, *words: str, said: bytes = b"", code: int = Exit.OK) -> Json:
        return json.loads(self.memory(*words, "--json", said=said, code=code))

    @property
    def notes(self) -> Path:
        folder = Path(self.json("export")["project"]["memories"])
        folder.mkdir(parents=True, exist_ok=True)
        return folder


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


FLAKY = b"# Flaky tests\n\nRetry twice, then quarantine.\n"


def test_version_and_help_are_on_standard_output(shell: Shell) -> None:
    assert shell.run("--version").stdout.decode().strip() == f"caudra-acp {__version__}"
    shown = shell.run("memory", "--help").stdout.decode()
    assert all(command.name in shown for command in COMMANDS)


@pytest.mark.parametrize("words", [("nope",), ("memory",), ("memory", "zoom"), ("memory", "view", "--nope"), ("--x",)])
def test_a_command_that_does_not_exist_says_so_on_standard_error(shell: Shell, words: tuple[str, ...]) -> None:
    done = shell.run(*words)
    assert (done.returncode, done.stdout) == (Exit.USAGE, b"")
    assert b"usage: caudra-acp" in done.stderr


def test_a_note_written_from_standard_input_is_read_searched_and_logged(shell: Shell) -> None:
    receipt = shell.json("write", "flaky-tests", said=FLAKY)
    assert (receipt["type"], receipt["name"], receipt["entry"]) == ("memory.receipt", "flaky-tests.md", 0)
    assert shell.memory("read", "flaky-tests.md").encode() == FLAKY
    assert "0+1 │ note flaky-tests.md # Flaky tests" in shell.memory("view")
    assert shell.json("zoom", "0+1")["status"] == "current"
    hit = shell.json("search", "retries", "quarantined")["hits"][0]
    assert (hit["name"], hit["line_number"], hit["marks"][0]) == ("flaky-tests.md", 3, [0, 5])
    assert "flaky-tests.md" in shell.memory("log")
    assert shell.json("verify")["ok"]


def test_a_deleted_note_is_gone_and_its_entry_says_by_which_entry(shell: Shell) -> None:
    shell.memory("write", "a.md", said=b"A")
    assert shell.json("delete", "a.md")["action"] == "delete"
    assert shell.json("read", "a.md", code=Exit.WRONG)["type"] == "memory.error"
    entry = shell.json("zoom", "0+1")
    assert (entry["status"], entry["replaced_by"]) == ("deleted", 1)
    assert [row["kind"] for row in shell.json("log")["entries"]] == ["delete", "note"]


def test_an_edit_made_outside_is_in_what_is_shown(shell: Shell) -> None:
    shell.memory("write", "a.md", said=b"# Before")
    (shell.notes / "a.md").write_text("# After the edit", encoding="utf-8")
    assert shell.memory("read", "a.md") == "# After the edit"
    assert [row["origin"] for row in shell.json("log", "a.md")["entries"]] == ["outside", "cli"]


def test_a_batch_acknowledges_each_line_and_a_bad_one_does_not_stop_the_rest(shell: Shell) -> None:
    lines = [
        b'{"name":"a","text":"A"}',
        b"",
        b"no JSON",
        b'{"name":"../b","text":"B"}',
        b'{"name":"c"}',
        b"\xff",
    ]
    said = b"\n".join([*lines, b'{"name":"d","text":"D"}'])
    acknowledged = [json.loads(line) for line in shell.memory("write", "--batch", said=said, code=1).splitlines()]
    assert [(each["type"], each.get("line")) for each in acknowledged] == [
        ("memory.receipt", None),
        ("memory.error", 3),
        ("memory.error", 4),
        ("memory.error", 5),
        ("memory.error", 6),
        ("memory.receipt", None),
    ]


def test_a_batch_acknowledges_a_note_before_it_reads_the_next(shell: Shell) -> None:
    batch = subprocess.Popen(
        [sys.executable, "-P", "-m", "acp_server", "memory", "write", "--batch"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=shell.project,
        env=shell.environment,
    )
    assert batch.stdin is not None
    assert batch.stdout is not None
    with batch:
        for number in range(3):
            batch.stdin.write(json.dumps({"name": f"n{number}", "text": "x"}).encode() + b"\n")
            batch.stdin.flush()
            assert json.loads(batch.stdout.readline())["entry"] == number
            assert shell.memory("read", f"n{number}.md") == "x"


def test_a_receipt_names_the_line_that_looks_like_a_secret_and_not_the_secret(shell: Shell) -> None:
    said = b"# Deploy\n\npassword = 'hV9x2LqT7pZw4KmR'\n"
    assert any("Line 3" in notice for notice in shell.json("write", "a", said=said)["notices"])
    assert "hV9x" not in shell.memory("write", "a", said=said)


@pytest.mark.parametrize("words", [("write",), ("write", "a", "--batch")])
def test_write_takes_one_name_or_a_batch(shell: Shell, words: tuple[str, ...]) -> None:
    shell.memory(*words, code=Exit.USAGE)


def test_text_that_is_not_utf_8_is_refused_and_nothing_is_written(shell: Shell) -> None:
    error = shell.json("write", "a", said=b"caf\xe9", code=Exit.USAGE)
    assert error["message"] == say.NOT_UTF8
    assert shell.json("view")["entries"] == 0


def test_an_export_carries_every_version_and_bytes_that_are_no_text(shell: Shell) -> None:
    shell.memory("write", "a.md", said=b"one")
    shell.memory("write", "a.md", said=b"two")
    (shell.notes / "latin.md").write_bytes(b"caf\xe9")
    shell.memory("delete", "a.md")
    exported = json.loads(shell.memory("export"))
    assert [(entry["kind"], entry["name"], entry["text"]) for entry in exported["entries"]] == [
        ("note", "a.md", "one"),
        ("note", "a.md", "two"),
        ("note", "latin.md", "caf\ufffd"),
        ("delete", "a.md", None),
    ]
    assert base64.b64decode(exported["entries"][2]["bytes"]) == b"caf\xe9"
    assert [entry["seq"] for entry in exported["entries"]] == [0, 1, 2, 3]


@pytest.mark.parametrize("words", [("write", "a"), ("write", "--batch"), ("delete", "a.md")])
def test_the_agents_own_commands_change_nothing(shell: Shell, words: tuple[str, ...]) -> None:
    done = shell.run("memory", *words, said=b"A", CAUDRA_AGENT="1")
    assert (done.returncode, done.stderr.decode()) == (Exit.REFUSED, say.AGENT_MAY_NOT + "\n")
    assert shell.json("view")["entries"] == 0


def test_the_agents_own_commands_may_read(shell: Shell) -> None:
    shell.memory("write", "a.md", said=b"A")
    assert shell.memory("read", "a.md", CAUDRA_AGENT="1") == "A"


@pytest.mark.parametrize("address", ["0", "0+3", "1+2", "9+1", "-1+1", "x+y", "0+0", "99999999999999999999+1"])
def test_an_address_that_no_line_has_is_wrong_usage(shell: Shell, address: str) -> None:
    shell.memory("write", "a.md", said=b"A")
    done = shell.run("memory", "zoom", "--", address)
    assert (done.returncode, done.stdout) == (Exit.USAGE, b"")
    assert done.stderr.count(b"\n") == 1


def test_escape_sequences_of_a_note_never_reach_the_terminal(shell: Shell) -> None:
    shell.memory("write", "evil.md", said="# T\x1b]0;owned\x07 \x9b2J\u202e word\n".encode())
    shown = [("view",), ("zoom", "0+1"), ("search", "word"), ("read", "evil.md"), ("log",), ("export",)]
    for words in [*shown, *((*each, "--json") for each in shown)]:
        assert not set(shell.memory(*words)) & set("\x1b\x07\x9b\u202e"), words
    assert "\x1b" in shell.memory("read", "evil.md", "--raw")


def test_the_locale_of_the_machine_changes_nothing(shell: Shell) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    shell.memory("write", "日本", said="# 日本語 é\n".encode(), **plain)
    assert shell.memory("read", "日本.md", **plain) == "# 日本語 é\n"
    assert "日本語" in shell.memory("search", "日本", **plain)


def test_a_reader_that_leaves_early_ends_the_command_quietly(shell: Shell) -> None:
    shell.memory("write", "big.md", said=b"word " * 100_000)
    reader = subprocess.Popen(
        [sys.executable, "-P", "-m", "acp_server", "memory", "read", "big.md"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=shell.project,
        env=shell.environment,
    )
    assert reader.stdout is not None
    assert reader.stderr is not None
    with reader:
        reader.stdout.read(4)
        reader.stdout.close()
        assert reader.stderr.read() == b""
    assert reader.returncode == Exit.OK


def test_an_output_that_is_full_is_one_sentence(shell: Shell) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "acp_server", "memory", "view"],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=shell.project,
            env=shell.environment,
        )
    assert (done.returncode, done.stderr.decode()) == (
        Exit.WRONG,
        say.cannot_print("No space left on device") + "\n",
    )


def test_a_state_directory_that_can_not_be_used_is_one_sentence(shell: Shell) -> None:
    shell.state.write_text("a file stands in the way", encoding="utf-8")
    error = shell.json("view", code=Exit.UNAVAILABLE)
    assert error["type"] == "memory.error"
    assert str(shell.state) in error["message"]


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (("zoom",), "zoom"),
        (("nope",), ""),
        (("search", "x", "--limit", "0"), "search"),
        (("write",), "write"),
        (("write", "a.md", "--batch"), "write"),
        (("log", "none.md"), "log"),
        (("read", "none.md"), "read"),
        (("zoom", "x"), "zoom"),
        (("view", "--project", "nowhere"), "view"),
    ],
)
def test_who_asks_for_json_gets_every_error_as_one_object(shell: Shell, words: tuple[str, ...], command: str) -> None:
    done = shell.run("memory", *words, "--json")
    error = json.loads(done.stdout)
    assert done.returncode in (Exit.USAGE, Exit.WRONG)
    assert (error["type"], error["command"]) == ("memory.error", command)
    assert error["message"] in done.stderr.decode()


def test_an_empty_memory_has_an_empty_log(shell: Shell) -> None:
    assert shell.memory("log") == say.NOTHING_YET + "\n"
    assert shell.json("log")["entries"] == []


@pytest.mark.parametrize("words", [("memory", "view"), ("chat",)])
def test_a_current_directory_that_is_gone_is_one_sentence(shell: Shell, words: tuple[str, ...]) -> None:
    leave = "import os, sys; os.rmdir(os.getcwd()); from acp_server.__main__ import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-P", "-c", leave, *words],
        cwd=shell.project,
        env=shell.environment,
        input=b"hello",
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr.decode()) == (Exit.USAGE, say.not_a_directory(".") + "\n")


def test_a_project_that_is_no_directory_is_wrong_usage(shell: Shell) -> None:
    done = shell.run("memory", "view", "--project", "nowhere")
    assert (done.returncode, done.stderr.decode()) == (Exit.USAGE, say.not_a_directory("nowhere") + "\n")


def test_a_query_or_name_that_is_not_text_breaks_nothing(shell: Shell) -> None:
    assert shell.run("memory", "search", b"caf\xe9").returncode == Exit.OK
    assert shell.run("memory", "read", b"caf\xe9").returncode in (Exit.WRONG, Exit.USAGE)


def test_every_memory_error_has_an_exit_code_and_every_code_a_meaning() -> None:
    faults = [kind for kind in vars(exceptions).values() if isinstance(kind, type) and issubclass(kind, MemoryFault)]
    assert {exit_of(kind("message")) for kind in faults} == {Exit.WRONG, Exit.USAGE, Exit.UNAVAILABLE}
    assert set(MEANINGS) == set(Exit)


def test_every_command_is_in_the_parser_and_has_a_summary() -> None:
    assert set(say.SUMMARIES) == {command.name for command in COMMANDS}
    assert parser().parse_args(["memory", "zoom", "368+8"]).address == "368+8"
