"""Which model answers, as an editor sees it: real agents, with servers on this machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harness import AgentProcess, Message, texts, update_of

from tests.providers.server import Server, answer, stream

UNBOUND = {"CAUDRA_MODEL": None}
KEY = "sk-test-0123456789abcdef"


def option(message: Message) -> dict[str, Any]:
    return message["result"]["configOptions"][0]


def values(config: dict[str, Any]) -> list[str]:
    return [choice["value"] for each in config["options"] for choice in each.get("options", [each])]


def new_session(agent: AgentProcess) -> Message:
    return agent.answer(agent.request("session/new", {"cwd": str(agent.project), "mcpServers": []}))


def completion(text: str) -> list[bytes]:
    delta = {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    return [f"data: {json.dumps(each)}\n\n".encode() for each in (delta, end)] + [b"data: [DONE]\n\n"]


def listing(*ids: str) -> list[bytes]:
    body = json.dumps({"object": "list", "data": [{"id": each} for each in ids]}).encode()
    return answer(200, body)


def test_without_a_key_the_embedded_model_answers_and_says_so_once(tmp_path: Path) -> None:
    with AgentProcess(tmp_path, doors=None, env=UNBOUND) as agent:
        agent.initialize()
        answered = new_session(agent)
        assert option(answered)["currentValue"] == "embedded/librarian"
        session = answered["result"]["sessionId"]
        agent.prompt(session, "what do we know?")
        agent.prompt(session, "what do we know about nothing?")
        assert texts(agent.seen).count("No model is set up") == 1
        assert "`caudra-acp setup`" in texts(agent.seen)


def test_choosing_a_model_before_the_first_turn_leaves_nothing_to_say(tmp_path: Path) -> None:
    with AgentProcess(tmp_path, doors=None, env=UNBOUND) as agent:
        agent.initialize()
        session = new_session(agent)["result"]["sessionId"]
        chosen = {"sessionId": session, "configId": "model", "value": "embedded/librarian"}
        agent.answer(agent.request("session/set_config_option", chosen))
        agent.prompt(session, "what do we know?")
        assert "No model is set up" not in texts(agent.seen)


def test_a_key_in_the_environment_makes_its_provider_the_default(tmp_path: Path) -> None:
    env = {**UNBOUND, "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": None, "HTTPS_PROXY": "http://127.0.0.1:9"}
    with AgentProcess(tmp_path, doors=None, env=env) as agent:
        agent.initialize()
        config = option(new_session(agent))
        assert config["currentValue"].startswith("anthropic/claude-")
        assert "anthropic/claude-haiku-4-5" in values(config) and values(config)[-1] == "test/scripted"


def test_a_bound_model_without_its_key_asks_to_sign_in_until_the_key_is_there(tmp_path: Path) -> None:
    with AgentProcess(tmp_path, doors=None, env={"CAUDRA_MODEL": "openai/gpt-5.5"}) as agent:
        agent.initialize()
        for method, params in (
            ("session/new", {"cwd": str(agent.project), "mcpServers": []}),
            ("authenticate", {"methodId": "key"}),
        ):
            error = agent.answer(agent.request(method, params))["error"]
            assert error["code"] == -32000
            assert "OPENAI_API_KEY" in error["data"]["details"]
            assert [each["id"] for each in error["data"]["authMethods"]] == ["key"]
        stored = {"version": 1, "providers": {"openai": {"key": KEY}}}
        config_dir = agent.state / "config"
        config_dir.mkdir(exist_ok=True)
        (config_dir / "credentials.json").write_text(json.dumps(stored), encoding="utf-8")
        assert agent.answer(agent.request("authenticate", {"methodId": "key"}))["result"] == {}
        assert option(new_session(agent))["currentValue"] == "openai/gpt-5.5"
        (config_dir / "credentials.json").unlink()
        assert new_session(agent)["error"]["code"] == -32000


@pytest.mark.parametrize(("method", "code"), [("nope", -32602), ("setup", -32602), (7, -32602)])
def test_an_unknown_way_to_sign_in_is_refused(tmp_path: Path, method: object, code: int) -> None:
    with AgentProcess(tmp_path, doors=None, env=UNBOUND) as agent:
        agent.initialize()
        assert agent.answer(agent.request("authenticate", {"methodId": method}))["error"]["code"] == code
        assert agent.answer(agent.request("authenticate", {"methodId": "key"}))["result"] == {}


@pytest.mark.parametrize(
    ("capabilities", "expected"),
    [
        ({}, [("key", None, None)]),
        ({"auth": {"terminal": False}}, [("key", None, None)]),
        ({"auth": {"terminal": True}}, [("setup", ["setup"], None), ("key", None, None)]),
        ({"_meta": {"terminal-auth": True}}, [("setup", None, "setup"), ("key", None, None)]),
    ],
)
def test_the_terminal_way_is_offered_where_the_client_has_one(
    tmp_path: Path, capabilities: dict[str, object], expected: list[tuple[str, object, object]]
) -> None:
    with AgentProcess(tmp_path, doors=None, env=UNBOUND) as agent:
        methods = agent.initialize(clientCapabilities=capabilities)["result"]["authMethods"]
        shown = [
            (each["id"], each.get("args"), each.get("_meta", {}).get("terminal-auth", {}).get("args", [None])[-1])
            for each in methods
        ]
        assert shown == expected


@pytest.mark.parametrize("bound", ["gpt-5", "opneai/gpt-5", "embedded/other", "x" * 300, "a b/c"])
def test_a_binding_that_is_none_leaves_a_working_model_and_one_sentence(tmp_path: Path, bound: str) -> None:
    with AgentProcess(tmp_path, doors=None, env={"CAUDRA_MODEL": bound}) as agent:
        agent.initialize()
        answered = new_session(agent)
        assert option(answered)["currentValue"] in values(option(answered))
        agent.prompt(answered["result"]["sessionId"], "what do we know?")
        assert texts(agent.seen).count("CAUDRA_MODEL") == 1


def test_a_model_of_a_server_of_one_s_own_answers_and_its_list_reaches_the_menu(tmp_path: Path) -> None:
    with Server([listing("tiny", "text-embedding-x"), stream(completion("Hello from tiny."))]) as server:
        with AgentProcess(tmp_path, doors=None, env={**UNBOUND, "OPENAI_BASE_URL": f"{server.url}/v1"}) as agent:
            agent.initialize()
            session = new_session(agent)["result"]["sessionId"]
            update = update_of(agent.until(lambda each: update_of(each).get("sessionUpdate") == "config_option_update"))
            assert "openai/tiny" in values(update["configOptions"][0])
            assert "openai/text-embedding-x" not in values(update["configOptions"][0])
            chosen = {"sessionId": session, "configId": "model", "value": "openai/tiny"}
            answered = agent.answer(agent.request("session/set_config_option", chosen))
            assert option(answered)["currentValue"] == "openai/tiny"
            assert agent.prompt(session, "hello")["result"]["stopReason"] == "end_turn"
            assert "Hello from tiny." in texts(agent.seen)
        assert [each.line.split()[1] for each in server.requests][:2] == ["/v1/models", "/v1/chat/completions"]
        assert "authorization" not in server.requests[1].headers


def test_a_listing_that_fails_is_a_line_in_the_log_without_the_key(tmp_path: Path) -> None:
    with Server([answer(500, b"no " + KEY.encode())]) as server:
        env = {**UNBOUND, "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": server.url}
        with AgentProcess(tmp_path, doors=None, env=env) as agent:
            agent.initialize()
            session = new_session(agent)["result"]["sessionId"]
            agent.prompt(session, "what do we know?")
            for _ in range(5000):  # each takes a turn of the agent's loop
                if "can't be listed" in agent.log():
                    break
                agent.answer(agent.request("authenticate", {"methodId": "key"}))
            assert "can't be listed (500)" in agent.log()
            assert KEY not in agent.log() and KEY not in json.dumps(agent.seen)
        assert server.requests[0].headers["x-api-key"] == KEY


def test_the_key_of_setup_goes_to_its_server_and_nowhere_else(tmp_path: Path) -> None:
    with Server([stream(completion("Hello."))]) as server:
        with AgentProcess(tmp_path, doors=None, env={"CAUDRA_MODEL": "mine"}) as agent:
            config_dir = agent.state / "config"
            config_dir.mkdir()
            (config_dir / "config.toml").write_text(
                f'[models.mine]\nprovider = "groq"\nmodel = "m"\nbase_url = "{server.url}"\n', encoding="utf-8"
            )
            stored = {"version": 1, "providers": {"groq": {"key": KEY}}}
            (config_dir / "credentials.json").write_text(json.dumps(stored), encoding="utf-8")
            agent.initialize()
            answered = new_session(agent)
            assert option(answered)["currentValue"] == "groq/m"
            agent.prompt(answered["result"]["sessionId"], "hello")
            assert "Hello." in texts(agent.seen)
            kept = b"".join(
                path.read_bytes()
                for path in agent.state.rglob("*")
                if path.is_file() and path.name != "credentials.json"
            )
            assert KEY.encode() not in kept and KEY not in agent.log() and KEY not in json.dumps(agent.seen)
        chat = [each for each in server.requests if each.line.startswith("POST")]
        assert chat[0].headers["authorization"] == f"Bearer {KEY}"
