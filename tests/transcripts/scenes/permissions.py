"""What is asked before something changes, and what the answers do."""

from __future__ import annotations

from tests.transcripts.client import Client
from tests.transcripts.scenes.table import MODEL, SCRIPTED, scene
from tests.transcripts.world import Settings

KEY = "remember that the deploy key rotates on Mondays"
SECRET = "remember that the backup password = hunter2-Xq93vT and it lives in the vault"


@scene()
def refusal(client: Client) -> None:
    """The person says no: nothing is written, the model goes on, and asks again the next time."""
    client.start()
    client.prompt(KEY, "reject_once")
    client.prompt("what do we know about the deploy key?")
    client.prompt(KEY, "allow_once")


@scene(Settings(SCRIPTED))
def refusal_as_heard(client: Client) -> None:
    """What the model hears of a refusal."""
    client.start(MODEL)
    client.prompt("Keep a note.", "reject_once")
    client.prompt("What did you hear?")


@scene()
def always_for_this_session(client: Client) -> None:
    """Always covers the writes of this session, and no delete."""
    client.start()
    client.prompt(KEY, "allow_always")
    client.prompt("remember that releases are tagged by hand")
    client.prompt("delete deploy-key.md", "reject_once")


@scene()
def secret(client: Client) -> None:
    """What looks like a secret is named in the question and in the receipt; always never covers it."""
    client.start()
    client.prompt(KEY, "allow_always")
    client.prompt(SECRET, "reject_once")
    client.prompt(SECRET, "allow_once")


@scene()
def answers_that_approve_nothing(client: Client) -> None:
    """Cancelled, an option that was not offered, an error, an answer without sense: nothing is written."""
    client.start()
    for result in (
        {"outcome": {"outcome": "cancelled"}},
        {"outcome": {"outcome": "selected", "optionId": "yes"}},
        {"outcome": "selected"},
        None,
    ):
        prompt = client.say(KEY)
        client.reply(client.asked(), result)
        client.answer(prompt)
    prompt = client.say(KEY)
    question = client.asked()
    client.message({"jsonrpc": "2.0", "id": question["id"], "error": {"code": -32603, "message": "no dialog"}})
    client.answer(prompt)
    prompt = client.say(KEY)
    question = client.asked()
    with client.joined():
        client.choose(question, "reject_once")
        client.choose(question, "allow_once")
    client.answer(prompt)
