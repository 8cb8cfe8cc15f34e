"""Faults on the wire: the rows of `fixtures/wire-faults.md` that a transcript can hold.

A client that stops reading (17) and processes that must be gone (16b, 20b) are held by tests of their own.
"""

from __future__ import annotations

import json

from tests.transcripts.client import Client
from tests.transcripts.scenes.table import MODEL, SCRIPTED, scene
from tests.transcripts.world import Settings

WIRE = Settings("wire_runner.py")
NO_REQUESTS = ("[]", "42", "null", '"x"', "true", "{}", "[[]]", '[{"jsonrpc":"2.0","id":1,"method":"initialize"}]')
NO_JSON = ("{", "\0", '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":NaN}}')
DEEP = "$REPEAT([,100000)"
LONG_NUMBER = '{"n":$REPEAT(7,5000)}'
NOT_UTF8 = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"x":"\xff"}}'
ODD_META = {"": 1, "a b": None, "ключ": []}
POSING_META = {"self": 1, "session_id": "other", "prompt": "other", "constructor": {}, "__proto__": {}, "meta": 2}


def both_sides(client: Client, lines: tuple[str | bytes, ...]) -> None:
    """Lines before the agent is loaded, and the same lines after; the next request works each time."""
    for line in lines:
        client.raw(line)
        client.read()
    client.start()
    client.prompt("say loaded")
    for line in lines:
        client.raw(line)
        client.read()
    client.prompt("say on")


@scene(WIRE)
def wire_01_04_no_requests(client: Client) -> None:
    """Lines that are JSON and no request."""
    both_sides(client, NO_REQUESTS)


@scene(WIRE)
def wire_05_no_json(client: Client) -> None:
    """Lines that are no JSON."""
    both_sides(client, (*NO_JSON, DEEP, LONG_NUMBER))


@scene(WIRE)
def wire_06_no_utf8(client: Client) -> None:
    """A line that is no UTF-8."""
    both_sides(client, (NOT_UTF8,))


@scene(WIRE)
def wire_07_long_prompt(client: Client) -> None:
    """A prompt of 20 MB is taken; a line over the limit of 64 MiB is refused; the next works."""
    client.start()
    client.answer(client.say("length $REPEAT(é,10000000)"))
    client.raw(f"$REPEAT(x,{64 * 1024 * 1024 + 1})")
    client.read()
    client.prompt("say on")


@scene(WIRE)
def wire_08_09_unknown_methods(client: Client) -> None:
    """Unknown requests are refused, unknown notifications are silence."""
    client.initialize()
    for method in ("nope", "session/load", "session/fork", "logout", "_x/y", "session/cancel"):
        client.answer(client.request(method, {"sessionId": "x"}))
    client.new_session()
    client.prompt("say loaded")
    for method in ("nope", "$/nope", "_x/y", "session/load"):
        client.notify(method, {"sessionId": "x"})
    client.answer(client.request("nope", {}))
    client.prompt("say on")


@scene(WIRE)
def wire_10_params(client: Client) -> None:
    """Params that are missing, no object, or wrong."""
    for method, params in (
        ("initialize", None),
        ("initialize", []),
        ("initialize", {"protocolVersion": "1"}),
        ("initialize", {"protocolVersion": 65536}),
        ("session/new", None),
        ("session/new", {"cwd": 5, "mcpServers": []}),
        ("session/new", {"cwd": "$PROJECT", "mcpServers": "x"}),
        ("session/new", {"cwd": "$PROJECT", "mcpServers": [], "additionalDirectories": ["here"]}),
        ("session/prompt", None),
        ("session/prompt", {"sessionId": "x", "prompt": "text"}),
        ("session/prompt", {"sessionId": "x", "prompt": []}),
        ("session/prompt", {"sessionId": "x", "prompt": [{"type": "image", "data": "", "mimeType": "image/png"}]}),
        ("session/close", None),
    ):
        client.answer(client.request(method, params))
    client.start()
    for config, value in (("mode", "x"), ("model", "x"), ("model", True)):
        params = {"sessionId": client.session, "configId": config, "value": value}
        client.answer(client.request("session/set_config_option", params))
    client.prompt("say on")


@scene(WIRE)
def wire_11_unknown_session(client: Client) -> None:
    """A session that is unknown is named."""
    client.start()
    for method, more in (
        ("session/prompt", {"prompt": [{"type": "text", "text": "x"}]}),
        ("session/close", {}),
        ("session/set_config_option", {"configId": "model", "value": "embedded/librarian"}),
    ):
        client.answer(client.request(method, {"sessionId": "who", **more}))
    client.notify("session/cancel", {"sessionId": "who"})
    client.prompt("say on")


@scene(WIRE)
def wire_12_cwd(client: Client) -> None:
    """A directory that is relative, missing or no directory is named."""
    client.initialize()
    client.outside("write", path="$PROJECT/file.txt", text="a file\n")
    for cwd in ("", ".", "src", "~", "C:\\x", "$PROJECT/missing", "$PROJECT/file.txt", "/a\0b"):
        client.answer(client.request("session/new", {"cwd": cwd, "mcpServers": []}))
    client.new_session()


@scene(WIRE)
def wire_13_14_cancel(client: Client) -> None:
    """A cancel in the middle of a stream, twice, and with nothing running."""
    client.start()
    client.cancel()
    prompt = client.say("sleep")
    client.words("asleep")
    with client.joined():
        client.cancel()
        client.cancel()
    client.answer(prompt)
    client.cancel()
    client.prompt("say on")


@scene(WIRE)
def wire_15_two_prompts(client: Client) -> None:
    """Two prompts in one write run one after the other, nothing lost."""
    client.start()
    with client.joined():
        client.say("stream 3")
        second = client.say("say end")
    client.answer(second)


@scene(WIRE)
def wire_15_nine_prompts(client: Client) -> None:
    """Eight prompts wait, a ninth is refused; one cancel ends them all, and the next one runs."""
    client.start()
    first = client.say("sleep")
    client.words("asleep")
    with client.joined():
        for number in range(2, 10):
            last = client.say(f"say {number}")
    client.answer(last)
    client.cancel()
    client.answer(last - 1)
    assert [row["msg"]["id"] for row in client.rows[-8:]] == list(range(first, last))
    client.prompt("say on")


@scene(WIRE)
def wire_16_input_ends_in_a_prompt(client: Client) -> None:
    """The input ends in a turn: the prompt is answered, and the agent leaves."""
    client.start()
    prompt = client.say("sleep")
    client.words("asleep")
    client.end_input()
    client.answer(prompt)


@scene(Settings(SCRIPTED))
def wire_16_input_ends_in_a_tool(client: Client) -> None:
    """The input ends while a tool's child process runs."""
    client.start(MODEL)
    prompt = client.say("Run what never ends.")
    client.update(content=[{"type": "content", "content": {"type": "text", "text": "It runs."}}])
    client.end_input()
    client.answer(prompt)


@scene(WIRE)
def wire_19_permission_never_answered(client: Client) -> None:
    """A question that is never answered is withdrawn by the cancel; an answer that comes late is nothing."""
    client.start()
    prompt = client.say("ask")
    question = client.asked()
    client.cancel()
    client.answer(prompt)
    client.choose(question, "yes")
    client.prompt("say on")


@scene(WIRE)
def wire_20_signal_in_a_prompt(client: Client) -> None:
    """SIGTERM in a turn: the prompt is answered, and the agent leaves."""
    client.start()
    prompt = client.say("sleep")
    client.words("asleep")
    client.signal("SIGTERM")
    client.answer(prompt)


@scene(Settings(SCRIPTED))
def wire_20_signal_in_a_tool(client: Client) -> None:
    """SIGTERM while a tool's child process runs."""
    client.start(MODEL)
    prompt = client.say("Run what never ends.")
    client.update(content=[{"type": "content", "content": {"type": "text", "text": "It runs."}}])
    client.signal("SIGTERM")
    client.answer(prompt)


@scene(WIRE)
def wire_21_meta(client: Client) -> None:
    """Odd keys in `_meta`, and keys named like parameters, are taken and ignored."""
    for meta in (ODD_META, POSING_META, None, [], 5):
        client.answer(client.request("initialize", {"protocolVersion": 1, "_meta": meta}))
        new = client.request("session/new", {"cwd": "$PROJECT", "mcpServers": [], "_meta": meta})
        session = client.answer(new)["result"]["sessionId"]
        client.update(sessionUpdate="available_commands_update")
        block = {"type": "text", "text": "say x", "_meta": meta if isinstance(meta, dict) else None}
        client.answer(client.request("session/prompt", {"sessionId": session, "prompt": [block], "_meta": meta}))
        client.answer(client.request("session/close", {"sessionId": session, "_meta": meta}))


@scene(WIRE)
def wire_22_one_id_twice(client: Client) -> None:
    """One id twice is answered twice; any string, integer or null comes back as it was."""
    client.start()
    with client.joined():
        for text in ("say one ", "say two "):
            params = {"sessionId": client.session, "prompt": [{"type": "text", "text": text}]}
            client.message({"jsonrpc": "2.0", "id": "same", "method": "session/prompt", "params": params})
    client.answer("same")
    client.answer("same")
    for request_id in ("text", "", 0, -5, 2**70, None):
        client.message({"id": request_id, "method": "session/close", "params": {"sessionId": "who"}})
        client.answer(request_id)
    for request_id in (1.5, True, [1], {"a": 1}):
        client.raw(json.dumps({"id": request_id, "method": "session/close", "params": {"sessionId": "who"}}))
        client.read()


@scene(WIRE)
def wire_responses_nobody_asked_for(client: Client) -> None:
    """Answers that are late, foreign or malformed are dropped."""
    client.start()
    for response in (
        {"id": 0, "result": {"outcome": {"outcome": "selected", "optionId": "yes"}}},
        {"id": [], "result": {}},
        {"id": None, "error": {"code": -32602, "message": "no such update"}},
        {"id": 0, "error": "x"},
        {"id": 0, "error": {}, "result": {}},
    ):
        client.message({"jsonrpc": "2.0", **response})
    client.prompt("say on")


@scene(WIRE)
def wire_loose_input(client: Client) -> None:
    """A byte-order mark, CRLF, blank lines, no `jsonrpc`, escapes and half a surrogate pair are taken."""
    client.raw('\ufeff{"id":"é","method":"initialize","params":{"protocolVersion":1}}\r')
    client.answer("é")
    client.raw("\r")
    client.raw(" \t")
    client.new_session()
    params = '{"sessionId":"session-1","prompt":[{"type":"text","text":"say \\ud800 \\ud83d\\ude00"}]}'
    client.raw(f'{{"id":"half","method":"session/prompt","params":{params}}}')
    client.answer("half")
    client.prompt("surrogate")


@scene(WIRE)
def wire_bug_in_a_turn(client: Client) -> None:
    """A bug and a failed model are errors in words for a person; what JSON can't say is null."""
    client.start()
    client.prompt("raise")
    client.prompt("fail")
    client.prompt("nan")
    client.prompt("say on")
