"""A cancel at each place of a turn: the prompt is answered `cancelled`, nothing comes after, the next one works."""

from __future__ import annotations

from tests.transcripts.client import Client
from tests.transcripts.scenes.table import MODEL, SCRIPTED, scene
from tests.transcripts.world import Settings

WAITING = "$STATE/waiting"


def ends_cancelled(client: Client, prompt: int) -> None:
    """The cancel is answered, and the session goes on."""
    client.cancel()
    assert client.answer(prompt)["result"] == {"stopReason": "cancelled"}
    client.cancel()
    client.prompt("What did you hear?")


@scene(Settings(SCRIPTED))
def cancel_before_the_first_chunk(client: Client) -> None:
    """The model has not said anything yet."""
    client.outside("agree", path=WAITING)
    client.start(MODEL)
    prompt = client.say("Think.")
    client.outside("meet", path=WAITING)
    ends_cancelled(client, prompt)


@scene(Settings(SCRIPTED))
def cancel_in_mid_stream(client: Client) -> None:
    """The model is in the middle of its answer."""
    client.start(MODEL)
    prompt = client.say("Count to five.")
    client.words("three")
    ends_cancelled(client, prompt)


@scene(Settings(SCRIPTED))
def cancel_in_a_tool(client: Client) -> None:
    """A tool runs a child process."""
    client.start(MODEL)
    prompt = client.say("Run what never ends.")
    client.update(content=[{"type": "content", "content": {"type": "text", "text": "It runs."}}])
    ends_cancelled(client, prompt)


@scene(Settings(SCRIPTED))
def cancel_in_a_permission_dialog(client: Client) -> None:
    """The person was asked; the client answers the withdrawn question as the protocol says."""
    client.start(MODEL)
    prompt = client.say("Keep a note.")
    question = client.asked()
    with client.joined():
        client.cancel()
        client.reply(question, {"outcome": {"outcome": "cancelled"}})
    assert client.answer(prompt)["result"] == {"stopReason": "cancelled"}
    client.prompt("What did you hear?")


@scene(Settings(SCRIPTED))
def cancel_between_two_calls(client: Client) -> None:
    """A note was kept, and the model is asked what comes next."""
    client.outside("agree", path=WAITING)
    client.start(MODEL)
    prompt = client.say("Keep a note, then wait.")
    client.choose(client.asked(), "allow_once")
    client.update(status="completed")
    client.outside("meet", path=WAITING)
    ends_cancelled(client, prompt)


@scene(Settings(SCRIPTED))
def cancel_behind_an_approval(client: Client) -> None:
    """The approved write reaches its receipt; the call after it is not begun."""
    client.start(MODEL)
    prompt = client.say("Keep two notes.")
    question = client.asked()
    with client.joined():
        client.choose(question, "allow_once")
        client.cancel()
    assert client.answer(prompt)["result"] == {"stopReason": "cancelled"}
    client.prompt("What did you hear?")


@scene(Settings(SCRIPTED))
def cancel_request(client: Client) -> None:
    """`$/cancel_request` for a prompt."""
    client.outside("agree", path=WAITING)
    client.start(MODEL)
    prompt = client.say("Think.")
    client.outside("meet", path=WAITING)
    client.notify("$/cancel_request", {"requestId": prompt})
    assert client.answer(prompt)["result"] == {"stopReason": "cancelled"}
    client.prompt("What did you hear?")


@scene(Settings(SCRIPTED))
def close_in_a_turn(client: Client) -> None:
    """`session/close` in a turn: the prompt is answered first, then the session is gone."""
    client.start(MODEL)
    client.say("Count to five.")
    client.words("three")
    client.answer(client.request("session/close", {"sessionId": client.session}))
    client.prompt("Think.")
