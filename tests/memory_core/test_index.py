"""The word index: what is found, in which order, at what cost, and that a removed note is gone."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import mean, median

import pytest

from memory_core import index
from memory_core.analyzer import query_terms

J = 7


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(tmp_path / "words.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("BEGIN IMMEDIATE")
    index.create(connection, J)
    connection.execute("COMMIT")
    yield connection
    connection.close()


def put(db: sqlite3.Connection, *bodies: str) -> None:
    for seq, body in enumerate(bodies):
        index.add(db, J, seq, f"n{seq}.md", "", body)


def search(db: sqlite3.Connection, query: str, limit: int = 10) -> list[int]:
    return [seq for seq, _ in index.match(db, J, query_terms(query), limit)]


def steps(db: sqlite3.Connection, work: Callable[[], object]) -> int:
    """How many steps SQLite takes for some work."""
    count = 0

    def one() -> None:
        nonlocal count
        count += 1

    db.set_progress_handler(one, 1)
    work()
    db.set_progress_handler(None, 0)
    return count


@pytest.mark.report("M46")
@pytest.mark.parametrize(
    ("query", "seq"),
    [
        ("成语接龙", 0), ("成语", 0), ("龙", 0), ("戏", 0), ("今", 0), ("itgc", 1), ("重跑", 1), ("后", 1),
        ("gen-itgc", 1), ("承認", 2), ("承認フロー", 2), ("ー", 2), ("끝말", 3), ("끝말잇기", 3), ("끝", 3),
    ],
)  # fmt: skip
def test_words_in_scripts_without_spaces_are_found(db: sqlite3.Connection, query: str, seq: int) -> None:
    put(db, "今天玩成语接龙游戏", "重跑gen-itgc后", "承認フロー", "끝말잇기", "another note")
    assert search(db, query) == [seq]


SPELLINGS = ("mcp_wiring_test", "mcp-wiring-test", "mcpWiringTest", "mcp wiring test")


@pytest.mark.report("M48")
@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("query", SPELLINGS)
@pytest.mark.parametrize("where", ["name", "body"])
def test_each_spelling_finds_each_other_first(db: sqlite3.Connection, spelling: str, query: str, where: str) -> None:
    put(db, "mcp only", "wiring only, a test", "the test plan", "testing the mcp server", "mcp and wiring")
    if where == "name":
        index.add(db, J, 50, f"{spelling}.md", "Title", "text")
    else:
        index.add(db, J, 50, "note.md", "Title", f"about {spelling} here")
    put(db, "newer: mcp tests", "newer: wires")
    assert search(db, query)[0] == 50


@pytest.mark.report("M48")
@pytest.mark.parametrize("query", SPELLINGS)
def test_of_all_spellings_the_one_asked_for_is_first_and_none_is_missed(db: sqlite3.Connection, query: str) -> None:
    put(db, *(f"about {spelling} here" for spelling in SPELLINGS), "mcp", "wiring", "test", "mcp test")
    found = search(db, query)
    assert found[0] == SPELLINGS.index(query)
    assert set(found[:4]) == {0, 1, 2, 3}


@pytest.mark.report("M49")
def test_an_identifier_is_found_by_its_parts_and_ranks_first_by_itself(db: sqlite3.Connection) -> None:
    put(
        db,
        "calls getUserById twice",
        "the user has an id; get the user by id",
        "get_user_by_id in Python",
        "nothing here",
    )
    assert set(search(db, "user by id")) == {0, 1, 2}
    assert search(db, "getUserById")[0] == 0
    assert search(db, "get_user_by_id")[0] == 2


def test_a_word_counts_most_in_the_name_then_in_the_heading(db: sqlite3.Connection) -> None:
    index.add(db, J, 0, "deploy.md", "Title", "Title\nsome text of a note")
    index.add(db, J, 1, "other.md", "Deploy", "Deploy\nsome text of a note")
    index.add(db, J, 2, "third.md", "Title", "Title\nsome deploy of a note")
    index.add(db, J, 3, "fourth.md", "Title", "Title\nsome text of a note")
    assert search(db, "deploy") == [0, 1, 2]


def test_the_newer_wins_a_tie(db: sqlite3.Connection) -> None:
    index.add_many(db, J, [(seq, "same.md", "Title", "same words") for seq in range(30)])
    assert search(db, "same words") == list(range(29, 19, -1))


def test_scores_fall_and_are_higher_for_better(db: sqlite3.Connection) -> None:
    put(db, "deploy", "deploy key", "key key deploy deploy", "unrelated", "unrelated too", "and so on")
    scores = [score for _, score in index.match(db, J, query_terms("deploy key"), 10)]
    assert len(scores) == 3
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] > 0


def test_a_limit_holds_and_no_terms_find_nothing(db: sqlite3.Connection) -> None:
    put(db, *["same"] * 20)
    assert len(search(db, "same", 3)) == 3
    assert search(db, "same", 0) == []
    assert index.match(db, J, (), 10) == []


def test_stop_words_find_notes_where_nothing_else_was_asked(db: sqlite3.Connection) -> None:
    put(db, "to be or not", "deploy")
    assert search(db, "to be or not to be") == [0]


def test_an_older_text_is_no_longer_found_once_removed(db: sqlite3.Connection) -> None:
    put(db, "old secret words", "other")
    index.remove(db, J, 0, "n0.md", "", "old secret words")
    index.add(db, J, 2, "n0.md", "", "new words")
    assert search(db, "secret") == []
    assert search(db, "words") == [2]
    assert index.indexed(db, J) == [1, 2]
    assert index.check(db, J)


def test_adding_twice_and_removing_the_unknown_change_nothing(db: sqlite3.Connection) -> None:
    put(db, "one", "two")
    put(db, "one", "two")
    index.remove(db, J, 99, "n99.md", "", "never there")
    assert index.indexed(db, J) == [0, 1]
    assert index.has(db, J, 1)
    assert not index.has(db, J, 99)
    index.remove(db, J, 1, "n1.md", "", "two")
    assert search(db, "two") == []
    assert index.check(db, J)


def test_a_rolled_back_change_leaves_the_index_as_it_was(db: sqlite3.Connection) -> None:
    put(db, "one")
    db.execute("BEGIN IMMEDIATE")
    index.remove(db, J, 0, "n0.md", "", "one")
    index.add(db, J, 1, "n0.md", "", "two")
    db.execute("ROLLBACK")
    assert search(db, "one two") == [0]
    assert index.check(db, J)


def test_each_journal_has_its_own_index(db: sqlite3.Connection) -> None:
    index.create(db, 8)
    put(db, "shared word")
    assert index.match(db, 8, ("share",), 10) == []
    index.drop(db, 8)
    index.drop(db, 8)
    assert index.exists(db, J)
    assert not index.exists(db, 8)


def test_a_damaged_index_fails_its_check(db: sqlite3.Connection) -> None:
    put(db, "one two", "three")
    db.execute(f"DELETE FROM words_{J}_docsize WHERE id = 0")
    db.execute(f"UPDATE words_{J}_data SET block = zeroblob(12) WHERE id > 10")
    assert not index.check(db, J)


def test_no_byte_of_a_removed_text_stays_in_the_file(db: sqlite3.Connection, tmp_path: Path) -> None:
    chance = random.Random(3)
    bodies = [" ".join(f"w{chance.randrange(900)}" for _ in range(150)) for _ in range(300)]
    bodies[120] += " zyxwvsecret"
    put(db, *bodies)
    index.optimize(db, J)
    index.remove(db, J, 120, "n120.md", "", bodies[120])
    index.optimize(db, J)
    db.execute("VACUUM")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert not [path for path in tmp_path.iterdir() if b"zyxwvsecret"[:6] in path.read_bytes()]
    assert index.check(db, J)
    assert 120 not in index.indexed(db, J)


def test_merging_in_idle_time_comes_to_an_end_and_changes_no_result(db: sqlite3.Connection) -> None:
    bodies = [f"word{seq % 7} common note{seq}" for seq in range(60)]
    put(db, *bodies)
    before = index.match(db, J, query_terms("word3 note10"), 60)
    rounds = 0
    while index.merge_step(db, J):
        rounds += 1
        assert rounds < 100
    assert rounds > 0
    assert index.match(db, J, query_terms("word3 note10"), 60) == before


LIVE = 200


def _grown(db: sqlite3.Connection, entries: int) -> Callable[[int], None]:
    """Fill a journal of `LIVE` notes up to `entries`; return what appends the next one."""
    bodies = [f"note{n} " + " ".join(f"w{(n * 37 + k * k) % 3001}" for k in range(120)) for n in range(LIVE)]

    def append(seq: int) -> None:
        note = seq % LIVE
        db.execute("BEGIN IMMEDIATE")
        index.remove(db, J, seq - LIVE, f"n{note}.md", "", bodies[note])
        index.add(db, J, seq, f"n{note}.md", "", bodies[note])
        db.execute("COMMIT")

    db.execute("PRAGMA synchronous = OFF")
    for seq in range(entries):
        append(seq)
    index.optimize(db, J)
    return append


def _costs(db: sqlite3.Connection, entries: int) -> tuple[float, float, int]:
    append = _grown(db, entries)
    each = [steps(db, partial(append, seq)) for seq in range(entries, entries + 64)]
    return median(each), mean(each), steps(db, lambda: search(db, "note17"))


def test_an_append_and_a_rare_word_cost_the_same_in_a_journal_ten_times_as_long(tmp_path: Path) -> None:
    costs = []
    for entries in (400, 4000):
        db = sqlite3.connect(tmp_path / f"{entries}.db", isolation_level=None)
        index.create(db, J)
        costs.append(_costs(db, entries))
        db.close()
    assert all(long <= 1.1 * short for short, long in zip(*costs, strict=True))


def _odd_query(chance: random.Random) -> str:
    pieces = (
        "NEAR(", ")", '"', '""', "'", "*", "^", ":", "-", "--", "/", "\\", ".", "{", "}", "AND",
        "OR", "NOT", "\0", "🙂", "👩\u200d💻", "\ud800", "\udfff", "\u0301", "\ufeff", "\u200b",
        "\u2028", "name:", "body :", "a", "key", "getUserById", "今", "成语接龙", "끝말", "ß", "İ", "ﷺ",
        "%", "_", "$(x)", ";", "DROP TABLE", "\r\n", "\t", "1e9", "don't", "e-mail", "C:\\x",
        "a/b/c", "+", "~", "`", "|", "<memory>", "\x1b[31m", "é", "\u0e01\u0e34",
    )  # fmt: skip
    kind = chance.random()
    if kind < 0.7:
        return chance.choice(["", " "]).join(chance.choices(pieces, k=chance.randint(1, 12)))
    if kind < 0.99:
        return "".join(chr(chance.randrange(0x110000)) for _ in range(chance.randint(1, 20)))
    return chance.choice(pieces) * (10_000 // chance.randint(1, 8))


def test_each_term_of_any_text_finds_the_note_it_came_from(db: sqlite3.Connection) -> None:
    chance = random.Random(7)
    for seq in range(300):
        text = "".join(chr(chance.choice((chance.randrange(0x3100), chance.randrange(0x110000)))) for _ in range(30))
        index.add(db, J, seq, "n.md", "", text)
        missed = [term for term in query_terms(text) if seq not in dict(index.match(db, J, [term], 300))]
        assert missed == []
    assert index.check(db, J)


def test_notes_prepared_before_the_lock_are_indexed_as_others(db: sqlite3.Connection) -> None:
    index.add_prepared(db, J, [index.prepare(0, "deploy.md", "Title", "Title\nkeys")])
    assert search(db, "deploy") == search(db, "key") == [0]
    index.remove(db, J, 0, "deploy.md", "Title", "Title\nkeys")
    assert search(db, "deploy") == search(db, "key") == []
    assert index.check(db, J)


@pytest.mark.report("M51")
def test_no_query_is_an_error(db: sqlite3.Connection) -> None:
    put(db, "the key of getUserById", "今天玩成语接龙游戏", "don't e-mail a/b/c")
    chance = random.Random(51)
    found = 0
    for _ in range(5000):
        found += len(search(db, _odd_query(chance)))
    assert found > 0
