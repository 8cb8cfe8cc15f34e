"""Sessions that last: drawn again by a load, made shorter, spoken to in commands, with a task, without the memory."""

from __future__ import annotations

import json

from acp_server.models.values import Wire
from tests.transcripts.client import Client
from tests.transcripts.model import Answer
from tests.transcripts.scenes.models import CONFIG, NO_TITLE, REMOTE
from tests.transcripts.scenes.remembering import three_notes
from tests.transcripts.scenes.table import MODEL, scene
from tests.transcripts.world import Settings

DIRECTED = Settings("directed_model.py")
SMALL = CONFIG.replace("200_000", "8_000")
LONG: list[Answer] = [
    {"say": ["A long story. " * 400], "tokens": [5000, 0, 1500]},
    {"say": ["The person asked for a story; it was told."], "tokens": [5200, 0, 20]},
    {"say": ["It was long."], "tokens": [2600, 0, 10]},
]


def words(*rounds: list[list[object]]) -> str:
    """What has the model of these scenes do something."""
    return json.dumps(rounds)


def load(client: Client) -> None:
    """Close the session and load it; what follows the answer is read too."""
    client.answer(client.request("session/close", {"sessionId": client.session}))
    params = {"sessionId": client.session, "cwd": "$PROJECT", "mcpServers": []}
    client.answer(client.request("session/load", params))
    client.update(sessionUpdate="session_info_update")


def option(client: Client, name: str, value: str) -> None:
    """Choose an option."""
    params = {"sessionId": client.session, "configId": name, "value": value}
    client.answer(client.request("session/set_config_option", params))


@scene()
def session_loaded(client: Client) -> None:
    """A session with a note and a search is closed and loaded: drawn as it was, and the talk goes on."""
    three_notes(client)
    client.start()
    client.prompt("remember that the deploy key rotates on Mondays", "allow_once")
    client.prompt("what do we know about flaky tests?")
    client.prompt("/memory")
    load(client)
    client.prompt("read deploy-key.md")


@scene(DIRECTED)
def slash_commands(client: Client) -> None:
    """Each command, a slip, and a session that goes on with none of them in its history."""
    three_notes(client)
    client.start(MODEL)
    client.prompt("/help")
    client.prompt(words([["say", "Hello."]]))
    client.outside("write", path="$NOTES/late.md", text="# Late\n\nIt came in between.\n")
    for command in ("/memory", "/sessions", "/rename Flaky tests", "/memroy", "/rename", "/compact", "/memory rebuild"):
        client.prompt(command)
    client.prompt(words([["say-request"]]))
    client.prompt("/clear")
    client.prompt(words([["say-request"]]))


@scene(REMOTE)
def made_shorter(client: Client) -> None:
    """The window is nearly full: the next message has the conversation made shorter first."""
    client.outside("model", wire=Wire.ANTHROPIC.value, chat=LONG, title=NO_TITLE)
    client.outside("write", path="$CONFIG/config.toml", text=SMALL.format(wire=Wire.ANTHROPIC.value))
    client.start()
    client.prompt("Tell me a long story.")
    client.prompt("How long was it?")
    client.prompt("/memory")


@scene(DIRECTED)
def task_given(client: Client) -> None:
    """A task looks something up and keeps a note: its calls are lines of its card, its question says who asks."""
    three_notes(client)
    client.outside("write", path="$PROJECT/notes.txt", text="Retries: at most two.\n")
    client.start(MODEL)
    look: list[list[object]] = [["call", "read_file", {"path": "notes.txt"}]]
    note = {"command": "write", "path": "retries.md", "content": "# Retries\n\nAt most two.\n"}
    keep: list[list[object]] = [["call", "memory", note]]
    told = words(look, keep, [["say", "At most two; it is kept in retries.md."]])
    client.prompt(words([["call", "task", {"title": "how often we retry", "prompt": told}]]), "allow_once")
    client.prompt(words([["reminder"]]))
    load(client)


@scene(DIRECTED)
def memory_off(client: Client) -> None:
    """A session without the memory, then with it again."""
    three_notes(client)
    client.start(MODEL)
    option(client, "memory", "off")
    client.prompt("/memory")
    client.prompt(words([["say-request"]]))
    option(client, "memory", "on")
    client.prompt("/memory")
    client.prompt(words([["say-request"]]))
