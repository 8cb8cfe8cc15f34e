from __future__ import annotations

import pytest

from memory_core import names
from memory_core.exceptions import BadName


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("flaky-tests", "flaky-tests.md"),
        ("flaky-tests.md", "flaky-tests.md"),
        ("ci/cache", "ci/cache.md"),
        ("Site Roadmap", "Site Roadmap.md"),
        ("한국어", "한국어.md"),
        ("e\u0301", "é.md"),
        ("README.MD", "README.MD.md"),
        ("v1.2", "v1.2.md"),
        ("x" * 197, "x" * 197 + ".md"),
    ],
)
def test_a_name_gets_its_one_form(asked: str, name: str) -> None:
    assert names.note_name(asked) == name


@pytest.mark.report("M53")
@pytest.mark.parametrize(
    "name",
    [
        "/etc/x",
        "..\\x",
        "C:x",
        "C:\\x",
        "a/../../x",
        "../x",
        "\\\\srv\\x",
        "a\0b",
        "a\nb",
        "a\u2028b",
        "a\x85b",
        "CON.md",
        "con",
        "a/nul.txt",
        "COM1",
        "lpt¹.md",
        "x" * 198,
        "é" * 100,
        "x" * 300,
        "trailing.",
        "trailing ",
        "dir./x",
        "dir /x",
        ".hidden",
        "a/.b/c",
        "a//b",
        "a/",
        "",
        "  ",
        "\ud800",
    ],
)
def test_a_name_that_breaks_a_rule_is_refused_with_the_rule(name: str) -> None:
    with pytest.raises(BadName) as caught:
        names.note_name(name)
    assert caught.value.message and caught.value.hint


@pytest.mark.report("M29", "M58")
def test_names_look_alike_without_case_separators_and_suffix() -> None:
    wanted = names.alike("site-roadmap.md")
    for other in (
        "Site Roadmap.md",
        "site_roadmap.md",
        "SiteRoadmap.md",
        "site-roadmap (2).md",
        "site-roadmap-v2.md",
    ):
        assert names.alike(other) == wanted
    for other in ("site-roadmaps.md", "ci/site-roadmap.md", "AP-096.md", "site.md"):
        assert names.alike(other) != wanted
    assert names.alike("AP-096.md") != names.alike("AP-097.md")
    assert names.alike("2026-01-01.md") != names.alike("2026-01-02.md")


def test_names_equal_when_folded_look_alike_too() -> None:
    for one, other in (("Foo.md", "foo.md"), ("Straße.md", "STRASSE.md"), ("Ünï.md", "ünï.md")):
        assert names.folded(one) == names.folded(other)
        assert names.alike(one) == names.alike(other)
