"""The protocol's official TypeScript SDK drives the agent."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MUST_RUN = os.environ.get("CAUDRA_CI") == "1"


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the client saw of a session that remembers and searches."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        assert not MUST_RUN, "node and npm must be here"
        pytest.skip("node and npm are not here; the TypeScript SDK needs them")
    home = tmp_path_factory.mktemp("typescript")
    project, state = home / "project", home / "state"
    project.mkdir()
    shutil.copytree(HERE / "ts", home / "client", ignore=shutil.ignore_patterns("node_modules"))
    installed = subprocess.run(
        [npm, "ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"],
        cwd=home / "client",
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    if installed.returncode != 0:
        assert not MUST_RUN, installed.stderr
        pytest.skip("npm could not install the TypeScript SDK: is there a network?")
    done = subprocess.run(
        [node, "client.mjs", str(project), sys.executable, "-P", "-m", "acp_server"],
        cwd=home / "client",
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT), "CAUDRA_STATE_DIR": str(state)},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return {**json.loads(done.stdout), "stderr": done.stderr, "state": state}


def updates(seen: Any, kind: str) -> list[Any]:
    return [update for update in seen["updates"] if update["sessionUpdate"] == kind]


def test_it_agrees_on_the_version_and_learns_who_answers(seen: Any) -> None:
    assert seen["initialize"]["protocolVersion"] == 1
    assert seen["initialize"]["agentInfo"]["name"] == "caudra-acp"


def test_setting_an_option_answers_with_all_of_them(seen: Any) -> None:
    assert [option["id"] for option in seen["options"]["configOptions"]] == ["model", "memory"]


def test_remembering_asks_once_with_a_diff_and_one_option_a_kind(seen: Any) -> None:
    (permission,) = seen["permissions"]
    assert sorted(permission["kinds"]) == sorted(set(permission["kinds"]))
    (diff,) = [block for block in permission["content"] if block["type"] == "diff"]
    assert diff["oldText"] == ""
    assert "rotates on Mondays" in diff["newText"]


def test_both_turns_end_and_every_card_too(seen: Any) -> None:
    assert [answer["stopReason"] for answer in seen["answers"]] == ["end_turn", "end_turn"]
    opened = {update["toolCallId"] for update in updates(seen, "tool_call")}
    ended = {
        update["toolCallId"] for update in updates(seen, "tool_call_update") if update.get("status") == "completed"
    }
    assert opened
    assert opened == ended


def test_the_note_lies_on_disk_and_the_search_finds_it(seen: Any) -> None:
    (note,) = (seen["state"] / "projects").glob("*/memories/*.md")
    assert "rotates on Mondays" in note.read_text(encoding="utf-8")
    outputs = [update["rawOutput"] for update in updates(seen, "tool_call_update") if "rawOutput" in update]
    (found,) = [output for output in outputs if output["type"] == "memory.search"]
    assert [hit["path"] for hit in found["hits"]] == [str(note)]
    assert any(note.name in update["content"]["text"] for update in updates(seen, "agent_message_chunk"))


def test_it_ends_when_its_input_does_and_says_nothing_else(seen: Any) -> None:
    assert (seen["exit"], seen["stderr"]) == (0, "")
