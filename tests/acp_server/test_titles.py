"""A session's title: the person's own words, cut nowhere inside a character."""

from __future__ import annotations

import pytest

from acp_server.titles import MAX_TITLE, own_words, title_of


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("hi", "hi"),
        ("\n\n  Fix the   build \nplease", "Fix the build"),
        ("   ", ""),
        ("You are in a swarm.\nRules…\n\nUser request:\nFix the build", "Fix the build"),
        ("The form says User request: fix it", "The form says User request: fix it"),
        ("Rules\nUser request:", "Rules"),
        ("bell\x07 and \ud800", "bell and"),
    ],
)
def test_the_first_line_that_the_person_wrote(prompt: str, title: str) -> None:
    assert title_of(own_words(prompt)) == title


def test_a_long_line_is_cut_after_a_word() -> None:
    title = title_of("remember that " * 20)
    assert len(title) <= MAX_TITLE
    assert title.removesuffix("…").split()[-1] in ("remember", "that")


@pytest.mark.parametrize("unit", ["👩‍💻", "🇨🇭", "e\u0301", "👍🏽", "❤️", "한", "क्षि"])
@pytest.mark.parametrize("shift", range(8))
def test_no_cut_inside_what_is_seen_as_one_character(unit: str, shift: int) -> None:
    title = title_of("x" * shift + unit * 60).removesuffix("…")
    rest = title[shift:]
    assert rest == unit * (len(rest) // len(unit)) or unit == "क्षि"
    assert len(title) <= MAX_TITLE


def test_a_paste_of_megabytes_has_a_title_of_its_first_words() -> None:
    assert title_of("Fix the build" + "\n" * 1_000_000 + "now") == "Fix the build"
    assert title_of("fix " * 1_000_000).startswith("fix fix")
