"""A key goes to its server and nowhere else: every command, with a server that repeats it wherever it can."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from harness import AgentProcess, process_environment

from tests.providers.server import GATE, Reply, Server, answer, error

KEY = "Plain.Words-4711_nothing"
"""No pattern of a provider's keys: it is blanked as what it is, or not at all."""
ECHO = f"What is {KEY}, Bearer {KEY}, http://{KEY}@host/v1?q={KEY}"
REPLIES: dict[str, Reply] = {
    "words": error(400, ECHO),
    "code": error(403, ECHO, KEY),
    "page": answer(404, f"<html>{ECHO}</html>"),
    "status line": [f"HTTP/1.1 422 {KEY}\r\nx-{KEY}: {KEY}\r\ncontent-length: 0\r\n\r\n".encode()],
    "redirect": answer(302, location=f"http://{KEY}:{KEY}@127.0.0.1:1/{KEY}?key={KEY}"),
    "event": answer(200, f"data: {json.dumps({'error': {'message': ECHO, 'code': KEY}})}\n\n"),
    "broken event": answer(200, f"data: {KEY}\n\n"),
}
COMMANDS: dict[str, tuple[str, ...]] = {
    "print": ("--print", "go"),
    "print as JSON": ("--print", "--json", "go"),
    "chat": ("chat",),
    "models": ("models", "--live"),
    "setup": ("setup", "--provider", "openai", "--key-stdin", "--model", "m"),
    "spend": ("storage", "usage", "--json"),
}


def environment(folder: Path, server: Server) -> dict[str, str]:
    """A model of OpenAI's name at the server, and no keyring."""
    key = {"CAUDRA_MODEL": "openai/m", "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{server.url}/v1"}
    (folder / "state" / "home").mkdir(parents=True, exist_ok=True)
    return process_environment(folder / "state", {**key, "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"})


def files_with_the_key(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


@pytest.mark.parametrize("reply", REPLIES)
def test_an_agent_keeps_it_out_of_messages_log_and_files(tmp_path: Path, reply: str) -> None:
    with Server([REPLIES[reply]]) as server:
        with AgentProcess(tmp_path, doors=None, env=environment(tmp_path, server)) as agent:  # type: ignore[arg-type]
            agent.initialize()
            assert "error" in agent.prompt(agent.new_session(), "go")
            agent.close_input()
            agent.rest()
            assert agent.wait() == 0
            assert KEY not in json.dumps(agent.seen)
        assert server.requests[-1].headers["authorization"] == f"Bearer {KEY}"
    assert files_with_the_key(tmp_path) == []


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_keeps_it_out_of_its_output_and_files(tmp_path: Path, command: str) -> None:
    with Server([REPLIES["words"]]) as server:
        done = subprocess.run(
            [sys.executable, "-m", "acp_server", *COMMANDS[command]],
            env=environment(tmp_path, server),
            cwd=tmp_path,
            input=(KEY if command == "setup" else "go").encode(),
            capture_output=True,
            timeout=60,
        )
        assert KEY.encode() not in done.stdout + done.stderr
        assert bool(server.requests) == (command != "spend")
    assert files_with_the_key(tmp_path) == []


@pytest.mark.skipif(sys.platform != "linux", reason="command lines are read from /proc")
def test_no_command_line_holds_it(tmp_path: Path) -> None:
    with Server([[GATE, *error(400, "No.")]]) as server:
        chat = subprocess.Popen(
            [sys.executable, "-m", "acp_server", "chat"],
            env=environment(tmp_path, server),
            cwd=tmp_path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert chat.stdin is not None and chat.stdout is not None
        chat.stdin.write(b"go")
        chat.stdin.close()
        assert server.reached.wait(20)
        lines = [line for path in Path("/proc").glob("[0-9]*/cmdline") if (line := command_line(path))]
        server.gate.set()
        assert chat.stdout.read()
        chat.stdout.close()
        chat.wait(20)
    assert any(b"acp_server" in line for line in lines)
    assert not [line for line in lines if KEY.encode() in line]


def command_line(path: Path) -> bytes:
    """A process's command line, empty where it is gone."""
    try:
        return path.read_bytes()
    except OSError:
        return b""
