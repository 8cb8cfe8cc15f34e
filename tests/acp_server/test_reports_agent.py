"""Faults met elsewhere, made to happen to a real agent: a prefix that changes, a huge file, rewritten files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import AgentProcess, Message, texts

from memory_core import Memory

ALLOW = {"outcome": {"outcome": "selected", "optionId": "allow_once"}}
REJECT = {"outcome": {"outcome": "selected", "optionId": "reject_once"}}
HUGE_BYTES = 50 * 1024 * 1024


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[AgentProcess]:
    with AgentProcess(tmp_path, doors="scripted_model.py") as process:
        yield process


def door(agent: AgentProcess) -> Memory:
    return Memory.open(agent.project, state_dir=agent.state)


def scripted(agent: AgentProcess) -> str:
    session = agent.new_session()
    option = {"sessionId": session, "configId": "model", "value": "test/scripted"}
    agent.answer(agent.request("session/set_config_option", option))
    return session


def told(agent: AgentProcess, session: str) -> str:
    """The system prompt, as the model says it back."""
    seen = len(agent.seen)
    agent.prompt(session, "What were you told?")
    return texts(agent.seen[seen:])


def decided(agent: AgentProcess, session: str, words: str, answer: Message) -> tuple[Message, str]:
    """A turn with one permission: what was asked, and what was said."""
    seen = len(agent.seen)
    prompt = agent.start_prompt(session, words)
    question = agent.asked("session/request_permission")
    assert not list(agent.state.glob("projects/*/memories/deploy-key.md"))
    agent.send({"jsonrpc": "2.0", "id": question["id"], "result": answer})
    agent.answer(prompt)
    return question["params"], texts(agent.seen[seen:])


@pytest.mark.report("M33")
def test_over_twenty_turns_with_ten_writes_the_model_is_told_the_same_bytes(agent: AgentProcess) -> None:
    with door(agent) as memory:
        memory.write("before", "# Before\n")
        session = scripted(agent)
        first = told(agent, session)
        for number in range(10):
            memory.write(f"n{number}", f"# Written elsewhere {number}\n")
            notice = f"1 note changed elsewhere: n{number}.md.\n\n"
            assert told(agent, session) == notice + first
    assert first.endswith("<memory>\n0+1|note before.md # Before\n</memory>\n")


@pytest.mark.report("M38")
@pytest.mark.parametrize("answer", [ALLOW, REJECT, {"outcome": {"outcome": "cancelled"}}])
def test_nothing_is_remembered_before_the_person_has_seen_its_diff_and_agreed(
    agent: AgentProcess, answer: Message
) -> None:
    words = "remember that the deploy key rotates on Mondays"
    asked, _ = decided(agent, agent.new_session(), words, answer)
    (diff,) = (each for each in asked["toolCall"]["content"] if each["type"] == "diff")
    assert "rotates on Mondays" in diff["newText"]
    written = list(agent.state.glob("projects/*/memories/*.md"))
    assert [path.name for path in written] == (["deploy-key.md"] if answer is ALLOW else [])


@pytest.mark.report("M32")
def test_beside_a_huge_file_and_a_note_of_a_mebibyte_the_next_turn_works(agent: AgentProcess) -> None:
    with door(agent) as memory:
        memory.write("largest", "# Largest\n" + "word " * 200_000)
        folder = Path(memory.project.memories)
    with (folder / "huge.md").open("wb") as file:
        file.truncate(HUGE_BYTES)
    system = told(agent, scripted(agent)).partition("<memory>\n")[2]
    assert "0+1|" in system
    assert len(system.encode()) <= 32768 + len("</memory>\n")
    assert f"The file 'huge.md' has {HUGE_BYTES:,} bytes" in texts(agent.seen)
    session = agent.new_session()
    seen = len(agent.seen)
    assert agent.prompt(session, "read huge.md")["result"] == {"stopReason": "end_turn"}
    assert f"huge.md has {HUGE_BYTES:,} bytes" in texts(agent.seen[seen:])
    decided(agent, session, "remember that the deploy key rotates on Mondays", ALLOW)
    assert (folder / "deploy-key.md").exists()


@pytest.mark.report("M61")
def test_files_are_never_rewritten_and_few_descriptors_are_held(agent: AgentProcess) -> None:
    with door(agent) as memory:
        folder = Path(memory.project.memories)
    for number in range(200):
        path = folder / f"d{number % 20}" / f"n{number}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"\xef\xbb\xbf---\r\nkey: a: b\r\n---\r\n# N\r\ntext without an end")
    session = agent.new_session()
    agent.prompt(session, "what do we know about text?")
    agent.answer(agent.request("session/list", {}))  # the index of sessions is open from here on
    before = states(folder)
    held = descriptors(agent)
    for number in range(20):
        agent.prompt(session, f"what do we know about {number}?")
    assert states(folder) == before
    assert len(descriptors(agent)) <= len(held)
    assert descriptors(agent).count("anon_inode:inotify") <= 1
    assert not any(path.endswith(".md") for path in descriptors(agent))


def states(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Inode, modification time and bytes of every file."""
    found = {}
    for path in folder.rglob("*.md"):
        status = path.stat()
        found[path.name] = (status.st_ino, status.st_mtime_ns, path.read_bytes())
    return found


def descriptors(agent: AgentProcess) -> list[str]:
    """What the agent holds open."""
    return [str(path.readlink()) for path in Path(f"/proc/{agent.process.pid}/fd").iterdir()]
