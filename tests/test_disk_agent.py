"""A running agent on a disk that fails: each turn ends, says what is wrong, and once the disk is well all goes on."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from harness import AgentProcess, Message, texts

from tests.reliability import disk_faults
from tests.reliability.disk_faults import NotHere, denied, like_anybody

ASK = "what do we know about the deploy key?"
KNOWN = "The deploy key rotates on Mondays."
UNLIMITED = resource.RLIM_INFINITY


class Session:
    """A session whose person agrees to everything."""

    def __init__(self, agent: AgentProcess) -> None:
        self.agent = agent
        agent.initialize()
        self.id = agent.new_session()
        assert "Noted" in self.say("remember that the deploy key rotates on Mondays")
        self.memories = next((agent.state / "projects").iterdir()) / "memories"

    def say(self, text: str) -> str:
        """What the agent says in a turn, which has to end as a turn does."""
        agent, start = self.agent, len(self.agent.seen)
        prompt = agent.start_prompt(self.id, text)
        while not _is_answer(message := agent.read(), prompt):
            if message.get("method") == "session/request_permission":
                chosen = {"outcome": "selected", "optionId": message["params"]["options"][0]["optionId"]}
                agent.send({"jsonrpc": "2.0", "id": message["id"], "result": {"outcome": chosen}})
        assert message.get("result") == {"stopReason": "end_turn"}, message
        return texts(agent.seen[start:])

    def notes(self) -> dict[str, str]:
        """The note files."""
        return {path.name: path.read_text(encoding="utf-8") for path in self.memories.rglob("*.md")}


def _is_answer(message: Message, prompt: int) -> bool:
    return message.get("id") == prompt and "method" not in message


Fill = Callable[[Session, int | None], None]
"""Leaves the agent room for so many pages; None gives all of it back."""


def limit(session: Session, pages: int | None) -> None:
    size = UNLIMITED if pages is None else pages * disk_faults.PAGE
    resource.prlimit(session.agent.process.pid, resource.RLIMIT_FSIZE, (size, UNLIMITED))


@pytest.fixture(params=["ENOSPC", "EFBIG"])
def fill(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Fill]:
    """The agent's state lies on a disk of its own, where that can be; else its files may not grow."""
    if request.param == "EFBIG":
        yield limit
        return
    with ExitStack() as stack:
        try:
            room = stack.enter_context(disk_faults.mounted(tmp_path / "state"))
        except NotHere as reason:
            pytest.skip(str(reason))
        yield lambda _, pages: room.free() if pages is None else room.leave(pages)


def test_a_full_disk_ends_no_turn_and_is_used_again_once_there_is_room(tmp_path: Path, fill: Fill) -> None:
    with AgentProcess(tmp_path, doors=None) as agent:
        session = Session(agent)
        refused = 0
        for pages in (0, 1, 2, 3, 4, 8, 16):
            before = session.notes()
            fill(session, pages)
            said = session.say(f"remember that the trial {pages} was on a Friday")
            if "That didn't work" in said:
                refused += 1
                assert session.notes() == before
        assert refused
        fill(session, None)
        assert "Noted" in session.say("remember that there is room again")
        assert KNOWN in session.say(ASK)
        assert all(text.startswith("# ") and text.endswith("\n") for text in session.notes().values())


@pytest.fixture
def held_to_permissions(tmp_path: Path) -> Iterator[AgentProcess]:
    """An agent that may do no more than anybody's."""
    try:
        with like_anybody():
            pass
    except NotHere as reason:
        pytest.skip(str(reason))
    with AgentProcess(tmp_path, doors=None, arguments=("-m", "tests.reliability.like_anybody", "acp_server")) as agent:
        yield agent


PLACES: dict[str, Callable[[Session], Path]] = {
    "the notes": lambda session: session.memories,
    "the project": lambda session: session.memories.parent,
    "the state directory": lambda session: session.agent.state,
}


@pytest.mark.parametrize("where", PLACES)
def test_a_permission_lost_in_mid_session_is_said_and_its_return_is_noticed(
    held_to_permissions: AgentProcess, where: str
) -> None:
    session = Session(held_to_permissions)
    with denied(PLACES[where](session)):
        assert "Permission denied" in session.say(ASK)
        assert "That didn't work" in session.say("remember that nothing is kept on Tuesdays")
    assert KNOWN in session.say(ASK)
    assert "Noted" in session.say("remember that all is well on Wednesdays")
    assert len(session.notes()) == 2


@pytest.mark.parametrize("what", ["acp-state.db", "acp-state.db-wal"])
def test_a_file_of_the_database_that_may_not_be_opened_any_more_is_read_through_what_is_open(
    held_to_permissions: AgentProcess, what: str
) -> None:
    session = Session(held_to_permissions)
    with denied(held_to_permissions.state / what):
        session.say(ASK)
        session.say("remember that the lock is on the door")
    assert KNOWN in session.say(ASK)
    assert "Noted" in session.say("remember that all is well on Wednesdays")


def test_a_note_that_may_not_be_read_any_more_is_answered_from_the_journal(held_to_permissions: AgentProcess) -> None:
    session = Session(held_to_permissions)
    with denied(session.memories / "deploy-key.md"):
        assert KNOWN in session.say(ASK)
    assert KNOWN in session.say(ASK)


def test_a_file_of_50_megabytes_is_named_and_the_turn_goes_on(tmp_path: Path) -> None:
    with AgentProcess(tmp_path, doors=None) as agent:
        session = Session(agent)
        with (session.memories / "huge.md").open("wb") as file:
            file.truncate(50 * 1024 * 1024)
        said = session.say(ASK)
        assert "huge.md" in said and "52,428,800" in said and KNOWN in said


def test_a_notes_directory_that_is_a_dangling_link_clears_nothing(tmp_path: Path) -> None:
    with AgentProcess(tmp_path, doors=None) as agent:
        session = Session(agent)
        kept = session.memories.rename(tmp_path / "kept")
        session.memories.symlink_to(tmp_path / "unmounted")
        assert "nothing was cleared" in session.say(ASK)
        assert "That didn't work" in session.say("remember that the link dangles")
        session.memories.unlink()
        kept.rename(session.memories)
        assert KNOWN in session.say(ASK)
        assert not (tmp_path / "unmounted").exists()
