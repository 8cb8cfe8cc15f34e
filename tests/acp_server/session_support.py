"""Sessions of real agents on one state directory: opened, talked in, loaded again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from harness import AgentProcess, Message, texts, update_of

Start = Callable[..., AgentProcess]

NO_SEQUENCE: dict[str, str | None] = {"CAUDRA_TEST_IDS": None}
"""Ids that are unique over the agents of a test."""


def begin(folder: Path, *, doors: str | None = "scripted_model.py", **env: str | None) -> AgentProcess:
    """An agent that has said hello."""
    agent = AgentProcess(folder, doors=doors, env={**NO_SEQUENCE, **env})
    agent.initialize()
    return agent


def starter(folder: Path) -> Iterator[Start]:
    """What starts agents on one state directory; all of them are ended afterwards."""
    running: list[AgentProcess] = []

    def start(place: Path = folder, **env: str | None) -> AgentProcess:
        running.append(begin(place, **env))
        return running[-1]

    yield start
    for agent in running:
        agent.kill()


def choose(agent: AgentProcess, session: str, model: str = "test/scripted") -> Message:
    params = {"sessionId": session, "configId": "model", "value": model}
    return agent.answer(agent.request("session/set_config_option", params))


def session_with(agent: AgentProcess, *prompts: str, answer: str = "allow_once") -> str:
    session = agent.new_session()
    choose(agent, session)
    for text in prompts:
        talk(agent, session, text, answer)
    return session


def allow(agent: AgentProcess, question: Message, kind: str = "allow_once") -> None:
    """Answer a question by the button of a kind."""
    wanted = next(each for each in question["params"]["options"] if each["kind"] == kind)
    outcome = {"outcome": "selected", "optionId": wanted["optionId"]}
    agent.send({"jsonrpc": "2.0", "id": question["id"], "result": {"outcome": outcome}})


def talk(agent: AgentProcess, session: str, text: str, answer: str = "allow_once") -> Message:
    """A prompt to its answer; every permission is answered alike."""
    asked = agent.start_prompt(session, text)
    while True:
        message = agent.read()
        if message.get("method") == "session/request_permission":
            allow(agent, message, answer)
        elif message.get("id") == asked and "method" not in message:
            return message


def said(agent: AgentProcess, session: str, text: str, answer: str = "allow_once") -> str:
    """The agent's words in a turn that ends as a turn does."""
    before = len(agent.seen)
    assert talk(agent, session, text, answer).get("result") == {"stopReason": "end_turn"}
    return texts(agent.seen[before:])


def questions(messages: list[Message]) -> list[Message]:
    """The permission requests among them."""
    return [message for message in messages if message.get("method") == "session/request_permission"]


def reopen(agent: AgentProcess, session: str, method: str = "session/load", **more: object) -> Message:
    params = {"sessionId": session, "cwd": str(agent.project), "mcpServers": [], **more}
    return agent.answer(agent.request(method, params))


def listed(agent: AgentProcess, **params: object) -> list[Message]:
    """A page of the list."""
    sessions = agent.answer(agent.request("session/list", params))["result"]["sessions"]
    assert isinstance(sessions, list)
    return sessions


def every_page(agent: AgentProcess, **params: object) -> list[list[str]]:
    """The ids of all pages."""
    pages: list[list[str]] = []
    cursor: object = None
    while True:
        given = params if cursor is None else {**params, "cursor": cursor}
        page = agent.answer(agent.request("session/list", given))["result"]
        pages.append([each["sessionId"] for each in page["sessions"]])
        if (cursor := page.get("nextCursor")) is None:
            return pages


def file_of(agent: AgentProcess, session: str) -> Path:
    """The session's file."""
    return next((agent.state / "projects").glob(f"*/sessions/{session}.jsonl"))


def notes(agent: AgentProcess) -> list[str]:
    """The names of all note files."""
    return sorted(path.name for path in agent.state.glob("projects/*/memories/**/*.md"))


def people(messages: list[Message]) -> list[str]:
    """The person's words as they were drawn."""
    return [
        update_of(each)["content"]["text"]
        for each in messages
        if update_of(each).get("sessionUpdate") == "user_message_chunk"
    ]


def drawn(messages: list[Message]) -> list[Message]:
    """What a client has drawn in the end: runs of chunks joined, updates of a card laid over it, each thing where it
    first appeared; usage and options are no part of the thread.
    """
    shown: list[Message] = []
    cards: dict[str, Message] = {}
    for update in map(update_of, messages):
        match update.get("sessionUpdate"):
            case "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk" as kind:
                key = (kind, update["messageId"])
                if shown and shown[-1].get("key") == key:
                    shown[-1]["text"] += update["content"]["text"]
                else:
                    shown.append({"key": key, "text": update["content"]["text"]})
            case "tool_call" | "tool_call_update":
                card = cards.setdefault(update["toolCallId"], {})
                if not card:
                    shown.append(card)
                card.update({key: value for key, value in update.items() if key != "sessionUpdate"})
            case "session_info_update":
                shown.append({"title": update["title"]})
    return shown
