"""The chat against a scripted agent: real processes, a pipe and a pseudo-terminal."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_server.exits import Exit
from acp_server.sentences import chat as say

DRIVER = str(Path(__file__).with_name("chat_driver.py"))
ROOT = str(Path(__file__).resolve().parents[2])


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": ROOT, "NO_COLOR": "1"}


def piped(scene: str, project: Path, *rules: str, said: bytes = b"hello\n") -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, DRIVER, scene, str(project), *rules],
        input=said,
        capture_output=True,
        env=environment(),
        timeout=60,
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def test_streamed_text_is_shown_with_its_links_readable_and_its_escapes_harmless(tmp_path: Path) -> None:
    done = piped("answers", tmp_path)
    assert done.stdout == "It is in deploy-key.md (/notes/deploy-key.md:3), I think.␛[2J\n"
    assert (done.returncode, done.stderr) == (Exit.OK, "")


def test_a_pipe_refuses_what_needs_a_person_and_says_how_to_allow_it(tmp_path: Path) -> None:
    done = piped("remembers", tmp_path)
    assert done.returncode == Exit.REFUSED
    assert '"optionId": "o-reject_once"' in done.stdout
    assert f"{say.NOT_ALLOWED} {say.allow_hint('memory.write')}" in done.stdout


def test_a_rule_of_the_command_line_allows_once_and_the_card_is_drawn_whole_but_once(tmp_path: Path) -> None:
    done = piped("remembers", tmp_path, "memory.write")
    assert done.returncode == Exit.OK
    assert done.stdout.splitlines() == [
        "○ Remember deploy-key.md",
        "  /notes/deploy-key.md",
        "  +# Deploy key",
        say.allowed("memory.write"),
        "",
        '{"outcome": {"outcome": "selected", "optionId": "o-allow_once"}}',
        "",
        "  entry 0",
    ]


def test_no_rule_covers_what_the_agent_would_not_let_a_person_allow_for_good(tmp_path: Path) -> None:
    done = piped("remembers_secret", tmp_path, "memory.write")
    assert done.returncode == Exit.REFUSED
    assert '"optionId": "o-reject_once"' in done.stdout


def test_another_rule_does_not_cover_a_write(tmp_path: Path) -> None:
    assert piped("remembers", tmp_path, "memory.delete").returncode == Exit.REFUSED


def test_a_crash_of_the_agent_is_one_sentence_with_its_last_words(tmp_path: Path) -> None:
    done = piped("crashes", tmp_path)
    assert done.returncode == Exit.AGENT_GONE
    assert done.stdout == "I am about to\n"
    assert done.stderr == "The agent ended unexpectedly with exit code 3: Boom: the disk is gone.\n"


def test_a_line_that_is_not_the_protocol_ends_the_chat(tmp_path: Path) -> None:
    done = piped("babbles", tmp_path)
    assert (done.returncode, done.stderr) == (Exit.AGENT_GONE, say.NOT_A_PROTOCOL + "\n")


def test_an_error_of_the_agent_is_said_in_its_own_sentence(tmp_path: Path) -> None:
    done = piped("fails", tmp_path)
    assert (done.returncode, done.stderr) == (
        Exit.AGENT_GONE,
        say.agent_error("The model can't be reached.") + "\n",
    )


def test_requests_that_a_terminal_can_not_serve_are_declined(tmp_path: Path) -> None:
    assert '"code": -32601' in piped("asks_for_files", tmp_path).stdout


@pytest.mark.parametrize(
    ("said", "sentence"), [(b"", say.NOTHING_SAID), (b" \n\n", say.NOTHING_SAID), (b"caf\xe9", say.NOT_UTF8)]
)
def test_a_pipe_without_text_asks_nothing(tmp_path: Path, said: bytes, sentence: str) -> None:
    done = piped("answers", tmp_path, said=said)
    assert (done.returncode, done.stdout, done.stderr) == (Exit.USAGE, "", sentence + "\n")


def test_a_project_that_is_no_directory_is_refused(tmp_path: Path) -> None:
    done = piped("answers", tmp_path / "nowhere")
    assert done.returncode == Exit.USAGE
    assert str(tmp_path / "nowhere") in done.stderr


class Terminal:
    """A chat at a pseudo-terminal: `until` reads what is shown, `type` presses keys."""

    def __init__(self, scene: str, project: Path) -> None:
        self._master, slave = pty.openpty()
        self.chat = subprocess.Popen(
            [sys.executable, DRIVER, scene, str(project)],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**environment(), "TERM": "dumb"},
            start_new_session=True,
        )
        os.close(slave)
        self.shown = ""

    def until(self, text: str) -> str:
        """Read until `text` is shown; everything up to it."""
        while text not in self.shown:
            self.shown += os.read(self._master, 65536).decode("utf-8", "replace")
        before, self.shown = self.shown.split(text, 1)
        return before

    def type(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def at_question(self) -> None:
        """Ask for what needs an answer, up to where the answer is typed."""
        self.until(say.PROMPT)
        self.type("remember it\n")
        self.until(say.QUESTION)
        self.until(say.PROMPT)

    def interrupt(self) -> None:
        """Press Ctrl-C until it shows: `input` misses one between its prompt and its waiting."""
        os.kill(self.chat.pid, signal.SIGINT)
        while not select.select([self._master], [], [], 5)[0]:
            os.kill(self.chat.pid, signal.SIGINT)

    def end(self) -> int:
        self.type("\x04")
        return self.chat.wait(30)

    def close(self) -> None:
        os.close(self._master)
        if self.chat.poll() is None:
            self.chat.kill()
            self.chat.wait()


@pytest.fixture
def terminal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Terminal]:
    at = Terminal(request.param, tmp_path)
    yield at
    at.close()


@pytest.mark.parametrize("terminal", ["remembers"], indirect=True)
@pytest.mark.parametrize(
    ("key", "option"),
    [
        ("a", "allow_once"),
        ("A", "allow_always"),
        ("r", "reject_once"),
        ("x\nr", "reject_once"),
        ("y", "allow_once"),
        ("Yes", "allow_once"),
        ("N", "reject_once"),
    ],
)
def test_a_person_decides_with_a_key(terminal: Terminal, key: str, option: str) -> None:
    terminal.until(say.PROMPT)
    terminal.type("remember it\n")
    asked = terminal.until(say.QUESTION)
    assert "+# Deploy key" in asked
    terminal.type(key + "\n")
    terminal.until(f'"optionId": "o-{option}"')
    terminal.until(say.PROMPT)
    assert terminal.end() == Exit.OK


@pytest.mark.parametrize("terminal", ["remembers"], indirect=True)
def test_what_answers_no_question_names_the_keys_again(terminal: Terminal) -> None:
    terminal.until(say.PROMPT)
    terminal.type("remember it\n")
    terminal.until(say.QUESTION)
    terminal.type("what for?\n")
    terminal.until(say.not_a_key("a, A, r"))
    terminal.type("r\n")
    terminal.until('"optionId": "o-reject_once"')


@pytest.mark.parametrize("terminal", ["remembers"], indirect=True)
def test_what_is_typed_before_a_question_is_seen_answers_nothing(terminal: Terminal) -> None:
    terminal.until(say.PROMPT)
    terminal.type("remember it\na\n")
    terminal.until(say.QUESTION)
    terminal.until(say.PROMPT)
    terminal.type("r\n")
    assert "o-allow_once" not in terminal.until('"optionId": "o-reject_once"')


@pytest.mark.parametrize("terminal", ["waits"], indirect=True)
def test_ctrl_c_stops_the_turn_and_the_chat_goes_on(terminal: Terminal) -> None:
    terminal.until(say.PROMPT)
    terminal.type("work\n")
    terminal.until("working")
    terminal.interrupt()
    terminal.until(say.CANCELLED)
    terminal.until(say.PROMPT)
    assert terminal.end() == Exit.OK


@pytest.mark.parametrize("terminal", ["remembers"], indirect=True)
def test_ctrl_c_at_a_question_answers_it_as_cancelled(terminal: Terminal) -> None:
    terminal.at_question()
    terminal.interrupt()
    terminal.until('"outcome": "cancelled"')
    terminal.until(say.PROMPT)
    assert terminal.end() == Exit.OK


@pytest.mark.parametrize("terminal", ["remembers"], indirect=True)
def test_ctrl_d_at_a_question_says_no_and_ends_the_chat_after_the_answer(terminal: Terminal) -> None:
    terminal.at_question()
    terminal.type("\x04")
    terminal.until('"optionId": "o-reject_once"')
    assert terminal.chat.wait(30) == Exit.OK


@pytest.mark.parametrize("terminal", ["remembers_twice"], indirect=True)
def test_who_left_at_a_question_is_asked_no_other(terminal: Terminal) -> None:
    terminal.at_question()
    terminal.type("\x04")
    terminal.until('"optionId": "o-reject_once"')
    assert say.QUESTION not in terminal.until('"optionId": "o-reject_once"')
    assert terminal.chat.wait(30) == Exit.OK


@pytest.mark.parametrize("terminal", ["answers"], indirect=True)
def test_a_dumb_terminal_is_sent_no_escape_sequence(terminal: Terminal) -> None:
    shown = terminal.until(say.PROMPT)
    terminal.type("hello\n")
    shown += terminal.until("I think.") + terminal.until(say.PROMPT)
    assert terminal.end() == Exit.OK
    assert "\x1b" not in shown


@pytest.mark.parametrize("terminal", ["answers"], indirect=True)
def test_ctrl_c_at_an_empty_prompt_only_begins_a_new_line(terminal: Terminal) -> None:
    terminal.until(say.PROMPT)
    terminal.interrupt()
    terminal.until(say.PROMPT)
    terminal.type("hello\n")
    terminal.until("I think.")
    terminal.until(say.PROMPT)
    assert terminal.end() == Exit.OK
