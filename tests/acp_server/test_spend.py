"""What a session spends, seen by an editor and kept in the ledger: real agents, a real server."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness import ROOT, AgentProcess, Message, process_environment, update_of
from model_server import ModelServer, Reply, calls, says
from turn_support import asks, call, ends, stage

from acp_server.models.values import Endpoint, Model, Wire
from acp_server.providers.wires import WIRES
from memory_core.memory import Memory

PRICES = "price_input = 3.0\nprice_output = 15.0\nprice_cached = 0.3\n"
COST = (400 * 3.0 + 600 * 0.3 + 20 * 15.0) / 1_000_000
LONG = "# Deploy {0}\n\n" + "The deploy key number {0} rotates on Mondays, and the pipeline waits. " * 12


@contextlib.contextmanager
def running(folder: Path, server: ModelServer, config: str | None = None) -> Iterator[AgentProcess]:
    """An agent whose sessions begin with the server's model."""
    place = folder / "config"
    place.mkdir(exist_ok=True)
    (place / "config.toml").write_text(config or server.config(prices=PRICES), encoding="utf-8")
    env = {"CAUDRA_CONFIG_DIR": str(place), "CAUDRA_MODEL": "lab/large"}
    with AgentProcess(folder, doors=None, env=env) as agent:
        agent.initialize()
        yield agent


def updates(agent: AgentProcess, kind: str) -> list[Message]:
    return [update for message in agent.seen if (update := update_of(message)).get("sessionUpdate") == kind]


def ledger(agent: AgentProcess, what: str = "purpose, outcome, input, micro_dollars") -> list[tuple[Any, ...]]:
    with contextlib.closing(sqlite3.connect(agent.state / "acp-agent.db")) as db:
        return db.execute(f"SELECT {what} FROM request WHERE purpose <> 'title' ORDER BY id").fetchall()


def leave(agent: AgentProcess) -> None:
    """The editor goes; the agent ends in good order."""
    agent.close_input()
    assert agent.wait() == 0


def test_an_editor_sees_tokens_in_the_window_its_size_and_the_cost_so_far(tmp_path: Path) -> None:
    with ModelServer([calls({"command": "view"}), says("Seen.")]) as server, running(tmp_path, server) as agent:
        session = agent.new_session()
        agent.prompt(session, "look")
        shown = updates(agent, "usage_update")
        assert [each["used"] for each in shown] == [1020, 1020]
        assert {each["size"] for each in shown} == {100_000}
        assert all(each["cost"]["currency"] == "USD" for each in shown)
        assert shown[0]["cost"]["amount"] < shown[1]["cost"]["amount"]
        assert shown[1]["cost"]["amount"] in [pytest.approx(2 * COST), pytest.approx(3 * COST)]  # with the title
        leave(agent)
        assert ledger(agent) == [("chat", "answered", 1000, 1680)] * 2


@pytest.mark.parametrize(
    ("prices", "window", "shown"),
    [("", 100_000, [{"sessionUpdate": "usage_update", "used": 1020, "size": 100_000}]), (PRICES, None, [])],
)
def test_what_is_not_known_is_not_said(tmp_path: Path, prices: str, window: int | None, shown: list[Message]) -> None:
    with ModelServer([says("Seen.")]) as server:
        config = server.config(prices=prices, window=window)
        with running(tmp_path, server, config) as agent:
            agent.prompt(agent.new_session(), "look")
            assert updates(agent, "usage_update") == shown


def test_a_server_that_tells_no_tokens_has_none_invented(tmp_path: Path) -> None:
    with ModelServer([says("Seen.", usage=None)]) as server, running(tmp_path, server) as agent:
        agent.prompt(agent.new_session(), "look")
        assert updates(agent, "usage_update") == []
        leave(agent)
        assert ledger(agent) == [("chat", "answered", None, None)]


def test_a_crash_loses_at_most_the_request_in_flight(tmp_path: Path) -> None:
    script = [calls({"command": "view"}), calls({"command": "view"}), says("never", gate=True)]
    with ModelServer(script) as server, running(tmp_path, server) as agent:
        agent.start_prompt(agent.new_session(), "look")
        assert server.reached.wait(30)
        agent.kill()
        assert ledger(agent) == [("chat", "answered", 1000, 1680)] * 2


def test_a_locked_ledger_delays_no_turn_and_is_written_later(tmp_path: Path) -> None:
    with ModelServer([says("Seen.")]) as server, running(tmp_path, server) as agent:
        session = agent.new_session()
        agent.prompt(session, "look")
        with contextlib.closing(sqlite3.connect(agent.state / "acp-agent.db", isolation_level=None)) as db:
            db.execute("BEGIN EXCLUSIVE")
            for _ in range(3):
                assert agent.prompt(session, "look")["result"]["stopReason"] == "end_turn"
            db.execute("ROLLBACK")
        leave(agent)
        assert len(ledger(agent)) == 4


def test_a_damaged_ledger_is_said_once_in_the_chat(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "acp-agent.db").write_bytes(b"no database " * 1000)
    with ModelServer([says("Seen.")]) as server, running(tmp_path, server) as agent:
        session = agent.new_session()
        for _ in range(3):
            agent.prompt(session, "look")
        said = "".join(each["content"]["text"] for each in updates(agent, "agent_message_chunk"))
        assert said.count("The record of what requests cost was damaged") == 1


def test_summaries_count_under_memory_in_the_session_that_runs_them(tmp_path: Path) -> None:
    line = says("a line as long as lines are " * 15)
    with ModelServer([says("Seen.")], memory=line) as server, running(tmp_path, server) as agent:
        with Memory.open(agent.project, state_dir=agent.state) as memory:
            for number in range(4):
                memory.write(f"n{number}.md", LONG.format(number))
        session = agent.new_session()
        agent.prompt(session, "look")
        server.wait_for("memory", 7)
        agent.prompt(session, "and now?")
        leave(agent)
        rows = ledger(agent, "purpose, session, model")
        assert rows.count(("memory", session, "lab/large")) >= 6
        with Memory.open(agent.project, state_dir=agent.state) as memory:
            assert "lab/large" in {line.model for line in memory.view().lines}
    environment = process_environment(tmp_path / "state")
    shown = subprocess.run(
        [sys.executable, "-m", "acp_server", "storage", "usage", "--json"], env=environment, capture_output=True
    )
    assert "memory" in [group["key"] for group in json.loads(shown.stdout)["groups"]]


def test_the_title_of_the_fast_job_reaches_the_editor(tmp_path: Path) -> None:
    look = calls({"command": "view"})
    answers = [look, says("Seen.", gate=True)]
    with ModelServer(answers, title=says('"A red build."')) as server, running(tmp_path, server) as agent:
        prompt = agent.start_prompt(agent.new_session(), "why is the build red?")
        server.wait_for("title")
        server.gate.set()
        agent.answer(prompt)
        titles = [update["title"] for update in updates(agent, "session_info_update")]
        assert titles[-1] in ("A red build", "why is the build red?")
        (asked,) = server.bodies("title")
        assert asked["messages"][-1]["content"] == "<words>\nwhy is the build red?\n</words>"


def test_a_title_that_never_comes_holds_up_no_end(tmp_path: Path) -> None:
    with ModelServer([says("Seen.")], title=says("late", gate=True)) as server, running(tmp_path, server) as agent:
        assert agent.prompt(agent.new_session(), "look")["result"] == {"stopReason": "end_turn"}
        leave(agent)


def test_a_rate_limit_of_the_memory_job_is_tried_again_and_nothing_is_said_in_the_chat(tmp_path: Path) -> None:
    with ModelServer([says("Seen.")], memory=Reply(status=429)) as server, running(tmp_path, server) as agent:
        with Memory.open(agent.project, state_dir=agent.state) as memory:
            memory.write("n.md", LONG.format(1))
        session = agent.new_session()
        agent.prompt(session, "look")
        server.wait_for("memory")
        agent.prompt(session, "look")
        said = "".join(each["content"]["text"] for each in updates(agent, "agent_message_chunk"))
        assert said == "Seen.Seen."
        leave(agent)


PREFIX = """
import hashlib, json, sys
sys.path[:0] = [sys.argv[3]]
from turn_support import *
async def main():
    made = stage(Path(sys.argv[1]))
    await made.say("hello", session=sys.argv[2])
    (request,) = made.provider.requests
    print(json.dumps([request.system, [[t.name, t.description, t.schema] for t in request.tools]]))
    await made.runner.close()
asyncio.run(main())
"""


def test_the_prefix_is_the_same_bytes_in_every_process_for_the_same_view(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "state").mkdir()
    with Memory.open(tmp_path / "project", state_dir=tmp_path / "state") as memory:
        for number in range(5):
            memory.write(f"n{number}.md", f"# Note {number}\n\nIt says {number}.\n")
    seen = set()
    for seed, session in (("0", "s1"), ("1", "s2"), ("12345", "s3")):
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", PREFIX, str(tmp_path), session, str(Path(__file__).parent)]
        seen.add(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)
    (prefix,) = seen
    assert b"note n4.md" in prefix


async def test_the_prefix_holds_still_over_twenty_turns_with_ten_writes_on_every_wire(tmp_path: Path) -> None:
    made = stage(tmp_path)
    with made.door() as door:
        door.write("first.md", "# First\n")
    made.person.answers[:] = ["allow_always"]
    for turn in range(20):
        note = call({"command": "write", "path": f"n{turn % 5}.md", "content": f"# {turn}\n\nü\n"})
        await made.say(f"turn {turn}", script=[asks(*note), ends()] if turn % 2 else [ends()])
        if turn == 7:
            with made.door() as door:
                door.write("elsewhere.md", "# Elsewhere\n")  # comes as a reminder, and changes nothing before it
    requests = made.provider.requests
    assert len(requests) == 30
    for wire in Wire:
        endpoint = Endpoint("lab", wire, "http://127.0.0.1:1", lambda: "k")
        bodies = [WIRES[wire].build(Model("lab/large", "large", endpoint), request) for request in requests]
        assert len({json.dumps(without_history(body)) for body in bodies}) == 1
    assert all((each.system, each.tools) == (requests[0].system, requests[0].tools) for each in requests)
    for one, other in itertools.pairwise(requests):
        assert other.items[: len(one.items)] == one.items
    await made.runner.close()


def without_history(body: dict[str, Any]) -> dict[str, Any]:
    """What of a request's body isn't the conversation; a system prompt among the messages is kept."""
    items = [*body.get("messages", []), *body.get("input", [])]
    head = [item for item in items if item.get("role") in ("system", "developer")]
    return {**body, "messages": head, "input": []}
