"""`python -m tests.reliability.like_anybody MODULE`: runs a module in a process that is held to permissions."""

from __future__ import annotations

import runpy
import sys

from tests.reliability.disk_faults import like_anybody

if __name__ == "__main__":
    sys.argv = sys.argv[1:]
    with like_anybody():
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
