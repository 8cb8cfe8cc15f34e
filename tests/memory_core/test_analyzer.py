"""The words of a text: how it is taken apart, folded and stemmed, and where each word stands."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core import analyzer
from memory_core.folding import fold
from memory_core.stemmer import stem


def placed(text: str) -> set[tuple[str, str]]:
    """Each term with the text it was found in."""
    return {(term, text[start:end]) for term, start, end in analyzer.spans(text)}


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("getUserById", {"getuserbyid", "get", "user", "by", "id"}),
        ("HTTPServer", {"httpserver", "http", "server"}),
        ("mcp_wiring_test", {"mcp_wiring_test", "mcp", "wire", "test"}),
        ("mcp-wiring-test", {"mcp-wiring-test", "mcp", "wire", "test"}),
        ("__init__", {"init"}),
        ("src/foo_bar.py", {"src/foo_bar.py", "src", "foo_bar.py", "foo_bar", "foo", "bar", "py"}),
        (r"C:\Users\ann", {"c", r"users\ann", "user", "ann"}),
        ("sha256", {"sha256", "sha", "256"}),
        ("oauth2Token", {"oauth2token", "oauth2", "oauth", "token"}),
        ("v1.2.3", {"v1.2.3", "v1"}),
        ("AP-096", {"ap-096", "ap", "096"}),
        ("9f86d081884c7d65", {"9f86d081884c7d65"}),
        ("user's", {"user"}),
        ("user’s", {"user"}),
        ("don’t", {"don't", "don"}),
        ("URLs", {"url"}),
        ("e.g.", {"e.g"}),
        ("x = y", {"x", "y"}),
        ("ПользовательId", {"пользовательid", "пользователь", "id"}),
    ],
)
def test_a_token_gives_itself_whole_and_its_parts(text: str, terms: set[str]) -> None:
    assert set(analyzer.terms(text)) == terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("retries", "retry"),
        ("rotating", "Rotated"),
        ("café", "CAFE"),
        ("cafe\u0301", "café"),
        ("Straße", "STRASSE"),
        ("ﬁnding", "find"),
        ("ＡＢＣ", "abc"),
        ("ışık", "IŞIK"),
        ("İstanbul", "istanbul"),
        ("Ёлка", "елка"),
        ("Ὀδυσσεύς", "οδυσσευσ"),
        ("שָׁלוֹם", "שלום"),
        ("كِتَاب", "كتاب"),
        ("co\u00adoperate", "cooperate"),
        ("ｶﾞｷ", "ガキ"),
        ("か\u3099く", "がく"),
        ("\u1112\u1161\u11ab\u1100\u1173\u11af", "한글"),
    ],
)
def test_spellings_of_one_word_meet(one: str, other: str) -> None:
    assert analyzer.terms(one) == analyzer.terms(other)


@pytest.mark.parametrize(("one", "other"), [("か", "が"), ("は", "ぱ"), ("ก", "กิ"), ("कि", "क"), ("o", "ø")])
def test_marks_that_make_another_letter_are_kept(one: str, other: str) -> None:
    assert analyzer.terms(one) != analyzer.terms(other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the retries", {("the", "the"), ("retri", "retries")}),
        ("see getUserById", {("see", "see"), ("getuserbyid", "getUserById"), ("get", "get"),
                             ("user", "User"), ("by", "By"), ("id", "Id")}),
        ("ﬁﬁ ﬁnd it", {("fifi", "ﬁﬁ"), ("find", "ﬁnd"), ("it", "it")}),
        ("Straße_eins", {("strasse_eins", "Straße_eins"), ("strass", "Straße"), ("ein", "eins")}),
        ("한글", {("한글", "한글"), ("글", "글")}),
        ("重跑gen-itgc后", {("重跑", "重跑"), ("跑", "跑"), ("gen-itgc", "gen-itgc"), ("gen", "gen"),
                            ("itgc", "itgc"), ("后", "后")}),
        ("か\u3099く。", {("がく", "か\u3099く"), ("く", "く")}),
        ("ชื่อ", {("ชื่อ", "ชื่อ"), ("อ", "อ")}),
        ("\ufeff\u200bword\u2028next", {("word", "word"), ("next", "next")}),
        ("\ud800word\udfff", {("word", "word")}),
    ],
)  # fmt: skip
def test_each_term_knows_its_place_in_the_text_as_it_was(text: str, expected: set[tuple[str, str]]) -> None:
    assert placed(text) == expected


def test_a_word_stands_at_its_own_place_after_text_that_folding_lengthens() -> None:
    text = "ﬃ ß ﷺ İ target"
    assert [text[start:end] for term, start, end in analyzer.spans(text) if term == "target"] == ["target"]


@pytest.mark.parametrize("text", ["承認フロー", "今天玩", "ไทย", "ພາສາລາວ", "ខ្មែរ", "မြန်မာ", "끝말잇기"])
def test_a_run_without_spaces_gives_grams_and_its_last_character(text: str) -> None:
    terms = analyzer.terms(text)
    assert len(terms) >= 2
    assert all(text.find(term) >= 0 for term in terms)
    assert text.endswith(terms[-1])
    assert analyzer.asks_for_beginnings(terms[-1])
    assert not any(map(analyzer.asks_for_beginnings, terms[:-1]))


def test_a_query_asks_for_grams_alone_where_there_are_any() -> None:
    assert analyzer.query_terms("成语接龙") == ("成语", "语接", "接龙")
    assert analyzer.query_terms("龙") == ("龙",)
    assert analyzer.query_terms("龙 gen后") == ("龙", "gen", "后")


def test_stop_words_go_only_while_other_words_remain() -> None:
    assert analyzer.query_terms("what is the deploy key?") == ("deploi", "kei")
    assert analyzer.query_terms("to be or not to be") == ("to", "be", "or", "not")
    assert analyzer.query_terms("why don't they") == ("why", "don't", "don", "thei")
    assert "the" in analyzer.terms("the deploy key")


def test_a_word_whose_stem_is_a_stop_word_is_no_stop_word() -> None:
    assert analyzer.query_terms("the one key") == ("on", "kei")


def test_a_query_is_bounded_and_its_words_are_distinct() -> None:
    assert analyzer.query_terms("key key KEY keys") == ("kei",)
    assert len(analyzer.query_terms(" ".join(f"word{n}" for n in range(2000)))) == analyzer.MAX_QUERY_TERMS


@pytest.mark.parametrize("text", ["", " ", "\0", "?!", "--", "🙂", '"', "\ud800", "\u0301"])
def test_a_text_without_words_has_no_terms(text: str) -> None:
    assert analyzer.terms(text) == []
    assert analyzer.query_terms(text) == ()


def test_data_is_one_short_term() -> None:
    data = "iVBORw0KGgo" * 50_000
    assert analyzer.terms(data) == [data[: analyzer.MAX_TERM].lower()]


def test_memory_of_chunks_is_bounded() -> None:
    for number in range(analyzer.MEMO_CHUNKS + 10):
        analyzer.terms(f"w{number}")
    assert len(analyzer._SPANS) <= analyzer.MEMO_CHUNKS
    assert len(analyzer._JOINED) <= analyzer.MEMO_CHUNKS


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(st.text(st.characters(exclude_categories=()), max_size=60))
def test_terms_of_any_text_are_plain_and_agree_with_their_places(text: str) -> None:
    spans = list(analyzer.spans(text))
    assert [term for term, _, _ in spans] == analyzer.terms(text)
    assert all(0 <= start < end <= len(text) for _, start, end in spans)
    assert all(term and term == "".join(term.split()) and term.isprintable() for term, _, _ in spans)
    assert set(analyzer.query_terms(text)) <= {term for term, _, _ in spans}
    for term, _, _ in spans:
        term.encode()


def test_folding_leaves_no_white_space() -> None:
    assert " " not in fold("ﷺ")


def test_stems_are_those_of_the_other_implementation_at_hand() -> None:
    words = sorted({word for word in ENDINGS.split() for word in (word, f"re{word}", word[1:]) if len(word) > 4})
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE stems USING fts5(word, tokenize='porter ascii')")
    db.execute("CREATE VIRTUAL TABLE found USING fts5vocab(stems, instance)")
    db.executemany("INSERT INTO stems(rowid, word) VALUES (?, ?)", enumerate(words))
    theirs = {words[number]: term for number, term in db.execute("SELECT doc, term FROM found")}
    db.close()
    assert {word: stem(word) for word in words} == theirs


ENDINGS = """
caresses ponies ties caress cats feed agreed plastered bled motoring sing conflated troubled sized
hopping tanned falling hissing fizzed failing filing happy sky relational conditional rational
valency hesitancy digitizer conformably radically differently vilely analogously vietnamization
predication operator feudalism decisiveness hopefulness callousness formality sensitivity
sensibility triplicate formative formalize electricity electrical hopeful goodness revival allowance
inference airliner gyroscopic adjustable defensible irritant replacement adjustment dependent
adoption homologous communism activate angularity effective bowdlerize probate rate cease controller
rolling technology possibly assembly yielding saying dyed flying toys employee oxen indices buses
snowed boxing played queries retries indexing indexed indexes merging migrations authenticated
authorization
"""
