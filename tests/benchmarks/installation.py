"""A virtual environment like one that the agent was installed into: no editable paths, everything compiled.

It is made without the network: the packages are copied from the tree, the dependencies linked from the environment
that runs the benchmarks.
"""

from __future__ import annotations

import compileall
import shutil
import site
import sysconfig
import venv
from pathlib import Path

from tests.benchmarks.machine import ROOT

PACKAGES = ("acp_server", "memory_core")


def install(folder: Path) -> Path:
    """Make the environment in `folder`; its interpreter."""
    venv.create(folder, symlinks=True)
    variables = {"base": str(folder), "platbase": str(folder)}
    target = Path(sysconfig.get_path("purelib", "venv", vars=variables))
    _link_dependencies(target)
    for package in PACKAGES:
        shutil.copytree(ROOT / package, target / package, ignore=shutil.ignore_patterns("__pycache__"))
        compileall.compile_dir(target / package, quiet=1)
    return folder / "bin" / "python"


def _link_dependencies(target: Path) -> None:
    """Link what is installed here, but for paths into a tree (`.pth`) and this project itself."""
    for folder in map(Path, site.getsitepackages()):
        for installed in folder.iterdir():
            own = installed.name.startswith((*PACKAGES, "caudra_acp", "_editable"))
            link = target / installed.name
            if not own and installed.suffix != ".pth" and not link.exists():
                link.symlink_to(installed)
