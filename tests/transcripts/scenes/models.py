"""Models behind the network, on each of the three wires: a turn that does everything, a limit, a fault."""

from __future__ import annotations

import json

from acp_server.models.values import Wire
from tests.transcripts.client import Client
from tests.transcripts.model import Answer
from tests.transcripts.scenes.remembering import three_notes
from tests.transcripts.scenes.table import scene
from tests.transcripts.world import Settings

REMOTE = Settings(env={"CAUDRA_MODEL": "lab/large", "LAB_KEY": "a-key-of-the-lab"})
CONFIG = """\
[models.large]
provider = "lab"
model = "large"
base_url = "$SERVER/v1"
api_key_env = "LAB_KEY"
wire = "{wire}"
context_window = 200_000
price_input = 3
price_output = 15
price_cached = 0.3
"""
SEARCH = {"command": "search", "query": "retry flaky tests"}
KEEP = {"command": "write", "path": "ci/retries.md", "content": "# Retries\n\nA flaky test is retried at most twice.\n"}
WORK: list[Answer] = [
    {"think": ["The memory ", "may know."], "call": json.dumps(SEARCH), "tokens": [2000, 0, 40]},
    {"say": ["At most twice; ", "I keep that."], "call": json.dumps(KEEP), "tokens": [2400, 2000, 80]},
    {"after": "title", "say": ["It is kept ", "as ci/retries.md."], "tokens": [2600, 2400, 20]},
]
TITLE: Answer = {"say": ["Retries of flaky tests"], "tokens": [300, 0, 6]}
NO_TITLE: Answer = {"status": 404, "says": "No such model."}
LIMIT: Answer = {"status": 429, "says": "Too many requests.", "retry_after": "1"}
FAULTS: dict[Wire, Answer] = {
    Wire.ANTHROPIC: {"status": 401, "says": "invalid x-api-key a-key-of-the-lab"},
    Wire.RESPONSES: {"say": ["This is where "], "then": "reset"},
    Wire.CHAT_COMPLETIONS: {"page": "<html><title>Sign in to this network</title></html>"},
}


def model(client: Client, wire: Wire, chat: list[Answer], title: Answer) -> None:
    """A server that speaks this wire, and the configuration that leads to it."""
    client.outside("model", wire=wire.value, chat=chat, title=title)
    client.outside("write", path="$CONFIG/config.toml", text=CONFIG.format(wire=wire.value))
    three_notes(client)
    client.start()


def work(client: Client, wire: Wire) -> None:
    """A thought, a search, a note that the person agrees to, what it cost, and a title."""
    model(client, wire, WORK, TITLE)
    client.prompt("How often do we retry flaky tests? Keep that as a note.", "allow_once")


def faults(client: Client, wire: Wire) -> None:
    """A limit is told and waited out; a fault is one sentence, and what was said stays; the next turn works."""
    answers: list[Answer] = [LIMIT, {"say": ["Here I am."]}, FAULTS[wire], {"say": ["Here I am again."]}]
    model(client, wire, answers, NO_TITLE)
    client.prompt("Are you there?")
    client.prompt("Are you still there?")
    client.prompt("And now?")


@scene(REMOTE)
def model_on_anthropic(client: Client) -> None:
    """A turn over Anthropic Messages."""
    work(client, Wire.ANTHROPIC)


@scene(REMOTE)
def model_on_responses(client: Client) -> None:
    """A turn over OpenAI Responses."""
    work(client, Wire.RESPONSES)


@scene(REMOTE)
def model_on_chat_completions(client: Client) -> None:
    """A turn over OpenAI Chat Completions."""
    work(client, Wire.CHAT_COMPLETIONS)


@scene(REMOTE)
def model_fails_on_anthropic(client: Client) -> None:
    """A limit, then a key that is refused and repeated by the server."""
    faults(client, Wire.ANTHROPIC)


@scene(REMOTE)
def model_fails_on_responses(client: Client) -> None:
    """A limit, then an answer that breaks off."""
    faults(client, Wire.RESPONSES)


@scene(REMOTE)
def model_fails_on_chat_completions(client: Client) -> None:
    """A limit, then a page where an answer should be."""
    faults(client, Wire.CHAT_COMPLETIONS)
