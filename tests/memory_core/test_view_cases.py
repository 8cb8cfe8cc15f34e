"""Journals played step by step through the memory's door come to the right view at every check."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_core import Memory
from memory_core.names import note_name

CASES = sorted((Path(__file__).parents[2] / "fixtures" / "view").glob("*.json"))


def play(memory: Memory, op: dict[str, str]) -> None:
    if op["op"] == "write":
        memory.write(op["name"], op["content"])
    elif op["op"] == "delete":
        memory.delete(op["name"])
    elif op["op"] == "forget":
        memory.forget(op["name"])
    else:
        memory.store_line(op["address"], op["text"], model="test/model")


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_journal_comes_to_the_right_view_at_every_check(path: Path, tmp_path: Path) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    project = tmp_path / "project"
    project.mkdir()
    checks = {check["after"]: check for check in case["checks"]}
    with Memory.open(project, state_dir=tmp_path / "state", budget=case["budget"]) as memory:
        for done, op in enumerate(case["ops"], start=1):
            play(memory, op)
            if done in checks:
                _check(memory, checks[done])
        memory.reconcile()
        assert memory.verify().problems == ()


def _check(memory: Memory, check: dict[str, object]) -> None:
    view = memory.view()
    assert view.entries == check["entries"]
    assert view.bytes == check["view_bytes"]
    assert list(view.next_merges) == check["next_merges"]
    assert view.hidden == check.get("hidden", 0)
    shown = view.text.split("\n")[:-1]
    expected = check.get("shown", check["lines"])
    assert shown == expected
    addresses = check["view"]
    assert isinstance(addresses, list)
    assert [line.address for line in view.lines] == addresses[len(addresses) - len(view.lines) :]


def test_names_of_the_cases_are_kept_as_they_are() -> None:
    names = {op["name"] for path in CASES for op in json.loads(path.read_text(encoding="utf-8"))["ops"] if "name" in op}
    assert {name for name in names if note_name(name) != name} == set()
