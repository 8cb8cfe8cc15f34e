"""Records transcripts from the real agent: `python -m tests.transcripts.record [NAME …]`, all without a name.

The scenes are functions in `tests/transcripts/scenes/`; what they show is their docstring. After a change
that is meant, record and read the difference.
"""

from __future__ import annotations

import sys

from tests.transcripts.client import Client
from tests.transcripts.rows import FOLDER, dump, names, path_of
from tests.transcripts.scenes import SCENES, Scene
from tests.transcripts.world import World, fresh_world


def record(scene: Scene, world: World) -> bytes:
    """The file of a scene that is played in a fresh world."""
    client = Client(world, scene.settings)
    try:
        scene.play(client)
        client.close()
    finally:
        client.agent.kill()
    return dump(client.rows)


def main(wanted: list[str]) -> None:
    """Record the scenes of these names."""
    FOLDER.mkdir(exist_ok=True)
    for name in wanted or list(SCENES):
        with fresh_world() as world:
            content = record(SCENES[name], world)
        path = path_of(name)
        change = "new" if not path.exists() else "same" if path.read_bytes() == content else "changed"
        path.write_bytes(content)
        print(f"{change:8} {name}")
    if gone := set(names()) - set(SCENES):
        print(f"no scene for {', '.join(sorted(gone))}")


if __name__ == "__main__":
    main(sys.argv[1:])
