"""Each transcript is played against a real agent and compared byte for byte; its messages obey the protocol."""

from __future__ import annotations

import pytest

from tests.harness import update_of
from tests.schema_check import check
from tests.transcripts import player, rows
from tests.transcripts.scenes import SCENES
from tests.transcripts.world import fresh_world

NAMES = rows.names()


@pytest.mark.parametrize("name", NAMES)
def test_a_real_agent_answers_as_in_the_transcript(name: str) -> None:
    with fresh_world() as world:
        player.play(name, world)


def test_every_scene_has_its_transcript() -> None:
    assert list(SCENES) and set(NAMES) == set(SCENES)


def messages(name: str) -> list[tuple[str, rows.Message]]:
    """The messages of a transcript by direction; lines that are none are left out."""
    return [(row["dir"], row["msg"]) for row in rows.load(rows.path_of(name)) if "msg" in row]


def updates(name: str) -> list[rows.Message]:
    """The updates of a transcript in order."""
    return [update_of(message) for way, message in messages(name) if way == "a2c" and update_of(message)]


@pytest.mark.parametrize("name", NAMES)
def test_every_message_of_the_agent_obeys_the_official_schema(name: str) -> None:
    assert check(messages(name)) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_transcript_holds_no_path_of_the_machine_that_recorded_it(name: str) -> None:
    text = rows.path_of(name).read_text(encoding="utf-8")
    assert not [place for place in ("/tmp", "/home", "/private", "pytest") if place in text]


@pytest.mark.parametrize("name", NAMES)
def test_a_card_starts_pending_and_ends_once_and_repeats_nothing(name: str) -> None:
    cards: dict[str, rows.Message] = {}
    ended: set[str] = set()
    for update in updates(name):
        if update["sessionUpdate"] not in ("tool_call", "tool_call_update"):
            continue
        card_id = update["toolCallId"]
        if update["sessionUpdate"] == "tool_call":
            assert card_id not in cards and update["status"] == "pending"
            cards[card_id] = dict(update)
            continue
        assert card_id in cards and card_id not in ended
        fields = {key: value for key, value in update.items() if key not in ("sessionUpdate", "toolCallId")}
        assert fields and not [key for key, value in fields.items() if cards[card_id].get(key) == value]
        cards[card_id].update(fields)
        if update.get("status") in ("completed", "failed"):
            ended.add(card_id)
    assert set(cards) == ended


@pytest.mark.parametrize("name", NAMES)
def test_titles_are_one_plain_line_and_places_are_absolute(name: str) -> None:
    for update in updates(name):
        if update["sessionUpdate"].startswith("tool_call"):
            title = update.get("title", "Memory")
            assert title and "\n" not in title and ":" not in title and "**" not in title
            places = update.get("locations", [])
            assert len(places) <= 1
            assert all(place["path"].startswith("$") and place.get("line", 1) >= 1 for place in places)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_comes_between_turns_but_commands_and_answers(name: str) -> None:
    """No update of a turn stands outside a prompt that is not answered yet."""
    open_prompts = 0
    for way, message in messages(name):
        if way == "c2a":
            open_prompts += message.get("method") == "session/prompt" if isinstance(message, dict) else 0
        elif "method" not in message:
            open_prompts -= "stopReason" in (message.get("result") or {}) or "error" in message
        elif update_of(message).get("sessionUpdate") != "available_commands_update":
            assert open_prompts > 0, message
