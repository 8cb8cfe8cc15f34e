"""A long-lived writer for the kill tests: prints an acknowledgement as each step is durable.

Arguments: project, state directory, then steps: `write:NAME:TEXT`, `delete:NAME`, `reconcile`, `forget:NAME,…`.
"""

from __future__ import annotations

import sys

from memory_core import Memory


def main(project: str, state: str, steps: list[str]) -> None:
    with Memory.open(project, state_dir=state) as memory:
        print("open", flush=True)
        for step in steps:
            verb, _, rest = step.partition(":")
            name, _, text = rest.partition(":")
            if verb == "write":
                memory.write(name, text)
            elif verb == "delete":
                memory.delete(name)
            elif verb == "forget":
                memory.forget(*name.split(","))
            else:
                memory.reconcile()
            print(step, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
