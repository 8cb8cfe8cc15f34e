"""How an agent ends: by the end of its input, by a client that is gone, by a signal; and that nothing is
left.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from harness import DEADLINE_SECONDS, DOORS, ROOT, AgentProcess, process_environment, texts, wait_gone

from acp_server.sentences.wire import BROKEN_INSTALLATION

STAGES = ("nothing", "initialized", "session", "prompted", "in a turn", "with a child", "asking")


def bring_to(agent: AgentProcess, stage: str) -> list[int]:
    """Bring an agent to a stage; the processes that it started there."""
    if stage == "nothing":
        return []
    agent.initialize()
    if stage == "initialized":
        return []
    session = agent.new_session()
    if stage == "prompted":
        agent.prompt(session, "say x")
    elif stage == "in a turn":
        agent.start_prompt(session, "sleep")
        agent.text_until("asleep")
    elif stage == "with a child":
        return start_child(agent, session, "child")
    elif stage == "asking":
        agent.start_prompt(session, "ask")
        agent.asked("session/request_permission")
    return []


def start_child(agent: AgentProcess, session: str, how: str) -> list[int]:
    agent.start_prompt(session, how)
    return [int(pid) for pid in re.findall(r"\d+", agent.text_until("\n"))]


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("end", ["input", "output", "SIGTERM", "SIGINT", "SIGHUP"])
def test_16_20_the_end_leaves_no_process_behind(agent: AgentProcess, stage: str, end: str) -> None:
    """Row A11 too: the client closed its pipes or asked by a signal; the exit code is 0 at each stage."""
    pids = bring_to(agent, stage)
    if stage == "nothing" and end.startswith("SIG"):
        agent.initialize()  # it listens to signals from its first answer on at the latest
    if end == "input":
        agent.close_input()
    elif end == "output":
        agent.close_output()
    else:
        agent.signal(getattr(signal, end))
    assert agent.wait() == 0
    assert all(wait_gone(pid) for pid in pids)
    assert "Traceback" not in agent.log()


@pytest.mark.parametrize("how", ["child", "orphan"])
def test_a_cancel_ends_the_processes_of_the_turn(agent: AgentProcess, how: str) -> None:
    session = agent.new_session()
    pids = start_child(agent, session, how)
    agent.cancel(session)
    agent.until(lambda message: message.get("result") == {"stopReason": "cancelled"})
    assert all(wait_gone(pid, 0) for pid in pids)


def test_an_agent_that_is_killed_leaves_no_process_behind(agent: AgentProcess) -> None:
    """Zed ends an agent with SIGKILL: the watcher sees it."""
    pids = start_child(agent, agent.new_session(), "child")
    agent.signal(signal.SIGKILL)
    assert all(wait_gone(pid) for pid in pids)


@pytest.mark.parametrize("end", ["input", "SIGTERM"])
def test_the_end_answers_a_running_prompt_cancelled(agent: AgentProcess, end: str) -> None:
    session = agent.new_session()
    prompts = [agent.start_prompt(session, "sleep"), agent.start_prompt(session, "say x")]
    agent.text_until("asleep")
    if end == "input":
        agent.close_input()
    else:
        agent.signal(signal.SIGTERM)
    answers = [message for message in agent.rest() if "id" in message]
    assert [(answer["id"], answer["result"]["stopReason"]) for answer in answers] == [
        (prompt, "cancelled") for prompt in prompts
    ]


@pytest.mark.parametrize("end", ["output", "SIGTERM", "SIGINT", "SIGHUP"])
def test_20_a_turn_that_never_gives_way_does_not_outlive_the_end(agent: AgentProcess, end: str) -> None:
    """The loop hears nothing any more: the signal's handler and the reader's thread set the watchdog themselves."""
    agent.start_prompt(agent.new_session(), "spin")
    agent.text_until("spinning")
    if end == "output":
        agent.close_output()
    else:
        agent.signal(getattr(signal, end))
    assert agent.wait(5) == 0


@pytest.mark.parametrize("prompt", ["big 3000000", "stream 40000"])
def test_17_a_client_that_reads_nothing_and_then_leaves_leaves_no_agent(agent: AgentProcess, prompt: str) -> None:
    session = agent.new_session()
    agent.prompt(session, "say x")
    agent.start_prompt(session, prompt)
    agent.read()
    agent.close_input()
    agent.close_output()
    assert agent.wait(5) == 0


def test_a_client_that_only_stops_writing_and_reading_leaves_no_agent(agent: AgentProcess) -> None:
    """Its output stays open and full: the watchdog ends what hangs in a write."""
    session = agent.new_session()
    agent.start_prompt(session, "stream 100000")
    agent.read()
    agent.close_input()
    assert agent.wait(5) == 0


def test_first_answers_that_nobody_reads_do_not_hang_the_agent(agent: AgentProcess) -> None:
    garbage = b"[]\n" * 20_000
    os.set_blocking(agent.process.stdin.fileno(), False)  # type: ignore[union-attr]
    while agent.process.stdin.write(garbage):  # type: ignore[union-attr]
        pass
    agent.close_input()
    assert agent.wait(5) == 0


def test_a_client_that_reads_late_gets_everything(agent: AgentProcess) -> None:
    session = agent.new_session()
    prompt = agent.start_prompt(session, "stream 30000")
    agent.read()
    ids = [agent.request("session/close", {"sessionId": "who"}) for _ in range(3)]
    assert agent.answer(prompt)["result"] == {"stopReason": "end_turn"}
    agent.answer(agent.request("session/close", {"sessionId": "who"}))
    assert {message.get("id") for message in agent.seen} >= set(ids)
    assert texts(agent.seen).count(" ") == 30_000


def test_a_cancel_passes_while_the_client_is_behind(agent: AgentProcess) -> None:
    session = agent.new_session()
    agent.prompt(session, "say x")
    prompt = agent.start_prompt(session, "stream 1000000")
    agent.cancel(session)
    assert agent.answer(prompt)["result"] == {"stopReason": "cancelled"}


def test_an_editor_that_dies_takes_its_agent_along(tmp_path: Path) -> None:
    """The editor is killed; the pipes close with it."""
    program = (
        "import subprocess, sys, time\n"
        "agent = subprocess.Popen([sys.executable, '-m', 'acp_server'], stdin=-1, stdout=-1)\n"
        "print(agent.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], env=process_environment(tmp_path), stdout=subprocess.PIPE
    ) as editor:
        assert editor.stdout is not None
        agent = int(editor.stdout.readline())
        editor.kill()
        assert wait_gone(agent, DEADLINE_SECONDS)


@pytest.mark.parametrize(("redirection", "code"), [("< /dev/null", 0), ("<&-", 0), (">&-", 0), ("2>&- < /dev/null", 0)])
def test_input_that_is_empty_or_closed_is_the_end(tmp_path: Path, redirection: str, code: int) -> None:
    command = f"exec {sys.executable} -m acp_server {redirection}"
    ended = subprocess.run(
        ["sh", "-c", command],
        env=process_environment(tmp_path),
        stdin=subprocess.PIPE,
        capture_output=True,
        timeout=DEADLINE_SECONDS,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (code, b"")


def test_input_and_output_may_be_files(tmp_path: Path) -> None:
    asked, answered = tmp_path / "in", tmp_path / "out"
    asked.write_bytes(b'{"id":1,"method":"initialize","params":{"protocolVersion":1}}\n')
    with asked.open("rb") as source, answered.open("wb") as target:
        command = [sys.executable, "-m", "acp_server"]
        environ = process_environment(tmp_path)
        ended = subprocess.run(command, env=environ, stdin=source, stdout=target, timeout=DEADLINE_SECONDS, check=False)
    assert ended.returncode == 0
    assert b'"protocolVersion":1' in answered.read_bytes()


def test_pipes_that_somebody_made_non_blocking_lose_nothing(tmp_path: Path) -> None:
    """What a shell, a multiplexer or a sibling does to a descriptor that it shares with the agent."""
    (from_us, to_agent), (from_agent, to_us) = os.pipe(), os.pipe()
    for shared in (from_us, to_us):
        os.set_blocking(shared, False)
    doors = {"CAUDRA_TEST_DOORS": str(DOORS / "wire_runner.py")}
    command, environ = [sys.executable, "-m", "acp_server"], process_environment(tmp_path, doors)
    with subprocess.Popen(command, env=environ, stdin=from_us, stdout=to_us) as process:
        for shared in (from_us, to_us):
            os.close(shared)
        os.write(to_agent, b'{"id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}\n')
        prompt = b'{"sessionId":"session-1","prompt":[{"type":"text","text":"big 3000000"}]}'
        os.write(to_agent, b'{"id":2,"method":"session/prompt","params":' + prompt + b"}\n")
        with open(from_agent, "rb") as answers:
            lines = [answers.readline() for _ in range(4)]
            os.close(to_agent)
        assert process.wait(DEADLINE_SECONDS) == 0
    assert len(lines[2]) > 3_000_000
    assert b"end_turn" in lines[3]


@pytest.mark.parametrize("part", ["acp_server.transport", "memory_core.memory"])
def test_an_agent_that_lacks_a_part_says_so_and_ends_with_one(tmp_path: Path, part: str) -> None:
    for package in ("acp_server", "memory_core"):
        shutil.copytree(ROOT / package, tmp_path / "code" / package, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "code" / f"{part.replace('.', '/')}.py").unlink()
    with AgentProcess(tmp_path, doors=None, env={"PYTHONPATH": str(tmp_path / "code")}) as agent:
        agent.initialize()
        agent.new_session()
        assert agent.process.wait(DEADLINE_SECONDS) == 1
        assert agent.errors.read_text(encoding="utf-8") == f"{BROKEN_INSTALLATION} (No module named '{part}')\n"
