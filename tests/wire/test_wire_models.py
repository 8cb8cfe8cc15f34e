"""Faults of a model's server, through a real agent and real sockets: rows 18a to 18i of `fixtures/wire-faults.md`.

What an editor gets: words as they came, waits as thoughts, one sentence as the prompt's error, and no open card.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness import AgentProcess, Message, texts, update_of
from providers.server import CLOSE, HANG, RESET, Reply, Server, answer, error, stream
from providers.words import SPEECH, asked, event, said

from acp_server.models.values import Wire
from acp_server.sentences import endings

KEY = "sk-test-abcdefgh12345678"
WORDS = [f"word{number} " for number in range(50)]

Start = Callable[..., "Talk"]


class Talk:
    """An agent whose model is the server's, in one session."""

    def __init__(self, agent: AgentProcess, server: Server) -> None:
        self.agent, self.server = agent, server
        self.session = agent.new_session()
        option = {"sessionId": self.session, "configId": "model", "value": "test/scripted"}
        agent.answer(agent.request("session/set_config_option", option))

    def ask(self, text: str = "Count.") -> Message:
        """The answer to a prompt; `updates` are those of it alone."""
        self.agent.seen.clear()
        return self.agent.prompt(self.session, text)

    def cancel(self, prompt: int) -> Message:
        self.agent.cancel(self.session)
        return self.agent.answer(prompt)

    @property
    def text(self) -> str:
        return texts(self.agent.seen)

    @property
    def thoughts(self) -> list[str]:
        updates = map(update_of, self.agent.seen)
        return [each["content"]["text"] for each in updates if each.get("sessionUpdate") == "agent_thought_chunk"]

    @property
    def cards(self) -> dict[str, str]:
        """The last status of each card."""
        updates = map(update_of, self.agent.seen)
        return {each["toolCallId"]: each["status"] for each in updates if "toolCallId" in each and "status" in each}


@pytest.fixture(params=list(Wire))
def wire(request: pytest.FixtureRequest) -> Wire:
    """Each wire in its turn."""
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a server with its script, and an agent that asks it."""
    running: list[AgentProcess | Server] = []

    def begin(wire: Wire, *script: Reply, **env: str) -> Talk:
        server = Server(list(script)).__enter__()
        running.append(server)
        environ = {"CAUDRA_TEST_SERVER": server.url, "CAUDRA_TEST_WIRE": wire.value, "TESTER_API_KEY": KEY, **env}
        agent = AgentProcess(tmp_path, doors="remote_model.py", env=environ)
        running.append(agent)
        return Talk(agent, server)

    yield begin
    for each in reversed(running):
        each.__exit__(None, None, None)


def sentence(answer: Message) -> str:
    """What an editor shows of a failed prompt: one sentence, in both places."""
    found = answer["error"]
    assert (found["code"], found["data"]) == (-32603, {"details": found["message"]})
    assert found["message"].count("\n") == 0 and found["message"].endswith(".")
    assert KEY[8:] not in json.dumps(answer)
    return str(found["message"])


def whole(wire: Wire) -> Reply:
    return stream(said(wire, WORDS))


def broken(wire: Wire, *rest: object) -> Reply:
    """Ten words of fifty, and then something else."""
    speech = SPEECH[wire]
    return stream([*speech.begin(), *speech.text(WORDS[:10]), *rest])  # type: ignore[list-item]


def test_18a_a_wrong_key_is_told_at_once_and_not_tried_again(start: Start, wire: Wire) -> None:
    talk = start(wire, error(401, f"Incorrect API key provided: {KEY}", "authentication_error"))
    assert "TESTER_API_KEY" in sentence(talk.ask())
    assert (len(talk.server.requests), talk.thoughts) == (1, [])
    assert KEY not in talk.agent.log()


def test_18b_a_rate_limit_for_ever_is_said_while_waiting_and_ends_with_a_sentence(start: Start, wire: Wire) -> None:
    talk = start(wire, error(429, "slow down", "rate_limit_error"))
    assert "tester limits how often it is asked" in sentence(talk.ask())
    assert len(talk.thoughts) == len(talk.server.requests) - 1 > 0
    assert all("trying again in" in thought for thought in talk.thoughts)


def test_18c_a_rate_limit_that_passes_is_waited_out(start: Start, wire: Wire) -> None:
    talk = start(wire, error(429, "slow down", Retry_After="2"), whole(wire))
    assert talk.ask()["result"] == {"stopReason": "end_turn"}
    assert talk.text == "".join(WORDS)
    assert len(talk.thoughts) == 1
    talk.ask("What did you wait for?")
    assert b"trying again" not in talk.server.requests[-1].body


def test_18d_a_server_that_fails_for_ever_ends_with_a_sentence(start: Start, wire: Wire) -> None:
    talk = start(wire, error(500, "internal", "api_error"))
    assert "tester failed on its own side" in sentence(talk.ask())
    assert talk.thoughts


def test_18e_a_reset_in_mid_stream_shows_nothing_twice(start: Start, wire: Wire) -> None:
    talk = start(wire, broken(wire, RESET), whole(wire))
    assert "broke before the answer was whole" in sentence(talk.ask())
    assert (talk.text, len(talk.server.requests)) == ("".join(WORDS[:10]), 1)
    assert talk.ask("Again.")["result"] == {"stopReason": "end_turn"}
    assert talk.text == "".join(WORDS)


@pytest.mark.parametrize("end", [[], [CLOSE]])
def test_18f_a_stream_without_its_closing_event_is_a_failure(start: Start, wire: Wire, end: list[object]) -> None:
    talk = start(wire, broken(wire, *end))
    assert "ask again" in sentence(talk.ask())
    assert talk.text == "".join(WORDS[:10])


def test_18g_an_event_with_broken_json_is_told_and_no_word_is_dropped(start: Start, wire: Wire) -> None:
    speech = SPEECH[wire]
    talk = start(wire, broken(wire, event('{"delta": "wo'), *speech.text(WORDS[11:]), *speech.end("end")))
    assert "could not be read" in sentence(talk.ask())
    assert talk.text == "".join(WORDS[:10])


def test_18h_a_cancel_ends_a_silence_in_mid_stream(start: Start, wire: Wire) -> None:
    talk = start(wire, broken(wire, HANG), whole(wire))
    prompt = talk.agent.start_prompt(talk.session, "Count.")
    talk.agent.text_until(WORDS[9])
    assert talk.cancel(prompt)["result"] == {"stopReason": "cancelled"}
    assert talk.server.hung_up.wait(20)
    assert talk.ask("Again.")["result"] == {"stopReason": "end_turn"}


def test_18i_a_cancel_ends_a_silence_before_the_headers(start: Start, wire: Wire) -> None:
    talk = start(wire, [HANG], whole(wire))
    prompt = talk.agent.start_prompt(talk.session, "Count.")
    assert talk.server.reached.wait(20)
    assert talk.cancel(prompt)["result"] == {"stopReason": "cancelled"}
    assert talk.server.hung_up.wait(20)
    assert talk.ask("Again.")["result"] == {"stopReason": "end_turn"}


def test_a_cancel_ends_the_wait_between_two_attempts(start: Start) -> None:
    talk = start(Wire.ANTHROPIC, answer(529), CAUDRA_TEST_LONG_WAITS="1")
    prompt = talk.agent.start_prompt(talk.session, "Count.")
    talk.agent.until(lambda message: update_of(message).get("sessionUpdate") == "agent_thought_chunk")
    assert talk.cancel(prompt)["result"] == {"stopReason": "cancelled"}
    assert len(talk.server.requests) == 1


@pytest.mark.parametrize("hang", [[HANG], None])
def test_silence_ends_with_a_sentence(start: Start, hang: Reply | None) -> None:
    talk = start(Wire.RESPONSES, hang or broken(Wire.RESPONSES, HANG), CAUDRA_TEST_SILENCE="0.2")
    assert "ask again" in sentence(talk.ask())
    assert talk.text == ("" if hang else "".join(WORDS[:10]))


def test_a_page_instead_of_an_answer_names_the_host(start: Start) -> None:
    talk = start(Wire.CHAT_COMPLETIONS, answer(200, "<!doctype html>", content_type="text/html"))
    assert f"127.0.0.1:{talk.server.port}" in sentence(talk.ask())


def test_a_conversation_that_is_too_long_is_told(start: Start, wire: Wire) -> None:
    talk = start(wire, error(400, "prompt is too long: 9 tokens > 8 maximum", "invalid_request_error"))
    assert "begin a new session" in sentence(talk.ask())


def test_a_call_that_a_reset_cut_off_is_not_run_and_its_card_ends(start: Start, wire: Wire) -> None:
    speech = SPEECH[wire]
    begun, *more = speech.call("call000001", "memory", '{"command": "write", "path": "a.md", "content": "# A"}')
    talk = start(wire, stream([*speech.begin(), begun, *more, RESET]), whole(wire))
    sentence(talk.ask())
    assert set(talk.cards.values()) == {"failed"}
    assert len(talk.server.requests) == 1
    assert talk.ask("Again.")["result"] == {"stopReason": "end_turn"}


@pytest.mark.parametrize(("arguments", "tool"), [('{"command": "vi', "memory"), ("[]", "memory"), ("{}", "browser")])
def test_a_call_that_cannot_be_run_is_told_to_the_model_and_the_turn_goes_on(
    start: Start, wire: Wire, arguments: str, tool: str
) -> None:
    talk = start(wire, stream(asked(wire, arguments, tool)), whole(wire))
    assert talk.ask()["result"] == {"stopReason": "end_turn"}
    assert list(talk.cards.values()) == ["failed"]
    assert b"error: " in talk.server.requests[-1].body


def test_a_model_that_calls_with_rubbish_for_ever_is_stopped_with_a_sentence(start: Start, wire: Wire) -> None:
    talk = start(wire, stream(asked(wire, '{"command": "fly"}')))
    assert talk.ask()["result"] == {"stopReason": "max_turn_requests"}
    assert talk.text.strip() == endings.FAILED_CALLS
    assert (len(talk.server.requests), set(talk.cards.values())) == (20, {"failed"})


@pytest.mark.parametrize(
    ("reason", "stop_reason", "told"),
    [("length", "max_tokens", endings.LENGTH), ("filter", "refusal", endings.REFUSAL)],
)
def test_an_answer_that_is_cut_or_filtered_says_so_after_its_words(
    start: Start, wire: Wire, reason: str, stop_reason: str, told: str
) -> None:
    talk = start(wire, stream(said(wire, WORDS[:3], reason)))
    assert talk.ask()["result"] == {"stopReason": stop_reason}
    assert talk.text == f"{''.join(WORDS[:3])}\n\n{told}"


def test_an_empty_answer_is_told(start: Start, wire: Wire) -> None:
    talk = start(wire, stream([*SPEECH[wire].begin(), *SPEECH[wire].end("end")]))
    assert talk.ask()["result"] == {"stopReason": "end_turn"}
    assert talk.text == endings.EMPTY


def test_the_key_is_nowhere_but_in_its_header(start: Start, wire: Wire, tmp_path: Path) -> None:
    """Not on the wire, in the log, or in any file of the state directory, whatever the server repeats of it."""
    talk = start(
        wire, error(400, f"What is {KEY}?"), error(401, KEY), stream([event(KEY)]), [f"{KEY}\r\n".encode(), CLOSE]
    )
    for _ in range(4):
        sentence(talk.ask())
        assert KEY not in json.dumps(talk.agent.seen)
    assert all(KEY in str(request.headers) and KEY.encode() not in request.body for request in talk.server.requests)
    talk.agent.close_input()
    talk.agent.wait()
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert kept and [path for path in kept if KEY.encode() in path.read_bytes()] == []
