"""A first turn in a project whose notes hold what looks like a secret says which."""

from __future__ import annotations

from pathlib import Path

import pytest
from turn_support import stage


@pytest.mark.report("M40")
async def test_the_first_turn_names_imported_notes_that_hold_what_looks_like_a_secret(tmp_path: Path) -> None:
    scene = stage(tmp_path)
    with scene.door() as door:
        (Path(door.project.memories) / "keys.md").write_text("# Keys\n\npassword = hunter2xyz!\n", encoding="utf-8")
    await scene.say("hello")
    assert "1 note that was taken in holds what looks like a secret (keys.md)" in scene.text
    assert "hunter2" not in scene.text
    await scene.say("again")
    assert "secret" not in scene.text
    await scene.runner.close()
