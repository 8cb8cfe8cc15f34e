"""Cards of memory results: what a person sees, where a click leads."""

from __future__ import annotations

from dataclasses import replace

import pytest

from acp_server.cards import MAX_NOTE_CHARACTERS, change_card, error_card, proposal_card, result_card
from acp_server.events import Card
from acp_server.providers.interface import JsonObject
from acp_server.tools.memory_text import Change, model_text
from memory_core.exceptions import MemoryFault
from memory_core.results import (
    Entry,
    EntryKind,
    EntryStatus,
    Hit,
    Line,
    LineState,
    Note,
    Origin,
    OriginKind,
    Proposal,
    Receipt,
    SearchResult,
    View,
    Zoom,
)

HIT = Hit(3, "ci/cache.md", "/n/ci/cache.md", "Cache", 0, "the cache key", 7, ((4, 9),), 2.0)
ENTRY = Entry(
    5,
    EntryKind.NOTE,
    "a.md",
    "A",
    "# A\n",
    EntryStatus.CURRENT,
    None,
    Origin(OriginKind.SESSION, "s"),
    0,
    "/n/a.md",
)


def texts(card: Card) -> list[str]:
    found: list[str] = []
    for block in card.content or ():
        inner = block.get("content")
        if isinstance(inner, dict) and inner["type"] == "text":
            found.append(str(inner["text"]))
    return found


def kinds(card: Card) -> list[str]:
    return [str(_inner(block)["type"]) for block in card.content or ()]


def _inner(block: JsonObject) -> JsonObject:
    inner = block.get("content")
    return inner if isinstance(inner, dict) else block


def line(id: int, n: int, text: str) -> Line:
    return Line(id, n, LineState.VERBATIM, text)


def test_addresses_stand_in_a_gutter() -> None:
    card = result_card(Zoom(96, 32, (line(96, 16, "a ``` b"), line(112, 16, "c"))))
    assert texts(card) == ["````\n 96+16 │ a ``` b\n112+16 │ c\n````"]


def test_a_view_shows_what_is_left_out_first() -> None:
    view = View(3, 0, 1, 99, 50, (line(1, 1, "b"), line(2, 1, "c")), (), "(the oldest entry is left out)")
    assert texts(result_card(view))[0].split("\n")[1] == "(the oldest entry is left out)"
    assert model_text(view).split("\n")[:2] == [
        "VIEW: 3 entries, 99 of 50 bytes",
        "(the oldest entry is left out)",
    ]


def test_an_empty_view_says_so() -> None:
    assert texts(result_card(View(0, 0, 0, 0, 32768, (), ()))) == ["The memory of this project is empty."]


def test_a_search_has_exactly_one_location_its_best_hit() -> None:
    second = replace(HIT, name="b.md", path="/n/b.md", line_number=1)
    card = result_card(SearchResult("cache", ("cache",), True, (HIT, second)))
    assert card.locations == ({"path": "/n/ci/cache.md", "line": 7},)
    assert texts(card)[0] == (
        "### Found 2 notes about cache\n\n"
        "1. [ci/cache.md](file:///n/ci/cache.md#L7:7) Cache\n   > the **cache** key\n\n"
        "2. [b.md](file:///n/b.md#L1:1) Cache\n   > the **cache** key"
    )


def test_an_incomplete_index_is_said_to_person_and_model() -> None:
    result = SearchResult("cache", ("cache",), False, (HIT,))
    assert "still being built" in texts(result_card(result))[0]
    assert model_text(result).split("\n")[1] == "(the word index is still being built)"


def test_an_entry_links_its_file_only_while_that_exists() -> None:
    assert kinds(result_card(ENTRY)) == ["text", "resource_link"]
    gone = result_card(replace(ENTRY, path=None, status=EntryStatus.DELETED, replaced_by=9))
    assert kinds(gone) == ["text"]
    assert gone.locations is None
    assert texts(gone)[0].startswith("Deleted by entry 9, 1970-01-01, written by a session.")


@pytest.mark.parametrize(
    ("status", "by", "head"),
    [
        (EntryStatus.CURRENT, None, "entry 5 (current) a.md, 1970-01-01, by session s"),
        (EntryStatus.REWRITTEN, 7, "entry 5 (rewritten by entry 7) a.md, 1970-01-01, by session s"),
    ],
)
def test_the_model_reads_an_entrys_status_in_its_first_line(status: EntryStatus, by: int | None, head: str) -> None:
    text = model_text(replace(ENTRY, status=status, replaced_by=by))
    assert text == f"{head}\nlink file:///n/a.md\n\n# A"


def test_a_note_of_many_megabytes_is_cut_in_its_card_and_says_so() -> None:
    card = result_card(Note("a.md", "/n/a.md", 1, "x" * 2_000_000))
    assert len(texts(card)[0]) < MAX_NOTE_CHARACTERS + 200
    assert "the link opens the whole" in texts(card)[0]


PROPOSAL = Proposal("a.md", "/n/a.md", "", "# A\n", None, True)
RECEIPT = Receipt("write", "a.md", "/n/a.md", 0, None, True, first=True, notices=("Mind this.",), similar=("A-a.md",))


def test_a_question_shows_the_diff_and_what_there_is_to_say() -> None:
    card = proposal_card(PROPOSAL, ("Line 3 looks like a key.",))
    assert kinds(card) == ["diff", "text"]
    assert card.content is not None and card.content[0]["oldText"] == ""


def test_a_receipt_names_entry_place_undo_notices_and_similar_notes() -> None:
    change = Change(RECEIPT, None, "/n")
    said = [
        "Wrote a.md as entry 0.",
        "The notes of this project lie in /n.",
        "To undo it, ask to delete a.md.",
        "Mind this.",
    ]
    assert model_text(change).split("\n") == [*said, "similar: A-a.md"]
    card = change_card(change, PROPOSAL)
    assert kinds(card) == ["diff", "text"]
    assert texts(card)[0].split("\n\n") == [*said, "The name is much like A-a.md."]


def test_a_failed_call_says_in_one_line_what_was_wrong_and_what_would_be_right() -> None:
    card = error_card("read", MemoryFault("There is no note\n'x'.", "Search finds notes."))
    assert texts(card) == ["There is no note 'x'. Search finds notes."]
    assert card.raw_output == {
        "type": "memory.error",
        "version": 1,
        "command": "read",
        "message": "There is no note\n'x'.",
        "hint": "Search finds notes.",
    }


@pytest.mark.parametrize(
    ("origin", "by", "right"),
    [
        (OriginKind.SESSION, None, "The note was deleted by a session, 1970-01-01."),
        (OriginKind.OUTSIDE, None, "The note was removed outside, 1970-01-01."),
        (OriginKind.CLI, 7, "The note was deleted from the command line, 1970-01-01. Entry 7 wrote it again."),
    ],
)
def test_an_entry_that_deletes_says_how_the_note_went(origin: OriginKind, by: int | None, right: str) -> None:
    entry = replace(ENTRY, kind=EntryKind.DELETE, text="", path=None, origin=Origin(origin), replaced_by=by)
    assert texts(result_card(entry)) == [right]
