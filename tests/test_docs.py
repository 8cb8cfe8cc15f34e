"""The documentation says what the program does."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import write_docs

from acp_server import __version__

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").glob("*.md")),
]


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize(("page", "name", "make"), write_docs.PARTS, ids=[name for _, name, _ in write_docs.PARTS])
def test_what_is_made_from_the_program_is_what_it_makes(page: Path, name: str, make: Callable[[], str]) -> None:
    assert text(page) == write_docs.with_part(page, name, make())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_that_exist(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)\)", text(page))
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_json_to_paste_is_json(page: Path) -> None:
    for block in re.findall(r"```json\n(.*?)```", text(page), re.DOTALL):
        assert json.loads(block)


def test_the_readme_has_exactly_two_commands() -> None:
    commands = re.findall(r"```sh\n(.*?)```", text(ROOT / "README.md"), re.DOTALL)
    assert [command.count("\n") for command in commands] == [1, 1]


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads(text(ROOT / "pyproject.toml"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    names = {re.split(r"[=<>!~]", each)[0] for each in wanted}
    given = {
        name
        for row in re.findall(r"^\| ([\w, -]+?)(?: \(dev\))? \|", text(ROOT / "CONTRIBUTING.md"), re.M)
        for name in row.split(", ")
    }
    assert names <= given


def test_the_version_is_the_same_everywhere() -> None:
    assert tomllib.loads(text(ROOT / "pyproject.toml"))["project"]["version"] == __version__
    assert f"## {__version__}" in text(ROOT / "CHANGELOG.md")
