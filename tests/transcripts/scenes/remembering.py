"""The main job: remember, find, open, change, delete."""

from __future__ import annotations

from tests.transcripts.client import Client
from tests.transcripts.scenes.table import MODEL, SCRIPTED, scene
from tests.transcripts.world import Settings

FLAKY = "# Flaky tests\n\nThe login test fails when the clock jumps.\nRetry flaky tests at most twice.\n"
RELEASE = "# Release\n\nTag the commit, then wait for the nightly job before you publish.\n"
SPACED = "# Kaffee & Büro\n\nThe build's retry budget is on the wall.\n"


def three_notes(client: Client) -> None:
    """Notes that were there before."""
    client.outside("write", path="$NOTES/ci/flaky-tests.md", text=FLAKY)
    client.outside("write", path="$NOTES/release.md", text=RELEASE)
    client.outside("write", path="$NOTES/Büro & co #1.md", text=SPACED)


@scene()
def first_session(client: Client) -> None:
    """A fresh machine: the agent introduces itself, and says what it understands."""
    client.start()
    client.prompt("hello")
    client.prompt("what do you know about the deploy key?")
    client.prompt("write me a poem")
    client.answer(client.request("session/close", {"sessionId": client.session}))


@scene()
def remember(client: Client) -> None:
    """A note is kept once its diff is approved; the receipt names entry, place and undo."""
    client.start()
    client.prompt("remember that the deploy key rotates on Mondays", "allow_once")
    client.prompt("what do we know about the deploy key?")


@scene(Settings(clock="2026-01-06T08:30:00Z", ids=101))
def next_day(client: Client) -> None:
    """A new session on the next day, in a new process, knows what was kept."""
    client.outside("play", transcript="remember")
    client.start()
    client.prompt("when does the deploy key rotate?")
    client.prompt("show the memory")
    client.prompt("open 0+1")


@scene(Settings(SCRIPTED, clock="2026-01-06T08:30:00Z", ids=101))
def next_day_as_told(client: Client) -> None:
    """What a model is told when it starts on the next day: the frozen prefix with the notes in view."""
    client.outside("play", transcript="remember")
    client.start(MODEL)
    client.prompt("What were you told?")
    client.prompt("What did you hear?")


@scene()
def search_and_open(client: Client) -> None:
    """A search with marked words whose hits open the notes, names with spaces and accents among them."""
    three_notes(client)
    client.start()
    client.prompt("search for retry")
    client.prompt("what do we know about flaky tests?")
    client.prompt("read ci/flaky-tests.md")
    client.prompt("read release notes")
    client.prompt("search for zebra")


@scene()
def zoom(client: Client) -> None:
    """A line opens into its halves, an entry opens whole, and what can't be opened says why."""
    three_notes(client)
    client.start()
    client.prompt("open 0+2")
    client.prompt("open 1+1")
    client.prompt("open 1+2")
    client.prompt("open 8+8")


@scene()
def rewrite(client: Client) -> None:
    """A note is rewritten under its name; the old entry says by which, and its text can be restored."""
    client.start()
    client.prompt("remember that the deploy key rotates on Mondays", "allow_once")
    client.prompt("rewrite deploy-key.md to say: The deploy key rotates on Tuesdays.", "allow_once")
    client.prompt("open 0+1")
    client.prompt("restore deploy-key.md to entry 0", "allow_once")


@scene()
def delete(client: Client) -> None:
    """A note is deleted once that is approved; its versions stay in the journal."""
    three_notes(client)
    client.start()
    client.prompt("delete release.md", "allow_once")
    client.prompt("open 3+1")
    client.prompt("open 2+1")
    client.prompt("read release.md")
    client.prompt("delete release.md")


@scene(Settings(SCRIPTED))
def similar_name(client: Client) -> None:
    """The receipt of a new note names the one whose name is much like it."""
    client.outside("write", path="$NOTES/flaky-tests.md", text=FLAKY)
    client.start(MODEL)
    client.prompt("Keep a note in another spelling.", "allow_once")
    client.prompt("View.")


@scene()
def added_to_a_note(client: Client) -> None:
    """What belongs to a note that is there is added to it, under the name that it has."""
    client.outside("write", path="$NOTES/deploy_key.md", text="# Deploy key\n\nIt lies in the vault.\n")
    client.start()
    client.prompt("save this as Deploy-Key.md: the deploy key rotates on Mondays", "allow_once")
