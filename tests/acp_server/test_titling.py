"""Titles by the Fast job: of the person's words alone, beside the turn, and never in anybody's way."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from jobs_support import Said, Worker, hands, meter, model
from turn_support import Session, Stage, asks, call, ends, stage

from acp_server.events import TitleChanged
from acp_server.metering import Meter
from acp_server.providers.interface import ProviderFault, Purpose, StopReason, UserItem
from acp_server.providers.registry import Providers
from acp_server.sentences.wire import embedded
from acp_server.session_files.all_sessions import AllSessions
from acp_server.title_request import MAX_WORDS_CHARS, title_in, words_of
from acp_server.titles import MAX_TITLE
from acp_server.titling import Titler


@pytest.mark.parametrize(
    ("answer", "title"),
    [
        ("Flaky tests on CI", "Flaky tests on CI"),
        ('"Flaky tests on CI."\n\nI chose this because …', "Flaky tests on CI"),
        ("Title: **Flaky tests**", "Flaky tests"),
        ("\n## `Flaky tests`\n", "Flaky tests"),
        ("„Wackelige Tests“", "Wackelige Tests"),
        ("bell\x07 and \x1b[31mred", "bell and [31mred"),
        ("", ""),
        ("***", ""),
        ("one two three " * 20, "one two three one two three one two three one two three one…"),
    ],
)
def test_an_answer_becomes_one_plain_line(answer: str, title: str) -> None:
    assert title_in(answer) == title
    assert len(title_in(answer)) <= MAX_TITLE


def test_only_the_persons_own_words_are_read() -> None:
    note = embedded("file:///state/memories/secret.md", "# Secret\n```\nthe key\n```\n", "````")
    assert words_of(f"Look at this:\n{note}\nIs it right?") == "Look at this:\n\nIs it right?"
    assert words_of("```\nmy own code\n```") == "```\nmy own code\n```"
    assert words_of("You are in a swarm.\n\nUser request:\nFix the build") == "Fix the build"
    assert len(words_of("x" * 10**6)) == MAX_WORDS_CHARS


class Titled:
    """A stage whose session has a model of its own provider, and a worker for titles."""

    def __init__(self, folder: Path, spending: Meter, said: Said) -> None:
        self.stage: Stage = stage(folder)
        self.worker = Worker([said])
        self.stage.runner.meter = spending
        self.stage.runner.sessions = AllSessions(str(folder))
        self.titler = self.stage.runner.titler = Titler(hands(self.worker, model()), spending)
        self.model = "lab/large"
        provider = self.stage.provider
        provider.models = lambda: (replace(type(provider).models(provider)[0], value=self.model),)  # type: ignore[method-assign]
        self.stage.runner.providers = Providers([provider])

    async def say(self, words: str = "why is the build red?", session: str = "s1") -> list[str]:
        """One turn; the titles that it showed."""
        self.stage.events.clear()
        who = Session(session, str(self.stage.project), model=self.model)
        await self.stage.runner.run(who, words, self.stage.emit, self.stage.person)
        return [event.title for event in self.stage.events if isinstance(event, TitleChanged)]

    async def asked(self) -> None:
        """Wait until no request for a title is under way."""
        await asyncio.gather(*self.titler._tasks.values(), return_exceptions=True)


@pytest.fixture
async def spending(tmp_path: Path) -> AsyncIterator[Meter]:
    made = meter(tmp_path)
    yield made
    await made.close()


async def test_the_title_that_came_while_the_turn_ran_is_shown_once(tmp_path: Path, spending: Meter) -> None:
    scene = Titled(tmp_path, spending, "Red build")
    scene.stage.provider.script[:] = [asks(*call({"command": "view"})), ends()]
    assert await scene.say() == ["Red build"]
    assert await scene.say() == []
    assert len(scene.worker.requests) == 1
    await scene.stage.runner.close()


async def test_the_request_holds_the_words_and_nothing_of_the_memory(tmp_path: Path, spending: Meter) -> None:
    scene = Titled(tmp_path, spending, "Red build")
    with scene.stage.door() as door:
        door.write("flaky.md", "# Very secret heading\n")
    await scene.say()
    await scene.asked()
    (request,) = scene.worker.requests
    assert request.items == (UserItem("<words>\nwhy is the build red?\n</words>"),)
    assert (request.purpose, request.tools) == (Purpose.TITLE, ())
    assert "secret" not in request.system
    await scene.stage.runner.close()


async def test_a_title_that_the_person_chose_meanwhile_is_not_replaced(tmp_path: Path, spending: Meter) -> None:
    scene = Titled(tmp_path, spending, asyncio.Event())
    await scene.say()
    assert await scene.say("/rename Mine") == ["Mine"]
    scene.titler._titles["s1"] = "Red build"
    assert await scene.say() == []
    await scene.stage.runner.close()


async def test_a_title_that_comes_too_late_for_its_turn_is_shown_by_the_next(tmp_path: Path, spending: Meter) -> None:
    scene = Titled(tmp_path, spending, asyncio.Event())
    assert await scene.say() == ["why is the build red?"]
    scene.titler._titles["s1"] = "Red build"
    assert await scene.say("and now?") == ["Red build"]
    await scene.stage.runner.close()


async def test_one_that_never_comes_holds_up_neither_the_turn_nor_the_end(tmp_path: Path, spending: Meter) -> None:
    waiting = asyncio.Event()
    scene = Titled(tmp_path, spending, waiting)
    scene.stage.provider.script[:] = [asks(*call({"command": "view"})), ends()]
    assert await scene.say() == ["why is the build red?"]
    assert waiting.is_set()
    await scene.stage.runner.close()
    with contextlib.closing(sqlite3.connect(tmp_path / "acp-agent.db")) as db:
        assert ("title", "cancelled") in db.execute("SELECT purpose, outcome FROM request").fetchall()


@pytest.mark.parametrize("said", [ProviderFault("No."), "", StopReason.REFUSAL])
async def test_a_request_that_comes_to_nothing_leaves_the_first_words(
    tmp_path: Path, spending: Meter, said: Said
) -> None:
    scene = Titled(tmp_path, spending, said)
    scene.stage.provider.script[:] = [asks(*call({"command": "view"})), ends()]
    assert await scene.say() == ["why is the build red?"]
    await scene.asked()
    assert await scene.say() == []
    await scene.stage.runner.close()


@pytest.mark.parametrize("value", ["embedded/librarian", "test/scripted"])
async def test_a_session_without_a_server_asks_none_for_a_title(tmp_path: Path, spending: Meter, value: str) -> None:
    scene = Titled(tmp_path, spending, "Red build")
    scene.model = value
    assert await scene.say() == ["why is the build red?"]
    assert scene.worker.requests == []
    await scene.stage.runner.close()


async def test_a_session_that_is_closed_wants_no_title(tmp_path: Path, spending: Meter) -> None:
    scene = Titled(tmp_path, spending, asyncio.Event())
    await scene.say()
    await scene.stage.runner.forget_session("s1")
    assert scene.titler._tasks == {}
    await scene.stage.runner.close()
