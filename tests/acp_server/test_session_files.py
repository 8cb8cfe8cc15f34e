"""A session file: what was recorded is what a load gets, whatever happened to the file's end."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from write_session_schema import PATH as SCHEMA
from write_session_schema import text as schema_text

from acp_server.events import Card, CardChanged, CardOpened, TextChunk, ThoughtChunk, TitleChanged
from acp_server.providers.interface import AssistantItem, Native, ToolCall, ToolItem, UserItem
from acp_server.sentences.sessions import REPLACED
from acp_server.session_files import records
from acp_server.session_files.files import Contents, Damaged, SessionFile, read
from acp_server.session_files.ownership import Owner, Ownership, TakenOver, owner_of
from acp_server.session_files.recorder import Recorder
from acp_server.session_files.records import (
    AnswerRecord,
    CardEndRecord,
    CardRecord,
    ClearedRecord,
    CompactionRecord,
    EndRecord,
    MarkObject,
    MessageRecord,
    PrefixRecord,
    Record,
    SessionRecord,
    TitleRecord,
    TurnRecord,
)
from acp_server.session_files.replay import Replay, replay
from acp_server.session_files.restoring import restore
from acp_server.store import create_session_file
from acp_server.updates import fields_of
from memory_core.results import Mark

AT = "2026-01-02T03:04:05Z"
OPENING = SessionRecord(session_id="s1", cwd="/p", model="embedded/librarian", created=AT)
RECEIPT = {
    "type": "memory.receipt",
    "version": 1,
    "action": "write",
    "name": "flaky.md",
    "path": "/n/flaky.md",
    "entry": 7,
    "replaced": None,
    "new_name": True,
    "notices": [],
    "similar": [],
}
CARD_END = CardEndRecord(call_id="c", status="completed", title="", kind="read")
LINK = {"type": "content", "content": {"type": "text", "text": "kept ``` \N{GRINNING FACE}"}}


def turn(text: str, *, reminder: str = "", mark: MarkObject | None = None) -> TurnRecord:
    block = {"type": "text", "text": text}
    return TurnRecord(message_id=f"p-{text}", prompt=(block,), text=text, reminder=reminder, mark=mark, at=AT)


def a_turn() -> list[Record]:
    """A turn as the recorder writes it: words, thinking, a call with its card, words, the end."""
    recorder = Recorder()
    recorder.add(turn("keep it"))
    for event in (
        ThoughtChunk("m1", "Hm"),
        ThoughtChunk("m1", "."),
        TextChunk("m2", "I "),
        TextChunk("m2", "write."),
        CardOpened("c1", "Memory", "read"),
        CardChanged("c1", None, Card(title="Remember flaky", kind="edit", raw_input={"path": "flaky.md"})),
    ):
        recorder.event(event)
    native = Native("anthropic", "anthropic/x", ({"type": "thinking", "signature": "s"},))
    recorder.item(AssistantItem("I write.", (ToolCall("c1", "memory", '{"path": "'),), native), AT)
    recorder.event(CardChanged("c1", "in_progress", Card()))
    recorder.event(CardChanged("c1", "completed", Card(content=(LINK,), raw_output=RECEIPT)))
    recorder.item(ToolItem("c1", "memory", "Entry 7."), AT)
    recorder.event(TextChunk("m3", "Done \ud800."))
    recorder.item(AssistantItem("Done \ud800."), AT)
    recorder.event(TitleChanged("Keep it"))
    recorder.add(EndRecord(stop_reason="end_turn", at=AT))
    return recorder.take()


def write(path: Path, *lines: Record) -> bytes:
    path.write_bytes(b"".join(map(records.line_of, lines)))
    return path.read_bytes()


def owned(path: Path, token: str = "t1") -> Ownership:
    hold = Ownership(str(path), Owner(token, os.getpid(), "zed", AT))
    hold.take()
    return hold


def opened(path: Path) -> SessionFile:
    return session_file(path, owned(path))


def session_file(path: Path, hold: Ownership) -> SessionFile:
    contents = read(str(path))
    return SessionFile(str(path), hold, contents.good_bytes, contents.identity)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s1.jsonl"


def test_what_was_recorded_is_read_back_record_for_record(path: Path) -> None:
    kept = [OPENING, *a_turn()]
    write(path, OPENING)
    opened(path).append(kept[1:], sync=True)
    status = path.stat()
    assert read(str(path)) == Contents(tuple(kept), status.st_size, 0, (status.st_dev, status.st_ino))


def test_a_load_gets_the_history_that_the_model_had() -> None:
    session = restore([OPENING, *a_turn()])
    native = Native("anthropic", "anthropic/x", ({"type": "thinking", "signature": "s"},))
    assert session.items == [
        UserItem("keep it"),
        AssistantItem("I write.", (ToolCall("c1", "memory", '{"path": "'),), native),
        ToolItem("c1", "memory", "Entry 7."),
        AssistantItem("Done \ud800."),
    ]
    assert session.title is not None
    assert (session.title.title, session.first_words, session.turns) == ("Keep it", "keep it", 1)
    assert session.known == {"flaky.md": 7}
    assert session.cards == {"c1"}
    assert session.last_heard == AT


def test_a_replay_shows_all_in_the_order_in_which_it_appeared() -> None:
    shown = list(replay([OPENING, *a_turn()]))
    assert [each["sessionUpdate"] for each in shown] == [
        "user_message_chunk",
        "agent_thought_chunk",
        "agent_message_chunk",
        "tool_call",
        "agent_message_chunk",
        "session_info_update",
    ]
    card = Card(
        title="Remember flaky", kind="edit", content=(LINK,), raw_input={"path": "flaky.md"}, raw_output=RECEIPT
    )
    head = {"sessionUpdate": "tool_call", "toolCallId": "c1", "status": "completed"}
    assert shown[3] == head | fields_of(card)


def test_cards_that_ran_side_by_side_come_in_the_order_in_which_they_appeared_each_as_it_ended() -> None:
    opened = [CardRecord(call_id=name, title=name, kind="read") for name in ("a", "b")]
    said = MessageRecord(kind="text", message_id="m", text="meanwhile")
    ended = [replace(CARD_END, call_id=name, title=f"Read {name}") for name in ("b", "a")]
    shown = list(replay([OPENING, turn("go"), opened[0], said, opened[1], *ended, turn("on")]))
    assert [each.get("title") or each["messageId"] for each in shown] == ["p-go", "Read a", "m", "Read b", "p-on"]


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_a_session_is_drawn_alike_in_whatever_portions_it_is_read(size: int) -> None:
    cut_off = CardRecord(call_id="x", title="x", kind="read")
    kept = [OPENING, *a_turn(), turn("again"), cut_off, MessageRecord(kind="text", message_id="n", text="n"), *a_turn()]
    drawn = Replay()
    portions = [kept[at : at + size] for at in range(0, len(kept), size)]
    shown = [update for portion in portions for update in drawn.draw(portion)]
    assert [*shown, *drawn.end()] == list(replay(kept))


def test_a_file_cut_at_any_byte_of_its_last_three_records_loads_without_what_is_cut(path: Path) -> None:
    kept = [OPENING, *a_turn()]
    whole = write(path, *kept)
    lines = [records.line_of(record) for record in kept]
    first = len(whole) - sum(map(len, lines[-3:]))
    for size in range(first, len(whole)):
        path.write_bytes(whole[:size])
        found = read(str(path))
        good = max(count for count in range(len(kept) + 1) if sum(map(len, lines[:count])) <= size)
        assert found.records == tuple(kept[:good])
        assert found.good_bytes + found.cut_bytes == size
        assert path.read_bytes() == whole[:size]


def test_what_a_crash_cut_is_set_aside_when_the_session_goes_on(path: Path) -> None:
    whole = write(path, OPENING, turn("one"))
    path.write_bytes(whole + b'{"type":"ans' + b"\0" * 9)
    opened(path).append([turn("two")], sync=True)
    assert read(str(path)).records == (OPENING, turn("one"), turn("two"))
    assert path.with_suffix(".cut").read_bytes() == b'{"type":"ans' + b"\0" * 9 + b"\n"


@pytest.mark.parametrize(
    "bad", [b"{", b"[]", b"null", b'{"type":"turn","version":1}', b"\xff\xfe", b"[" * 100_000, b""]
)
def test_a_line_that_cant_be_read_in_the_middle_is_named_and_nothing_is_changed(path: Path, bad: bytes) -> None:
    path.write_bytes(records.line_of(OPENING) + bad + b"\n" + records.line_of(turn("two")))
    before = path.read_bytes()
    with pytest.raises(Damaged) as told:
        read(str(path))
    assert told.value.line == 2
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "foreign", [b"", b"\n\n", b"# Notes\n", b'{"type":"title","version":1,"title":"x"}\n', b"\0" * 50]
)
def test_a_file_that_holds_no_session_is_refused(path: Path, foreign: bytes) -> None:
    path.write_bytes(foreign)
    with pytest.raises(Damaged):
        read(str(path))


@pytest.mark.parametrize(
    "newer",
    [
        {"type": "hologram", "version": 1},
        {"type": "turn", "version": 2, "anything": []},
        {**json.loads(records.line_of(CARD_END)),
         "rawOutput": {"type": "memory.dream", "version": 1}},
        {**json.loads(records.line_of(CARD_END)),
         "rawOutput": {**RECEIPT, "version": 2}},
    ],
)  # fmt: skip
def test_a_record_of_a_newer_build_refuses_the_session_also_at_its_end(path: Path, newer: dict[str, object]) -> None:
    path.write_bytes(records.line_of(OPENING) + json.dumps(newer).encode() + b"\n")
    with pytest.raises(records.Newer):
        read(str(path))


def test_a_refused_turn_is_shown_and_no_longer_sent_but_its_reminder_is_owed() -> None:
    refused = [
        turn("bad", reminder="# Memory updated\n\n- 1\n\n"),
        AnswerRecord(text="No.", at=AT),
        EndRecord(stop_reason="refusal", left_out=True, at=AT),
    ]
    session = restore([OPENING, *a_turn(), *refused])
    assert session.items == restore([OPENING, *a_turn()]).items
    assert session.owed == "# Memory updated\n\n- 1\n\n"
    assert restore([OPENING, *refused, turn("next")]).items == [UserItem("next")]


def test_a_call_that_a_crash_left_open_is_closed_in_the_history_and_shown_as_failed() -> None:
    cut = [record for record in a_turn() if not isinstance(record, CardEndRecord)][:5]
    session = restore([OPENING, *cut])
    assert [type(item) for item in session.items] == [UserItem, AssistantItem, ToolItem]
    assert isinstance(session.items[-1], ToolItem)
    assert session.items[-1].failed
    assert [each.get("status") for each in replay(cut) if each["sessionUpdate"] == "tool_call"] == ["failed"]


def test_a_compaction_leaves_its_summary_and_what_it_kept_whole() -> None:
    said = [*a_turn(), CompactionRecord(summary="All is well.", keep=3, emptied=(1,), at=AT), turn("next")]
    items = restore([OPENING, *said]).items
    assert isinstance(items[0], UserItem)
    assert "All is well." in items[0].text
    assert [type(item) for item in items[1:]] == [AssistantItem, ToolItem, AssistantItem, UserItem]
    assert isinstance(items[2], ToolItem)
    assert items[2].text != "Entry 7."
    assert [each for each in replay(said) if "All is well." in json.dumps(each)] == []


def test_a_cleared_history_is_still_shown_and_no_longer_sent() -> None:
    said = [*a_turn(), ClearedRecord(at=AT), turn("next")]
    assert restore([OPENING, *said]).items == [UserItem("next")]
    assert [each["sessionUpdate"] for each in replay(said)].count("user_message_chunk") == 2


def test_a_new_prefix_withdraws_the_reminders_before_it() -> None:
    old, new = MarkObject(generation=0, entries=3, forgets=0), MarkObject(generation=0, entries=9, forgets=1)
    first = PrefixRecord(view="0+1|a", mark=old, digest="1", at=AT)
    again = PrefixRecord(view="0+1|b", mark=new, digest="2", at=AT)
    said = [first, turn("one", reminder="# Memory updated\n\n- 1\n\n", mark=new), again, turn("two")]
    session = restore([OPENING, *said])
    assert session.items == [UserItem("one"), UserItem("two")]
    assert (session.prefix, session.mark) == (again, Mark(0, 9, 1))
    assert restore([OPENING, *said[:2]]).items == [UserItem("one", "# Memory updated\n\n- 1\n\n")]


def test_a_title_that_the_person_chose_stays() -> None:
    said = [TitleRecord(title="a"), TitleRecord(title="mine", chosen=True), TitleRecord(title="b")]
    assert restore([OPENING, *said]).title == said[1]
    assert [each["title"] for each in replay(said)] == ["mine"]


def test_a_session_that_lives_elsewhere_is_written_by_nobody_else_until_it_is_taken_over(path: Path) -> None:
    write(path, OPENING)
    first, second = opened(path), Ownership(str(path), Owner("t2", 2, None, AT))
    with pytest.raises(TakenOver) as told:
        second.take()
    assert told.value.owner == Owner("t1", os.getpid(), "zed", AT)
    second.take(over=True)
    with pytest.raises(TakenOver):
        first.append([turn("lost")])
    session_file(path, second).append([turn("kept")])
    assert read(str(path)).records == (OPENING, turn("kept"))


HOLDER = """
import sys
from acp_server.session_files.ownership import Owner, Ownership
hold = Ownership(sys.argv[1], Owner("dead", 1, "vim", "then"))
hold.take()
print("held", flush=True)
sys.stdin.read()
"""


def test_a_session_that_was_taken_over_and_let_go_gets_no_lock_by_its_first_owner(path: Path) -> None:
    write(path, OPENING)
    first = opened(path)
    second = Ownership(str(path), Owner("t2", os.getpid(), "vim", AT))
    second.take(over=True)
    second.release()
    with pytest.raises(TakenOver):
        first.append([turn("late")], sync=True)
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_file_that_took_the_place_of_the_one_that_was_read_gets_nothing_and_loses_nothing(path: Path) -> None:
    write(path, OPENING)
    file = opened(path)
    other = path.with_name("other")
    write(other, OPENING, *a_turn())
    other.replace(path)
    before = path.read_bytes()
    with pytest.raises(OSError, match=REPLACED):
        file.append([turn("on")])
    assert path.read_bytes() == before and not path.with_suffix(".cut").exists()


def test_a_session_whose_owner_was_killed_is_free(path: Path) -> None:
    write(path, OPENING)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    mine = Ownership(str(path), Owner("t1", os.getpid(), None, AT))
    assert owner_of(str(path)) == Owner("dead", 1, "vim", "then")
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    assert owner_of(str(path)) is None
    mine.take()
    mine.release()
    assert sorted(each.name for each in path.parent.iterdir()) == [path.name]


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """In here no file can grow beyond a size in bytes; a write that doesn't fit is done in part first."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        with pytest.raises(OSError, match="too large"):
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk_leaves_the_file_as_it_was(path: Path) -> None:
    write(path, OPENING)
    file, size = opened(path), path.stat().st_size
    with room_for(size + 40):
        file.append([turn("x" * 100)])
    assert path.stat().st_size == size
    file.append([turn("after")])
    assert read(str(path)).records == (OPENING, turn("after"))


def test_what_a_crash_cut_stays_where_it_is_until_all_of_it_can_be_set_aside(path: Path) -> None:
    write(path, OPENING)
    cut = b'{"type":"' + b"x" * 5_000
    with path.open("ab") as file:
        file.write(cut)
    before = path.read_bytes()
    session = opened(path)
    with room_for(4_000):
        session.append([turn("after")])
    assert path.read_bytes() == before
    session.append([turn("after")])
    assert path.with_suffix(".cut").read_bytes().endswith(cut + b"\n")
    assert read(str(path)).records == (OPENING, turn("after"))


def test_a_session_file_that_finds_no_room_is_not_begun(tmp_path: Path) -> None:
    with room_for(40):
        create_session_file(str(tmp_path / "a.jsonl"), {"type": "session", "cwd": "/" + "x" * 100})
    assert list(tmp_path.iterdir()) == []


def test_a_session_whose_file_was_removed_is_not_made_anew_by_an_append(path: Path) -> None:
    write(path, OPENING)
    file = opened(path)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        file.append([turn("late")])
    assert not path.exists()


def test_the_kept_schema_is_that_of_the_records() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == schema_text()


def test_every_record_is_what_the_kept_schema_says() -> None:
    kept = json.loads(SCHEMA.read_text(encoding="utf-8"))
    for record in [OPENING, *a_turn()]:
        jsonschema.validate(json.loads(records.line_of(record)), kept)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"type": "title", "version": 1, "title": "x", "extra": 1}, kept)


def test_chunks_of_two_messages_stay_apart() -> None:
    recorder = Recorder()
    for event in (TextChunk("a", "1"), TextChunk("b", "2"), ThoughtChunk("b", "3"), TextChunk("b", "4")):
        recorder.event(event)
    assert recorder.take() == [
        MessageRecord(kind="text", message_id="a", text="1"),
        MessageRecord(kind="text", message_id="b", text="2"),
        MessageRecord(kind="thought", message_id="b", text="3"),
        MessageRecord(kind="text", message_id="b", text="4"),
    ]


def test_an_answer_without_calls_is_no_more_than_its_text() -> None:
    assert restore([OPENING, turn("hi"), AnswerRecord(text="Hello", at=AT)]).items == [
        UserItem("hi"),
        AssistantItem("Hello"),
    ]
