"""What sessions are told of a note that was forgotten, and what they no longer hold."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from turn_support import Stage, stage

from acp_server.providers.interface import UserItem
from acp_server.summarizing import Summarizer
from memory_core.extractive import summarize

SECRET = "hunter2xyzzy"


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Stage]:
    made = stage(tmp_path)
    with made.door() as door:
        door.write("key.md", f"# The key is {SECRET}\n")
        door.write("other.md", "# Other\n")
    yield made
    await made.runner.close()


def forget(scene: Stage, *names: str) -> None:
    with scene.door() as door:
        assert door.forget(*names).purged


async def test_a_forgotten_note_is_named_once_without_an_address_and_the_prefix_holds_still(scene: Stage) -> None:
    await scene.say("one")
    with scene.door() as door:
        door.write("late.md", "# Late\n")
        door.write("key.md", f"# The key is {SECRET} still\n")
    forget(scene, "key")
    await scene.say("two")
    await scene.say("three")
    requests = scene.provider.requests
    words = [item.text for item in requests[-1].items if isinstance(item, UserItem)]
    assert words == ["one", "# Memory updated\n\n- forgotten key.md\n- 2+1 note late.md: Late\n\ntwo", "three"]
    assert len({request.system for request in requests}) == 1


async def test_a_session_that_began_after_the_forget_is_told_nothing(scene: Stage) -> None:
    forget(scene, "key")
    await scene.say("one")
    assert scene.provider.requests[-1].items == (UserItem("one"),)
    assert SECRET not in scene.provider.requests[-1].system


async def test_a_session_from_its_file_gets_a_new_view_where_a_note_was_forgotten_since(scene: Stage) -> None:
    await scene.say("one")
    forget(scene, "key")
    scene.runner._conversations["s1"].loaded = True
    await scene.say("two")
    await scene.say("three")
    first, second, third = scene.provider.requests
    assert SECRET in first.system
    assert SECRET not in second.system
    assert second.system == third.system
    words = [item.text for item in third.items if isinstance(item, UserItem)]
    assert words == ["one", "# Memory updated\n\n- forgotten key.md\n\ntwo", "three"]


async def test_a_session_from_its_file_keeps_its_view_where_nothing_was_forgotten(scene: Stage) -> None:
    await scene.say("one")
    with scene.door() as door:
        door.write("late.md", "# Late\n")
    conversation = scene.runner.conversation("s1")
    conversation.loaded, conversation.heard_ms = True, time.time_ns() // 1_000_000
    await scene.say("two")
    assert len({request.system for request in scene.provider.requests}) == 1


async def test_an_idle_agent_finishes_a_purge_that_waited_for_a_reader(scene: Stage) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        list(rows)  # read to its end, and the reader is gone

    scene.runner.summarizer = Summarizer(summarize, sleep=sleep)
    await scene.say("one")
    await scene.runner.summarizer.idle()
    with scene.door() as reader, scene.door() as door:
        door.write("extra.md", "# Extra\n")
        rows = reader.export()
        next(rows)
        assert not door.forget("key").purged
        await scene.say("two")
        await scene.runner.summarizer.idle()
        assert waits
        assert not door.purge_pending()
