"""Room in the window, through a real agent and a server that counts: made in time, after an overflow, on demand."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from harness import AgentProcess, Message, texts, update_of
from providers.server import GATE, error, head, stream
from providers.words import said as says
from session_support import choose, drawn, file_of, people, reopen, said, talk
from small_window import Body, SmallWindow, asking, items_of, system_of

from acp_server.models.values import Wire
from acp_server.sentences.compaction import SUMMING_UP
from memory_core.memory import Memory

WIRES = pytest.mark.parametrize("wire", list(Wire))
TALK = "Please go on with the work as we said. " * 20
SHORTER = "The conversation was made shorter"
READ = 'call read_file {"path": "big.txt"}'
DRAWS = {"session": {"compaction": {}}}


def call(**arguments: object) -> str:
    return f"call memory {json.dumps(arguments)}"


def write(name: str) -> str:
    return call(command="write", path=name, content=f"# About {name}\n\nIt is so.\n")


def big_file(agent: AgentProcess, lines: int = 2000) -> None:
    (agent.project / "big.txt").write_text("".join(f"line {number} of many\n" for number in range(lines)))


def until_shorter(agent: AgentProcess, session: str, most: int = 40) -> int:
    """Talk until the conversation is made shorter; how many turns it took."""
    for number in range(most):
        if SHORTER in said(agent, session, f"Turn {number}. {TALK}\nsay 400"):
            return number + 1
    raise AssertionError("it never was")


def agents(shown: list[Message]) -> list[Message]:
    """All but the person's words, which a client draws itself, and titles, of which a load tells the last."""
    return [each for each in shown if list(each) != ["title"] and each.get("key", ("",))[0] != "user_message_chunk"]


def used(agent: AgentProcess) -> list[int]:
    """Tokens in the window, as they were told."""
    updates = [update_of(each) for each in agent.seen]
    return [each["used"] for each in updates if each.get("sessionUpdate") == "usage_update"]


def compactions(agent: AgentProcess) -> list[Message]:
    updates = [update_of(each) for each in agent.seen]
    return [each for each in updates if each.get("sessionUpdate") == "compaction_update"]


def spoken(wire: Wire, body: Body) -> list[str]:
    """The texts of a request's conversation, whoever's they are, in order."""
    found = []
    for item in items_of(wire, body):
        content = item.get("content") or item.get("output") or ""
        blocks = [{"text": content}] if isinstance(content, str) else content
        found += [str(text) for block in blocks if (text := block.get("text") or block.get("content"))]
    return found


def ends_alike(older: Sequence[object], newer: Sequence[object]) -> int:
    """How many items at the end of the older list are in a row in the newer."""
    return next(count for count in range(len(older), -1, -1) if _holds(newer, older[len(older) - count :]))


def _holds(whole: Sequence[object], part: Sequence[object]) -> bool:
    return any(list(whole[at : at + len(part)]) == list(part) for at in range(len(whole) - len(part) + 1))


# In time


@WIRES
def test_near_the_end_of_the_window_room_is_made_within_the_turn_and_the_person_sees_it(
    tmp_path: Path, wire: Wire
) -> None:
    with SmallWindow(wire=wire) as server, asking(tmp_path, server, **DRAWS) as agent:
        session = agent.new_session()
        until_shorter(agent, session)
        requests = [each for each in server.seen if each.kind in ("chat", "compaction")]
        assert not server.refusals
        assert [each.kind for each in requests[-2:]] == ["compaction", "chat"]
        assert requests[-1].tokens < requests[-3].tokens < server.window
        told = used(agent)
        assert told[-2] < told[-3], "usage drops at once"
        assert abs(told[-1] - told[-2]) < told[-3] - told[-2]
        begun, ended = compactions(agent)
        assert begun["status"] == "in_progress" and ended["status"] == "completed"
        assert begun["compactionId"] == ended["compactionId"]
        assert ended["summary"] == [{"type": "text", "text": "Everything so far."}]


def test_clients_that_draw_no_compaction_get_none(tmp_path: Path) -> None:
    with SmallWindow() as server, asking(tmp_path, server) as agent:
        until_shorter(agent, agent.new_session())
        assert not compactions(agent)


@WIRES
def test_a_summary_stands_for_the_oldest_turns_and_the_newest_stay_whole(tmp_path: Path, wire: Wire) -> None:
    with SmallWindow(wire=wire) as server, asking(tmp_path, server) as agent:
        turns = until_shorter(agent, agent.new_session())
        before, after = (spoken(wire, each.body) for each in server.sent()[-2:])
        assert turns > 4
        assert "Everything so far." in after[0] and "Turn 0." in before[0]
        assert not any("Turn 0." in text for text in after)
        kept = ends_alike([text for text in before if "Everything" not in text][1:], after)
        assert kept >= 2 and f"Turn {turns - 2}." in str(after) and f"Turn {turns - 1}." in after[-1]


@WIRES
def test_with_room_the_view_is_taken_anew_in_the_same_turn_and_earlier_reminders_go(tmp_path: Path, wire: Wire) -> None:
    with SmallWindow(wire=wire, window=10_000) as server, asking(tmp_path, server) as agent:
        session = agent.new_session()
        said(agent, session, f"Keep it.\n{write('mine.md')}")
        other = agent.new_session()
        said(agent, other, f"Keep that.\n{write('theirs.md')}")
        until_shorter(agent, session)
        before, after = (each.body for each in server.sent()[-2:])
        assert "# Memory updated" in str(spoken(wire, before)) and "# Memory updated" not in str(spoken(wire, after))
        for name in ("mine.md", "theirs.md"):
            assert name not in system_of(wire, before) and name in system_of(wire, after)


@WIRES
def test_huge_results_go_first_and_where_that_is_enough_no_summary_is_written(tmp_path: Path, wire: Wire) -> None:
    with SmallWindow(wire=wire, window=16_000) as server, asking(tmp_path, server) as agent:
        big_file(agent)
        session = agent.new_session()
        told = [said(agent, session, f"Turn {number}.\n{READ}") for number in range(5)]
        shorter = [each for each in told if SHORTER in each]
        assert shorter and all(re.search(r"large results? (was|were) left out", each) for each in shorter)
        assert "summary" not in str(shorter)
        assert not server.sent("compaction") and not server.refusals
        last = spoken(wire, server.sent()[-1].body)
        assert [text for text in last if text.startswith("Turn")] == [f"Turn {number}.\n{READ}" for number in range(5)]
        assert "left out to make room" in str(last) and "line 100 of many" in last[-1]


def test_a_result_takes_at_most_a_quarter_of_the_window_and_the_model_is_told(tmp_path: Path) -> None:
    with SmallWindow() as server, asking(tmp_path, server) as agent:
        big_file(agent)
        said(agent, agent.new_session(), READ)
        result = server.sent()[-1].body["messages"][-1]["content"]
        assert len(result) < server.window * 3 / 4 + 200
        assert result.endswith("bytes are shown; ask for a smaller part]")
        assert SHORTER not in texts(agent.seen) and not server.refusals


def test_room_is_made_from_the_share_that_the_configuration_names(tmp_path: Path) -> None:
    with SmallWindow(window=20_000) as server, asking(tmp_path, server, "[agent]\ncompact_at = 0.3\n") as agent:
        until_shorter(agent, agent.new_session())
        assert max(each.tokens for each in server.sent()) < 0.4 * server.window
        assert server.sent()[-1].tokens < 0.3 * server.window


@pytest.mark.report("A16")
@WIRES
def test_thinking_that_stays_is_sent_as_it_came_and_none_is_left_without_its_call(tmp_path: Path, wire: Wire) -> None:
    with SmallWindow(wire=wire, thinks=True) as server, asking(tmp_path, server) as agent:
        session = agent.new_session()
        look = call(command="view")
        for number in range(30):
            if SHORTER in said(agent, session, f"Turn {number}. {TALK}\n{look}"):
                break
        after = items_of(wire, server.sent()[-1].body)
        before = [item for each in server.sent()[:-2] for item in items_of(wire, each.body)]
        thoughts = [item for item in after if re.search(r"c2ln|Z0FB|reasoning_content", str(item))]
        calls = re.findall(r"call\d{6}", str(after))
        assert len(set(calls)) == len(calls) / 2 >= 2, "each call has its result"
        assert not server.refusals and all(item in before for item in thoughts[:-1])
        if wire is not Wire.CHAT_COMPLETIONS:
            assert len(thoughts) == len(calls) / 2


@WIRES
def test_one_turn_of_many_large_results_goes_on_with_the_newest_whole_and_is_told_of_once(
    tmp_path: Path, wire: Wire
) -> None:
    with SmallWindow(wire=wire) as server, asking(tmp_path, server) as agent:
        big_file(agent)
        reads = [f'call read_file {{"path": "big.txt", "line": {number}}}' for number in range(1, 16)]
        told = said(agent, agent.new_session(), "\n".join(["Read all of it.", *reads]))
        assert told.count(SHORTER) == 1 and told.endswith("Done.")
        assert not server.refusals and len(server.sent()) == 16
        for number, each in enumerate(server.sent()[1:], 1):
            assert f"line {number} of many" in spoken(wire, each.body)[-1]
        assert "Read all of it." in spoken(wire, server.sent()[-1].body)[0]


@WIRES
def test_a_turn_that_alone_outgrows_the_window_keeps_its_request_and_its_newest_rounds(
    tmp_path: Path, wire: Wire
) -> None:
    with SmallWindow(wire=wire, thinks=True) as server, asking(tmp_path, server) as agent:
        big_file(agent)
        reads = [f'call read_file {{"path": "big.txt", "line": {number}, "limit": 5}}' for number in range(1, 45)]
        told = said(agent, agent.new_session(), "\n".join(["Read all of it.", *reads]))
        assert SHORTER in told and not server.refusals
        sums = server.sent("compaction")
        assert sums and "Read all of it." in str(sums[0].body)
        after = next(each for each in server.seen[server.seen.index(sums[0]) :] if each.kind == "chat")
        first = spoken(wire, after.body)[0]
        assert "Everything so far." in first and "The person's last request" in first and "Read all of it." in first
        assert all(count == 2 for count in Counter(re.findall(r"call\d{6}", str(items_of(wire, after.body)))).values())


# After an overflow


@WIRES
def test_a_request_that_the_server_finds_too_long_is_made_shorter_and_asked_again_in_the_turn(
    tmp_path: Path, wire: Wire
) -> None:
    with SmallWindow(wire=wire, window=18_000, stated=False) as server, asking(tmp_path, server) as agent:
        session = agent.new_session()
        big_file(agent, 500)
        told = ""
        for number in range(12):
            told = said(agent, session, f"Turn {number}. {TALK}\n{READ}")
            if server.refusals:
                break
        refused, answered = [each for each in server.seen if each.kind == "chat"][-2:]
        assert refused.refused and not answered.refused
        assert SHORTER in told and "Done." in told
        assert f"Turn {number}." in str(spoken(wire, answered.body))


@WIRES
def test_it_is_made_shorter_twice_and_then_a_sentence_says_so_and_the_session_goes_on(
    tmp_path: Path, wire: Wire
) -> None:
    with SmallWindow(wire=wire, window=100_000) as server, asking(tmp_path, server) as agent:
        session = agent.new_session()
        for number in range(6):
            said(agent, session, f"Turn {number}. {TALK}\nsay 2000")
        server.overflows = 2
        assert said(agent, session, "Twice.").count(SHORTER) == 2
        sizes = [each.tokens for each in server.seen if each.kind == "chat"][-3:]
        assert sizes == sorted(sizes, reverse=True)
        for number in range(6):
            said(agent, session, f"Turn {number}. {TALK}\nsay 2000")
        server.overflows = 3
        fault = talk(agent, session, "Three times.")
        assert "longer than large can read" in fault["error"]["message"]
        assert said(agent, session, "And now?").endswith("Done.")
        assert "Three times." not in str(server.sent()[-1].body), "what no model could read isn't sent again"


@WIRES
def test_a_message_longer_than_the_window_is_one_sentence_and_leaves_the_history_as_it_was(
    tmp_path: Path, wire: Wire
) -> None:
    with SmallWindow(wire=wire) as server, asking(tmp_path, server) as agent:
        session = agent.new_session()
        for number in range(3):
            said(agent, session, f"Turn {number}. {TALK}")
        before = items_of(wire, server.sent()[-1].body)
        shown = len(agent.seen)
        fault = talk(agent, session, "word " * 10_000)
        assert re.search(
            r"This message alone takes about 17,000 tokens; the model reads 8,000 at most", fault["error"]["message"]
        )
        assert not texts(agent.seen[shown:])
        said(agent, session, "Shorter.")
        assert items_of(wire, server.sent()[-1].body)[: len(before)] == before
        assert not server.sent("compaction") and "word word" not in str(server.sent()[-1].body)
    with SmallWindow(wire=wire) as server, asking(tmp_path, server) as agent:
        reopen(agent, session)
        assert "word word word" in str(agent.seen)
        said(agent, session, "Go on.")
        assert items_of(wire, server.sent()[-1].body)[: len(before)] == before
        assert "word word" not in str(server.sent()[-1].body)


@WIRES
def test_a_switch_to_a_model_with_a_smaller_window_makes_room_before_it_is_asked(tmp_path: Path, wire: Wire) -> None:
    with (
        SmallWindow(wire=wire, window=100_000) as server,
        asking(tmp_path, server, server.model("small", 8_000)) as agent,
    ):
        session = agent.new_session()
        for number in range(12):
            said(agent, session, f"Turn {number}. {TALK}\nsay 1200")
        choose(agent, session, "lab/small")
        server.window = 8_000
        assert SHORTER in said(agent, session, "Go on.")
        assert not server.refusals
        assert server.sent()[-1].body["model"] == server.sent("compaction")[-1].body["model"] == "small"


@WIRES
def test_a_question_that_is_refused_after_room_was_made_for_it_is_left_out_and_the_rest_stays(
    tmp_path: Path, wire: Wire
) -> None:
    with SmallWindow(wire=wire) as server:
        with asking(tmp_path, server) as agent:
            session, number = agent.new_session(), 0
            while SHORTER not in texts(agent.seen):
                assert agent.prompt(session, f"Turn {number}. {TALK}\nsay 400")
                number += 1
                if used(agent)[-1] > 5_800:
                    assert talk(agent, session, f"Bad. {TALK}\nrefuse")["result"] == {"stopReason": "refusal"}
            refused = items_of(wire, server.sent()[-1].body)
            said(agent, session, "Go on.")
            live = server.sent()[-1].body
            assert "Bad." in str(refused[-1]) and "Bad." not in str(items_of(wire, live)[-1])
            assert items_of(wire, live)[:-1] == refused[:-1]
        with asking(tmp_path, server) as agent:
            reopen(agent, session)
            said(agent, session, "And on.")
            assert items_of(wire, server.sent()[-1].body)[: len(items_of(wire, live))] == items_of(wire, live)


def test_a_memory_that_leaves_no_room_is_named_and_the_session_goes_on_without_it(tmp_path: Path) -> None:
    for folder in (tmp_path / "project", tmp_path / "state"):
        folder.mkdir()
    with Memory.open(tmp_path / "project", state_dir=tmp_path / "state") as memory:
        for number in range(60):
            memory.write(f"note-{number}.md", f"# Note {number}\n\n{'It is so. ' * 20}\n")
    with SmallWindow(window=4_000) as server, asking(tmp_path, server) as agent:
        session = agent.new_session()
        fault = talk(agent, session, "Hello.")["error"]["message"]
        assert "the memory's view above all" in fault and "4,000 at most" in fault and "/memory off" in fault
        said(agent, session, "/memory off")
        assert said(agent, session, "Hello again.") == "Done."
        assert "Hello again." in str(server.sent()[-1].body) and "Hello.'" not in str(server.sent()[-1].body)


# On demand


def test_what_the_person_wants_kept_reaches_the_model_that_sums_up(tmp_path: Path) -> None:
    with SmallWindow(window=100_000) as server, asking(tmp_path, server) as agent:
        session = agent.new_session()
        for _ in range(3):
            said(agent, session, TALK)
        assert SHORTER in said(agent, session, "/compact the names of the tests </conversation>")
        (asked,) = server.sent("compaction")
        words = spoken(server.wire, asked.body)[-1]
        assert words.endswith("keep above all: the names of the tests </conversation>")
        assert words.startswith("<conversation>") and asked.body["max_tokens"] > 0


@WIRES
def test_a_cancel_while_it_is_summed_up_leaves_all_as_it_was(tmp_path: Path, wire: Wire) -> None:
    with SmallWindow(wire=wire, window=100_000) as server, asking(tmp_path, server, **DRAWS) as agent:
        session = agent.new_session()
        for number in range(4):
            said(agent, session, f"Turn {number}. {TALK}")
        old = server.sent()[-1].body
        server.summaries = [[head(content_type="text/event-stream", transfer_encoding="chunked"), GATE], "Never."]
        asked = agent.start_prompt(session, "/compact")
        assert server.reached.wait(20)
        agent.until(lambda message: SUMMING_UP in str(message))
        agent.cancel(session)
        assert agent.answer(asked)["result"] == {"stopReason": "cancelled"}
        assert [each["status"] for each in compactions(agent)] == ["in_progress", "cancelled"]
        server.gate.set()
        said(agent, session, "Go on.")
        new = server.sent()[-1].body
        assert system_of(wire, new) == system_of(wire, old)
        assert items_of(wire, new)[: len(items_of(wire, old))] == items_of(wire, old)


@WIRES
def test_a_cancel_while_room_is_made_in_a_turn_leaves_the_older_turns_as_they_were(tmp_path: Path, wire: Wire) -> None:
    with SmallWindow(wire=wire) as server, asking(tmp_path, server, **DRAWS) as agent:
        session = agent.new_session()
        server.summaries = [[head(content_type="text/event-stream", transfer_encoding="chunked"), GATE], "At last."]
        number = 0
        while "made shorter first" not in str(agent.seen[-1]):
            number += 1
            asked = agent.start_prompt(session, f"Turn {number}. {TALK}\nsay 400")
            agent.until(lambda each: "result" in each or "made shorter first" in str(update_of(each)))
        assert server.reached.wait(20)
        old = server.sent()[-1].body
        agent.cancel(session)
        assert agent.answer(asked)["result"] == {"stopReason": "cancelled"}
        assert [each["status"] for each in compactions(agent)] == ["in_progress", "cancelled"]
        assert not [each for each in server.sent() if f"Turn {number}." in str(each.body)]
        server.gate.set()
        assert SHORTER in said(agent, session, "Go on.")
        summed = server.sent("compaction")[-1]
        assert "Turn 1." in str(summed.body) and "At last." in str(server.sent()[-1].body)
        assert system_of(wire, server.sent()[-1].body) == system_of(wire, old), "nothing was noted meanwhile"


REFUSES = says(Wire.CHAT_COMPLETIONS, ["No."], "filter")


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (error(401, "no such key", "invalid_api_key"), "key"),
        (error(500, "broken", x_should_retry="false"), "500|fail|broken"),
        (stream(REFUSES), "The model wrote no summary"),
        (stream(says(Wire.CHAT_COMPLETIONS, [" \n"])), "The model wrote no summary"),
        (error(400, "too long", "context_length_exceeded"), "longer than"),
    ],
    ids=["key", "server", "refusal", "blank", "overflow"],
)
def test_where_no_model_sums_up_the_rule_does_and_says_why(tmp_path: Path, reply: list[bytes], why: str) -> None:
    with SmallWindow(summaries=[reply]) as server, asking(tmp_path, server) as agent:
        session = agent.new_session()
        said(agent, session, "Always say please.")
        turns = until_shorter(agent, session)
        shown = texts(agent.seen)
        assert re.search(rf"was cut by rule, since no model could sum it up: .*({why})", shown)
        first = spoken(server.wire, server.sent()[-1].body)[0]
        assert "- Always say please." in first and "- Turn 0. Please go on" in first
        assert not server.refusals
        assert said(agent, session, f"Turn {turns}.").endswith("Done.")


# Over a load


@WIRES
def test_a_loaded_session_is_drawn_as_before_and_its_next_request_is_the_one_it_would_have_been(
    tmp_path: Path, wire: Wire
) -> None:
    with SmallWindow(wire=wire, thinks=True) as server:
        with asking(tmp_path, server) as agent:
            session = agent.new_session()
            until_shorter(agent, session)
            for _ in range(2):
                said(agent, session, f"More.\n{call(command='view')}")
            live, kept = agents(drawn(agent.seen)), file_of(agent, session).read_bytes()
            said(agent, session, "Go on.")
            place = file_of(agent, session)
        place.write_bytes(kept)
        with asking(tmp_path, server) as agent:
            reopen(agent, session)
            assert agents(drawn(agent.seen)) == live
            assert SHORTER in texts(agent.seen)
            said(agent, session, "Go on.")
        would_be, is_now = (each.raw for each in server.sent()[-2:])
        assert is_now == would_be


@WIRES
def test_a_session_killed_while_it_is_made_shorter_loads_with_its_old_history_and_is_made_shorter_then(
    tmp_path: Path, wire: Wire
) -> None:
    with SmallWindow(wire=wire) as server:
        gate = [head(content_type="text/event-stream", transfer_encoding="chunked"), GATE]
        with asking(tmp_path, server) as agent:
            session = agent.new_session()
            for number in range(3):
                said(agent, session, f"Turn {number}. {TALK}")
            old = server.sent()[-1].body
            server.summaries = [gate, "Everything so far."]
            agent.start_prompt(session, "/compact")
            assert server.reached.wait(20)
        server.gate.set()
        with asking(tmp_path, server) as agent:
            reopen(agent, session)
            said(agent, session, "Go on.")
            new = server.sent()[-1].body
            assert items_of(wire, new)[: len(items_of(wire, old))] == items_of(wire, old)
            until_shorter(agent, session)
        assert not server.refusals


@WIRES
def test_a_session_killed_while_a_turn_makes_room_loads_and_makes_it_in_the_next(tmp_path: Path, wire: Wire) -> None:
    with SmallWindow(wire=wire) as server:
        gate = [head(content_type="text/event-stream", transfer_encoding="chunked"), GATE]
        server.summaries = [gate, "Everything so far."]
        with asking(tmp_path, server) as agent:
            session, number = agent.new_session(), 0
            while "made shorter first" not in str(agent.seen[-1]):
                number += 1
                agent.start_prompt(session, f"Turn {number}. {TALK}\nsay 400")
                agent.until(lambda each: "result" in each or "made shorter first" in str(update_of(each)))
            assert server.reached.wait(20)
            on = {"sessionId": session, "configId": "memory", "value": "on"}
            agent.answer(agent.request("session/set_config_option", on))  # by then all before it is on disk
        server.gate.set()
        with asking(tmp_path, server) as agent:
            reopen(agent, session)
            assert len(people(agent.seen)) == number
            assert SHORTER in said(agent, session, "Go on.")
            last = spoken(wire, server.sent()[-1].body)
        assert "Everything so far." in last[0] and f"Turn {number}." in str(last) and "Turn 1." not in str(last)
        assert not server.refusals
