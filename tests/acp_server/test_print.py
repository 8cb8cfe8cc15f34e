"""`caudra-acp --print` as scripts use it: real processes, a real server, nobody to ask."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer, Reply, calls, says, writes

from acp_server.exits import Exit
from memory_core.memory import Memory

ROOT = Path(__file__).resolve().parents[2]
PRICES = "price_input = 3.0\nprice_output = 15.0\nprice_cached = 0.3\n"
SECRET = "# Key\n\nThe key is sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH\n"


class Shell:
    """Runs the program in a project with directories of its own."""

    def __init__(self, home: Path) -> None:
        self.project, self.state, self.config = home / "project", home / "state", home / "config"
        for folder in (self.project, self.config):
            folder.mkdir()
        self.environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "PYTHONWARNINGS": "error",
            "HOME": str(home),
            "CAUDRA_STATE_DIR": str(self.state),
            "CAUDRA_CONFIG_DIR": str(self.config),
        }

    def configure(self, text: str) -> None:
        (self.config / "config.toml").write_text(text, encoding="utf-8")

    def start(self, *words: str, **more: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "acp_server", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.project,
            env={**self.environment, **more},
        )

    def run(self, *words: str, said: bytes = b"", **more: str) -> tuple[int, str, str]:
        process = self.start(*words, **more)
        out, errors = process.communicate(said, timeout=60)
        return process.returncode, out.decode(), errors.decode()

    def events(self, *words: str, said: bytes = b"", code: int = Exit.OK) -> list[Any]:
        ended, out, errors = self.run("--print", "--json", *words, said=said)
        assert ended == code, (out, errors)
        return [json.loads(line) for line in out.splitlines()]

    def notes(self) -> list[str]:
        with Memory.open(self.project, state_dir=self.state) as memory:
            return sorted(row.name for row in memory.log())

    def ledger(self) -> list[tuple[object, ...]]:
        with contextlib.closing(sqlite3.connect(self.state / "acp-agent.db")) as db:
            return db.execute("SELECT purpose, outcome, input, cached, output, micro_dollars FROM request").fetchall()


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@contextlib.contextmanager
def serving(shell: Shell, *chat: Reply, more: str = "", prices: str = PRICES) -> Iterator[ModelServer]:
    """A server for the chat, and the configuration that leads to it."""
    with ModelServer(list(chat)) as server:
        shell.configure(server.config(more, prices))
        yield server


# What it prints


def test_the_answer_alone_is_on_standard_output_and_ends_with_a_newline(shell: Shell) -> None:
    with serving(shell, says("It is ", "done.")) as server:
        assert shell.run("-p", "do it") == (Exit.OK, "It is done.\n", "")
    assert server.bodies("chat")[0]["messages"][-1] == {"role": "user", "content": "do it"}
    assert server.bodies("title") == server.bodies("memory") == []


@pytest.mark.parametrize(
    "words",
    [
        ("-p", "do", "it"),
        ("--print=do it",),
        ("-m", "lab/large", "-p", "do it"),
        ("-p", "--model", "large", "do it"),
    ],
)
def test_options_stand_in_any_order_around_the_words(shell: Shell, words: tuple[str, ...]) -> None:
    with serving(shell, says("Done.")) as server:
        assert shell.run(*words)[:2] == (Exit.OK, "Done.\n")
    assert server.bodies("chat")[0]["messages"][-1]["content"] == "do it"


def test_without_words_all_of_standard_input_is_the_prompt(shell: Shell) -> None:
    with serving(shell, says("Done.")) as server:
        assert shell.run("-p", said="Zeile eins\nZeile zwei: ß\n".encode())[0] == Exit.OK
    assert server.bodies("chat")[0]["messages"][-1]["content"] == "Zeile eins\nZeile zwei: ß"


def test_with_words_standard_input_is_never_read(shell: Shell) -> None:
    with serving(shell, says("Done.")):
        process = shell.start("-p", "do it")
        assert process.stdout is not None and process.stdin is not None and process.stderr is not None
        assert process.stdout.read() == b"Done.\n"  # its input is still open
        assert process.wait(60) == Exit.OK
        process.communicate()


def test_text_comes_as_the_model_says_it(shell: Shell) -> None:
    with serving(shell, says("first ", "words", gate=True)) as server:
        process = shell.start("-p", "do it")
        assert process.stdout is not None
        assert os.read(process.stdout.fileno(), 6) == b"first "
        assert process.poll() is None
        server.gate.set()
        assert process.communicate(timeout=60)[0].endswith(b"words\n")


def test_messages_of_one_run_are_parted_by_an_empty_line(shell: Shell) -> None:
    look = Reply(({"content": "Let me look."}, *calls({"command": "view"}).deltas), "tool_calls")
    with serving(shell, look, says("Nothing is there.")):
        assert shell.run("-p", "look")[1] == "Let me look.\n\nNothing is there.\n"


def test_without_a_model_the_embedded_one_answers_and_one_line_says_so(shell: Shell) -> None:
    code, out, errors = shell.run("-p", "what do you know about retries?")
    assert code == Exit.OK and out
    assert errors.count("\n") == 1 and "No model is set up" in errors


def test_the_embedded_one_keeps_what_is_meant_for_models_to_itself(shell: Shell) -> None:
    _, out, _ = shell.run("--print", "remember that apples are red")
    assert "nothing was changed." in out and "retry" not in out


def test_events_are_json_one_a_line(shell: Shell) -> None:
    with serving(shell, calls({"command": "view"}), says("Seen.")):
        start, *between, end = shell.events("look")
    assert (start["type"], start["version"], start["model"]) == ("start", 1, "lab/large")
    assert start["project"] == str(shell.project)
    kinds = [each["update"]["sessionUpdate"] if each["type"] == "update" else each["type"] for each in between]
    assert [kind for kind in kinds if kind != "tool_call_update"] == [
        "tool_call",
        "usage",
        "agent_message_chunk",
        "usage",
        "session_info_update",
    ]
    assert {"type": "usage", "used": 1020, "size": 100_000, "cost": 0.00168} in between
    assert end == {"type": "end", "stop_reason": "end_turn", "error": None, "refused": [], "exit": 0}


# What it may do


def test_a_note_is_not_written_where_no_rule_allows_it_and_everybody_is_told(shell: Shell) -> None:
    with serving(shell, writes("kept.md"), says("I could not.")) as server:
        code, out, errors = shell.run("-p", "keep it")
    assert (code, out) == (Exit.REFUSED, "I could not.\n")
    assert errors == (
        "Not allowed, so nothing was changed: memory.write. Add --allow memory.write, or [[permissions]] to the "
        "configuration.\n"
    )
    result = server.bodies("chat")[1]["messages"][-1]
    assert result["role"] == "tool"
    assert "Nobody can be asked in this run, and no rule of this project allows memory.write" in result["content"]
    assert shell.notes() == []


def test_allow_lets_the_model_write(shell: Shell) -> None:
    with serving(shell, writes("kept.md"), says("Kept.")):
        assert shell.run("-p", "--allow", "memory.write", "keep it") == (Exit.OK, "Kept.\n", "")
    assert shell.notes() == ["kept.md"]


@pytest.mark.parametrize(("project", "code"), [(None, Exit.OK), ("here", Exit.OK), ("/elsewhere", Exit.REFUSED)])
def test_a_stored_rule_holds_for_its_project(shell: Shell, project: str | None, code: Exit) -> None:
    place = "" if project is None else f'project = "{shell.project if project == "here" else project}"\n'
    with serving(shell, writes("kept.md"), says("Done."), more=f'[[permissions]]\nallow = ["memory.write"]\n{place}'):
        assert shell.run("-p", "keep it")[0] == code
    assert shell.notes() == (["kept.md"] if code == Exit.OK else [])


def test_no_rule_covers_what_looks_like_a_secret(shell: Shell) -> None:
    with serving(shell, writes("key.md", SECRET), says("I could not.")) as server:
        code, _, errors = shell.run("-p", "--allow", "memory.write", "keep it")
    assert (code, errors) == (
        Exit.REFUSED,
        "A change was refused that only a person can allow; nothing was changed.\n",
    )
    assert "only a person could allow it" in server.bodies("chat")[1]["messages"][-1]["content"]
    assert shell.notes() == []


def test_a_rule_for_writing_deletes_nothing(shell: Shell) -> None:
    with Memory.open(shell.project, state_dir=shell.state) as memory:
        memory.write("kept.md", "# Kept\n")
    with serving(shell, calls({"command": "delete", "path": "kept.md"}), says("No.")):
        events = shell.events("--allow", "memory.write", "delete it", code=Exit.REFUSED)
    assert events[-1]["refused"] == ["memory.delete"]
    assert shell.notes() == ["kept.md"]


def test_a_command_that_the_agent_runs_gets_no_rules(shell: Shell) -> None:
    with serving(shell, writes("kept.md"), says("No."), more='[[permissions]]\nallow = ["memory.write"]\n'):
        assert shell.run("-p", "--allow", "memory.write", "keep it", CAUDRA_AGENT="1")[0] == Exit.REFUSED
        code, out, _ = shell.run("-p", "keep it", CAUDRA_AGENT="1")
    assert (code, out) == (Exit.WRONG, "No.\n")
    assert shell.notes() == []


def test_a_change_that_came_to_nothing_is_no_success(shell: Shell) -> None:
    with serving(shell, writes("../up.md"), says("No."), says("Just words.")):
        assert shell.run("-p", "--allow", "memory.write", "keep it")[:2] == (Exit.WRONG, "No.\n")
        assert shell.run("-p", "say it")[0] == Exit.OK


def test_the_view_is_read_and_summaries_are_left_alone(shell: Shell) -> None:
    with Memory.open(shell.project, state_dir=shell.state) as memory:
        for number in range(3):
            memory.write(f"n{number}.md", f"# Deploy {number}\n\n" + "The key rotates on Mondays. " * 40)
    with serving(shell, says("Seen.")) as server:
        assert shell.run("-p", "look")[0] == Exit.OK
    assert "(not summarized yet) note n2.md: Deploy 2" in server.bodies("chat")[0]["messages"][0]["content"]
    with Memory.open(shell.project, state_dir=shell.state) as memory:
        assert len(memory.pending_lines()) == 3


def test_no_session_is_kept_and_what_it_cost_is_in_the_ledger(shell: Shell) -> None:
    with serving(shell, says("Done.")):
        assert shell.run("-p", "do it")[0] == Exit.OK
    assert list(shell.state.glob("projects/*/sessions/*")) == []
    assert shell.ledger() == [("chat", "answered", 1000, 600, 20, 1680)]


# What may be wrong


@pytest.mark.parametrize(
    ("words", "said", "says_"),
    [
        (("-p",), b"", "There is no prompt"),
        (("-p", "  "), b"", "There is no prompt"),
        (("-p",), b"\xff\xfe", "not UTF-8"),
        (("-p", "--nope", "x"), b"", "unrecognized arguments: --nope"),
        (("-p", "--allow", "everything", "x"), b"", "invalid choice: 'everything'"),
        (("-p", "x", "--project", "/not/there"), b"", "/not/there is not a directory"),
    ],
)
def test_bad_usage_is_said_on_standard_error(shell: Shell, words: tuple[str, ...], said: bytes, says_: str) -> None:
    code, out, errors = shell.run(*words, said=said)
    assert (code, out) == (Exit.USAGE, "")
    assert says_ in errors


def test_a_model_that_can_not_be_asked_is_said(shell: Shell) -> None:
    code, out, errors = shell.run("-p", "-m", "anthropic/claude", "do it")
    assert (code, out) == (Exit.MODEL_FAILED, "")
    assert "ANTHROPIC_API_KEY" in errors


def test_a_model_that_was_bound_and_is_none_is_not_replaced_by_another(shell: Shell) -> None:
    code, out, errors = shell.run("-p", "do it", CAUDRA_MODEL="lab/large")
    assert (code, out) == (Exit.MODEL_FAILED, "")
    assert errors.count("\n") == 1 and "There is no provider lab" in errors


def test_why_the_configuration_of_a_bound_model_is_not_there_is_said_too(shell: Shell) -> None:
    shell.configure("[models.large\n")
    code, out, errors = shell.run("-p", "do it", CAUDRA_MODEL="large")
    assert (code, out) == (Exit.MODEL_FAILED, "")
    configuration, reason = errors.splitlines()
    assert "config.toml can't be read" in configuration and "provider/model" in reason


def test_a_fault_of_the_server_keeps_what_was_said_and_is_one_sentence(shell: Shell) -> None:
    with serving(shell, calls({"command": "view"}), Reply(status=401)):
        code, out, errors = shell.run("-p", "do it")
    assert (code, out) == (Exit.MODEL_FAILED, "")
    assert errors.count("\n") == 1 and "lab" in errors
    assert [row[:2] for row in shell.ledger()] == [("chat", "answered"), ("chat", "failed")]


def test_a_wait_is_told_on_standard_error_and_the_answer_comes_after_it(shell: Shell) -> None:
    with serving(shell, Reply(status=529), says("Done.")):
        code, out, errors = shell.run("-p", "do it")
    assert (code, out) == (Exit.OK, "Done.\n")
    assert errors.count("\n") == 1 and "again" in errors


def test_an_answer_that_was_cut_is_said_and_is_no_success(shell: Shell) -> None:
    with serving(shell, says("half of", stop="length")):
        code, out, errors = shell.run("-p", "do it")
    assert (code, out) == (Exit.WRONG, "half of\n")
    assert errors.count("\n") == 1


def test_an_answer_without_a_word_is_said_and_is_no_success(shell: Shell) -> None:
    with serving(shell, says()):
        code, out, errors = shell.run("-p", "do it")
    assert (code, out) == (Exit.WRONG, "")
    assert errors.count("\n") == 1 and "no answer" in errors


@pytest.mark.skipif(sys.platform == "win32", reason="a shell closes the input")
def test_a_standard_input_that_is_closed_is_no_prompt(shell: Shell) -> None:
    command = f'exec "{sys.executable}" -m acp_server --print <&-'
    done = subprocess.run(["sh", "-c", command], cwd=shell.project, env=shell.environment, capture_output=True)
    assert (done.returncode, done.stdout) == (Exit.USAGE, b"")
    assert b"There is no prompt" in done.stderr


def test_a_reader_that_leaves_ends_the_run_quietly(shell: Shell) -> None:
    with serving(shell, says("first ", *["more "] * 2000, gate=True)) as server:
        process = shell.start("-p", "do it")
        assert process.stdout is not None and process.stderr is not None and process.stdin is not None
        os.read(process.stdout.fileno(), 6)
        process.stdout.close()
        server.gate.set()
        assert process.wait(60) == Exit.OK
        assert process.stderr.read() == b""
        process.stderr.close()
        process.stdin.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_at_once_and_the_request_is_in_the_ledger(shell: Shell, number: signal.Signals) -> None:
    with serving(shell, says("first ", gate=True)) as server:
        process = shell.start("-p", "do it")
        assert server.reached.wait(30)
        assert process.stdout is not None
        os.read(process.stdout.fileno(), 6)
        process.send_signal(number)
        out, errors = process.communicate(timeout=60)
    assert (process.returncode, out, errors) == (Exit.INTERRUPTED, b"\n", b"")
    assert shell.ledger() == [("chat", "cancelled", None, None, None, None)]


@pytest.mark.skipif(sys.platform == "win32", reason="a shell ignores the signals")
def test_a_signal_that_its_caller_ignores_ends_nothing(shell: Shell) -> None:
    command = ["sh", "-c", 'trap "" INT HUP; exec "$@"', "sh", sys.executable, "-P", "-m", "acp_server", "-p", "do it"]
    with (
        serving(shell, says("first ", "words", gate=True)) as server,
        subprocess.Popen(command, cwd=shell.project, env=shell.environment, stdout=subprocess.PIPE) as process,
    ):
        assert server.reached.wait(30)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGHUP)
        server.gate.set()
        assert process.communicate(timeout=60)[0] == b"first words\n"
    assert process.returncode == Exit.OK


# A memory that can't be used


def test_a_locked_memory_is_one_warning(shell: Shell) -> None:
    Memory.open(shell.project, state_dir=shell.state).close()
    with contextlib.closing(sqlite3.connect(shell.state / "acp-state.db", isolation_level=None)) as db:
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        db.execute("BEGIN EXCLUSIVE")
        with serving(shell, says("Done.")):
            code, out, errors = shell.run("-p", "do it")
        db.execute("ROLLBACK")
    assert (code, out) == (Exit.OK, "Done.\n")
    assert errors.count("\n") == 1 and "This session has no memory for now." in errors


def test_a_damaged_memory_is_set_aside_with_one_warning(shell: Shell) -> None:
    Memory.open(shell.project, state_dir=shell.state).close()
    (shell.state / "acp-state.db").write_bytes(b"SQLite format 3\0" + b"rubbish " * 4000)
    with serving(shell, says("Done.")):
        code, out, errors = shell.run("-p", "do it")
    assert (code, out) == (Exit.OK, "Done.\n")
    assert errors.count("\n") == 1, errors


@pytest.mark.parametrize("what", ["a file where the state belongs", "another program's database"])
def test_a_state_that_can_not_be_used_is_one_warning(shell: Shell, what: str) -> None:
    if what.startswith("a file"):
        shell.state.write_text("not a directory", encoding="utf-8")
    else:
        shell.state.mkdir()
        with contextlib.closing(sqlite3.connect(shell.state / "acp-state.db")) as db:
            db.execute("PRAGMA application_id = 5")
            db.execute("CREATE TABLE theirs (x)")
    with serving(shell, says("Done.")):
        code, out, errors = shell.run("-p", "do it")
    assert (code, out) == (Exit.OK, "Done.\n")
    memory, *ledger = errors.splitlines()
    assert memory.startswith("This session has no memory for now.")
    assert [line[:31] for line in ledger] == (["The cost of some requests could"] if what.startswith("a file") else [])


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() == 0, reason="root writes everywhere")
def test_a_read_only_state_is_one_warning(shell: Shell) -> None:
    Memory.open(shell.project, state_dir=shell.state).close()
    shell.state.chmod(0o500)
    try:
        with serving(shell, says("Done.")):
            code, out, _ = shell.run("-p", "do it")
    finally:
        shell.state.chmod(0o700)
    assert (code, out) == (Exit.OK, "Done.\n")


def test_a_locked_ledger_is_no_matter(shell: Shell) -> None:
    with serving(shell, says("Done.")):
        assert shell.run("-p", "do it")[0] == Exit.OK
        with contextlib.closing(sqlite3.connect(shell.state / "acp-agent.db", isolation_level=None)) as db:
            db.execute("BEGIN EXCLUSIVE")
            code, out, errors = shell.run("-p", "do it")
            db.execute("ROLLBACK")
    assert (code, out) == (Exit.OK, "Done.\n")
    assert errors.count("\n") == 1 and errors.startswith("The cost of some requests could not be entered in the ledger")
