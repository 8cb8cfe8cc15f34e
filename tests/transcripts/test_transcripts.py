"""Each transcript is played against a real agent and compared byte for byte; its messages obey the protocol."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from tests.harness import update_of
from tests.schema_check import check
from tests.transcripts import player, rows
from tests.transcripts.scenes import SCENES
from tests.transcripts.world import fresh_world

NAMES = rows.names()
RAW_OUTPUT = Draft202012Validator(json.loads((rows.ROOT / "fixtures" / "raw-output.schema.json").read_bytes()))


@pytest.mark.parametrize("name", NAMES)
def test_a_real_agent_answers_as_in_the_transcript(name: str) -> None:
    with fresh_world() as world:
        player.play(name, world)


def test_every_scene_has_its_transcript() -> None:
    assert list(SCENES) and set(NAMES) == set(SCENES)


def messages(name: str) -> list[tuple[str, rows.Message]]:
    """The messages of a transcript by direction; lines that are none are left out."""
    found = [(row["dir"], row["msg"] if "msg" in row else meant(row)) for row in rows.load(rows.path_of(name))]
    return [(way, message) for way, message in found if isinstance(message, dict)]


def meant(row: rows.Row) -> object:
    """What a raw line says, if it says anything."""
    try:
        return json.loads(row["raw"].strip("\ufeff \r"))
    except (KeyError, ValueError):
        return None


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
def test_a_card_starts_pending_and_ends_once_and_repeats_nothing_and_a_load_draws_it_as_it_ended(name: str) -> None:
    cards: dict[str, rows.Message] = {}
    ended: set[str] = set()
    for update in updates(name):
        if update["sessionUpdate"] not in ("tool_call", "tool_call_update"):
            continue
        card_id = update["toolCallId"]
        if update["sessionUpdate"] == "tool_call" and card_id in ended:
            assert update == cards[card_id]
            continue
        if update["sessionUpdate"] == "tool_call":
            assert card_id not in cards and update["status"] == "pending"
            cards[card_id] = dict(update)
            continue
        assert card_id in cards and card_id not in ended
        fields = {key: value for key, value in update.items() if key not in ("sessionUpdate", "toolCallId")}
        assert fields and not [key for key, value in fields.items() if cards[card_id].get(key, ...) == value]
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
def test_updates_and_questions_come_only_while_a_prompt_or_a_load_is_unanswered(name: str) -> None:
    unanswered: list[tuple[object, str]] = []  # two may have the same id
    standing = {"available_commands_update"}
    for way, message in messages(name):
        if way == "c2a":
            if (method := message.get("method")) in ("session/prompt", "session/load") and "id" in message:
                unanswered.append((message["id"], method))
        elif "method" not in message and (answered := [each for each in unanswered if each[0] == message["id"]]):
            unanswered.remove(answered[0])
            loaded = answered[0][1] == "session/load"
            standing |= {"usage_update", "session_info_update"} if loaded else set()
        elif "method" in message and update_of(message).get("sessionUpdate") not in standing:
            assert unanswered, message


@pytest.mark.parametrize("name", NAMES)
def test_what_a_program_reads_of_the_memory_obeys_its_schema(name: str) -> None:
    outputs = [update.get("rawOutput") or {} for update in updates(name)]
    found = [output for output in outputs if output.get("type", "").startswith("memory.")]
    assert [error.message for each in found for error in RAW_OUTPUT.iter_errors(each)] == []
