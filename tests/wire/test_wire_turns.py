"""Prompts, cancels, closes and permissions on the wire: one answer each, in order, and nothing after it."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from harness import AgentProcess, Message, texts, update_of

YES = {"outcome": {"outcome": "selected", "optionId": "yes"}}


def stop_reasons(agent: AgentProcess, prompts: Iterable[int]) -> list[tuple[int, str]]:
    """Id and stop reason of the next answers, as many as there are prompts, as they come."""
    answers = [agent.until(lambda message: "result" in message) for _ in prompts]
    return [(answer["id"], answer["result"]["stopReason"]) for answer in answers]


def test_the_second_prompt_without_a_cancel_runs_after_the_first(agent: AgentProcess) -> None:
    """Row B43, and the two below."""
    session = agent.new_session()
    prompts = [agent.start_prompt(session, text) for text in ("stream 3", "say b", "say c")]
    assert stop_reasons(agent, prompts) == [(prompt, "end_turn") for prompt in prompts]
    assert texts(agent.seen) == "w0 w1 w2 bc"


@pytest.mark.parametrize("warm", [False, True])
def test_a_prompt_right_after_a_cancel_runs_whole(agent: AgentProcess, warm: bool) -> None:
    session = agent.new_session()
    if warm:
        agent.prompt(session, "say x")
    first = agent.start_prompt(session, "sleep")
    agent.cancel(session)
    second = agent.start_prompt(session, "say whole")
    assert stop_reasons(agent, (first, second)) == [(first, "cancelled"), (second, "end_turn")]
    assert texts(agent.seen).endswith("whole")


def test_a_cancel_ends_every_prompt_received_before_it_in_order(agent: AgentProcess) -> None:
    session = agent.new_session()
    prompts = [agent.start_prompt(session, text) for text in ("sleep", "say a", "say b")]
    agent.text_until("asleep")
    agent.cancel(session)
    late = agent.start_prompt(session, "say c")
    expected = [(prompt, "cancelled") for prompt in prompts]
    assert stop_reasons(agent, [*prompts, late]) == [*expected, (late, "end_turn")]
    assert texts(agent.seen) == "asleepc"


def test_eight_prompts_wait_and_a_ninth_is_refused(agent: AgentProcess) -> None:
    session = agent.new_session()
    prompts = [agent.start_prompt(session, "sleep") for _ in range(9)]
    refused = agent.until(lambda message: "error" in message)
    assert (refused["id"], refused["error"]["code"]) == (prompts[8], -32600)
    assert "Eight prompts" in refused["error"]["data"]["details"]
    agent.cancel(session)
    assert stop_reasons(agent, prompts[:8]) == [(prompt, "cancelled") for prompt in prompts[:8]]
    assert agent.prompt(session, "say on")["result"] == {"stopReason": "end_turn"}


def test_cancel_request_ends_the_running_prompt(agent: AgentProcess) -> None:
    session = agent.new_session()
    prompt = agent.start_prompt(session, "sleep")
    agent.text_until("asleep")
    agent.notify("$/cancel_request", {"requestId": prompt})
    assert agent.answer(prompt)["result"] == {"stopReason": "cancelled"}


def test_cancel_request_ends_a_waiting_prompt_at_once_and_leaves_the_running_one(agent: AgentProcess) -> None:
    session = agent.new_session()
    running, waiting = agent.start_prompt(session, "sleep"), agent.start_prompt(session, "say x")
    agent.text_until("asleep")
    agent.notify("$/cancel_request", {"requestId": waiting})
    assert stop_reasons(agent, (waiting,)) == [(waiting, "cancelled")]
    agent.cancel(session)
    assert stop_reasons(agent, (running,)) == [(running, "cancelled")]
    assert texts(agent.seen) == "asleep"


@pytest.mark.parametrize("request_id", [99, "1", None, True, [], {}, 1.0])
def test_cancel_request_for_what_is_not_running_is_silence(agent: AgentProcess, request_id: object) -> None:
    session = agent.new_session()
    prompt = agent.start_prompt(session, "sleep")
    agent.text_until("asleep")
    agent.notify("$/cancel_request", {"requestId": request_id})
    agent.cancel(session)
    assert agent.answer(prompt)["result"] == {"stopReason": "cancelled"}


def test_cancel_request_before_the_hand_over_reaches_the_prompt_that_waits(agent: AgentProcess) -> None:
    prompt = agent.start_prompt(agent.new_session(), "sleep")
    agent.notify("$/cancel_request", {"requestId": prompt})
    assert agent.answer(prompt)["result"] == {"stopReason": "cancelled"}


@pytest.mark.report("B13")
def test_a_close_in_a_turn_answers_the_prompts_first(agent: AgentProcess) -> None:
    session = agent.new_session()
    prompts = [agent.start_prompt(session, "card"), agent.start_prompt(session, "say x")]
    agent.until(lambda message: update_of(message).get("sessionUpdate") == "tool_call")
    close = agent.request("session/close", {"sessionId": session})
    assert agent.answer(close)["result"] == {}
    answers = [message for message in agent.seen if message.get("result") in ({}, {"stopReason": "cancelled"})]
    assert [answer["id"] for answer in answers] == [*prompts, close]
    for method, more in (("session/close", {}), ("session/prompt", {"prompt": [{"type": "text", "text": "x"}]})):
        error = agent.answer(agent.request(method, {"sessionId": session, **more}))["error"]
        assert error["code"] == -32002


def test_a_close_leaves_other_sessions_alone(agent: AgentProcess) -> None:
    """Row B14: one session's end or beginning is nothing to another's turn."""
    one, other = agent.new_session(), agent.new_session()
    prompt = agent.start_prompt(one, "ask")
    question = agent.asked("session/request_permission")
    agent.new_session()
    assert agent.prompt(other, "say x")["result"] == {"stopReason": "end_turn"}
    agent.answer(agent.request("session/close", {"sessionId": other}))
    agent.send({"id": question["id"], "result": YES})
    assert agent.answer(prompt)["result"] == {"stopReason": "end_turn"}
    assert texts(agent.seen).endswith("chosen yes")


@pytest.mark.parametrize("how", ["session/cancel", "$/cancel_request"])
def test_a_card_left_open_is_ended_before_the_answer(agent: AgentProcess, how: str) -> None:
    """Row B35, and A4: nothing of the turn follows its answer."""
    session = agent.new_session()
    prompt = agent.start_prompt(session, "card")
    agent.until(lambda message: update_of(message).get("sessionUpdate") == "tool_call")
    agent.notify(how, {"sessionId": session, "requestId": prompt})
    assert agent.answer(prompt)["result"] == {"stopReason": "cancelled"}
    update = update_of(agent.seen[-2])
    assert (update["toolCallId"], update["status"]) == ("left-open", "failed")


def test_nothing_of_a_turn_follows_its_answer(agent: AgentProcess) -> None:
    """Row A4: an event after the end is dropped."""
    session = agent.new_session()
    agent.prompt(session, "late")
    agent.prompt(session, "sleep_until_late")
    agent.close_input()
    assert "too late" not in texts([*agent.seen, *agent.rest()])
    assert "went on after its end" in agent.log()


@pytest.mark.parametrize(
    ("answer", "chosen"),
    [
        ({"result": YES}, "yes"),
        ({"result": {"outcome": {"outcome": "selected", "optionId": "no"}}}, "no"),
        ({"result": {"outcome": {"outcome": "selected", "optionId": "never offered"}}}, "None"),
        ({"result": {"outcome": {"outcome": "selected"}}}, "None"),
        ({"result": {"outcome": {"outcome": "approved", "optionId": "yes"}}}, "None"),
        ({"result": {"outcome": {"outcome": "cancelled"}}}, "None"),
        ({"result": {"outcome": "selected", "optionId": "yes"}}, "None"),
        ({"result": None}, "None"),
        ({"result": []}, "None"),
        ({"error": {"code": -32800, "message": "Request cancelled"}}, "None"),
        ({"error": {"code": -32603, "message": "x", "data": {"outcome": YES}}}, "None"),
    ],
)
def test_only_an_offered_option_is_a_choice(agent: AgentProcess, answer: Message, chosen: str) -> None:
    """Rows A9 and A3: whatever else comes approves nothing, and the turn goes on."""
    session = agent.new_session()
    prompt = agent.start_prompt(session, "ask")
    question = agent.asked("session/request_permission")
    agent.send({"jsonrpc": "2.0", "id": question["id"], **answer})
    assert agent.answer(prompt)["result"] == {"stopReason": "end_turn"}
    assert texts(agent.seen) == f"chosen {chosen}"


@pytest.mark.parametrize(
    "broken",
    [
        {"id": "0", "result": YES},
        {"id": 0.0, "result": YES},
        {"id": [0], "result": YES},
        {"id": False, "result": YES},
        {"id": 0, "error": "x"},
        {"id": 0, "error": {"code": "x"}},
        {"id": 0, "result": YES, "error": {"code": 1, "message": "x"}},
    ],
)
def test_a_malformed_response_is_no_answer_and_ends_nothing(agent: AgentProcess, broken: Message) -> None:
    session = agent.new_session()
    prompt = agent.start_prompt(session, "ask")
    question = agent.asked("session/request_permission")
    assert question["id"] == 0
    agent.send(broken)
    agent.send({"id": 0, "result": {"outcome": {"outcome": "selected", "optionId": "no"}}})
    assert agent.answer(prompt)["result"] == {"stopReason": "end_turn"}
    assert texts(agent.seen) == "chosen no"


def test_an_answer_that_comes_late_or_twice_approves_nothing(agent: AgentProcess) -> None:
    """Row A9: the next question is a new one."""
    session = agent.new_session()
    first = agent.start_prompt(session, "ask")
    question = agent.asked("session/request_permission")
    agent.cancel(session)
    agent.answer(first)
    second = agent.start_prompt(session, "ask")
    agent.send({"id": question["id"], "result": YES})
    again = agent.asked("session/request_permission")
    agent.send({"id": question["id"], "result": YES})
    agent.send({"id": again["id"], "result": {"outcome": {"outcome": "selected", "optionId": "no"}}})
    agent.send({"id": again["id"], "result": YES})
    assert agent.answer(second)["result"] == {"stopReason": "end_turn"}
    assert texts(agent.seen).endswith("chosen no")


def test_a_permission_request_carries_the_options_as_they_are(agent: AgentProcess) -> None:
    session = agent.new_session()
    agent.start_prompt(session, "ask")
    params = agent.asked("session/request_permission")["params"]
    assert params["sessionId"] == session
    assert [(option["optionId"], option["kind"]) for option in params["options"]] == [
        ("yes", "allow_once"),
        ("always", "allow_always"),
        ("no", "reject_once"),
    ]
