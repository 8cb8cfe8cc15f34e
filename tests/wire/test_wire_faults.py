"""Faults on the wire, each against a real process. The rows are those of `fixtures/wire-faults.md`.

Rows 18a to 18i, faults of a model's server, are held in `test_wire_models.py`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from harness import ROOT, AgentProcess, Message, texts, update_of

TABLE = ROOT / "fixtures" / "wire-faults.md"

NO_REQUESTS = [b"[]", b"42", b"null", b'"x"', b"true", b"{}", b"[[]]", b'[{"jsonrpc":"2.0"}]']
NO_JSON = [
    b"{",
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"x":"\xff"}}',
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":NaN}}',
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"n":-Infinity}}',
    b'{"n":' + b"7" * 5000 + b"}",
    b"[" * 100_000,
    b"\x00",
]


@pytest.fixture(params=["before", "after"])
def ready(agent: AgentProcess, request: pytest.FixtureRequest) -> AgentProcess:
    """An agent before and after the hand-over: nobody outside can tell the two apart."""
    if request.param == "after":
        agent.prompt(agent.new_session(), "say x")
    return agent


def still_works(agent: AgentProcess) -> None:
    assert agent.initialize()["result"]["protocolVersion"] == 1


def test_every_row_of_the_table_is_named_by_a_test() -> None:
    cells = re.findall(r"^\| ([0-9][0-9a-z, -]+) \|", TABLE.read_text(encoding="utf-8"), re.MULTILINE)
    rows = {number for cell in cells for number in re.findall(r"\d\d", cell)}
    sources = [path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py")]
    names = re.findall(r"def test_((?:\d\d[a-i]?_)+)", "".join(sources))
    assert {number[:2] for name in names for number in name.split("_")} - {""} == rows


@pytest.mark.parametrize("line", NO_REQUESTS)
def test_01_04_a_line_that_is_no_request_is_refused_and_the_next_works(ready: AgentProcess, line: bytes) -> None:
    ready.write(line + b"\n")
    refusal = ready.read()
    assert (refusal["id"], refusal["error"]["code"]) == (None, -32600)
    still_works(ready)


@pytest.mark.parametrize("line", NO_JSON, ids=lambda line: line[:12].decode("ascii", "replace"))
def test_05_06_a_line_that_is_no_json_is_refused_and_the_next_works(ready: AgentProcess, line: bytes) -> None:
    ready.write(line + b"\n")
    refusal = ready.read()
    assert (refusal["id"], refusal["error"]["code"]) == (None, -32700)
    still_works(ready)


def test_07_a_prompt_of_20_megabytes_is_taken_and_the_next_works(agent: AgentProcess) -> None:
    session = agent.new_session()
    agent.prompt(session, "length " + "é" * 10_000_000)
    assert texts(agent.seen) == "10000000"
    assert agent.prompt(session, "say on")["result"] == {"stopReason": "end_turn"}


def test_a_line_one_byte_over_the_limit_is_refused_and_the_next_works(ready: AgentProcess) -> None:
    """Row B50: the connection goes on, and the line was never kept whole."""
    limit = 64 * 1024 * 1024
    for _ in range(limit // (1 << 20)):
        ready.write(b"x" * (1 << 20))
    ready.write(b"x\n")
    refusal = ready.read()
    assert (refusal["id"], refusal["error"]["code"]) == (None, -32600)
    assert str(limit) in refusal["error"]["data"]["details"]
    still_works(ready)


@pytest.mark.parametrize(
    "method", ["nope", "", "session/unload", "_session/delete", "logout", "providers/list", "_x/y", "session/cancel"]
)
def test_08_09_an_unknown_method_is_refused_an_unknown_notification_is_silence(
    ready: AgentProcess, method: str
) -> None:
    if method != "session/cancel":
        ready.notify(method, {"sessionId": "x"})
    answer = ready.answer(ready.request(method, {"sessionId": "x"}))
    assert answer["error"] == {"code": -32601, "message": "Method not found", "data": {"method": method}}
    assert ready.seen[-2:-1] == [] or ready.seen[-2].get("id") != answer["id"]
    still_works(ready)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("session/new", None),
        ("session/new", []),
        ("session/new", "x"),
        ("session/new", {"cwd": 5, "mcpServers": []}),
        ("session/new", {"cwd": "/", "mcpServers": "x"}),
        ("session/new", {"cwd": "/", "mcpServers": ["x"]}),
        ("session/new", {"cwd": "/", "mcpServers": [], "additionalDirectories": "/"}),
        ("session/new", {"cwd": "/", "mcpServers": [], "additionalDirectories": [5]}),
        ("session/new", {"cwd": "/", "mcpServers": [], "additionalDirectories": ["here"]}),
        ("initialize", None),
        ("initialize", {"protocolVersion": "1"}),
        ("initialize", {"protocolVersion": True}),
        ("initialize", {"protocolVersion": -1}),
        ("initialize", {"protocolVersion": 65536}),
        ("session/prompt", None),
        ("session/prompt", []),
        ("session/prompt", {"sessionId": 5, "prompt": [{"type": "text", "text": "x"}]}),
        ("session/prompt", {"sessionId": "x", "prompt": "text"}),
        ("session/prompt", {"sessionId": "x", "prompt": []}),
        ("session/prompt", {"sessionId": "x", "prompt": [{"type": "text"}]}),
        ("session/prompt", {"sessionId": "x", "prompt": [{"type": "image", "data": "", "mimeType": "image/png"}]}),
        ("session/prompt", {"sessionId": "x", "prompt": [{"type": "resource", "resource": {"uri": "u", "blob": ""}}]}),
        ("session/set_config_option", {"sessionId": "x", "configId": "model", "value": True}),
        ("session/close", None),
    ],
)
def test_10_params_that_are_missing_or_no_object_are_refused(agent: AgentProcess, method: str, params: object) -> None:
    error = agent.answer(agent.request(method, params))["error"]
    assert error["code"] == -32602
    assert error["data"]["details"].endswith(".")
    still_works(agent)


def test_no_params_at_all_are_an_empty_object(ready: AgentProcess) -> None:
    ready.send({"jsonrpc": "2.0", "id": "bare", "method": "session/new"})
    assert ready.answer("bare")["error"]["code"] == -32602


@pytest.mark.parametrize(
    ("method", "more"),
    [
        ("session/prompt", {"prompt": [{"type": "text", "text": "x"}]}),
        ("session/close", {}),
        ("session/set_config_option", {"configId": "model", "value": "embedded/librarian"}),
    ],
)
def test_11_a_session_that_is_unknown_is_not_found_and_named(agent: AgentProcess, method: str, more: Message) -> None:
    error = agent.answer(agent.request(method, {"sessionId": "who", **more}))["error"]
    assert (error["code"], error["data"]["uri"]) == (-32002, "who")
    assert "who" in error["data"]["details"]


@pytest.mark.report("B7")
@pytest.mark.parametrize(
    "cwd", ["", ".", "src", "~", "C:\\x", "./x", "/not/there", "/etc/hostname", "/a\x00b", "/\udcff"]
)
def test_12_a_cwd_that_will_not_do_is_refused_with_its_path(ready: AgentProcess, cwd: str) -> None:
    error = ready.answer(ready.request("session/new", {"cwd": cwd, "mcpServers": []}))["error"]
    assert error["code"] == -32602
    assert cwd in error["data"]["details"] or repr(cwd) in error["data"]["details"]
    still_works(ready)


def test_13_14_a_cancel_ends_the_stream_and_with_nothing_running_is_silence(agent: AgentProcess) -> None:
    session = agent.new_session()
    agent.cancel(session)
    agent.cancel("who")
    prompt = agent.start_prompt(session, "sleep")
    agent.text_until("asleep")
    agent.cancel(session)
    agent.cancel(session)
    assert agent.answer(prompt)["result"] == {"stopReason": "cancelled"}
    agent.cancel(session)
    assert agent.prompt(session, "say on")["result"] == {"stopReason": "end_turn"}
    assert texts(agent.seen) == "asleepon"


def test_15_two_prompts_at_once_run_one_after_the_other(agent: AgentProcess) -> None:
    session = agent.new_session()
    first, second = agent.start_prompt(session, "stream 50"), agent.start_prompt(session, "say end")
    agent.answer(second)
    kinds = [message.get("id") or update_of(message).get("sessionUpdate") for message in agent.seen]
    assert kinds.index(first) < kinds.index(second)
    assert texts(agent.seen) == "".join(f"w{number} " for number in range(50)) + "end"


def test_19_a_permission_never_answered_ends_with_the_cancel(agent: AgentProcess) -> None:
    session = agent.new_session()
    prompt = agent.start_prompt(session, "ask")
    question = agent.asked("session/request_permission")
    agent.cancel(session)
    assert agent.answer(prompt)["result"] == {"stopReason": "cancelled"}
    assert [m["params"] for m in agent.seen if m.get("method") == "$/cancel_request"] == [{"requestId": question["id"]}]
    assert agent.prompt(session, "say on")["result"] == {"stopReason": "end_turn"}


@pytest.mark.parametrize(
    "meta",
    [
        {"": 1, "a b": None, "ключ": []},
        {"self": 1, "session_id": "other", "prompt": "other", "constructor": {}, "__proto__": {}, "meta": 2},
        None,
        [],
        5,
    ],
)
def test_21_odd_keys_in_meta_are_taken_and_ignored(agent: AgentProcess, meta: object) -> None:
    assert agent.initialize(_meta=meta)["result"]["protocolVersion"] == 1
    request = agent.request("session/new", {"cwd": str(agent.project), "mcpServers": [], "_meta": meta})
    session = agent.answer(request)["result"]["sessionId"]
    block = {"type": "text", "text": "say x", "_meta": meta if isinstance(meta, dict) else None}
    prompt = {"sessionId": session, "prompt": [block], "_meta": meta}
    assert agent.answer(agent.request("session/prompt", prompt))["result"] == {"stopReason": "end_turn"}
    agent.notify("session/cancel", {"sessionId": session, "_meta": meta})
    option = {"sessionId": session, "configId": "model", "value": "test/scripted", "_meta": meta}
    assert agent.answer(agent.request("session/set_config_option", option))["result"]
    assert agent.answer(agent.request("session/close", {"sessionId": session, "_meta": meta}))["result"] == {}


def test_22_one_id_twice_is_answered_twice(agent: AgentProcess) -> None:
    session = agent.new_session()
    for text in ("say one ", "say two "):
        params = {"sessionId": session, "prompt": [{"type": "text", "text": text}]}
        agent.send({"jsonrpc": "2.0", "id": "same", "method": "session/prompt", "params": params})
    assert [agent.answer("same")["result"], agent.answer("same")["result"]] == [{"stopReason": "end_turn"}] * 2
    assert texts(agent.seen) == "one two "


@pytest.mark.parametrize("request_id", ["text", "", 0, -5, 2**70, None])
def test_an_id_that_is_a_string_an_integer_or_null_comes_back_as_it_was(
    ready: AgentProcess, request_id: object
) -> None:
    ready.send({"id": request_id, "method": "session/close", "params": {"sessionId": "who"}})
    assert ready.answer(request_id)["error"]["code"] == -32002


@pytest.mark.parametrize("request_id", [1.5, True, [1], {"a": 1}, 1e999])
def test_any_other_id_is_refused_with_null(ready: AgentProcess, request_id: object) -> None:
    line = json.dumps({"id": request_id, "method": "initialize", "params": {"protocolVersion": 1}})
    ready.write(line.replace("Infinity", "1e999").encode() + b"\n")
    refusal = ready.read()
    assert (refusal["id"], refusal["error"]["code"]) == (None, -32600)


@pytest.mark.parametrize(
    "response",
    [
        {"id": 0, "result": {"outcome": {"outcome": "selected", "optionId": "yes"}}},
        {"id": [], "result": {}},
        {"id": None, "error": {"code": -32602, "message": "no such update"}},
        {"id": 0, "error": "x"},
        {"id": 0, "error": {}, "result": {}},
        {"id": 1e300, "result": {}},
    ],
)
def test_a_response_that_nobody_asked_for_is_dropped(ready: AgentProcess, response: Message) -> None:
    ready.send(response)
    still_works(ready)
    assert not [message for message in ready.seen if "error" in message]


@pytest.mark.parametrize("method", [None, 5, [], {}])
def test_a_method_that_is_no_string_is_refused(ready: AgentProcess, method: object) -> None:
    assert ready.answer(ready.request(method, {}))["error"]["code"] == -32600  # type: ignore[arg-type]


def test_a_message_byte_by_byte_with_bom_crlf_and_blank_lines_is_one_message(ready: AgentProcess) -> None:
    """Row A2: how bytes are cut says nothing."""
    line = '\ufeff{"jsonrpc":"2.0","id":"é","method":"initialize","params":{"protocolVersion":1}}\r\n\r\n \n'
    for byte in line.encode():
        ready.write(bytes([byte]))
    assert ready.answer("é")["result"]["protocolVersion"] == 1


def test_the_last_line_needs_no_newline(agent: AgentProcess) -> None:
    agent.write(b'{"id":1,"method":"initialize","params":{"protocolVersion":1}}')
    agent.close_input()
    assert [message["id"] for message in agent.rest()] == [1]
    assert agent.wait() == 0


def test_a_prompt_at_once_and_then_the_end_is_answered_cancelled(agent: AgentProcess) -> None:
    session = agent.new_session()
    prompt = agent.start_prompt(session, "sleep")
    agent.close_input()
    assert agent.rest()[-1] == {"jsonrpc": "2.0", "id": prompt, "result": {"stopReason": "cancelled"}}
    assert agent.wait() == 0


def test_what_waits_for_the_hand_over_is_answered_in_order(agent: AgentProcess) -> None:
    session = agent.new_session()
    prompt = agent.start_prompt(session, "say x")
    agent.write(b"[]\n")
    new = agent.request("session/new", {"cwd": "relative"})
    ids = [message["id"] for message in [agent.read() for _ in range(4)] if "id" in message]
    assert sorted(ids, key=str) == sorted([prompt, None, new], key=str)
    assert ids.index(None) < ids.index(new)


def test_requests_past_the_limit_are_refused_at_once_and_a_cancel_still_passes(agent: AgentProcess) -> None:
    sessions = [agent.new_session() for _ in range(65)]
    agent.prompt(sessions[0], "say x")
    prompts = [agent.start_prompt(session, "sleep") for session in sessions for _ in range(8)]
    refused = agent.until(lambda message: "error" in message)
    assert (refused["id"], refused["error"]["code"]) == (prompts[512], -32600)
    for session in sessions:
        agent.cancel(session)
    answers = [agent.until(lambda message: message.get("result") is not None) for _ in range(512)]
    assert {answer["result"]["stopReason"] for answer in answers} == {"cancelled"}
    assert agent.prompt(sessions[64], "say on")["result"] == {"stopReason": "end_turn"}


def test_what_a_tool_or_a_library_prints_stays_off_the_wire(agent: AgentProcess) -> None:
    """Row A1."""
    session = agent.new_session()
    agent.prompt(session, "print")
    assert texts(agent.seen) == "read b''"
    for noise in ("printed by a tool", "written by a tool", "echoed by a child", "warned by a library"):
        assert noise in agent.log()


def test_a_bug_is_answered_in_general_words_and_logged_without_secrets(agent: AgentProcess) -> None:
    session = agent.new_session()
    error = agent.prompt(session, "raise")["error"]
    assert error["code"] == -32603
    assert "internal words" not in json.dumps(agent.seen)
    assert "internal words" in agent.log()
    assert "abcdef" not in agent.log()
    assert agent.prompt(session, "say on")["result"] == {"stopReason": "end_turn"}


def test_a_failed_turn_is_an_error_with_its_sentence_where_clients_look_for_it(agent: AgentProcess) -> None:
    sentence = "The model is not there; choose another."
    error = agent.prompt(agent.new_session(), "fail")["error"]
    assert error == {"code": -32603, "message": sentence, "data": {"details": sentence}}


def test_what_json_cannot_say_is_null_and_the_card_still_ends(agent: AgentProcess) -> None:
    agent.prompt(agent.new_session(), "nan")
    ends = [update_of(message) for message in agent.seen if update_of(message).get("status") == "completed"]
    assert [end["rawOutput"] for end in ends] == [None]


def test_half_a_surrogate_pair_is_sent_as_its_escape_and_taken_as_a_replacement(agent: AgentProcess) -> None:
    session = agent.new_session()
    agent.prompt(session, "surrogate")
    agent.prompt(session, "say in \ud800 and \ud83d\ude00")
    assert texts(agent.seen) == "half \ud83d of a pairin \ufffd and \U0001f600"
