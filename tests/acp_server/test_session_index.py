"""The index of sessions: pages, places, cursors; and made anew from the files whenever it is gone."""

from __future__ import annotations

import asyncio
import base64
import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from acp_server.session_files import records
from acp_server.session_files.finding import find_session, is_session_id
from acp_server.session_files.forgotten import still_titled
from acp_server.session_files.index import BadCursor, Index, Row
from acp_server.session_files.listing import PORTION, bring_in_line, row_of
from acp_server.session_files.records import EndRecord, Record, SessionRecord, TitleRecord, TurnRecord


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[Index]:
    opened = Index(str(tmp_path))
    yield opened
    await opened.close()


def row(number: int, place: str = "/a") -> Row:
    return Row(
        f"s{number:05}", place, place, (), f"Title {number}", f"2026-01-01T00:{number // 60:02}:{number % 60:02}Z", "x"
    )


async def pages(index: Index, place: str | None) -> list[list[str]]:
    found, cursor = [], None
    while True:
        page = await index.page(place, cursor)
        found.append([each.id for each in page.rows])
        if (cursor := page.next_cursor) is None:
            return found


async def test_pages_show_each_session_once_the_newest_first(index: Index) -> None:
    await index.put([row(number) for number in range(120)])
    found = await pages(index, None)
    assert [len(page) for page in found] == [50, 50, 20]
    assert [each for page in found for each in page] == [f"s{number:05}" for number in reversed(range(120))]


async def test_a_page_is_filled_from_its_place_however_many_lie_elsewhere(index: Index) -> None:
    await index.put([row(number, "/a" if number < 3 else "/b") for number in range(300)])
    assert await pages(index, "/a") == [["s00002", "s00001", "s00000"]]
    assert await pages(index, "/nowhere") == [[]]


async def test_a_page_that_is_just_full_has_no_next_one(index: Index) -> None:
    await index.put([row(number) for number in range(50)])
    assert [len(page) for page in await pages(index, None)] == [50]


FORGED = ["", "x", "[]", "é", base64.b64encode(b"[1, 2]").decode(), base64.b64encode(b'["a"]').decode(), "../../etc"]


@pytest.mark.parametrize("forged", FORGED)
async def test_a_cursor_that_no_page_gave_is_refused(index: Index, forged: str) -> None:
    with pytest.raises(BadCursor):
        await index.page(None, forged)


async def test_a_session_is_listed_once_with_what_is_newest(index: Index) -> None:
    await index.put([row(1)])
    await index.put([Row("s00001", "/b", "/b", ("/c",), None, "2026-02-01T00:00:00Z", "y")])
    assert (await index.page(None, None)).rows == (
        Row("s00001", "/b", "/b", ("/c",), None, "2026-02-01T00:00:00Z", "y"),
    )
    await index.remove("s00001")
    await index.remove("s00001")
    assert (await index.page(None, None)).rows == ()


def held(folder: Path, text: bytes) -> list[str]:
    """The files of the index that hold a text."""
    return [path.name for path in folder.glob("sessions.db*") if text in path.read_bytes().lower()]


async def test_a_session_that_was_removed_leaves_no_title_in_the_pages_or_the_log(tmp_path: Path, index: Index) -> None:
    named = Row("s1", "/a", "/a", (), "Wombat734291 is the code", "2026-01-01T00:00:00Z", "x")
    await index.put([named])
    assert held(tmp_path, b"wombat734291")
    await index.remove("s1", "s2")
    assert held(tmp_path, b"wombat734291") == []
    await index.put([named])
    await index.put([replace(named, title="Another title")])
    await index.remove("s1")
    assert held(tmp_path, b"wombat734291") == held(tmp_path, b"another title") == []


async def test_a_command_purges_the_titles_of_session_files_that_are_gone_and_tells_those_that_stay(
    tmp_path: Path, index: Index
) -> None:
    assert still_titled(str(tmp_path), ()) is None
    (tmp_path / "sessions.db").touch()  # as an agent that is ended at its first session leaves it
    assert still_titled(str(tmp_path), ()) is None
    stays = tmp_path / "stays.jsonl"
    stays.touch()
    await index.put(
        [
            Row("s1", "/a", "/a", (), "Wombat734291 is the code", "2026-01-01T00:00:00Z", str(tmp_path / "gone.jsonl")),
            Row("s2", "/a", "/a", (), "Numbat883412 is the code", "2026-01-01T00:00:01Z", str(stays)),
        ]
    )
    assert still_titled(str(tmp_path), ()) is None
    assert held(tmp_path, b"wombat734291") == []
    assert held(tmp_path, b"numbat883412") == ["sessions.db"]
    assert still_titled(str(tmp_path), [str(stays)]) == str(tmp_path / "sessions.db")
    assert [each.id for each in (await index.page(None, None)).rows] == ["s2"]


async def test_an_index_that_is_being_read_is_told_as_one_that_still_holds_titles(tmp_path: Path, index: Index) -> None:
    await index.put([Row("s1", "/a", "/a", (), "Wombat", "2026-01-01T00:00:00Z", str(tmp_path / "gone.jsonl"))])
    with closing(sqlite3.connect(tmp_path / "sessions.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM session").fetchone()
        assert still_titled(str(tmp_path), (), wait_seconds=0) == str(tmp_path / "sessions.db")
    assert still_titled(str(tmp_path), ()) is None


def session_file(state: Path, session_id: str, *more: Record) -> Path:
    path = state / "projects" / "p-1" / "sessions" / f"{session_id}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    opening = SessionRecord(session_id=session_id, cwd=str(state), model="m", created="2026-01-01T00:00:00Z")
    path.write_bytes(b"".join(map(records.line_of, [opening, *more])))
    return path


TURN = TurnRecord(message_id="m", prompt=({"type": "text", "text": "hi"},), text="hi", at="2026-01-01T00:00:01Z")


async def test_the_index_is_made_anew_from_the_files(tmp_path: Path, index: Index) -> None:
    told = (TURN, TitleRecord(title="mine", chosen=True), TitleRecord(title="later"))
    path = session_file(tmp_path, "kept", *told, EndRecord(stop_reason="end_turn", at="2026-01-02T00:00:00Z"))
    session_file(tmp_path, "without-a-turn")
    session_file(tmp_path, "foreign").write_bytes(b"\0" * 100)
    session_file(tmp_path, "cut", TURN).write_bytes(session_file(tmp_path, "cut", TURN).read_bytes() + b'{"type":"tu')
    await index.put([row(7)])
    await bring_in_line(index, str(tmp_path), asyncio.Lock())
    rows = {each.id: each for each in (await index.page(None, None)).rows}
    assert set(rows) == {"kept", "cut"}
    assert rows["kept"] == Row("kept", str(tmp_path), str(tmp_path), (), "mine", "2026-01-02T00:00:00Z", str(path))
    assert rows["kept"] == row_of(str(path))


async def test_thousands_of_rows_and_files_are_brought_in_line_none_left_out(tmp_path: Path, index: Index) -> None:
    count = 2 * PORTION + 1
    await index.put([row(number) for number in range(count)])
    for number in range(count):
        session_file(tmp_path, f"t{number:05}", TURN)
    await bring_in_line(index, str(tmp_path), asyncio.Lock())
    assert list(await index.known("", 2 * count)) == [f"t{number:05}" for number in range(count)]


class Asked(asyncio.Lock):
    """A lock that tells when somebody wants it."""

    def __init__(self) -> None:
        super().__init__()
        self.wanted = asyncio.Event()

    async def acquire(self) -> Literal[True]:
        self.wanted.set()
        return await super().acquire()


async def test_what_was_deleted_or_told_since_a_file_was_read_stays_so(tmp_path: Path, index: Index) -> None:
    gone = session_file(tmp_path, "gone", TURN, TitleRecord(title="Wombat"))
    told = session_file(tmp_path, "told", TURN, TitleRecord(title="old"))
    changing = Asked()
    await changing.acquire()
    changing.wanted.clear()
    in_line = asyncio.create_task(bring_in_line(index, str(tmp_path), changing))
    await changing.wanted.wait()
    gone.unlink()
    newer = Row("told", "/a", "/a", (), "new", "2026-02-01T00:00:00Z", str(told))
    await index.put([newer])
    changing.release()
    await in_line
    assert (await index.page(None, None)).rows == (newer,)


async def test_a_session_whose_file_moved_to_another_project_is_listed_from_there(tmp_path: Path, index: Index) -> None:
    moved = session_file(tmp_path, "moved", TURN)
    await index.put([Row("moved", "/a", "/a", (), "x", "2026-02-01T00:00:00Z", f"{moved.parent}/../moved.jsonl")])
    await bring_in_line(index, str(tmp_path), asyncio.Lock())
    assert [each.path for each in (await index.page(None, None)).rows] == [str(moved)]


@pytest.mark.parametrize(("key", "value"), [("cwd", "/a\0b"), ("cwd", "/a\ud800"), ("created", "20\ud8006")])
async def test_a_file_with_a_place_or_a_time_that_can_not_be_hides_no_other(
    tmp_path: Path, index: Index, key: str, value: str
) -> None:
    odd = session_file(tmp_path, "odd", TURN)
    opening, *rest = odd.read_bytes().splitlines(keepends=True)
    changed = json.dumps(json.loads(opening) | {key: value}, separators=(",", ":")).encode()
    odd.write_bytes(b"".join([changed, b"\n", *rest]))
    session_file(tmp_path, "kept", TURN)
    await bring_in_line(index, str(tmp_path), asyncio.Lock())
    assert {each.id for each in (await index.page(None, None)).rows} == {"odd", "kept"}


ODD_PLACE = "/p/dir\udcff"


async def test_a_path_or_a_title_that_is_no_utf_8_is_listed_as_any_other(tmp_path: Path, index: Index) -> None:
    odd = Row("s1", ODD_PLACE, ODD_PLACE, (ODD_PLACE,), "a \ud83d title", "2026-01-01T00:00:00Z", f"{ODD_PLACE}/s1")
    await index.put([odd, row(7)])
    shown = replace(odd, title="a \ufffd title")
    assert (await index.page(ODD_PLACE, None)).rows == (shown,)
    assert {each.id for each in (await index.page(None, None)).rows} == {"s1", "s00007"}
    assert (await index.known("", 9))["s1"] == odd.path
    session_file(tmp_path, "kept", TURN, TitleRecord(title="\ud83d"))
    await bring_in_line(index, str(tmp_path), asyncio.Lock())
    assert [each.title for each in (await index.page(None, None)).rows] == ["\ufffd"]


@pytest.mark.parametrize("content", [b"", b"no database at all, but long enough to look at" * 100])
async def test_an_index_that_is_damaged_is_thrown_away(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "sessions.db").write_bytes(content)
    session_file(tmp_path, "kept", TURN)
    index = Index(str(tmp_path))
    await bring_in_line(index, str(tmp_path), asyncio.Lock())
    assert [each.id for each in (await index.page(None, None)).rows] == ["kept"]
    await index.close()


ESCAPES = ["../x", "a/b", "", ".", "..", "a\0b", "/etc/passwd", "x" * 200, "é", "-x", "a b"]


@pytest.mark.parametrize("session_id", ESCAPES)
def test_an_id_that_could_lead_elsewhere_finds_nothing(tmp_path: Path, session_id: str) -> None:
    (tmp_path / "projects" / "p-1" / "sessions").mkdir(parents=True)
    (tmp_path / "projects" / "p-1" / "x.jsonl").write_text("", encoding="utf-8")
    assert not is_session_id(session_id)
    assert find_session(str(tmp_path), session_id) is None


def test_a_session_is_found_by_its_id_whatever_project_it_is_of(tmp_path: Path) -> None:
    path = session_file(tmp_path, "kept")
    assert find_session(str(tmp_path), "kept") == str(path)
    assert find_session(str(tmp_path), "other") is None
    assert find_session(str(tmp_path / "nowhere"), "kept") is None
