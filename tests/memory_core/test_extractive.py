"""The embedded summarizer: what a line holds, and what it never does."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Sequence

import pytest

from memory_core.extractive import summarize
from memory_core.words import clip

FILLER = re.findall(
    r"\w+",
    "the server starts when a request comes in and waits until the queue is empty before it writes the log "
    "we found that most of the time the build is slow because nothing was kept from the run before so check "
    "the settings first then restart the worker and look whether the error is gone",
)


def _note(name: str, terms: Sequence[str], words: int, pick: random.Random) -> str:
    text = [pick.choice(FILLER) for _ in range(words)]
    for term in terms:
        text.insert(pick.randrange(len(text)), term)
    sentences = [" ".join(text[at : at + 11]).capitalize() + "." for at in range(0, len(text), 11)]
    return f"note {name}.md\n# {name}\n\n" + "\n".join(sentences)


def _terms(pick: random.Random) -> list[str]:
    made: dict[str, None] = {}
    while len(made) < 200:
        term = "".join(pick.choice("bcdfgklmnprstvz") + pick.choice("aeiou") for _ in range(3))
        tail = pick.choice(["", "", str(pick.randrange(10, 99)), "_ix", "Q"])
        made[(term + tail) if tail != "Q" else term.capitalize()] = None
    return list(made)


def _fold(lines: list[str], merge: Callable[[list[str]], str]) -> str:
    while len(lines) > 1:
        lines = [merge(lines[at : at + 2]) for at in range(0, len(lines), 2)]
    return lines[0]


def _cut(texts: list[str]) -> str:
    return "\n".join(texts).encode()[:512].decode("utf-8", "ignore")


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


@pytest.mark.parametrize("count", [2, 4, 8, 16, 32, 64])
@pytest.mark.parametrize("words", [200, 320])
def test_more_than_twice_the_rare_terms_of_plain_cutting_survive_and_every_name_that_fits(
    count: int, words: int
) -> None:
    pick = random.Random(count * 1000 + words)
    terms = _terms(pick)
    names = [f"topic-{index:02d}" for index in range(count)]
    entries = [_note(names[index], terms[index::count], words, pick) for index in range(count)]
    line = _fold([summarize([entry]) for entry in entries], summarize)
    cut = _fold([_cut([entry]) for entry in entries], _cut)
    kept, baseline = (sum(term.lower() in _words(text) for term in terms) for text in (line, cut))
    assert kept > 2.5 * baseline, (kept, baseline)
    assert len(line.encode()) <= 512
    assert _words(line) <= _words("\n".join(entries)) | _words("topic")
    if len(" ".join(names)) <= 512:
        assert all(name in line for name in names)


def test_leaves_keep_more_than_twice_the_rare_terms_of_plain_cutting() -> None:
    pick = random.Random(7)
    terms = _terms(pick)
    entries = [_note(f"n-{index}", terms[index::8], 300, pick) for index in range(8)]
    kept = sum(term.lower() in _words(summarize([entries[at % 8]])) for at, term in enumerate(terms))
    cut = sum(term.lower() in _words(_cut([entries[at % 8]])) for at, term in enumerate(terms))
    assert kept > 2.5 * cut


def test_64_short_names_all_stay_where_their_bytes_just_fit() -> None:
    pick = random.Random(1)
    names = [f"nt{index:05d}" for index in range(64)]
    lines = [summarize([_note(name, ["qovatex"], 200, pick)]) for name in names]
    line = _fold(lines, summarize)
    assert len(" ".join(names)) == 511
    assert line.split() == names


def test_a_line_begins_with_the_name_then_its_first_text_then_rare_words() -> None:
    body = "# Flaky tests\n\nThe retry hides a race in the scheduler. " + "We looked at it for a while. " * 30
    line = summarize([f"note flaky-tests.md\n{body} See ZK-4711 and src/loop/run_once.rs."])
    assert line.startswith("flaky-tests: The retry hides a race in the scheduler")
    assert "ZK-4711" in line
    assert "src/loop/run_once.rs" in line


def test_the_same_material_gives_the_same_line() -> None:
    entry = _note("a", _terms(random.Random(2)), 300, random.Random(3))
    assert summarize([entry]) == summarize([entry])


def test_deletes_and_forgotten_notes_are_named_through_the_levels() -> None:
    pick = random.Random(5)
    left = summarize([_note("cache", ["zebrula"], 200, pick)])
    first = summarize([left, "delete old-plan.md"])
    second = summarize(["forgotten token.md", _note("ports", ["wolfram"], 200, pick)])
    line = summarize([first, second])
    assert "delete: old-plan" in line
    assert "forgotten: token" in line
    assert {"cache", "zebrula", "ports", "wolfram"} <= _words(line)


def test_a_half_of_several_entries_word_for_word_keeps_each_name() -> None:
    half = "note a-one.md\nUse gradle.\nnote b-two.md\ndelete everything here\ndelete c-three.md"
    line = summarize([half, _note("d-four", ["quibble"], 200, random.Random(4))])
    assert all(name in line for name in ("a-one", "b-two", "d-four"))
    assert "delete: c-three" in line


def test_a_long_notes_own_lines_are_never_taken_for_entries() -> None:
    body = "Read it first.\nnote see README.md\ndelete old-plan.md\n" + "The rest is plain text. " * 40
    line = summarize([f"note guide.md\n{body}"])
    assert line.startswith("guide: Read it first")
    assert "delete:" not in line


def test_a_line_of_another_model_keeps_its_names() -> None:
    line = summarize(
        [
            "release-process: tag from main only after make ci passes. ci-cache: the key includes Cargo.lock.",
            "sandbox-ttl: a lease of 0 never expires, so pause it by hand.",
        ]
    )
    assert line.startswith("release-process: tag from main only after make ci passes")
    assert "; ci-cache: the key includes Cargo.lock" in line
    assert "; sandbox-ttl: a lease of 0 never expires" in line


def test_a_note_written_twice_is_one_segment() -> None:
    entries = ["note port.md\nThe port is 8080.", "note port.md\nThe port is 9090."]
    line = summarize(entries)
    assert line.count("port:") == 1
    assert "9090" in line


ODD = [
    ("an empty note", "note empty.md\n"),
    ("a name alone", "note empty.md"),
    ("nothing", ""),
    ("control characters", "note a.md\nx\x00y \x1b[31mred\x1b[0m\x07 tail\x0b\x0c\u2028end" * 30),
    ("an encoded line", "note img.md\ndata:image/png;base64," + "QUJD" * 500_000),
    ("a long line of words", "note big.md\n" + "word fenestrate plain " * 100_000),
    ("Chinese", "note 成语.md\n" + "今天玩成语接龙游戏然后重跑脚本" * 60),
    ("Japanese", "note 承認.md\n# 承認フロー\n" + "このスクリプトは承認フローのキャッシュを消す。" * 60),
    ("Thai", "note th.md\n" + "การตั้งค่าเซิร์ฟเวอร์" * 80),
    ("combining marks", "note marks.md\n" + "e\u0301te\u0301 " * 400),
    ("emoji", "note e.md\n" + "👩‍👩‍👧‍👦 family 🏳️‍🌈 " * 200),
    ("a long name", "note " + "long-" * 39 + "a.md\n" + "text " * 400),
    ("semicolons and labels", "note s.md\n" + "a; b: c; delete: d; … e\n" * 80),
    ("lone surrogate replaced", "note u.md\n" + "\ufffd bad " * 200),
    ("html and fences", "note h.md\n</memory>\n```sh\nrm -rf /\n```\n" + "<b>bold</b> " * 100),
]


@pytest.mark.parametrize("entry", [row[1] for row in ODD], ids=[row[0] for row in ODD])
@pytest.mark.parametrize("limit", [512, 64, 24])
def test_odd_material_gives_one_clean_line_within_the_limit(entry: str, limit: int) -> None:
    line = summarize([entry], limit)
    twice = summarize([line, line], limit)
    for text in (line, twice):
        assert len(text.encode()) <= limit
        assert text.isprintable() or not any(unicodedata.category(each) == "Cc" for each in text)
        assert len(text.splitlines()) <= 1


@pytest.mark.parametrize("limit", range(20, 512, 7))
def test_no_limit_cuts_inside_a_word(limit: int) -> None:
    entry = _note("topic", _terms(random.Random(9))[:40], 250, random.Random(9))
    assert _words(summarize([entry], limit)) <= _words(entry)


def test_no_term_stands_twice() -> None:
    line = summarize([_note("topic", ["zanzibar"] * 3 + ["Zanzibar"], 250, random.Random(6))])
    assert line.lower().count("zanzibar") == 1


@pytest.mark.parametrize("limit", range(1, 60))
def test_clipping_never_parts_a_mark_from_its_letter(limit: int) -> None:
    text = "การตั้งค่าเซิร์ฟเวอร์"
    rest = text[len(clip(text, limit)) :]
    assert not rest or not clip(text, limit) or unicodedata.category(rest[0])[0] != "M"


def test_of_a_very_long_text_without_spaces_the_beginning_stays() -> None:
    assert "今天玩成语" in summarize(["note a.md\n" + "今天玩成语接龙" * 100_000])
