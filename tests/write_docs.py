"""Writes the parts of the documentation that are made from the code: `python tests/write_docs.py`.

The tables of `docs/cli.md` come from those of commands and exit codes, those of `docs/providers.md` from the tables of
faults and endings, the transcript of the README from a
real run. Each stands between marks in its page; a test compares, so neither can rot.
"""

from __future__ import annotations

import ast
import itertools
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from acp_server.commands import COMMANDS as SLASH_COMMANDS
from acp_server.config import SECTIONS
from acp_server.endings import ENDINGS
from acp_server.exits import MEANINGS
from acp_server.memory_cli import COMMANDS, MemoryCommand
from acp_server.models.presets import PRESETS
from acp_server.models.quirks import ROWS
from acp_server.models.settings import FIELDS
from acp_server.providers.faults import RULES, Place, WireFault, sentence_of
from acp_server.sentences import cli as say
from acp_server.sentences import endings, providers, tools
from acp_server.sentences import models as say_models
from acp_server.sentences import usage as say_usage
from acp_server.storage_cli import COMMANDS as STORAGE_COMMANDS

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
CLI = ROOT / "docs" / "cli.md"
PROVIDERS = ROOT / "docs" / "providers.md"
ROOMS = ROOT / "docs" / "rooms.md"
MODELS = ROOT / "docs" / "models.md"
EDITORS = ROOT / "docs" / "editors.md"
CONFIGURATION = ROOT / "docs" / "configuration.md"

REMEMBER = "remember that the deploy key rotates on Mondays"
ASK = "what do we know about the deploy key?"


def _row(command: MemoryCommand) -> str:
    star = " *" if command.changes else ""
    return f"| `{command.usage}`{star} | {say.SUMMARIES[command.name]} |\n"


def with_part(page: Path, name: str, part: str) -> str:
    """A page's text with `part` between its marks of this name."""
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    head, _, rest = page.read_text(encoding="utf-8").partition(begin)
    return head + begin + part + end + rest.partition(end)[2]


def commands() -> str:
    """The table of memory commands; * marks those that change the memory."""
    return "| command | does |\n| --- | --- |\n" + "".join(map(_row, COMMANDS))


def storage_commands() -> str:
    """The table of storage commands."""
    rows = (f"| `{command.usage}` | {say_usage.SUMMARIES[command.name]} |\n" for command in STORAGE_COMMANDS)
    return "| command | does |\n| --- | --- |\n" + "".join(rows)


def exit_codes() -> str:
    """The table of exit codes."""
    rows = (f"| {code.value} | {meaning} |\n" for code, meaning in MEANINGS.items())
    return "| code | meaning |\n| --- | --- |\n" + "".join(rows)


def faults() -> str:
    """The table of what can go wrong on the way to a model's server."""
    place = Place("PROVIDER", "MODEL", "HOST", "KEY")
    rows = "| fault | when | tried again | the person reads |\n| --- | --- | --- | --- |\n"
    for kind, rule in RULES.items():
        said = sentence_of(WireFault(kind), place, "…")
        rows += f"| `{kind}` | {providers.FAULTS[kind][0]} | {rule.retries or 'no'} | {said} |\n"
    return rows


def quirks() -> str:
    """The table of servers that are compatible with Chat Completions."""
    rows = "| server | differs |\n| --- | --- |\n"
    return rows + "".join(f"| {name} | {row.remark} |\n" for name, row in ROWS.items())


def answers() -> str:
    """The table of answers that end otherwise than whole."""
    rows = "| when | stop reason | the person reads | the model sees |\n| --- | --- | --- | --- |\n"
    for ending, told in ENDINGS.items():
        rows += f"| {endings.WHEN[ending]} | `{told.stop_reason}` | {told.sentence} | {endings.SEEN[ending]} |\n"
    return rows


def calls() -> str:
    """The table of calls that can't be run."""
    rows = (
        ("arguments that are cut, or no JSON object", tools.CARD_BROKEN_ARGUMENTS, tools.broken_arguments("TOOL", "…")),
        ("a tool that does not exist", tools.card_unknown_tool("TOOL"), tools.unknown_tool("TOOL", "…")),
        ("an answer that breaks off after a call", tools.CARD_CUT_CALL, tools.RESULT_NOT_RUN),
    )
    head = "| when | the card says | the model reads |\n| --- | --- | --- |\n"
    return head + "".join(f"| {when} | {card} | {result} |\n" for when, card, result in rows)


def providers_of_models() -> str:
    """The table of servers that are known by name."""
    rows = "| provider | name | key | address | usual address |\n| --- | --- | --- | --- | --- |\n"
    for preset in PRESETS.values():
        keys, addresses = (", ".join(f"`{each}`" for each in names) for names in (preset.keys, preset.base_urls))
        usual = f"`{preset.base_url}`" if preset.base_url else "each person's own"
        rows += f"| {preset.title} | `{preset.name}` | {keys or 'none needed'} | {addresses} | {usual} |\n"
    return rows


def settings_of_models() -> str:
    """The table of settings under `[models.NAME]`."""
    rows = (f"| `{name}` | {say_models.SETTINGS[name]} |\n" for name in FIELDS)
    return "| `[models.NAME]` | is |\n| --- | --- |\n" + "".join(rows)


def slash_commands() -> str:
    """The table of commands that can be typed in a session."""
    rows = (f"| `{command.usage}` | {command.description}. |\n" for command in SLASH_COMMANDS)
    return "| command | does |\n| --- | --- |\n" + "".join(rows)


def settings_of_the_agent() -> str:
    """The tables of settings beside those of models: names, defaults, and the words that stand below each."""
    tree = ast.parse((ROOT / "acp_server" / "config.py").read_text(encoding="utf-8"))
    classes = {each.name: each for each in tree.body if isinstance(each, ast.ClassDef)}
    tables = []
    for section, kind in SECTIONS.items():
        head = f"[[{section}]]" if section == "permissions" else f"[{section}]"
        rows = f"| `{head}` | default | is |\n| --- | --- | --- |\n"
        for name, said in _said_of_fields(classes[kind.__name__]).items():
            field = kind.model_fields[name]
            default = "" if field.is_required() or field.default is None else f"`{_as_toml(field.default)}`"
            rows += f"| `{name}` | {default} | {said} |\n"
        tables.append(rows)
    return "\n".join(tables)


def _said_of_fields(section: ast.ClassDef) -> dict[str, str]:
    said: dict[str, str] = {}
    for field, below in itertools.pairwise(section.body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(below, ast.Expr):
            said[field.target.id] = " ".join(str(ast.literal_eval(below.value)).split())
    return said


def _as_toml(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case int():
            return f"{value:_}"
        case tuple():
            return str(list(value))
        case _:
            return str(value)


def _chat(said: str, home: Path) -> str:
    """One chat in a pipe, with places shortened as a reader would."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "CAUDRA_STATE_DIR": str(home / "state"),
    }
    done = subprocess.run(
        [sys.executable, "-P", "-m", "acp_server", "chat", "--allow", "memory.write"],
        input=said.encode(),
        capture_output=True,
        cwd=home / "shop",
        env=environment,
        timeout=120,
        check=True,
    )
    return done.stdout.decode().replace(str(home / "state"), "~/.local/state/caudra")


def transcript() -> str:
    """Two chats about one project, as a shell shows them."""
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary).resolve()
        (home / "shop").mkdir()
        shown = ""
        for said, rule in ((REMEMBER, " --allow memory.write"), (ASK, "")):
            shown += f'$ echo "{said}" | caudra-acp chat{rule}\n{_chat(said, home)}'
        project = next((home / "state" / "projects").iterdir()).name
    return f"```console\n{shown.replace(project, 'shop-1f0c7a2b9d3e')}```\n"


def rooms(package: str) -> str:
    """Every module of a package with what it is for, in the words of its own first sentence."""
    rows = "| room | is |\n| --- | --- |\n"
    for path in sorted((ROOT / package).rglob("*.py")):
        name = path.relative_to(ROOT / package).with_suffix("").as_posix()
        if path.name != "__init__.py":
            rows += f"| `{name}` | {_first_sentence(path)} |\n"
    return rows


def _first_sentence(path: Path) -> str:
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    paragraph = " ".join(said.partition("\n\n")[0].split())
    return re.split(r"(?<=\.) (?=[A-Z])", paragraph)[0].replace("|", "\\|")


PARTS: tuple[tuple[Path, str, Callable[[], str]], ...] = (
    (CLI, "commands", commands),
    (CLI, "storage commands", storage_commands),
    (CLI, "exit codes", exit_codes),
    (PROVIDERS, "faults", faults),
    (PROVIDERS, "quirks", quirks),
    (PROVIDERS, "endings", answers),
    (PROVIDERS, "calls", calls),
    (MODELS, "providers", providers_of_models),
    (MODELS, "settings", settings_of_models),
    (EDITORS, "slash commands", slash_commands),
    (CONFIGURATION, "settings", settings_of_the_agent),
    (README, "transcript", transcript),
    (ROOMS, "memory_core", partial(rooms, "memory_core")),
    (ROOMS, "acp_server", partial(rooms, "acp_server")),
)

if __name__ == "__main__":
    for page, name, make in PARTS:
        page.write_text(with_part(page, name, make()), encoding="utf-8")
