"""Where and when a run was measured."""

from __future__ import annotations

import os
import platform
import re
import sqlite3
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MEASURING = ("tests/benchmarks", "tests/reliability")


@dataclass(frozen=True, slots=True)
class Machine:
    """What a figure depends on besides the code."""

    commit: str
    date: str
    cpu: str
    cores: int
    python: str
    sqlite: str
    kernel: str
    file_system: str


def this_machine(folder: Path) -> Machine:
    """The machine, the commit and the time; the file system is that of `folder`."""
    return Machine(
        commit=_commit(),
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        cpu=_cpu(),
        cores=os.cpu_count() or 1,
        python=f"{platform.python_implementation()} {platform.python_version()}",
        sqlite=sqlite3.sqlite_version,
        kernel=f"{platform.system()} {platform.release()} {platform.machine()}",
        file_system=_file_system(folder.resolve()),
    )


def _commit() -> str:
    """The commit, and whether the packages or what measures them differ from it."""
    commit = _git("rev-parse", "--short=12", "HEAD")
    changed = _git("status", "--porcelain", "--", "acp_server", "memory_core", *MEASURING)
    return f"{commit}, with local changes" if changed else commit


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else "unknown"


def _cpu() -> str:
    try:
        facts = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or "unknown"
    found = re.search(r"^model name\s*:\s*(.+)$", facts, re.MULTILINE)
    return found[1].strip() if found else platform.processor() or "unknown"


def _file_system(folder: Path) -> str:
    """The type of the file system with the longest mount point above `folder`."""
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8")
    except OSError:
        return "unknown"
    points = {Path(fields[1]): fields[2] for fields in map(str.split, mounts.splitlines())}
    above = [point for point in points if folder.is_relative_to(point)]
    return points[max(above, key=lambda point: len(point.parts))] if above else "unknown"
