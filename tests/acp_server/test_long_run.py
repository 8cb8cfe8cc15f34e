"""Three hundred turns of one session on a window of 8,000 tokens: calls, notes and large results, never an overflow.

Over the wires that keep thinking it is sixty turns each. `LONG_RUN_TURNS` in the environment is another number for all.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
from harness import AgentProcess, Message, texts, update_of
from session_support import drawn, people, reopen, said
from small_window import Sent, SmallWindow, asking, items_of, system_of

from acp_server.models.values import Wire

TURNS = os.environ.get("LONG_RUN_TURNS")
RUNS = {Wire.CHAT_COMPLETIONS: 300, Wire.RESPONSES: 60, Wire.ANTHROPIC: 60}
SETTLED = 100
"""Turns after which a process has all that it needs."""
GROWTH_MB = 2.0
SHORTER = "The conversation was made shorter"
NAMES = 8


def words(number: int) -> str:
    """What is said in a turn: plain talk, with calls and a long answer now and then."""
    lines = [f"Turn {number}. Please go on with the work, and mind what was said in the turn before."]
    if number % 5 == 1:
        lines.append('call read_file {"path": "big.txt"}')
    if number % 10 == 3:
        note = {"command": "write", "path": f"n{number // 10 % NAMES}.md", "content": f"# Turn {number}\n\nIt is so.\n"}
        lines.append(f"call memory {json.dumps(note)}")
    if number % 5 == 4:
        lines += ['call memory {"command": "search", "query": "turn"}', 'call list_directory {"path": "."}']
    if number % 3 == 0:
        lines.append("say 600")
    return "\n".join(lines)


def resident_mb(agent: AgentProcess) -> float:
    status = Path(f"/proc/{agent.process.pid}/status").read_text(encoding="ascii")
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) / 1024


@dataclass
class Run:
    """What came of it."""

    server: SmallWindow
    turns: int
    shown: list[Message]
    replayed: list[Message]
    growth_mb: float
    log: str
    after: str


@pytest.fixture(scope="module", params=list(RUNS))
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    folder, wire = tmp_path_factory.mktemp("long"), request.param
    turns, thinks = int(TURNS or RUNS[wire]), wire is not Wire.CHAT_COMPLETIONS
    with SmallWindow(wire=wire, thinks=thinks, summaries=["What came before: " + "it was so. " * 60]) as server:
        with asking(folder, server) as agent:
            (agent.project / "big.txt").write_text("".join(f"line {each} of many\n" for each in range(2000)))
            session, settled = agent.new_session(), 0.0
            for number in range(turns):
                assert "Done." in said(agent, session, words(number), "allow_always") or number % 3 == 0
                settled = resident_mb(agent) if number == min(SETTLED, turns // 2) else settled
            growth, shown, log = resident_mb(agent) - settled, agent.seen, agent.log()
        with asking(folder, server) as agent:
            reopen(agent, session)
            replayed = list(agent.seen)
            after = said(agent, session, words(0))
            log += agent.log()
        yield Run(server, turns, shown, replayed, growth, log, after)


def test_no_request_is_ever_too_long_and_each_is_one_that_the_server_takes(run: Run) -> None:
    assert not run.server.refusals
    assert len(run.server.sent()) > run.turns
    assert max(each.tokens for each in run.server.seen) < 0.9 * run.server.window


def test_the_conversation_is_made_shorter_again_and_again_and_each_time_the_person_is_told(run: Run) -> None:
    told = texts(run.shown).count(SHORTER)
    assert told >= len(run.server.sent("compaction")) > run.turns / 20
    assert told < run.turns / 3, "not at every turn"


def test_between_two_times_each_request_begins_with_the_bytes_of_the_one_before(run: Run) -> None:
    anew = sum(not goes_on(run.server.wire, one, two) for one, two in pairwise(run.server.sent()))
    assert anew <= texts(run.shown).count(SHORTER) + 1, "and once more after the load"


def goes_on(wire: Wire, earlier: Sent, later: Sent) -> bool:
    """Whether a request begins as the one before it did; marks for the provider's cache apart, which move."""
    if wire is Wire.CHAT_COMPLETIONS:
        return later.raw.startswith(earlier.raw.removesuffix(b"]}"))
    old, new = (items_of(wire, each.body) for each in (earlier, later))
    same_prefix = system_of(wire, earlier.body) == system_of(wire, later.body)
    return same_prefix and earlier.body["tools"] == later.body["tools"] and new[: len(old)] == old


def test_the_process_hardly_grows_once_it_has_settled(run: Run) -> None:
    assert run.growth_mb < GROWTH_MB


def agents(messages: list[Message]) -> list[Message]:
    """What was drawn, but for the person's words, which a client draws itself, and titles: a load tells the last."""
    shown = [each for each in drawn(messages) if list(each) != ["title"]]
    return [each for each in shown if each.get("key", ("",))[0] != "user_message_chunk"]


def test_the_session_loads_with_all_that_was_shown_and_goes_on(run: Run) -> None:
    assert people(run.replayed) == [words(number) for number in range(run.turns)]
    assert agents(run.replayed) == agents(run.shown)
    assert run.after.strip()


def test_the_person_sees_the_window_filled_and_emptied_and_never_over_its_end(run: Run) -> None:
    used = [each["used"] for each in map(update_of, run.shown) if each.get("sessionUpdate") == "usage_update"]
    assert max(used) < run.server.window
    drops = sum(later < earlier for earlier, later in pairwise(used))
    assert drops >= texts(run.shown).count(SHORTER)


def test_nothing_is_wrong_in_the_log(run: Run) -> None:
    assert run.log == ""
