"""The agent's configuration: `config.toml` in the user's configuration directory, checked whole.

A configuration that can't be read or is wrong never stops the agent: the defaults hold, and one sentence
says why.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from platformdirs import user_config_dir
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from acp_server.sentences.turn import SETTING_UNKNOWN, config_unreadable, config_wrong

FILE_NAME = "config.toml"


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AgentConfig(_Section):
    """`[agent]`."""

    summarize_memory: bool = True
    """Whether summary lines are written in the background."""
    max_turn_requests: int = Field(default=50, ge=1, le=1000)
    """How many requests to the model one turn may take."""
    max_tool_output_bytes: int = Field(default=64 * 1024, ge=1024, le=16 * 1024 * 1024)
    """How much of a tool's result the model reads, in bytes of UTF-8."""


class MemoryConfig(_Section):
    """`[memory]`."""

    max_summary_tokens_per_hour: int = Field(default=10_000_000, ge=1)
    """Uncached input and output that summary lines may take in an hour; past it they wait."""


class PermissionConfig(_Section):
    """One `[[permissions]]`: what is allowed without asking where nobody can be asked."""

    project: str | None = None
    """A directory of the project; without it the rule holds for every project."""
    allow: tuple[Literal["memory.write", "memory.delete"], ...]


class Config(_Section):
    """The whole file."""

    agent: AgentConfig = AgentConfig()
    memory: MemoryConfig = MemoryConfig()
    permissions: tuple[PermissionConfig, ...] = ()


def config_path(environ: Mapping[str, str]) -> Path:
    """Where the configuration lies; `CAUDRA_CONFIG_DIR` names another directory."""
    return Path(environ.get("CAUDRA_CONFIG_DIR") or user_config_dir("caudra", appauthor=False)) / FILE_NAME


def load_config(path: Path) -> tuple[Config, str | None]:
    """The configuration, and a sentence about what is wrong with it (then the defaults hold)."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Config(), None
    except (OSError, UnicodeDecodeError) as error:
        return Config(), config_unreadable(str(path), _reason(error))
    try:
        return Config.model_validate(tomllib.loads(text)), None
    except tomllib.TOMLDecodeError as error:
        return Config(), config_unreadable(str(path), str(error))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        reason = SETTING_UNKNOWN if first["type"] == "extra_forbidden" else first["msg"]
        return Config(), config_wrong(str(path), where, reason)


def _reason(error: OSError | UnicodeDecodeError) -> str:
    return os.strerror(error.errno) if isinstance(error, OSError) and error.errno else type(error).__name__
