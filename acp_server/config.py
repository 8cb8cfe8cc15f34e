"""The agent's configuration: `config.toml` in the user's configuration directory, checked whole.

A configuration that can't be read or is wrong never stops the agent: what is wrong is left out, its default holds, and
a sentence names the line, what is wrong and what would be right.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, ValidationError
from pydantic_core import PydanticCustomError

from acp_server.memory_switch import directory_of
from acp_server.models.settings import settings_of
from acp_server.places import CONFIG_NAME, config_directory_of
from acp_server.sentences import config as say
from acp_server.toml_lines import line_of
from acp_server.toml_text import NoToml, parsed


def _directory(text: str) -> str:
    if directory_of(text) is None:
        raise PydanticCustomError("directory", say.NO_DIRECTORY)
    return text


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
    compact_at: float = Field(default=0.8, ge=0.3, le=0.95)
    """The share of the model's window at which the conversation is made shorter."""


class MemoryConfig(_Section):
    """`[memory]`. `enabled` and `off_in` are acted on by `memory_switch.py`."""

    enabled: StrictBool = True
    """Whether sessions use the memory of their project; each may choose otherwise."""
    off_in: tuple[Annotated[str, AfterValidator(_directory)], ...] = ()
    """Directories: sessions in their projects, and in all below them, use none."""
    max_summary_tokens_per_hour: int = Field(default=10_000_000, ge=1)
    """Uncached input and output that summary lines may take in an hour; past it they wait."""


class PermissionConfig(_Section):
    """One `[[permissions]]`: what is allowed without asking where nobody can be asked."""

    project: str | None = None
    """A directory of the project; without it the rule holds for every project."""
    allow: tuple[Literal["memory.write", "memory.delete"], ...]
    """`memory.write`, `memory.delete` or both."""


class Config(_Section):
    """The whole file."""

    agent: AgentConfig = AgentConfig()
    memory: MemoryConfig = MemoryConfig()
    permissions: tuple[PermissionConfig, ...] = ()


def config_path(environ: Mapping[str, str]) -> Path:
    """Where the configuration lies; `CAUDRA_CONFIG_DIR` names another directory."""
    return Path(config_directory_of(environ)) / CONFIG_NAME


def load_config(path: Path) -> tuple[Config, tuple[str, ...]]:
    """The configuration, and a sentence for each thing that is wrong with it; what is wrong is left out."""
    try:
        text, raw = parsed(path.read_bytes())
    except FileNotFoundError:
        return Config(), ()
    except NoToml as error:
        return Config(), (say.unreadable(str(path), str(error)),)
    except OSError as error:
        return Config(), (say.unreadable(str(path), error.strerror or type(error).__name__),)
    models = {name: raw.pop(name) for name in OF_MODELS if name in raw}
    config, wrong = _checked(raw)
    wrong += [(problem.path, problem.reason) for problem in settings_of(models).problems]
    return config, tuple(_sentence(path, text, where, reason) for where, reason in wrong)


def _checked(raw: dict[str, object]) -> tuple[Config, list[tuple[Where, str]]]:
    """The settings that are right, and what is wrong with the others."""
    wrong: list[tuple[Where, str]] = []
    while True:
        try:
            return Config.model_validate(raw), wrong
        except ValidationError as error:
            for each in error.errors():
                unknown = each["type"] == "extra_forbidden"
                right = say.unknown(_known(each["loc"])) if unknown else say.must_be(each["type"], each["msg"])
                wrong.append((each["loc"], right))
                _leave_out(raw, each["loc"])


def _leave_out(raw: dict[str, object], where: Where) -> None:
    """Take out the innermost table's setting that `where` lies in; of a list the whole element."""
    inner: object = raw
    owner, name = raw, str(where[0])
    for part in where:
        if isinstance(inner, dict) and part in inner:
            owner, name = inner, str(part)
            inner = inner[part]
        elif isinstance(inner, list) and isinstance(part, int) and owner is raw:
            owner[name] = [each for at, each in enumerate(inner) if at != part]
            return
        else:
            break
    owner.pop(name, None)


def _known(where: Where) -> tuple[str, ...]:
    """The settings that there are beside one that there isn't."""
    section = SECTIONS.get(str(where[0])) if len(where) > 1 else None
    return tuple(section.model_fields) if section else (*Config.model_fields, *OF_MODELS)


def _sentence(path: Path, text: str, where: Where, reason: str) -> str:
    return say.wrong(str(path), line_of(text, where), ".".join(map(str, where)), reason)


Where = tuple[str | int, ...]

SECTIONS: dict[str, type[BaseModel]] = {"agent": AgentConfig, "memory": MemoryConfig, "permissions": PermissionConfig}
OF_MODELS = ("models", "jobs")
"""Tables that `models.settings` reads: the first answers need them, and this module is too heavy for those."""
