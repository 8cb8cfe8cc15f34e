"""Tasks through a real agent: what they may do, who asks, what the session learns, and how they end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness import AgentProcess, Message, texts, update_of

Steps = list[list[Any]]


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[AgentProcess]:
    with AgentProcess(tmp_path, doors="directed_model.py") as process:
        process.initialize()
        yield process


@pytest.fixture
def session(agent: AgentProcess) -> str:
    opened = agent.new_session()
    option = {"sessionId": opened, "configId": "model", "value": "test/scripted"}
    agent.answer(agent.request("session/set_config_option", option))
    return opened


def task(*rounds: Steps, title: str = "look it up") -> list[Any]:
    """A step that gives a task, whose own rounds are these."""
    return ["call", "task", {"title": title, "prompt": json.dumps(rounds)}]


def words(*rounds: Steps) -> str:
    """What a person says."""
    return json.dumps(rounds)


def write(path: str, content: str = "# Kept\n\nA reason.\n") -> list[Any]:
    return ["call", "memory", {"command": "write", "path": path, "content": content}]


def cards(agent: AgentProcess, start: int = 0) -> dict[str, Message]:
    """Each card as it stands, its updates laid over one another, from those seen first or later on."""
    found: dict[str, Message] = {}
    for message in agent.seen[start:]:
        update = update_of(message)
        if "toolCallId" in update:
            found.setdefault(update["toolCallId"], {}).update(update)
    return found


def text_of(card: Message) -> str:
    """The text of a card."""
    return "\n".join(block["content"].get("text", "") for block in card["content"] if block["type"] == "content")


def allow(agent: AgentProcess, question: Message, answer: str = "allow_once") -> None:
    """Answer a question."""
    outcome = {"outcome": "selected", "optionId": answer}
    agent.send({"jsonrpc": "2.0", "id": question["id"], "result": {"outcome": outcome}})


def said_last(agent: AgentProcess, session: str, *rounds: Steps) -> str:
    """What the model says in one more turn."""
    before = len(agent.seen)
    agent.prompt(session, words(*rounds))
    return texts(agent.seen[before:])


def test_a_task_reports_back_in_one_message(agent: AgentProcess, session: str) -> None:
    (agent.project / "a.txt").write_text("needle\n", encoding="utf-8")
    search = ["call", "search_text", {"query": "needle"}]
    answer = agent.prompt(session, words([task([search], [["say", "It is in a.txt."]])]))
    assert answer["result"]["stopReason"] == "end_turn"
    assert texts(agent.seen) == "It is in a.txt."


def test_the_calls_of_a_task_are_lines_of_its_card(agent: AgentProcess, session: str) -> None:
    (agent.project / "a.txt").write_text("needle\n", encoding="utf-8")
    steps = [["call", "read_file", {"path": "a.txt"}], ["call", "read_file", {"path": "b.txt"}]]
    agent.prompt(session, words([task(steps, [["say", "**Done.**"]], title="read two")]))
    (card,) = cards(agent).values()
    assert (card["title"], card["kind"], card["status"]) == ("Task “read two”", "think", "completed")
    assert text_of(card).splitlines() == ["- Read a.txt", "- Read b.txt (failed)", "**Done.**"]
    updates = [update_of(message) for message in agent.seen]
    grown = [text_of(update) for update in updates if "toolCallId" in update and update.get("content")]
    assert grown[:4] == [
        "- Read a.txt …",
        "- Read a.txt",
        "- Read a.txt\n- Read b.txt …",
        "- Read a.txt\n- Read b.txt (failed)",
    ]


def test_a_card_shows_the_newest_calls_of_a_task_that_makes_many(agent: AgentProcess, session: str) -> None:
    looks = [["call", "list_directory", {}] for _ in range(25)]
    agent.prompt(session, words([task(looks, [["say", "Done."]])]))
    (card,) = cards(agent).values()
    assert text_of(card).splitlines()[0] == "- 5 calls before"
    assert len(text_of(card).splitlines()) == 22
    assert card["rawOutput"]["calls"] == 25


def test_nothing_of_a_task_but_its_report_is_in_the_sessions_history(agent: AgentProcess, session: str) -> None:
    (agent.project / "a.txt").write_text("inner words\n", encoding="utf-8")
    steps = [["say", "I begin."], ["call", "read_file", {"path": "a.txt"}]]
    agent.prompt(session, words([task(steps, [["say", "The report."]])]))
    heard = said_last(agent, session, [["say-request"]])
    assert "ToolItem(call_id='c0-1', name='task', text='The report.', failed=False)" in heard
    assert "inner words" not in heard and "AssistantItem(text='I begin.'" not in heard


def test_a_task_has_the_memory_without_its_view_and_gives_no_tasks(agent: AgentProcess, session: str) -> None:
    prompt = agent.start_prompt(session, words([write("kept.md")]))
    allow(agent, agent.asked("session/request_permission"))
    agent.answer(prompt)
    heard = said_last(agent, session, [task([["say-request"]])])
    assert "<memory>" not in heard and "kept.md" not in heard
    assert "['memory', 'read_file', 'list_directory', 'search_text']" in heard


def test_a_task_reads_the_memory_with_every_command(agent: AgentProcess, session: str) -> None:
    prompt = agent.start_prompt(session, words([write("kept.md")]))
    allow(agent, agent.asked("session/request_permission"))
    agent.answer(prompt)
    calls: list[dict[str, Any]] = [
        {"command": "view"},
        {"command": "zoom", "id": 0, "n": 1},
        {"command": "search", "query": "reason"},
        {"command": "read", "path": "kept.md"},
    ]
    heard = said_last(agent, session, [task([["call", "memory", each] for each in calls])])
    assert heard.count("kept.md") >= len(calls) and "error" not in heard


def test_the_question_of_a_task_says_who_asks(agent: AgentProcess, session: str) -> None:
    prompt = agent.start_prompt(session, words([task([write("kept.md")], title="keep it")]))
    question = agent.asked("session/request_permission")
    assert question["params"]["sessionId"] == session
    call = question["params"]["toolCall"]
    assert call["title"] == "Remember kept.md, asked by the task “keep it”"
    assert call["content"][0]["type"] == "diff"
    options = {option["kind"]: option["name"] for option in question["params"]["options"]}
    assert options == {
        "allow_once": "Save this note (task 1)",
        "allow_always": "Always allow such a change in task 1",
        "reject_once": "Don't save (task 1)",
    }
    allow(agent, question)
    agent.answer(prompt)
    shown = cards(agent)
    assert shown[call["toolCallId"]]["status"] == "completed"
    assert shown[call["toolCallId"]]["title"] == "Remember kept.md, asked by the task “keep it”"
    assert shown[call["toolCallId"]]["rawOutput"]["type"] == "memory.receipt"
    assert "Wrote kept.md as entry 0" in texts(agent.seen)


def test_an_always_of_the_session_does_not_cover_its_tasks(agent: AgentProcess, session: str) -> None:
    prompt = agent.start_prompt(session, words([write("own.md")], [task([write("its.md")])]))
    allow(agent, agent.asked("session/request_permission"), "allow_always")
    question = agent.asked("session/request_permission")
    allow(agent, question, "reject_once")
    agent.answer(prompt)
    assert "The person refused this write; its.md is unchanged." in texts(agent.seen)


def test_an_always_of_a_task_covers_that_task_and_nothing_else(agent: AgentProcess, session: str) -> None:
    prompt = agent.start_prompt(
        session, words([task([write("a.md")], [write("b.md")]), write("own.md"), task([write("c.md")])])
    )
    allow(agent, agent.asked("session/request_permission"), "allow_always")
    asked = []
    for _ in range(2):
        asked.append(agent.asked("session/request_permission"))
        allow(agent, asked[-1], "reject_once")
    agent.answer(prompt)
    assert [question["params"]["toolCall"]["title"] for question in asked] == [
        "Remember own.md",
        "Remember c.md, asked by the task “look it up”",
    ]
    assert [f"Wrote {name}.md" in texts(agent.seen) for name in ("b", "own", "c")] == [True, False, False]


def test_what_a_task_wrote_is_told_to_its_session_once(agent: AgentProcess, session: str) -> None:
    prompt = agent.start_prompt(session, words([write("own.md"), task([write("its.md")])]))
    for _ in range(2):
        allow(agent, agent.asked("session/request_permission"))
    agent.answer(prompt)
    told = said_last(agent, session, [["reminder"]])
    assert "its.md" in told and "own.md" not in told
    assert "its.md" not in said_last(agent, session, [["reminder"]])


def test_the_entry_of_a_task_names_the_task_as_its_origin(agent: AgentProcess, session: str) -> None:
    prompt = agent.start_prompt(session, words([task([write("a.md")]), task([write("b.md")])]))
    for _ in range(2):
        allow(agent, agent.asked("session/request_permission"))
    agent.answer(prompt)
    heard = said_last(agent, session, [["call", "memory", {"command": "zoom", "id": each, "n": 1}] for each in (0, 1)])
    assert {f"{session}/task-1", f"{session}/task-2"} <= set(heard.replace(",", " ").split())


def test_tasks_of_one_answer_run_at_the_same_time_four_at_most(agent: AgentProcess, session: str) -> None:
    prompt = agent.start_prompt(session, words([task([write(f"{name}.md")]) for name in "abcdef"]))
    first = [agent.asked("session/request_permission") for _ in range(4)]
    assert [card.get("status") for card in cards(agent).values() if card.get("title") == "Task “look it up”"] == [
        *["in_progress"] * 4,
        *["pending"] * 2,
    ]
    for question in first:
        allow(agent, question)
    for _ in range(2):
        allow(agent, agent.asked("session/request_permission"))
    agent.answer(prompt)
    assert len([card for card in cards(agent).values() if card["status"] == "completed"]) == 12
    assert [f"{name}.md" in texts(agent.seen) for name in "abcdef"] == [True] * 6


@pytest.mark.parametrize("outcome", [{"outcome": "cancelled"}, {"outcome": "selected", "optionId": "reject_once"}])
def test_a_question_of_one_of_four_tasks_that_is_not_answered_refuses_that_one_alone(
    agent: AgentProcess, session: str, outcome: dict[str, str]
) -> None:
    prompt = agent.start_prompt(session, words([task([write(f"{name}.md")]) for name in "abcd"]))
    questions = [agent.asked("session/request_permission") for _ in range(4)]
    agent.send({"jsonrpc": "2.0", "id": questions[1]["id"], "result": {"outcome": outcome}})
    for question in (questions[0], *questions[2:]):
        allow(agent, question)
    assert agent.answer(prompt)["result"]["stopReason"] == "end_turn"
    refused = questions[1]["params"]["toolCall"]["title"].split()[1].rstrip(",")
    assert f"The person refused this write; {refused} is unchanged." in texts(agent.seen)
    assert texts(agent.seen).count("Wrote ") == 3
    assert all(card["status"] in ("completed", "failed") for card in cards(agent).values())


def test_a_cancel_reaches_every_task_at_once(agent: AgentProcess, session: str) -> None:
    prompt = agent.start_prompt(session, words([task([["wait"]]), task([write("a.md")]), task([["wait"]])]))
    question = agent.asked("session/request_permission")
    agent.cancel(session)
    assert agent.answer(prompt)["result"]["stopReason"] == "cancelled"
    assert {card["status"] for card in cards(agent).values()} == {"failed"}
    allow(agent, question)
    heard = said_last(agent, session, [["call", "memory", {"command": "view"}]])
    assert "a.md" not in heard


def test_a_cancel_reaches_a_task_that_runs_alone(agent: AgentProcess, session: str) -> None:
    looking = ["call", "read_file", {"path": "a.txt"}]
    prompt = agent.start_prompt(session, words([task([looking], [["wait"]])]))
    agent.until(lambda message: "failed" in json.dumps(update_of(message).get("content", "")))
    agent.cancel(session)
    assert agent.answer(prompt)["result"]["stopReason"] == "cancelled"
    assert said_last(agent, session, [["say", "Go on."]]) == "Go on."


def test_a_fault_of_its_provider_is_a_failed_task_and_the_turn_goes_on(agent: AgentProcess, session: str) -> None:
    answer = agent.prompt(session, words([task([["fault", "The model is overloaded."]])], [["say", "I go on."]]))
    assert answer["result"]["stopReason"] == "end_turn"
    (card,) = cards(agent).values()
    assert card["status"] == "failed"
    assert "The task failed because its model did: The model is overloaded." in text_of(card)
    assert texts(agent.seen) == "I go on."


def test_a_task_without_a_report_has_failed(agent: AgentProcess, session: str) -> None:
    agent.prompt(session, words([task([])]))
    assert "error: The task ended without a report." in texts(agent.seen)


def test_a_task_that_goes_on_and_on_is_stopped(agent: AgentProcess, session: str) -> None:
    agent.prompt(session, words([task(*[[["call", "list_directory", {}]]] * 40)]))
    assert "error: The task was stopped after 30 requests." in texts(agent.seen)


def test_a_long_report_is_cut(agent: AgentProcess, session: str) -> None:
    agent.prompt(session, words([task([["say", "x" * 40_000]])]))
    assert texts(agent.seen).endswith("[cut: the first 16,384 of 40,000 bytes of the report]")
    assert len(texts(agent.seen)) < 17_000


@pytest.mark.parametrize(
    "arguments",
    [
        {"title": "a"},
        {"title": "a", "prompt": 3},
        {"title": "a", "prompt": "b", "x": 1},
        {"title": "a", "prompt": " \n"},
        {"title": "\n", "prompt": "b"},
        {"title": ["a"], "prompt": "b"},
    ],
)
def test_a_task_that_cant_be_right_is_told_what_would_be(
    agent: AgentProcess, session: str, arguments: dict[str, Any]
) -> None:
    agent.prompt(session, words([["call", "task", arguments]]))
    assert "error: " in texts(agent.seen)


def test_a_loaded_session_draws_the_cards_of_its_tasks_again(agent: AgentProcess, session: str) -> None:
    prompt = agent.start_prompt(session, words([task([write("a.md")])]))
    allow(agent, agent.asked("session/request_permission"))
    agent.answer(prompt)
    live = cards(agent)
    agent.answer(agent.request("session/close", {"sessionId": session}))
    before = len(agent.seen)
    agent.answer(agent.request("session/load", {"sessionId": session, "cwd": str(agent.project), "mcpServers": []}))
    drawn = cards(agent, before)
    assert list(drawn) == list(live) == ["c0-1", "task-1-c0-1"]
    for name in ("title", "kind", "status", "content", "rawInput", "rawOutput", "locations"):
        assert [card.get(name) for card in drawn.values()] == [card.get(name) for card in live.values()]


def test_a_session_whose_agent_was_killed_in_a_task_has_no_card_that_still_runs(tmp_path: Path) -> None:
    with AgentProcess(tmp_path, doors="directed_model.py") as killed:
        killed.initialize()
        session = killed.new_session()
        option = {"sessionId": session, "configId": "model", "value": "test/scripted"}
        killed.answer(killed.request("session/set_config_option", option))
        killed.start_prompt(session, words([task([write("a.md")])]))
        killed.asked("session/request_permission")
        killed.answer(killed.request("session/set_config_option", option))  # by then all before it is on disk
    with AgentProcess(tmp_path, doors="directed_model.py") as agent:
        agent.initialize()
        agent.answer(agent.request("session/load", {"sessionId": session, "cwd": str(agent.project), "mcpServers": []}))
        assert "c0-1" in cards(agent) and {card["status"] for card in cards(agent).values()} == {"failed"}
        assert said_last(agent, session, [["say", "Go on."]]) == "Go on."


def test_what_is_stored_of_a_project_is_not_overwritten_by_the_number_of_a_later_task(
    agent: AgentProcess, session: str
) -> None:
    agent.prompt(session, words([task([["say", "One."]])]))
    agent.answer(agent.request("session/close", {"sessionId": session}))
    agent.answer(agent.request("session/load", {"sessionId": session, "cwd": str(agent.project), "mcpServers": []}))
    prompt = agent.start_prompt(session, words([task([write("b.md")])]))
    question = agent.asked("session/request_permission")
    assert "(task 2)" in question["params"]["options"][0]["name"]
    allow(agent, question)
    agent.answer(prompt)
