"""The doors that tests come in by: scripted models, tools or a whole runner, from a file that a test names.

Without `CAUDRA_TEST=1` in the environment there is no such door, whatever else is set.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from types import ModuleType

MODULE_NAME = "caudra_test_doors"


def doors(environ: Mapping[str, str]) -> ModuleType | None:
    """The module that `CAUDRA_TEST_DOORS` names (a file), under `CAUDRA_TEST=1`; else None.

    It may have `providers() -> dict[str, Provider]`, `tools() -> list[Tool]` and `runner(world) -> Runner`.
    """
    path = environ.get("CAUDRA_TEST_DOORS")
    if environ.get("CAUDRA_TEST") != "1" or not path:
        return None
    spec = importlib.util.spec_from_file_location(MODULE_NAME, path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
