"""A memory that can't be opened, loses a note, or is cleared; a model that fails."""

from __future__ import annotations

from tests.transcripts.client import Client
from tests.transcripts.scenes.remembering import three_notes
from tests.transcripts.scenes.table import MODEL, SCRIPTED, scene
from tests.transcripts.world import Settings

NO_STATE = {"CAUDRA_STATE_DIR": "$STATE/blocked"}


@scene(Settings(env=NO_STATE))
def state_directory_unusable(client: Client) -> None:
    """The state directory is a file: the session lives without a memory and says so once."""
    client.outside("write", path="$STATE/blocked", text="a file\n")
    client.start()
    client.prompt("hello")
    client.prompt("remember that the deploy key rotates on Mondays")


@scene(Settings(SCRIPTED, env=NO_STATE))
def state_directory_unusable_as_told(client: Client) -> None:
    """What a model is told without a memory."""
    client.outside("write", path="$STATE/blocked", text="a file\n")
    client.start(MODEL)
    client.prompt("What were you told?")
    client.prompt("Keep a note.")
    client.prompt("What did you hear?")


@scene()
def state_database_foreign(client: Client) -> None:
    """The state database is no database: nothing of it is touched, and the session says so once."""
    client.outside("write", path="$STATE/acp-state.db", text="not a database, " * 64)
    client.start()
    client.prompt("what do we know about flaky tests?")
    client.prompt("what do we know about flaky tests?")


@scene()
def note_file_removed(client: Client) -> None:
    """A file removed outside is a deleted note; its versions stay."""
    three_notes(client)
    client.start()
    client.prompt("show the memory")
    client.outside("remove", path="$NOTES/release.md")
    client.prompt("read release.md")
    client.prompt("open 3+1")


@scene(Settings(SCRIPTED))
def memory_cleared(client: Client) -> None:
    """The notes directory is removed: the journal is cleared, and the session starts anew with what is there."""
    three_notes(client)
    client.start(MODEL)
    client.prompt("View.")
    client.outside("remove-folder", path="$NOTES")
    client.prompt("View.")
    client.prompt("Keep a note.", "allow_once")
    client.prompt("What were you told?")


@scene(Settings(SCRIPTED))
def calls_that_fail(client: Client) -> None:
    """Each call that can't be run ends failed, with what would be right; the model hears it."""
    three_notes(client)
    client.start(MODEL)
    client.prompt("Call what can't be called.")
    client.prompt("Begin a call and stop.")
    client.prompt("What did you hear?")


@scene(Settings(SCRIPTED))
def model_that_fails(client: Client) -> None:
    """A failed answer is an error with its sentence; what came before it stays."""
    client.start(MODEL)
    client.prompt("Break off.")
    client.prompt("End without an end.")
    client.prompt("Think aloud.")


@scene(Settings(SCRIPTED))
def limit_of_requests(client: Client) -> None:
    """A model that asks for tools for ever is stopped at the limit."""
    client.outside("write", path="$CONFIG/config.toml", text="[agent]\nmax_turn_requests = 3\n")
    client.start(MODEL)
    client.prompt("Ask for tools for ever.")


@scene()
def configuration_wrong(client: Client) -> None:
    """A wrong setting is told once; the defaults hold."""
    client.outside("write", path="$CONFIG/config.toml", text="[agent]\nmax_turn_requests = 0\n")
    client.start()
    client.prompt("hello")
    client.prompt("hello")


@scene(Settings(env={"CAUDRA_MODEL": ""}))
def no_model(client: Client) -> None:
    """Nobody chose a model and no key is there: the embedded one answers and says so once."""
    client.start()
    client.prompt("what do we know about flaky tests?")
    client.prompt("hello")


@scene(Settings(env={"CAUDRA_MODEL": "openai/gpt-5.5", "OPENAI_BASE_URL": ""}))
def sign_in(client: Client) -> None:
    """A bound model without its key is refused until the key is there; then the next session begins."""
    capabilities = {"auth": {"terminal": True}}
    client.answer(client.request("initialize", {"protocolVersion": 1, "clientCapabilities": capabilities}))
    fresh = {"cwd": "$PROJECT", "mcpServers": []}
    assert client.answer(client.request("session/new", fresh))["error"]["code"] == -32000
    assert client.answer(client.request("authenticate", {"methodId": "key"}))["error"]["code"] == -32000
    assert client.answer(client.request("authenticate", {"methodId": "setup"}))["error"]["code"] == -32602
    client.outside("write", path="$CONFIG/config.toml", text=LOCAL)
    assert "result" in client.answer(client.request("authenticate", {"methodId": "key"}))
    client.answer(client.request("session/new", fresh))
    client.read()  # its commands


LOCAL = '[models.mine]\nprovider = "openai"\nmodel = "gpt-5.5"\nbase_url = "http://127.0.0.1:9/v1"\n'
"""The same model at a server of one's own, which needs no key."""
