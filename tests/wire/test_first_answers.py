"""What the first answers load, and what they don't."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from harness import DEADLINE_SECONDS, ROOT, process_environment

HEAVY = {
    "acp", "aiosqlite", "argparse", "asyncio", "dataclasses", "hashlib", "httpx", "logging", "pathlib",
    "platformdirs", "pydantic", "sqlite3", "ssl", "subprocess", "threading", "tomllib", "typing", "uuid",
    "watchfiles",
}  # fmt: skip
PROGRAM = """
import json, os, sys
from acp_server import fastpath
def report(wake):
    os.write(2, json.dumps(sorted(sys.modules)).encode())
    os._exit(0)
fastpath.serve(report)
"""
LINES = (
    b'{"id":1,"method":"initialize","params":{"protocolVersion":1}}\n'
    b"[]\n"
    b'{"id":2,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}\n'
)


def modules_after_the_first_answers(
    tmp_path: Path, env: dict[str, str | None] | None = None
) -> tuple[set[str], list[dict[str, object]]]:
    """The modules of a fresh process at the moment when it would begin to import the rest."""
    # -S and -I would hide what the environment loads by itself; the difference to an empty program is what counts
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=process_environment(tmp_path, env),
        input=LINES,
        capture_output=True,
        timeout=DEADLINE_SECONDS,
        check=True,
    )
    return set(json.loads(ended.stderr)), [json.loads(line) for line in ended.stdout.splitlines()]


@pytest.mark.parametrize(
    "env",
    [{}, {"CAUDRA_MODEL": None}, {"CAUDRA_MODEL": None, "ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k"}],
    ids=["bound", "without a key", "with keys"],
)
def test_the_first_answers_are_given_on_the_standard_library_alone(tmp_path: Path, env: dict[str, str | None]) -> None:
    loaded, answers = modules_after_the_first_answers(tmp_path, env)
    assert [answer.get("id") for answer in answers] == [1, None, 2, None]
    bare = subprocess.run(
        [sys.executable, "-c", "import json, sys; print(json.dumps(sorted(sys.modules)))"],
        env=process_environment(tmp_path),
        capture_output=True,
        check=True,
    )
    assert loaded & HEAVY - set(json.loads(bare.stdout)) == set()
    own = {name for name in loaded if name.startswith(("acp_server", "memory_core"))}
    assert own < {
        "acp_server", "acp_server.__main__", "acp_server.commands", "acp_server.depth", "acp_server.desk",
        "acp_server.fastpath", "acp_server.handover", "acp_server.jsonrpc", "acp_server.lines",
        "acp_server.memory_switch", "acp_server.models", "acp_server.models.catalog", "acp_server.models.credentials",
        "acp_server.models.facts", "acp_server.models.names", "acp_server.models.presets",
        "acp_server.models.servers", "acp_server.models.settings", "acp_server.models.shelf",
        "acp_server.models.urls", "acp_server.models_table", "acp_server.params", "acp_server.places",
        "acp_server.sentences", "acp_server.sentences.commands", "acp_server.sentences.models",
        "acp_server.sentences.quoting", "acp_server.sentences.wire", "acp_server.session", "acp_server.signing_in",
        "acp_server.stdio", "acp_server.store", "acp_server.wire", "acp_server.world", "memory_core",
        "memory_core.paths",
    }  # fmt: skip


def test_the_imports_begin_by_themselves_where_nobody_asks(tmp_path: Path) -> None:
    """300 ms without a byte: the rest is loaded, so that a late first prompt finds it."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        env=process_environment(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        assert b"acp_server.fastpath" in process.stderr.read()


def test_arguments_reach_the_command_line_and_none_reach_the_editor(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "acp_server", "--help"],
        env=process_environment(tmp_path),
        cwd=ROOT,
        capture_output=True,
        timeout=DEADLINE_SECONDS,
        check=True,
    )
    assert b"memory" in ended.stdout
