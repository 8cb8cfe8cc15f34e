"""`initialize` and `session/new` as an editor sees them, and what a session is afterwards."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from harness import AgentProcess, Message, process_environment, texts, update_of
from schema_check import check

from memory_core.paths import project_home, project_identity

FIRST_LINES = [
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"e"}}}\n',
    b"[]\n",
    b'{"jsonrpc":"2.0","id":"n","method":"session/new","params":{"cwd":"/","mcpServers":[]}}\n',
    b'{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"x","mcpServers":[]}}\n',
    b'{"jsonrpc":"2.0","id":3,"method":"session/list","params":{}}\n',
]


def session_file(agent: AgentProcess, session: str, cwd: Path | None = None) -> Path:
    identity = project_identity(str(cwd or agent.project), str(agent.state / "home"))
    return Path(project_home(str(agent.state), identity)) / "sessions" / f"{session}.jsonl"


def test_initialize_says_what_works_and_nothing_else(agent: AgentProcess) -> None:
    result = agent.initialize()["result"]
    assert result["agentCapabilities"] == {
        "loadSession": True,
        "promptCapabilities": {"image": False, "audio": False, "embeddedContext": True},
        "mcpCapabilities": {"http": False, "sse": False},
        "sessionCapabilities": {"additionalDirectories": {}, "close": {}, "delete": {}, "list": {}, "resume": {}},
    }
    assert [method["id"] for method in result["authMethods"]] == ["key"]
    assert result["agentInfo"]["name"] == "caudra-acp"


@pytest.mark.parametrize("version", [0, 1, 2, 65535])
def test_whatever_version_is_asked_for_the_answer_is_the_one_spoken(agent: AgentProcess, version: int) -> None:
    answer = agent.answer(agent.request("initialize", {"protocolVersion": version}))
    assert answer["result"]["protocolVersion"] == 1


def test_everything_on_the_wire_fits_the_official_schema(agent: AgentProcess) -> None:
    sent: list[Message] = []
    original, agent.send = agent.send, lambda message: (sent.append(message), original(message))[1]  # type: ignore
    agent.initialize(clientInfo={"name": "e", "version": "1"})
    session = agent.new_session()
    agent.answer(agent.request("session/set_config_option", _option(session, "test/scripted")))
    for text in ("say x", "stream 2", "raise", "surrogate", "fail"):
        agent.prompt(session, text)
    agent.start_prompt(session, "ask")
    agent.asked("session/request_permission")
    agent.answer(agent.request("session/close", {"sessionId": session}))
    assert check([("c2a", message) for message in sent] + [("a2c", message) for message in agent.seen]) == []


def test_the_first_answers_are_the_same_bytes_before_and_after_the_hand_over(tmp_path: Path) -> None:
    with AgentProcess(tmp_path / "a") as early, AgentProcess(tmp_path / "b") as late:
        late.answer(late.request("session/close", {"sessionId": "who"}))
        for line in FIRST_LINES:
            early.write(line)
            late.write(line)
        lines = len(FIRST_LINES) + 1  # the new session's commands
        assert [early.read_line() for _ in range(lines)] == [late.read_line() for _ in range(lines)]


def test_a_session_is_told_its_models_and_its_commands(agent: AgentProcess) -> None:
    answer = agent.answer(agent.request("session/new", {"cwd": str(agent.project), "mcpServers": []}))
    model, memory = answer["result"]["configOptions"]
    assert (model["id"], model["category"], model["type"]) == ("model", "model", "select")
    assert (memory["id"], memory["type"], memory["currentValue"]) == ("memory", "select", "on")
    assert all(each["currentValue"] in [choice["value"] for choice in each["options"]] for each in (model, memory))
    update = update_of(agent.read())
    assert update["sessionUpdate"] == "available_commands_update"
    commands = {command["name"]: command.get("input", {}).get("hint") for command in update["availableCommands"]}
    assert commands == {
        "compact": "what to keep above all",
        "clear": None,
        "memory": "rebuild, on or off",
        "sessions": None,
        "rename": "title",
        "help": None,
    }


@pytest.mark.parametrize("testing", ["1", None, "0"])
def test_the_scripted_model_is_offered_to_tests_only(tmp_path: Path, testing: str | None) -> None:
    with AgentProcess(tmp_path, env={"CAUDRA_TEST": testing}) as agent:
        answer = agent.answer(agent.request("session/new", {"cwd": str(agent.project), "mcpServers": []}))
        values = [choice["value"] for choice in answer["result"]["configOptions"][0]["options"]]
        assert ("test/scripted" in values) == (testing == "1")


def _option(session: str, value: str, config: str = "model") -> Message:
    return {"sessionId": session, "configId": config, "value": value}


def test_a_chosen_model_is_answered_with_all_options_and_used_in_the_next_turn(agent: AgentProcess) -> None:
    session = agent.new_session()
    answer = agent.answer(agent.request("session/set_config_option", _option(session, "test/scripted")))
    assert [option["currentValue"] for option in answer["result"]["configOptions"]] == ["test/scripted", "on"]
    agent.prompt(session, "where")
    assert "test/scripted" in texts(agent.seen)


@pytest.mark.parametrize(("value", "config"), [("none", "model"), ("", "model"), ("embedded/librarian", "mode")])
def test_an_option_or_value_that_is_not_offered_is_refused(agent: AgentProcess, value: str, config: str) -> None:
    session = agent.new_session()
    error = agent.answer(agent.request("session/set_config_option", _option(session, value, config)))["error"]
    assert error["code"] == -32602
    assert error["data"]["details"].endswith(".")


def test_an_option_may_change_during_a_turn(agent: AgentProcess) -> None:
    session = agent.new_session()
    prompt = agent.start_prompt(session, "sleep")
    agent.text_until("asleep")
    assert agent.answer(agent.request("session/set_config_option", _option(session, "test/scripted")))["result"]
    agent.cancel(session)
    agent.answer(prompt)


def test_each_session_works_in_its_own_directory_wherever_the_process_runs(tmp_path: Path) -> None:
    """Row A14: started in `/`, two sessions with two directories at once."""
    with AgentProcess(tmp_path, cwd="/") as agent:
        folders = [tmp_path / "one", tmp_path / "two words"]
        for folder in folders:
            folder.mkdir()
        sessions = [agent.new_session(folder) for folder in folders]
        for folder, session in zip(folders, sessions, strict=True):
            start = len(agent.seen)
            agent.prompt(session, "where")
            assert texts(agent.seen[start:]).startswith(f"{folder} ")


@pytest.mark.parametrize(
    ("info", "name"),
    [
        (None, "None"),
        ({"name": "", "version": ""}, "None"),
        ({"name": "zed", "version": "1"}, "zed"),
        ({"name": "a\n\tb" + "c" * 10_000, "version": "1"}, "a b" + "c" * 61),
        ({"name": 5}, "None"),
        ("zed", "None"),
    ],
)
def test_a_client_may_say_anything_of_itself(agent: AgentProcess, info: object, name: str) -> None:
    """Row B34: whatever `clientInfo` holds, the first prompt works, and the name is one short line."""
    agent.initialize(clientInfo=info)
    session = agent.new_session()
    assert agent.prompt(session, "where")["result"] == {"stopReason": "end_turn"}
    assert texts(agent.seen).endswith(f" {name}")


def test_a_session_is_kept_when_it_is_answered(agent: AgentProcess) -> None:
    agent.initialize(clientInfo={"name": "e", "version": "1"})
    session = agent.new_session()
    path = session_file(agent, session)
    (line,) = path.read_text(encoding="utf-8").splitlines()
    record = json.loads(line)
    assert record.pop("created").startswith("2023-11-14T22:13:20")
    assert record == {
        "type": "session",
        "version": 1,
        "sessionId": session,
        "cwd": str(agent.project),
        "additionalDirectories": [],
        "model": "embedded/librarian",
        "client": "e",
    }
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_a_session_that_cannot_be_kept_lives_and_says_so_once(tmp_path: Path) -> None:
    (tmp_path / "blocked").write_bytes(b"")
    with AgentProcess(tmp_path, env={"CAUDRA_STATE_DIR": str(tmp_path / "blocked" / "state")}) as agent:
        session = agent.new_session()
        agent.prompt(session, "say hello")
        assert "can't be kept on disk" in texts(agent.seen)
        assert texts(agent.seen).endswith("hello")
        start = len(agent.seen)
        agent.prompt(session, "say again")
        assert texts(agent.seen[start:]) == "again"


@pytest.mark.report("B7")
@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable to root")
def test_a_cwd_that_cannot_be_read_is_refused_with_its_path(agent: AgentProcess) -> None:
    agent.project.chmod(0)
    error = agent.answer(agent.request("session/new", {"cwd": str(agent.project), "mcpServers": []}))["error"]
    agent.project.chmod(0o700)
    assert error["code"] == -32602
    assert str(agent.project) in error["data"]["details"]


@pytest.mark.parametrize("gone", [("HOME",), ("HOME", "PATH"), ("HOME", "PATH", "CAUDRA_STATE_DIR")])
def test_an_agent_starts_from_a_desktop_without_an_environment(tmp_path: Path, gone: tuple[str, ...]) -> None:
    """Row A22: what a shell would have set is missing."""
    state = {"XDG_STATE_HOME": str(tmp_path / "xdg")} if "CAUDRA_STATE_DIR" in gone else {}
    with AgentProcess(tmp_path, env={**dict.fromkeys(gone), **state}) as agent:
        agent.initialize()
        assert agent.prompt(agent.new_session(), "say x")["result"] == {"stopReason": "end_turn"}


def test_a_home_that_is_missing_is_no_fault(tmp_path: Path) -> None:
    with AgentProcess(tmp_path, env={"HOME": "/nonexistent", "CAUDRA_STATE_DIR": None}) as agent:
        session = agent.new_session()
        assert agent.prompt(session, "say x")["result"] == {"stopReason": "end_turn"}


@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.ISO-8859-1"])
def test_text_passes_whole_whatever_the_locale(tmp_path: Path, locale: str) -> None:
    """Row B46, as far as the wire is concerned."""
    odd = {"LC_ALL": locale, "LANG": locale, "PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252"}
    with AgentProcess(tmp_path, env=odd) as agent:
        folder = tmp_path / "Ưỡ→★🎉"
        folder.mkdir()
        session = agent.new_session(folder)
        agent.prompt(session, "say Ưỡ→★🎉")
        assert texts(agent.seen) == "Ưỡ→★🎉"
        assert json.loads(session_file(agent, session, folder).read_bytes())["cwd"] == str(folder)


def test_prompt_blocks_become_one_text(agent: AgentProcess) -> None:
    session = agent.new_session()
    blocks = [
        {"type": "text", "text": "say look at "},
        {"type": "resource_link", "uri": "file:///a/b.md", "name": "b.md"},
        {"type": "text", "text": " now"},
        {"type": "text", "text": "and"},
        {"type": "resource", "resource": {"uri": "file:///c.md", "text": "```\ncode\n```"}},
    ]
    agent.answer(agent.request("session/prompt", {"sessionId": session, "prompt": blocks}))
    assert texts(agent.seen) == ("look at [b.md](file:///a/b.md) now\nand\nfile:///c.md\n````\n```\ncode\n```\n````")


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_a_prompt_of_nothing_is_refused(agent: AgentProcess, text: str) -> None:
    assert agent.prompt(agent.new_session(), text)["error"]["code"] == -32602


def test_nothing_is_sent_between_a_new_session_and_its_first_prompt(agent: AgentProcess) -> None:
    """Row B55: the hand-over falls in between."""
    session = agent.new_session()
    start = len(agent.seen)
    agent.answer(agent.request("session/close", {"sessionId": "who"}))
    agent.prompt(session, "say x")
    assert [update_of(message).get("sessionUpdate") for message in agent.seen[start:]] == [
        None,
        "agent_message_chunk",
        None,
    ]


def test_a_test_door_is_shut_without_its_key(tmp_path: Path) -> None:
    doors = {"CAUDRA_TEST": None}
    with AgentProcess(tmp_path, env=doors) as agent:
        session = agent.new_session()
        agent.prompt(session, "where")
        assert "test/scripted" not in texts(agent.seen)
        assert str(agent.project) not in texts(agent.seen)
        assert session != "session-1"


def test_the_environment_of_tests_is_small(tmp_path: Path) -> None:
    assert "CAUDRA_TEST_IDS" in process_environment(tmp_path)
    assert "CAUDRA_TEST_IDS" not in process_environment(tmp_path, {"CAUDRA_TEST_IDS": None})


def test_a_session_is_not_kept_in_place_of_a_state_directory_that_went_away(
    agent: AgentProcess, tmp_path: Path
) -> None:
    """An unmounted home: a new session says so, and makes no empty directory where the old one was."""
    agent.new_session()
    agent.state.rename(tmp_path / "away")
    session = agent.new_session()
    agent.prompt(session, "say hello")
    assert "can't be kept on disk" in texts(agent.seen)
    assert not agent.state.exists()
