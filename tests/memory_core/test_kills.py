"""A process that is killed at any named point loses neither an acknowledged write nor an outside edit."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Place

ROOT = Path(__file__).parents[2]
WRITER = Path(__file__).with_name("writer.py")

POINTS = [
    *(f"write.{step}" for step in ("checked", "temporary", "locked", "looked", "appended", "replaced", "committed")),
    *(f"delete.{step}" for step in ("checked", "locked", "looked", "appended", "replaced", "committed")),
    "reconcile.appended",
    "reconcile.stored",
    "forget.marked",
    "forget.removed",
    "forget.blanked",
]


def run(place: Place, fault: str, *steps: str) -> list[str]:
    """The acknowledgements that the writer printed before it was killed at `fault`."""
    result = subprocess.run(
        [sys.executable, str(WRITER), str(place.project), str(place.state), *steps],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT), "CAUDRA_FAULT": fault},
        check=False,
    )
    assert result.returncode == -signal.SIGKILL, result.stderr
    return result.stdout.splitlines()


@pytest.mark.report("M5")
@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("point", POINTS)
def test_a_kill_loses_nothing_that_was_acknowledged_or_edited(place: Place, point: str, count: int) -> None:
    with place.open() as memory:
        memory.reconcile()
        for name in ("a", "b", "c", "gone", "gone2", "gone3", "secret", "secret2", "secret3"):
            memory.write(name, f"old {name}")
    for name in ("a", "d", "e"):
        (place.memories / f"{name}.md").write_text(f"outside {name}", encoding="utf-8")
    steps = [
        "reconcile",
        *("write:a:new a", "write:b:new b", "write:n:new n", "delete:gone", "delete:gone2", "delete:gone3"),
        *("forget:secret", "forget:secret2", "forget:secret3"),
    ]
    if not point.startswith("reconcile"):
        steps = steps[1:]
    acknowledged = run(place, f"{point}:{count}" if point != "reconcile.stored" else point, *steps)
    with place.open() as memory:
        memory.reconcile()
        assert memory.verify().problems == ()
        texts = {found.raw.decode() for found in memory.export() if found.raw is not None}
        assert {"outside a", "outside d", "outside e"} <= texts
        current = {row.name for row in memory.log()}
        assert {"a.md", "b.md", "c.md"} <= current
        for step in acknowledged:
            verb, _, rest = step.partition(":")
            name, _, text = rest.partition(":")
            if verb == "write":
                assert memory.read(name).text == text
            elif verb == "delete":
                assert not (place.memories / f"{name}.md").exists()
            elif verb == "forget":
                assert f"old {name}" not in texts
        assert memory.read("b").text in ("old b", "new b")
    if point.startswith("forget"):
        assert f"old secret{count if count > 1 else ''}" not in texts
    assert list((place.memories.parent / "tmp").iterdir()) == []


@pytest.mark.parametrize(
    "point", ["import.appended:1", "import.appended:2", "reconcile.stored:1", "reconcile.stored:2"]
)
def test_an_import_that_was_killed_resumes_in_order(place: Place, point: str) -> None:
    place.open().close()
    for number in range(2500):
        path = place.memories / f"note-{number}.md"
        path.write_text(f"# Note {number}\n", encoding="utf-8")
    run(place, point, "reconcile")
    with place.open() as memory:
        memory.reconcile()
        while memory.index_more():
            pass
        assert memory.verify().problems == ()
        rows = list(memory.log())
        assert len(rows) == 2500
        assert {row.origin.kind.value for row in rows} == {"import"}
        dates = [row.created_ms for row in reversed(rows)]
        assert dates == sorted(dates)
        assert memory.reconcile().appended == 0


def test_a_clearing_that_was_killed_is_whole_or_done_again(place: Place) -> None:
    with place.open() as memory:
        memory.write("a", "old")
    shutil.rmtree(place.memories)
    run(place, "clear.purged:1", "reconcile")
    with place.open() as memory:
        assert memory.reconcile().cleared
        assert memory.view().entries == 0
        assert memory.verify().ok
